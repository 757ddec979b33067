"""The server of the page, on this machine until Ctrl-C: files from a fixed table, answers as JSON, a stream of news."""

import asyncio
import contextlib
import errno
import json
import logging
import secrets
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable
from types import FrameType
from typing import Any

import anyio
import anyio.to_thread
import h11
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..errors import Given, InputError, LexvecError, ResourceError, UnknownWordError, close_words
from ..storage.mapping import check_mapped
from . import questions
from .export import TYPES, page_files
from .guard import Guard
from .session import Session
from .shown_models import Record

LOOK_EVERY = 0.5  # seconds between two looks at a run
PATIENCE = 10.0  # seconds in which a request has to be sent
_CONNECTIONS = 150
_HEADER_BYTES = 32_768
_TOGETHER = 4  # questions that are answered at once
_WAITING = 64  # questions that wait beyond these
_LISTENERS = 32
_LONGEST = 400  # characters of a parameter
_QUIET = 15.0  # seconds after which the stream shows that it is alive
_log = logging.getLogger(__name__)
Query = Callable[["Asked"], Record]


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


def application(session: Session) -> Starlette:
    """Return the ASGI application of a session, without the guard that stands before it."""
    news = News()
    session.listen = news.publish
    pages = page_files()
    asking = _Asking()

    async def page(request: Request) -> Response:
        name = request.path_params.get("name") or "index.html"
        if name not in pages:
            return _json({"error": "there is no such page"}, 404)
        return Response(pages[name], media_type=TYPES[name.rpartition(".")[2]])

    async def events(_: Request) -> Response:
        if news.full:
            return _json({"error": "too many pages are open: close some"}, 503)
        return StreamingResponse(news.stream(), media_type="text/event-stream")

    def route(name: str, query: Query) -> Route:
        async def answer(request: Request) -> Response:
            return await asking.answered(request, query, session)

        return Route(f"/api/{name}", answer, methods=["GET"])

    routes = [route(name, query) for name, query in _questions(session).items()]
    static = [Route("/", page, methods=["GET"]), Route("/page/{name}", page, methods=["GET"])]
    return Starlette(
        routes=[*static, Route("/api/events", events, methods=["GET"]), *routes], lifespan=_watching(session)
    )


class Asked:
    """The parameters of a question, each checked when it is read."""

    def __init__(self, request: Request) -> None:
        self._given = request.query_params

    def text(self, name: str) -> str:
        """Return a text."""
        value = self._given.get(name)
        if value is None:
            raise BadQuestionError(f"the parameter {name} is missing")
        return _short(name, value)

    def texts(self, name: str) -> list[str]:
        """Return all texts of a parameter that is repeated."""
        return [_short(name, value) for value in self._given.getlist(name)[: questions.MOST_COMPARED + 1]]

    def number(self, name: str, default: int, most: int) -> int:
        """Return a whole number from 0 to ``most``."""
        value = self._given.get(name, str(default))
        if not (value.isascii() and value.isdigit() and len(value) < 9 and int(value) <= most):
            raise BadQuestionError(f"the parameter {name} must be a number from 0 to {most}")
        return int(value)

    @property
    def count(self) -> int:
        """How many words are wanted."""
        return max(1, self.number("count", 20, questions.MOST_FOUND))


class BadQuestionError(LexvecError):
    """A parameter of a question that is missing or not what it should be."""


