"""Dask as an engine: it places workers, watches them and carries messages. All that lexvec knows of Dask is here.

A task of Dask runs on each worker for as long as the training lasts. Workers report through Dask's events, the driver
answers through `Client.run`, and a task that Dask has cancelled, because the driver is done or gone, ends itself.
"""

import concurrent.futures
import contextlib
import logging
import queue
import signal
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Set
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

import dask
from distributed import Client, Future, LocalCluster, Security, get_worker

from ..errors import ClusterError, Given
from ..machine import available_threads
from .engine import Message, Wrap
from .links import PeerLostError, SilentWorkerError

_TICK = 0.05  # seconds between two looks at the tasks
_LOOK = 1.0  # seconds between two looks at which workers are there
_GRACE = 20.0  # seconds that tasks have to end themselves once one has failed
_UNHEARD = 10.0  # seconds without a heartbeat that say that a worker stands still
_CONNECT = 10.0  # seconds to find the scheduler
_GREETING = 30.0  # seconds until what is found has to answer as a scheduler does
_REPORT_AFTER = 10.0  # seconds without an answer of the scheduler that are worth a line
_PATIENCE = 300.0  # seconds without an answer after which the scheduler counts as lost

_MAIL: dict[str, "queue.SimpleQueue[Message]"] = {}  # of the tasks in this process, by topic


class DaskChannel:
    """What a task sees of Dask."""

    def __init__(self, topic: str) -> None:
        self._worker: Any = get_worker()
        self._topic, self._key = topic, self._worker.get_current_task()
        self._mail = _MAIL.setdefault(self._address_of(topic), queue.SimpleQueue())
        self.host: str = urlsplit(self._worker.address).hostname or "127.0.0.1"
        security = self._worker.security
        incoming = security.get_listen_args("worker").get("ssl_context")
        outgoing = security.get_connection_args("worker").get("ssl_context")
        self.wrap_incoming: Wrap | None = incoming and (lambda link: incoming.wrap_socket(link, server_side=True))
        self.wrap_outgoing: Wrap | None = outgoing and (
            lambda link: outgoing.wrap_socket(link, server_hostname=self.host)
        )

    def _address_of(self, topic: str) -> str:
        return f"{topic} {self._worker.address}"

    def report(self, message: Message) -> None:
        """Send a message to the driver."""
        self._worker.log_event(self._topic, {"worker": self._worker.address, "message": message})

    def answer(self, timeout: float) -> Message:
        """Wait for a message from the driver."""
        until = time.monotonic() + timeout
        while self.is_wanted() and time.monotonic() < until:
            with contextlib.suppress(queue.Empty):
                return self._mail.get(timeout=0.5)
        raise PeerLostError("the driver does not answer: resume from the checkpoint")

    def is_wanted(self) -> bool:
        """Whether Dask still has this task, and not as cancelled."""
        task = self._worker.state.tasks.get(self._key)
        return task is not None and task.state in ("executing", "long-running")

    def close(self) -> None:
        """Leave nothing behind in this process."""
        _MAIL.pop(self._address_of(self._topic), None)


def _call(function: Callable[..., Any], topic: str, task: Message) -> Any:
    channel = DaskChannel(topic)
    try:
        return function(channel, **task)
    finally:
        channel.close()


def _deliver(topic: str, message: Message, dask_worker: Any = None) -> None:
    _MAIL.setdefault(f"{topic} {dask_worker.address}", queue.SimpleQueue()).put(message)


