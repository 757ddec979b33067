"""Who does the work of a unit: threads of this process, or anything else that has the same method."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from threading import Condition
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np

from ..parameters import check_whole
from ..shared_work import Helpers
from ..threads import Threads
from .rows import Rows
from .schedule import Tally
from .sources.protocol import Unit

#: ``step(word part, context part, pairs, rate, losses)``: moves the rows of the two parts, adds to losses, and that is
#: all it does, so it can run wherever the two parts are.
Step = Callable[[Any, Any, Any, float, Any], None]


class Crew(Protocol):
    """Workers in other processes, which do the stages and the training of a model instead of this one."""

    #: They encode, count and associate.
    helpers: Helpers

    def threads(self) -> list[int]:
        """Return the threads of each worker, as far as that is known; at least one worker."""

    def train(self, training: Any, task: Any) -> None:
        """Run a `lexvec.engine.training.Training`; ``task`` says what its learner is built from."""


class Executor(Protocol):
    """Runs units of work. What it computes never depends on how it divides the work."""

    threads: Threads
    #: Whether it uses `Rows.held`, so that parts can be in files.
    holds_parts: bool
    #: How many processes, this one included, share the parts of words and contexts.
    workers: int
    #: Who works instead of this process, if somebody does.
    crew: Crew | None

    def own(self, parts: int) -> range:
        """Return the parts of words and contexts that begin in this process: all, unless others have the rest."""

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        """Draw the pairs of a unit, step through all its blocks round by round, and return the losses."""


class ThreadExecutor:
    """Threads of this process, which share the rows.

    >>> from lexvec import LexVec
    >>> with ThreadExecutor(2) as executor:
    ...     LexVec(dim=4, epochs=1, subsample=0).fit([["a", "b", "a", "c"]] * 200, executor=executor).W_.shape
    (3, 4)
    """

    holds_parts = True
    workers = 1
    crew: Crew | None = None

    def __init__(self, threads: int) -> None:
        self.threads = Threads(check_whole(threads, "threads", 1))

    def __enter__(self) -> Self:
        return self

    def own(self, parts: int) -> range:
        """Return all parts: this process has them."""
        return range(parts)

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        """Do each block as soon as its two parts are where they are in its round."""
        parts = words.parts
        self.threads.each(unit.prepare, parts)
        losses = np.zeros((parts, parts, 2))

        def block(i: int, j: int) -> None:
            with words.held(i) as word_part, contexts.held(j) as context_part:
                step(word_part, context_part, unit.block(i, j), rate, losses[i, j])

        first = unit.rounds[0]
        wave = Wave(
            block, chains(parts, unit.rounds, self.threads.count, words.resident), parts,
            words=dict.fromkeys(range(parts), first), contexts=dict.fromkeys(range(parts), first),
        )  # fmt: skip
        self.threads.each(lambda _, __: wave.run(), self.threads.count)
        return unit.tally(losses, unit.counts())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.threads.__exit__(kind, error, trace)


def passing_parts(own: int) -> int:
    """Return how many parts of contexts a worker may have beside as many as it begins with, ``own``.

    With more, workers wait less for one another.
    """
    return own // 2 + 2


class Wave:
    """The blocks of some rounds, done by several threads in an order that keeps parts in the cache.

    Word part i has to meet the context parts i, i + 1, …, and context part j the word parts j, j − 1, …: so round r of
    both is the block (i, i + r). Any order that respects this gives the same bits. Going round by round would bring all
    rows from memory in each of them. So a thread takes a few word parts and goes through the contexts, with the other
    threads close behind: the rows of words stay in its cache, and those of contexts come from memory once for all.

    ``words`` and ``contexts`` say which round each part is in; contexts that are elsewhere are not among them until
    they `arrive`.
    """

    def __init__(
        self,
        block: Callable[[int, int], None],
        order: Iterable[list[tuple[int, int]]],
        parts: int,
        *,
        words: dict[int, int],
        contexts: dict[int, int],
    ) -> None:
        self._block, self._parts, self._chains = block, parts, iter(order)
        self._words, self._contexts = words, contexts
        self._changed = Condition()
        self._failed = False

    def run(self) -> None:
        """Do blocks until none is left."""
        try:
            self._run()
        except BaseException:  # also Ctrl-C while this thread waits: others must not wait for its blocks
            self.fail()
            raise

    def _run(self) -> None:
        while True:
            with self._changed:
                blocks = next(self._chains, None)
            if blocks is None:
                return
            for i, j in blocks:
                if not self._reach(i, j):
                    return
                self._block(i, j)
                self._leave(i, j)

    def _reach(self, i: int, j: int) -> bool:
        """Wait until both parts are in the round of their block; False if the work has failed elsewhere."""
        shift = (j - i) % self._parts
        with self._changed:
            while not self._failed and (self._words[i] != shift or self._contexts.get(j) != shift):
                self._changed.wait()
            return not self._failed

    def _leave(self, i: int, j: int) -> None:
        with self._changed:
            self._words[i] += 1
            self._contexts[j] += 1
            self._changed.notify_all()

    def arrive(self, j: int, shift: int) -> None:
        """Let a part of contexts take part, from a round on."""
        with self._changed:
            self._contexts[j] = shift
            self._changed.notify_all()

    @property
    def has_failed(self) -> bool:
        """Whether threads return before all blocks are done."""
        return self._failed

    def fail(self) -> None:
        """Let all threads return: the work has failed elsewhere."""
        with self._changed:
            self._failed = True
            self._changed.notify_all()


@cache
def chains(
    parts: int, rounds: Sequence[int], threads: int, resident: int | None = None
) -> list[list[tuple[int, int]]]:  # fmt: skip
    """Return the blocks of some rounds in the order in which they are begun: each chain is done by one thread.

    The word parts are taken from the last to the first with the contexts behind them, then again with those before. A
    chain has two of them, so that each part of contexts is used twice, if that leaves enough chains for all threads; or
    as many as fit, if only some (``resident``) are in memory at a time.
    """
    side_by_side = 2 if 4 * threads <= parts else 1
    if resident is not None:
        side_by_side = max(1, min(resident // threads, parts // threads))

    def triangle(in_first: bool) -> Iterator[list[tuple[int, int]]]:
        for last in range(parts, 0, -side_by_side):
            rows = range(max(0, last - side_by_side), last)
            blocks = [
                (i, j)
                for j in range(parts)
                for i in reversed(rows)
                if (j >= i) == in_first and (j - i) % parts in rounds
            ]
            if blocks:
                yield blocks

    return list(chain(triangle(True), triangle(False)))
