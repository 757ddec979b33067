"""Serving a session on this machine until Ctrl-C."""

import asyncio
import contextlib
import errno
import secrets
import signal
import socket
import threading
from collections.abc import Callable
from types import FrameType

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import Given, ResourceError
from .guard import Guard
from .server import application
from .session import Session

_CONNECTIONS = 150
_HEADER_BYTES = 32_768
PATIENCE = 10.0  # seconds in which a request has to be sent


class ImpatientProtocol(H11Protocol):
    """Hangs up on clients that do not finish their request: they would keep others out for ever."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch the connection."""
        super().connection_made(transport)
        self.loop.call_later(PATIENCE, self._look, None)

    def _look(self, before: object) -> None:
        """Look again and again whether a request has begun since, or is being answered."""
        if self.transport.is_closing():
            return
        waiting = self.conn.their_state is h11.IDLE
        if waiting and self.cycle is before:
            self.transport.close()
        else:
            self.loop.call_later(PATIENCE, self._look, self.cycle if waiting else self)


class StoppableServer(uvicorn.Server):
    """Ends at Ctrl-C, unless that was ignored when it was made, as by ``&`` in a script."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._ignores_interrupts = signal.getsignal(signal.SIGINT) is signal.SIG_IGN

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to end."""
        if sig != signal.SIGINT or not self._ignores_interrupts:
            super().handle_exit(sig, frame)


class Service:
    """A server that is bound to its port, and not running yet."""

    def __init__(self, session: Session, *, host: str = "127.0.0.1", port: int = 0) -> None:
        self._socket = _bound(host, port)
        self.host, self.port = host, int(self._socket.getsockname()[1])
        self.token = secrets.token_urlsafe(24)
        guarded = Guard(application(session), host=host, port=self.port, token=self.token)
        config = uvicorn.Config(
            guarded,
            http=ImpatientProtocol,
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="critical",  # errors of answers are logged where they happen
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            limit_concurrency=_CONNECTIONS,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=0,
            h11_max_incomplete_event_size=_HEADER_BYTES,
        )
        self._server = StoppableServer(config)

    @property
    def url(self) -> str:
        """The address to open, with the token."""
        host = self.host if self.host not in ("0.0.0.0", "::") else socket.gethostname()
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/?token={self.token}"

    def run(self, started: Callable[[], None] = lambda: None) -> None:
        """Serve until Ctrl-C or `stop`; ``started`` is called on a thread of its own beside it."""
        # The socket listens already: a browser that comes too early waits for its answer, so nothing is polled.
        threading.Thread(target=started, daemon=True).start()
        with self._socket, contextlib.suppress(KeyboardInterrupt):
            self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """End `run`, which may be on another thread."""
        self._server.should_exit = True


def _bound(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(128)
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            raise ResourceError(
                f"port {port} is in use: choose another with ", Given("port"), ", or 0 for any"
            ) from None
        raise ResourceError(f"cannot serve on {host}:{port} ({error.strerror}): choose another host or port") from None
    return bound
