"""A worker in a ring: its word parts stay, and context parts travel from neighbour to neighbour.

Worker k of N has a contiguous range of word parts, lo … hi − 1. In round r word part i meets context part i + r, so a
context part enters at hi − 1, meets the words of a worker one after another down to lo, and goes on to the worker
before. After P rounds all context parts are home again.

A *column* is a context part on its way past the words of one worker. Columns are numbered without wrapping around:
column c has the context part c mod P and meets word i in round c − i. A worker begins with the columns
lo + r … hi − 1 + r, and the first of them leaves after a single block. So the neighbour's next column usually waits
already when it is needed: sending and computing overlap.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from functools import cache
from queue import SimpleQueue
from threading import Semaphore
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.executors import Step, ThreadExecutor, Wave, passing_parts
from ..engine.rows import Rows
from ..engine.schedule import Clock, Tally
from ..engine.sources import Unit
from .links import PART, SUMS, Array, Links, StoppedError

_TICK = 0.5  # seconds after which a wait for room looks around


def own_parts(rank: int, size: int, parts: int) -> range:
    """Return the word parts of one of ``size`` workers.

    >>> [own_parts(rank, 3, 16) for rank in range(3)]
    [range(0, 5), range(5, 10), range(10, 16)]
    """
    return range(parts * rank // size, parts * (rank + 1) // size)


class RingExecutor(ThreadExecutor):
    """Runs the blocks of one worker's word parts, on threads, with the context parts as they come by.

    If ``wants_checkpoint`` says so on rank 0 when a unit ends, then ``agreed`` is true on all workers.
    """

    holds_parts = False  # context parts travel

    def __init__(
        self, rank: int, size: int, links: Links | None, threads: int, is_wanted: Callable[[], bool] = lambda: True
    ) -> None:
        super().__init__(threads)
        self.rank, self.workers, self._links, self._is_wanted = rank, size, links, is_wanted
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="lexvec-ring")
        self._round = 0  # that the contexts held here are in
        self._spare: list[list[Array]] = []  # arrays of context parts that have left
        self.wants_checkpoint: Callable[[], bool] = lambda: False
        self.agreed = False
        #: Seconds: in all sweeps, in all their blocks (of all threads), and in adding up losses.
        self.sweeping = self.stepping = self.adding = 0.0

    def own(self, parts: int) -> range:
        """Return the word parts of this worker."""
        return own_parts(self.rank, self.workers, parts)

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        """Do the blocks of this worker's word parts, and return the losses of all workers."""
        if not self._is_wanted():
            raise StoppedError("the run was stopped")
        if self._links is None:
            tally = super().run(unit, step, words, contexts, rate)
            self.agreed = self.wants_checkpoint()
            return tally
        parts, own = words.parts, self.own(words.parts)
        try:
            while self._round != unit.rounds[0]:  # resumed in the middle of a sweep
                self._shift(contexts, own)
            self.threads.each(lambda thread, n: unit.prepare(thread, own[n]), len(own))
            losses = np.zeros((parts, parts, 2))
            began = time.perf_counter()
            self._sweep(unit, step, words, contexts, rate, losses)
            self._round = (unit.rounds[-1] + 1) % parts
            swept, counts = time.perf_counter(), unit.counts()
            self.agreed = self.agree(self.wants_checkpoint(), losses, counts)
            self.sweeping += swept - began
            self.adding += time.perf_counter() - swept
            return unit.tally(losses, counts)
        except BaseException:
            self._links.close()
            raise

    def agree(self, flag: bool, *arrays: Array) -> bool:
        """Return the flag of rank 0, and fill in the rows of arrays by part that the other workers have."""
        if self._links is None:
            return flag
        flags = np.zeros((self.workers, 1), np.int64)
        flags[self.rank] = flag

        def rows(rank: int) -> list[Array]:
            shares = [own_parts(rank, self.workers, len(array)) for array in arrays]
            return [array[share.start : share.stop] for array, share in zip(arrays, shares, strict=True)]

        for hop in range(self.workers - 1):
            ours, theirs = (self.rank + hop) % self.workers, (self.rank + hop + 1) % self.workers
            sending = self._pool.submit(self._links.send, SUMS, ours, [*rows(ours), flags[ours]])
            receiving = self._pool.submit(self._links.receive, SUMS, theirs, [*rows(theirs), flags[theirs]])
            self._finish(sending, receiving)
        return bool(flags[0, 0])

    def _sweep(
        self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float, losses: npt.NDArray[np.float64]
    ) -> None:
        assert self._links is not None
        parts, own, rounds = words.parts, self.own(words.parts), unit.rounds
        leaving: SimpleQueue[int | None] = SimpleQueue()
        taken: list[float] = []

        def block(i: int, column: int) -> None:
            j, began = column % parts, time.perf_counter()
            step(words.part(i), contexts.part(j), unit.block(i, j), rate, losses[i, j])
            taken.append(time.perf_counter() - began)
            if i == own[0]:
                leaving.put(j)

        wave = Wave(
            block, chains(own, rounds, self.threads.count), parts,
            words=dict.fromkeys(own, rounds[0]), contexts=first_rounds(own, rounds),
        )  # fmt: skip
        room = Semaphore(passing_parts(len(own)))  # for context parts that come before others have left
        sending = self._pool.submit(self._guarded, wave, self._send_parts, leaving, contexts, room)
        receiving = self._pool.submit(self._guarded, wave, self._receive_parts, own, rounds, contexts, wave, room)
        try:
            self.threads.each(lambda _, __: wave.run(), self.threads.count)
        except BaseException:
            self._links.close()  # so that neither sending nor receiving goes on
            raise
        finally:
            leaving.put(None)
            wait((sending, receiving))
        self._finish(sending, receiving)
        self.stepping += sum(taken)

    def _guarded(self, wave: Wave, work: Callable[..., None], *arguments: Any) -> None:
        """Let a failure of one connection end all work at once."""
        assert self._links is not None
        try:
            work(*arguments)
        except BaseException:
            wave.fail()
            self._links.close()
            raise

    def _send_parts(self, leaving: "SimpleQueue[int | None]", contexts: Rows, room: Semaphore) -> None:
        assert self._links is not None
        while (j := leaving.get()) is not None:
            arrays = [array.parts.pop(j) for array in contexts.arrays.values()]
            self._links.send(PART, j, arrays)
            self._spare.append(arrays)
            room.release()

    def _receive_parts(
        self, own: range, rounds: Sequence[int], contexts: Rows, wave: Wave, room: Semaphore
    ) -> None:  # fmt: skip
        for shift in rounds:
            while not room.acquire(timeout=_TICK):
                if wave.has_failed or not self._is_wanted():
                    raise StoppedError("the run was stopped")
            column = own[-1] + 1 + shift
            self._receive_part(column % contexts.parts, contexts)
            wave.arrive(column, shift + 1)

    def _receive_part(self, j: int, contexts: Rows) -> None:
        assert self._links is not None
        arrays = self._room(j, contexts)
        self._links.receive(PART, j, arrays)
        for array, part in zip(contexts.arrays.values(), arrays, strict=True):
            array.parts[j] = part

    def _room(self, j: int, contexts: Rows) -> list[Array]:
        """Return arrays for a context part: those of one that has left, if they fit."""
        rows = len(range(j, contexts.arrays["rows"].length, contexts.parts))
        for number, arrays in enumerate(self._spare):
            if len(arrays[0]) == rows:
                return self._spare.pop(number)
        if self._spare:
            self._spare.pop()  # it has another size, and must not stay beside the new one
        return [array.room(j) for array in contexts.arrays.values()]

    def _shift(self, contexts: Rows, own: range) -> None:
        """Pass context parts on by one round, without any block."""
        leaving: SimpleQueue[int | None] = SimpleQueue()
        leaving.put((own[0] + self._round) % contexts.parts)
        leaving.put(None)
        sending = self._pool.submit(self._send_parts, leaving, contexts, Semaphore())
        receiving = self._pool.submit(self._receive_part, (own[-1] + 1 + self._round) % contexts.parts, contexts)
        self._finish(sending, receiving)
        self._round = (self._round + 1) % contexts.parts

    def _finish(self, *futures: "Future[None]") -> None:
        """Wait for sending and receiving; if one fails, the other ends too."""
        assert self._links is not None
        ended, _ = wait(futures, return_when=FIRST_EXCEPTION)
        if any(future.exception() for future in ended):
            self._links.close()
        for error in [future.exception() for future in futures]:
            if error:
                raise error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._links:
            self._links.close()
        self._pool.shutdown()
        super().__exit__(kind, error, trace)