class DaskRunning:
    """Tasks under way, one per worker."""

    def __init__(
        self,
        engine: "DaskEngine",
        function: Callable[..., Any],
        tasks: Mapping[str, Message],
        *,
        need_one_another: bool,
    ) -> None:
        self._engine, self._client, self._need_one_another = engine, engine.client, need_one_another
        self._topic = f"lexvec-{uuid.uuid4().hex}"
        self._reported: queue.SimpleQueue[Any] = queue.SimpleQueue()
        client = engine.client
        client.subscribe_topic(self._topic, lambda event: self._reported.put(event[1]))
        self.outcomes: dict[str, Any] = {}
        self._looked, self._failed = 0.0, 0.0
        self._futures: dict[str, Future] = {
            worker: client.submit(
                _call, function, self._topic, task, workers=[worker], allow_other_workers=False, pure=False, retries=0,
                priority=1000, key=f"lexvec {getattr(function, '__name__', '')}-{uuid.uuid4().hex}",
            )
            for worker, task in tasks.items()
        }  # fmt: skip

    def messages(self) -> list[tuple[str, Message]]:
        """Wait a moment, and return what workers have reported since."""
        found = []
        with contextlib.suppress(queue.Empty):
            found.append(self._reported.get(timeout=_TICK))
            while True:
                found.append(self._reported.get_nowait())
        self._look()
        return [(each["worker"], each["message"]) for each in found]

    def _look(self) -> None:
        """Note what has ended, and which workers are gone."""
        for worker, future in self._futures.items():
            if worker not in self.outcomes and future.done():
                error = _error_of(future)
                self.outcomes[worker] = error or future.result()
                self._failed = self._failed or (time.monotonic() if error else 0.0)
        pending = self._futures.keys() - self.outcomes.keys()
        if pending and time.monotonic() - self._looked >= _LOOK:
            self._looked = time.monotonic()
            for worker in pending - self._engine.workers().keys():
                self.outcomes[worker] = PeerLostError(f"worker {worker} is gone: resume from the checkpoint")
                self._failed = self._failed or time.monotonic()
        if self._need_one_another and self._failed and time.monotonic() - self._failed > _GRACE:
            self._give_up(self._futures.keys() - self.outcomes.keys())

    def _give_up(self, workers: Set[str]) -> None:
        """Wait no longer for workers: those that Dask still hears of are only busy, such as with a checkpoint."""
        silent = self._engine.silent_workers() if workers else set()
        for worker in workers:
            kind, what = (SilentWorkerError, "does not answer") if worker in silent else (PeerLostError, "is busy")
            self.outcomes[worker] = kind(f"worker {worker} {what}: resume from the checkpoint")

    def send(self, worker: str, message: Message) -> None:
        """Send an answer to a worker."""
        # In a thread: a worker that is stopped would keep the driver and the others waiting.
        _begin(lambda: self._client.run(_deliver, self._topic, message, workers=[worker], on_error="ignore"))

    def stop(self) -> None:
        """Cancel the tasks, and wait until workers have noticed."""
        with contextlib.suppress(Exception):  # a scheduler that is gone has nothing to cancel
            self._client.cancel(list(self._futures.values()), force=True)
            self._client.unsubscribe_topic(self._topic)
        self._futures.clear()


class DaskEngine:
    """The workers of a Dask cluster; ``report`` is called with what the user should know."""

    def __init__(self, client: Client, report: Callable[[str], None] = lambda _: None) -> None:
        self.client, self._report = client, report
        self.dashboard: str | None = client.dashboard_link

    def workers(self) -> dict[str, int]:
        """Return the workers that are there now, with the number of their threads."""
        return dict(sorted(self._answer(self.client.nthreads).items()))

    def silent_workers(self) -> set[str]:
        """Return the workers whose last heartbeat is older than those of others by far; clocks may differ from ours."""
        found = self._answer(lambda: self.client.scheduler_info(n_workers=-1))
        seen = {worker: each["last_seen"] for worker, each in found["workers"].items()}
        return {worker for worker, last in seen.items() if max(seen.values()) - last > _UNHEARD}

    def start(
        self, function: Callable[..., Any], tasks: Mapping[str, Message], *, need_one_another: bool = False
    ) -> DaskRunning:
        """Call ``function(channel, **task)`` on each worker of ``tasks``."""
        return DaskRunning(self, function, tasks, need_one_another=need_one_another)

    def _answer(self, question: Callable[[], Any]) -> Any:
        """Ask the scheduler something, with patience: one that is paused goes on later as if nothing had happened."""
        answer, passed = _begin(question), 0.0
        while True:
            try:
                return answer.result(timeout=_REPORT_AFTER)
            except (OSError, ValueError, RuntimeError) as error:
                if not isinstance(error, TimeoutError) or answer.done():
                    raise ClusterError(
                        f"the scheduler does not answer ({error}): start it again, then resume"
                    ) from error
            passed += _REPORT_AFTER  # by the clock it may be more, if this process was paused itself
            if passed >= _PATIENCE:
                raise ClusterError(f"the scheduler has not answered for {passed:.0f} s: start it again, then resume")
            if passed == _REPORT_AFTER:
                self._report(f"waiting for the scheduler for {passed:.0f} s; giving up after {_PATIENCE:.0f} s")


