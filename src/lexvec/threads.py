"""The threads that all work is done on: results never depend on how many there are."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from queue import SimpleQueue
from types import TracebackType
from typing import Self, TypeVar

from .errors import Given, ParameterError
from .machine import available_threads

Task = TypeVar("Task")
Result = TypeVar("Result")
State = TypeVar("State")


class Threads:
    """A number of threads. One means the caller's own, and that no thread is started at all.

    >>> with Threads(2) as threads:
    ...     list(threads.map(lambda _, number: number * number, range(5)))
    [0, 1, 4, 9, 16]
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = ThreadPoolExecutor(count, thread_name_prefix="lexvec") if count > 1 else None

    def __enter__(self) -> Self:
        return self

    def each(self, work: Callable[[int, int], None], tasks: int) -> None:
        """Call ``work(thread, task)`` for all tasks, dealt out beforehand, and return when all are done.

        The caller takes part: a thread that sleeps meanwhile would have to be woken, which takes longer than a short
        task.
        """

        def share(thread: int) -> None:
            for task in range(thread, tasks, self.count):
                work(thread, task)

        if self._pool is None:
            share(0)
            return
        others = [self._pool.submit(share, thread) for thread in range(1, self.count)]
        try:
            share(0)
        finally:
            wait(others)
        for done in others:
            done.result()

    def map(
        self, work: Callable[[State, Task], Result], tasks: Iterable[Task], states: list[State] | None = None
    ) -> Iterator[Result]:
        """Yield ``work(state, task)`` for each task, in the order of the tasks.

        There is a state (scratch arrays, a table) per thread, used by one thread at a time; without ``states``, it is
        None. No more than two tasks per thread are taken or held at once, so memory stays bounded however many tasks
        there are.
        """
        own: list[State] = [None] * self.count if states is None else states  # type: ignore[list-item]
        if self._pool is None or len(own) == 1:
            for task in tasks:
                yield work(own[0], task)
            return
        yield from self._mapped(self._pool, work, tasks, own)

    def _mapped(
        self,
        pool: ThreadPoolExecutor,
        work: Callable[[State, Task], Result],
        tasks: Iterable[Task],
        states: list[State],
    ) -> Iterator[Result]:
        free: SimpleQueue[State] = SimpleQueue()
        for state in states:
            free.put(state)

        def run(task: Task) -> Result:
            state = free.get()
            try:
                return work(state, task)
            finally:
                free.put(state)

        waiting: deque[Future[Result]] = deque()
        try:
            for task in tasks:
                waiting.append(pool.submit(run, task))
                if len(waiting) >= 2 * len(states):
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            # Cancelled futures never complete after shutdown; wait for the rest.
            wait([future for future in waiting if not future.cancel()])

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)


def running(threads: Threads | None, count: int | None) -> AbstractContextManager[Threads]:
    """Return the threads of a caller, which stay open, or new ones (``count``, or one per core) for the block."""
    if threads is None:
        return Threads(available_threads(count))
    if not isinstance(threads, Threads):
        raise ParameterError(Given("threads", threads), ": it must be Threads that are running, or None")
    return nullcontext(threads)
