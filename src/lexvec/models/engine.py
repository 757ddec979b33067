"""The driver of all models that learn step by step: threads, schedule, loss, progress, checkpoints.

Words and contexts are dealt to `PARTS` parts by id. In round r of a sweep the blocks (i, i + r mod PARTS) have no row
in common, so threads may take them in any order: no locks, no races, and the same bits for any number of threads.
"""

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from ..errors import DivergenceError
from ..progress import Progress

PARTS = 32

Array = npt.NDArray[Any]


class Team(AbstractContextManager["Team"]):
    """Threads that work in step."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="lexvec") if threads > 1 else None

    def each(self, work: Callable[[int, int], None], tasks: int) -> None:
        """Call ``work(thread, task)`` for all tasks, dealt out beforehand, and come back when all are done."""

        def share(thread: int) -> None:
            for task in range(thread, tasks, self.threads):
                work(thread, task)

        if self._pool is None:
            share(0)
        else:
            for done in [self._pool.submit(share, thread) for thread in range(self.threads)]:
                done.result()

    def sweep(self, block: Callable[[int, int], None]) -> None:
        """Call ``block(i, j)`` for all pairs of parts, those of one round at the same time."""
        for shift in range(PARTS):
            self.round(block, shift)

    def round(self, block: Callable[[int, int], None], shift: int) -> None:
        """The blocks of one round."""
        self.each(lambda _, i: block(i, (i + shift) % PARTS), PARTS)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)


class Loss(NamedTuple):
    """Sums over pairs: of the loss and of the pairs themselves, seen and noise apart."""

    seen: float = 0.0
    noise: float = 0.0
    seen_pairs: int = 0
    noise_pairs: int = 0

    def __add__(self, other: object) -> "Loss":
        if not isinstance(other, Loss):
            return NotImplemented
        return Loss(
            self.seen + other.seen,
            self.noise + other.noise,
            self.seen_pairs + other.seen_pairs,
            self.noise_pairs + other.noise_pairs,
        )

    @property
    def pairs(self) -> int:
        """All pairs."""
        return self.seen_pairs + self.noise_pairs

    @property
    def mean(self) -> float:
        """Per pair."""
        return (self.seen + self.noise) / max(1, self.pairs)

    def record(self) -> dict[str, float]:
        """Means, for `losses_` and the saved metrics."""
        record = {"loss": self.mean}
        if self.noise_pairs:
            record["seen"] = self.seen / max(1, self.seen_pairs)
            record["noise"] = self.noise / self.noise_pairs
        return record | {"pairs": self.pairs}


class Trainer(Protocol):
    """What a model gives to the engine: its arrays, and how to do one unit of work."""

    arrays: dict[str, Array]  # all that changes; what a checkpoint has to hold
    units: int  # of work in an epoch; a checkpoint may fall between any two
    words: int  # of the corpus, or cells, in an epoch: for the progress bar
    unit_name: str

    def work(self, epoch: int, unit: int, rate: float) -> Loss:
        """Do one unit of work."""

    def rewind(self, epoch: int, unit: int) -> None:
        """Get ready to go on at this unit, in a new process."""


@dataclass
class State:
    """How far training is."""

    epoch: int = 0
    unit: int = 0
    so_far: Loss = field(default_factory=Loss)  # of this epoch
    losses: list[dict[str, float]] = field(default_factory=list)  # of the epochs before

    def record(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {"epoch": self.epoch, "unit": self.unit, "so_far": list(self.so_far), "losses": self.losses}

    @classmethod
    def of(cls, record: dict[str, Any]) -> Self:
        """From a checkpoint."""
        return cls(record["epoch"], record["unit"], Loss(*record["so_far"]), list(record["losses"]))


class Schedule(NamedTuple):
    """How long, and how fast."""

    epochs: int
    learning_rate: float
    decays: bool  # linearly, to a ten thousandth

    def rate(self, done: float) -> float:
        """The learning rate when this share of all work is done."""
        return self.learning_rate * max(1.0 - done, 1e-4) if self.decays else self.learning_rate


def train(
    trainer: Trainer,
    schedule: Schedule,
    state: State,
    *,
    progress: Progress,
    checkpoint: Callable[[State], None],
    every: float,
    callbacks: Sequence[Callable[[int, dict[str, float]], None]] = (),
) -> list[dict[str, float]]:
    """Run all epochs from ``state`` on; returns the losses of each. A checkpoint is made every so many seconds."""
    trainer.rewind(state.epoch, state.unit)
    last, rate = time.monotonic(), schedule.learning_rate
    while state.epoch < schedule.epochs:
        name = f"epoch {state.epoch + 1}/{schedule.epochs}"
        with progress.stage(name, trainer.words, trainer.unit_name) as stage:
            stage.advance(trainer.words * state.unit // trainer.units)
            while state.unit < trainer.units:
                rate = schedule.rate((state.epoch + state.unit / trainer.units) / schedule.epochs)
                loss = trainer.work(state.epoch, state.unit, rate)
                _check(loss, state.epoch, rate)
                state.so_far += loss
                before, state.unit = state.unit, state.unit + 1
                done = trainer.words * state.unit // trainer.units - trainer.words * before // trainer.units
                stage.advance(done, f"loss {state.so_far.mean:.4f}, rate {rate:.4f}")
                if time.monotonic() - last >= every and state.unit < trainer.units:
                    _check_rows(trainer, state.epoch, rate)
                    checkpoint(state)
                    last = time.monotonic()
        record = state.so_far.record()
        state.losses.append(record)
        state.epoch, state.unit, state.so_far = state.epoch + 1, 0, Loss()
        _check_rows(trainer, state.epoch - 1, rate)
        for callback in callbacks:
            callback(state.epoch, record)
        # The last one is for what may go wrong when the model is saved.
        if state.epoch == schedule.epochs or time.monotonic() - last >= every:
            checkpoint(state)
            last = time.monotonic()
    return state.losses


def _check(loss: Loss, epoch: int, rate: float) -> None:
    if not (math.isfinite(loss.seen) and math.isfinite(loss.noise)):
        raise _diverged("loss", epoch, rate)


def _check_rows(trainer: Trainer, epoch: int, rate: float) -> None:
    if not all(np.isfinite(array).all() for array in trainer.arrays.values()):
        raise _diverged("rows", epoch, rate)


def _diverged(what: str, epoch: int, rate: float) -> DivergenceError:
    return DivergenceError(
        f"training diverged in epoch {epoch + 1} at learning rate {rate:.3g} (its {what} are not finite): lower "
        "learning_rate, and start again with --force (force=True)"
    )


def aligned(rows: int, columns: int, dtype: npt.DTypeLike = np.float32) -> Array:
    """Zeros, each row beginning at a cache line; columns are padded to whole lines."""
    dtype = np.dtype(dtype)
    per_line = 64 // dtype.itemsize
    padded = -(-columns // per_line) * per_line
    raw = np.zeros(rows * padded * dtype.itemsize + 64, np.uint8)
    offset = -raw.ctypes.data % 64
    return raw[offset : offset + rows * padded * dtype.itemsize].view(dtype).reshape(rows, padded)
