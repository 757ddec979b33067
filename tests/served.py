"""A web server on this machine, for tests of what fetches."""

import http.server
import threading


class Pages:
    """Its address, what it serves, and what it was asked: (path, Authorization header)."""

    def __init__(self) -> None:
        self.served: dict[str, bytes] = {}
        self.moved: dict[str, str] = {}
        self.refused: set[str] = set()
        self.broken: set[str] = set()  # paths that promise more than they send
        self.asked: list[tuple[str, str | None]] = []
        pages = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                pages.asked.append((self.path, self.headers.get("Authorization")))
                body = pages.served.get(self.path)
                found = 401 if self.path in pages.refused else 200 if body is not None else 404
                self.send_response(302 if self.path in pages.moved else found)
                if self.path in pages.moved:
                    self.send_header("Location", pages.moved[self.path])
                if body is not None:
                    self.send_header("Content-Length", str(len(body) + (1000 if self.path in pages.broken else 0)))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_: object) -> None:
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()
        self.host = f"127.0.0.1:{self._server.server_port}"
        self.address = f"http://{self.host}"

    def close(self) -> None:
        """Stop."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
