"""An engine whose workers are threads of this process: the smallest one there is, for tests of all but Dask."""

import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any

from lexvec.cluster.engine import Message, Wrap
from lexvec.cluster.links import PeerLostError
from lexvec.cluster.worker import train


class ThreadChannel:
    """What a worker sees."""

    host = "127.0.0.1"
    wrap_incoming: Wrap | None = None
    wrap_outgoing: Wrap | None = None

    def __init__(self, running: "ThreadRunning", worker: str) -> None:
        self._running, self._worker = running, worker
        self.mail: queue.SimpleQueue[Message] = queue.SimpleQueue()

    def report(self, message: Message) -> None:
        self._running.reported.put((self._worker, message))

    def answer(self, timeout: float) -> Message:
        return self.mail.get(timeout=timeout)

    def is_wanted(self) -> bool:
        return not self._running.stopped.is_set() and self._worker not in self._running.engine.killed


class ThreadRunning:
    """A function on threads."""

    def __init__(self, engine: "ThreadEngine", function: Callable[..., Any], tasks: Mapping[str, Message]) -> None:
        self.engine, self.reported = engine, queue.SimpleQueue[tuple[str, Message]]()
        self.stopped = threading.Event()
        self.outcomes: dict[str, Any] = {}
        self._channels = {worker: ThreadChannel(self, worker) for worker in tasks}
        self._threads = [
            threading.Thread(target=self._run, args=(worker, function, task), daemon=True)
            for worker, task in tasks.items()
        ]
        for thread in self._threads:
            thread.start()

    def _run(self, worker: str, function: Callable[..., Any], task: Message) -> None:
        try:
            outcome = function(self._channels[worker], **task)
        except Exception as error:
            outcome = PeerLostError(f"worker {worker} is gone: x") if worker in self.engine.killed else error
        self.outcomes[worker] = outcome

    def messages(self) -> list[tuple[str, Message]]:
        time.sleep(0.002)
        found = []
        while not self.reported.empty():
            found.append(self.reported.get())
        self.engine.watch(found)
        return found

    def send(self, worker: str, message: Message) -> None:
        self._channels[worker].mail.put(message)

    def stop(self) -> None:
        self.stopped.set()
        for thread in self._threads:
            thread.join(20)
            assert not thread.is_alive()


class ThreadEngine:
    """Some workers; those in ``killed`` are dead, and ``watch`` sees all messages."""

    dashboard: str | None = None

    def __init__(self, count: int, threads: int = 1) -> None:
        self._workers = {f"worker-{number}": threads for number in range(count)}
        self.killed: set[str] = set()
        self.watch: Callable[[list[tuple[str, Message]]], None] = lambda _: None
        self.attempts: list[int] = []

    def workers(self) -> dict[str, int]:
        return {worker: threads for worker, threads in self._workers.items() if worker not in self.killed}

    def start(
        self, function: Callable[..., Any], tasks: Mapping[str, Message], *, need_one_another: bool = False
    ) -> ThreadRunning:
        if function is train:
            self.attempts.append(len(tasks))
        return ThreadRunning(self, function, tasks)