class AgreedClock(Clock):
    """Says that a checkpoint is due when all workers have agreed that it is; rank 0 looks at the time."""

    def __init__(self, every: float, executor: RingExecutor) -> None:
        super().__init__(every)
        self._executor = executor
        executor.wants_checkpoint = super().is_due

    def is_due(self) -> bool:
        """Whether rank 0 said so at the end of the last unit."""
        return self._executor.agreed


def first_rounds(own: range, rounds: Sequence[int]) -> dict[int, int]:
    """Return the columns that a worker begins with, and the round in which each meets its first word."""
    first = rounds[0]
    return {column: column - min(own[-1], column - first) for column in range(own[0] + first, own[-1] + 1 + first)}


@cache
def chains(own: range, rounds: Sequence[int], threads: int) -> list[list[tuple[int, int]]]:
    """Return the blocks (word part, column) of a worker in the order in which they are begun.

    A chain is done by one thread. It has two columns where that leaves enough chains, so that the rows of a word part
    come from memory once for both.

    >>> chains(range(2, 4), range(3), 1)
    [[(2, 2)], [(3, 3), (2, 3)], [(3, 4), (2, 4)], [(3, 5)]]
    """
    first, last = rounds[0], rounds[-1]
    columns = range(own[0] + first, own[-1] + last + 1)
    width = 2 if 4 * threads <= len(own) else 1
    found = []
    for start in range(columns.start, columns.stop, width):
        some = range(start, min(start + width, columns.stop))
        found.append([(i, c) for i in reversed(own) for c in some if first <= c - i <= last])
    return found
