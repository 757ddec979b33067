"""What an engine must do: it has workers, starts a function on some of them, and carries messages. Dask is one."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from socket import socket
from typing import Any, Protocol
from urllib.parse import urlsplit

from ..errors import Given, ParameterError

Message = dict[str, Any]  # of plain values: numbers, text, lists
Wrap = Callable[[socket], socket]


class Channel(Protocol):
    """What a worker sees of the engine."""

    host: str  # that neighbours can connect to
    wrap_incoming: Wrap | None  # encrypts connections, if the engine's own are encrypted
    wrap_outgoing: Wrap | None

    def report(self, message: Message) -> None:
        """Send a message to the driver."""

    def answer(self, timeout: float) -> Message:
        """Wait for a message from the driver."""

    def is_wanted(self) -> bool:
        """Whether the driver still waits for this work."""


class Running(Protocol):
    """A function that runs on workers."""

    #: What the function returned, or the error that ended it, by worker.
    outcomes: dict[str, Any]

    def messages(self) -> list[tuple[str, Message]]:
        """Wait a moment, and return what workers have reported since."""

    def send(self, worker: str, message: Message) -> None:
        """Send an answer to a worker."""

    def stop(self) -> None:
        """Want the work no longer, and wait until it has ended."""


class Engine(Protocol):
    """Workers, by name."""

    dashboard: str | None  # an address to look at in a browser

    def workers(self) -> dict[str, int]:
        """Return the workers that are there now, with the number of their threads."""

    def start(
        self, function: Callable[..., Any], tasks: Mapping[str, Message], *, need_one_another: bool = False
    ) -> Running:
        """Call ``function(channel, **task)`` on each worker of ``tasks``.

        If they ``need_one_another``, all should end soon once one has failed; one that does not counts as silent.
        """


@contextmanager
def open_engine(given: Any, threads: int | None, report: Callable[[str], None] = lambda _: None) -> Iterator[Engine]:
    """Return the engine that a user means: an address, a number of workers on this machine, or a client of Dask.

    ``report`` is called with what the user should know, such as that the scheduler does not answer.
    """
    if _is_engine(given):
        yield given
        return
    if not find_spec("distributed"):
        name = "workers" if isinstance(given, int) else "engine"
        raise ParameterError(Given(name, given), ": it needs Dask; install it with pip install 'lexvec[cluster]'")
    from . import dask_engine  # takes half a second

    with dask_engine.opened(given, threads, report) as engine:
        yield engine


def check_engine(given: Any) -> None:
    """Raise if this can be no engine; nothing is started or connected."""
    if given is None or _is_engine(given) or type(given).__module__.partition(".")[0] == "distributed":
        return
    if isinstance(given, int) and not isinstance(given, bool):
        if not 1 <= given <= 1024:
            raise ParameterError(Given("workers", given), ": it must be from 1 to 1024")
        return
    if not isinstance(given, str) or not _is_address(given):
        raise ParameterError(
            Given("engine", given),
            ": it must be an address such as dask://127.0.0.1:8786, a number of workers, or a client of Dask",
        )


def _is_address(text: str) -> bool:
    """Whether this is ``dask://HOST:PORT`` and nothing else."""
    try:
        parts = urlsplit(text)
        if "@" in text or not text.isprintable() or " " in text:
            return False
        return parts.scheme == "dask" and bool(parts.hostname) and text == f"dask://{parts.netloc}" and bool(parts.port)
    except ValueError:  # a port that is no number, or too large; brackets that do not match
        return False


def _is_engine(given: Any) -> bool:
    """Whether this is an engine already, such as one of another kind than Dask."""
    return all(hasattr(given, name) for name in ("workers", "start", "dashboard"))