class News:
    """Tells all open pages what has changed; `publish` may be called from any thread."""

    def __init__(self) -> None:
        self._listeners: set[asyncio.Queue[Record]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def publish(self, record: Record) -> None:
        """Send a record to all pages."""
        if self._loop and not self._loop.is_closed():
            with contextlib.suppress(RuntimeError):  # the server has just stopped
                self._loop.call_soon_threadsafe(self._send, record)

    def _send(self, record: Record) -> None:
        for listener in self._listeners:
            with contextlib.suppress(asyncio.QueueFull):  # a page that sleeps reads everything again when it wakes
                listener.put_nowait(record)

    @property
    def full(self) -> bool:
        """Whether no more pages can listen."""
        return len(self._listeners) >= _LISTENERS

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield events until the page goes away."""
        self._loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Record] = asyncio.Queue(256)
        self._listeners.add(queue)
        try:
            yield b"retry: 1000\nevent: hello\ndata: {}\n\n"
            while True:
                try:
                    record = await asyncio.wait_for(queue.get(), _QUIET)
                except TimeoutError:
                    yield b": still here\n\n"
                else:
                    yield f"data: {json.dumps(record)}\n\n".encode()
        finally:
            self._listeners.discard(queue)


def _questions(session: Session) -> dict[str, Query]:
    """Return what the page may ask, by name."""

    def content(asked: Asked, name: str = "model") -> Any:
        return session.model(asked.number(name, 0, 99)).ready

    return {
        "about": lambda _: session.about(),
        "suggest": lambda asked: questions.suggested(content(asked), asked.text("text")),
        "neighbours": lambda asked: questions.neighbours(content(asked), asked.text("text"), asked.count),
        "analogy": lambda asked: questions.analogy(
            content(asked), asked.text("a"), asked.text("b"), asked.text("c"), asked.count
        ),
        "odd": lambda asked: questions.odd_one_out(content(asked), asked.texts("word")),
        "map": lambda asked: session.map(asked.number("model", 0, 99), asked.text("layout")),
        "sides": lambda asked: questions.side_by_side(
            content(asked), content(asked, "other"), asked.text("text"), asked.count
        ),
        "different": lambda asked: session.different(asked.number("model", 0, 99), asked.number("other", 1, 99)),
        "scores": lambda _: session.scores(),
        "run": lambda asked: session.run(asked.number("model", 0, 99)),
    }


class _Asking:
    """Answers questions on threads, a few at a time; beyond a number that may wait, it refuses."""

    def __init__(self) -> None:
        self._waiting = 0
        self._limiter: anyio.CapacityLimiter | None = None

    async def answered(self, request: Request, query: Query, session: Session) -> Response:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(_TOGETHER)
        if self._waiting >= _WAITING:
            return _json({"error": "the server is busy: ask again"}, 503)
        self._waiting += 1
        try:
            return await anyio.to_thread.run_sync(_answer, Asked(request), query, session, limiter=self._limiter)
        finally:
            self._waiting -= 1


def _check_files(session: Session) -> None:
    """Raise an error if another program has cut off a file of vectors: to touch it would end the server."""
    for model in session.models:
        if model.content:
            vectors = model.content.vectors
            rows = getattr(vectors.composer, "table", None)
            check_mapped(vectors.matrix, getattr(rows, "array", None))


def _answer(asked: Asked, query: Query, session: Session) -> Response:
    try:
        _check_files(session)
        return _json(query(asked))
    except UnknownWordError as error:
        word = str(error.word)
        known = [model.content.vectors.index for model in session.models if model.content]
        meant = dict.fromkeys(close for index in known for close in close_words(word, index))
        return _json({"error": f"“{word}” is not in the vocabulary.", "word": word, "meant": list(meant)[:5]})
    except InputError as error:  # what somebody typed: an answer, and no failure of the page
        return _json({"error": error.for_command_line()})
    except LexvecError as error:
        return _json({"error": error.for_command_line()}, 400)
    except Exception as error:  # the page shows it, and goes on
        _log.exception("a question failed")
        return _json({"error": f"the answer failed ({type(error).__name__}): see the log of the server"}, 500)


def _json(record: Record, status: int = 200) -> Response:
    body = json.dumps(record, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Response(body, status, media_type="application/json")


def _short(name: str, value: str) -> str:
    if len(value) > _LONGEST:
        raise BadQuestionError(f"the parameter {name} is too long: give at most {_LONGEST} characters")
    return value


def _watching(session: Session) -> Callable[[Starlette], contextlib.AbstractAsyncContextManager[None]]:
    """Return what goes on beside the answers: preparing the first ones, and watching runs."""

    async def watch() -> None:
        await anyio.to_thread.run_sync(session.prepare)
        while session.is_watching:
            await anyio.to_thread.run_sync(session.look)
            await asyncio.sleep(LOOK_EVERY)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(watch())
        try:
            yield
        finally:
            task.cancel()

    return lifespan


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
