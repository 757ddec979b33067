"""Work on many threads, results in the order of the tasks: what comes out never depends on the number of threads."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")
State = TypeVar("State")


def ordered_map(work: Callable[[State, Task], Result], tasks: Iterable[Task], states: list[State]) -> Iterator[Result]:
    """Yield ``work(state, task)`` for each task, in order, on one thread per state.

    A state (scratch arrays, a table) is used by one thread at a time. No more than two tasks per thread are taken or
    held at once, so memory stays bounded however many tasks there are. One state means no threads at all.
    """
    if len(states) == 1:
        for task in tasks:
            yield work(states[0], task)
        return
    free: SimpleQueue[State] = SimpleQueue()
    for state in states:
        free.put(state)

    def run(task: Task) -> Result:
        state = free.get()
        try:
            return work(state, task)
        finally:
            free.put(state)

    with ThreadPoolExecutor(len(states), thread_name_prefix="lexvec") as pool:
        waiting: deque[Future[Result]] = deque()
        try:
            for task in tasks:
                waiting.append(pool.submit(run, task))
                if len(waiting) >= 2 * len(states):
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
