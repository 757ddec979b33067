"""Who does the work of a unit: threads of this process, or anything else that has the same method."""

from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol, Self

import numpy as np

from ..storage.arguments import check_whole
from ..threads import Threads
from .rows import PARTS, Rows
from .schedule import Tally
from .sources.protocol import Unit

#: ``step(word part, context part, pairs, rate, losses)``: moves the rows of the two parts, adds to losses, and that is
#: all it does, so it can run wherever the two parts are.
Step = Callable[[Any, Any, Any, float, Any], None]


class Executor(Protocol):
    """Runs units of work. What it computes never depends on how it divides the work."""

    threads: Threads

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        """Draw the pairs of a unit, step through all its blocks round by round, and return the losses."""


class ThreadExecutor:
    """Threads of this process, which share the rows.

    >>> from lexvec import LexVec
    >>> with ThreadExecutor(2) as executor:
    ...     LexVec(dim=4, epochs=1, subsample=0).fit([["a", "b", "a", "c"]] * 200, executor=executor).W_.shape
    (3, 4)
    """

    def __init__(self, threads: int) -> None:
        self.threads = Threads(check_whole(threads, "threads", 1))

    def __enter__(self) -> Self:
        return self

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        """Do all blocks of a round at the same time, as far as there are threads."""
        self.threads.each(unit.prepare, PARTS)
        losses = np.zeros((PARTS, PARTS, 2))

        def sweep(shift: int) -> Callable[[int, int], None]:
            def block(_: int, i: int) -> None:
                j = (i + shift) % PARTS
                step(words.part(i), contexts.part(j), unit.block(i, j), rate, losses[i, j])

            return block

        for shift in unit.rounds:
            self.threads.each(sweep(shift), PARTS)
        return unit.tally(losses)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.threads.__exit__(kind, error, trace)