def _begin(work: Callable[[], Any]) -> "concurrent.futures.Future[Any]":
    """Begin something in a thread that nobody has to wait for, not even the end of the program."""
    done: concurrent.futures.Future[Any] = concurrent.futures.Future()

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, name="lexvec-asks", daemon=True).start()
    return done


def _error_of(future: Future) -> BaseException | None:
    if future.status == "cancelled":
        return PeerLostError("the task was cancelled: resume from the checkpoint")
    error: BaseException | None = future.exception()
    # Dask's own errors are about workers that died; ours say what is wrong.
    if error is None or not type(error).__module__.startswith("distributed"):
        return error
    return PeerLostError(f"a worker was lost ({type(error).__name__}): resume from the checkpoint")


@contextlib.contextmanager
def opened(given: Any, threads: int | None, report: Callable[[str], None]) -> Iterator[DaskEngine]:
    """Connect to what the user means; what is started here ends with the block."""
    if isinstance(given, Client):
        yield DaskEngine(given, report)
    elif isinstance(given, int):
        with _local(given, threads) as engine:
            yield engine
    else:
        with _quiet(), _connected(given, report) as client:
            yield DaskEngine(client, report)


def _connected(given: str, report: Callable[[str], None]) -> Client:
    """Connect to a scheduler, with a limit: Dask waits for minutes where a port accepts connections and is silent."""
    connecting = _begin(lambda: Client(scheduler_address(given), timeout=_CONNECT, set_as_default=False))
    advice = "start one with dask scheduler, or check the address"
    for passed in range(int(_REPORT_AFTER), int(_GREETING) + 1, int(_REPORT_AFTER)):
        try:
            return connecting.result(timeout=_REPORT_AFTER)
        except (OSError, TimeoutError, ValueError) as error:
            if connecting.done():
                raise ClusterError("there is no scheduler at ", Given("engine", given), f": {advice}") from error
        if passed < _GREETING:
            report(f"waiting for {given} to answer for {passed} s; giving up after {_GREETING:.0f} s")
    connecting.add_done_callback(_close_late)
    raise ClusterError(
        Given("engine", given), f" accepts connections but does not answer as a scheduler does: {advice}"
    )


def _close_late(connecting: "concurrent.futures.Future[Any]") -> None:
    """Close a client that nobody waits for any more."""
    if connecting.exception() is None:
        connecting.result().close()


def scheduler_address(given: str) -> str:
    """Return the address of a scheduler as Dask spells it: encrypted if Dask's configuration has certificates.

    >>> scheduler_address("dask://10.0.0.1:8786")
    'tcp://10.0.0.1:8786'
    """
    is_encrypted = Security().get_connection_args("client").get("ssl_context") is not None
    return f"{'tls' if is_encrypted else 'tcp'}://{given.removeprefix('dask://')}"


@contextlib.contextmanager
def _local(workers: int, threads: int | None) -> Iterator[DaskEngine]:
    """Start workers on this machine, which no other machine can connect to."""
    each = threads or max(1, available_threads() // workers)
    with _quiet(), _terminated_in_order(), dask.config.set({"distributed.worker.daemon": True}):
        with _deaf_children():
            cluster = LocalCluster(
                n_workers=workers, threads_per_worker=each, processes=True, host="127.0.0.1", memory_limit=0,
                dashboard_address="127.0.0.1:0", silence_logs=logging.CRITICAL,
            )  # fmt: skip
        with cluster, Client(cluster, set_as_default=False) as client:
            engine = DaskEngine(client)
            if not find_spec("bokeh"):  # which draws the dashboard
                engine.dashboard = None
            yield engine


@contextlib.contextmanager
def _deaf_children() -> Iterator[None]:
    """Let processes that are started here ignore Ctrl-C, which reaches them too: the driver ends them in good order."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may change what signals do
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)


@contextlib.contextmanager
def _terminated_in_order() -> Iterator[None]:
    """Let SIGTERM stop the workers as Ctrl-C does: if it ended this process at once, a library would warn of leaks."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield  # a handler that somebody else has set decides
        return

    def stop(number: int, _: Any) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # one is enough
        raise KeyboardInterrupt(number)

    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keep Dask's own log from the terminal: what matters is reported in our words."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
