"""A web server on this machine that sends files, or misbehaves: the first part of the path says how."""

import http.server
import threading
import time
from pathlib import Path


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        manner, _, rest = self.path.lstrip("/").partition("/")
        path = Path("/", rest)
        if manner == "moved":
            self.send_response(302)
            self.send_header("Location", rest if "://" in rest or rest.startswith("file:") else self.path)
            self.end_headers()
            return
        body = path.read_bytes() if manner in ("file", "broken", "endless") and path.is_file() else b""
        self.send_response(int(manner) if manner.isdigit() else 200 if body else 404)
        lengths = {"broken": len(body) + 1000, "endless": 10**12}
        if manner != "nonsense":
            self.send_header("Content-Length", str(lengths.get(manner, len(body))))
        self.end_headers()
        self.wfile.write(body)
        if manner == "silent":
            time.sleep(0.2)

    def log_message(self, *_: object) -> None:
        pass


class Pages:
    """The server, and its address."""

    def __init__(self) -> None:
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """Stop."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
