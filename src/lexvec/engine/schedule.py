"""How long and how fast to train, how far training is, and what it has cost so far."""

import time
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self


class Tally(NamedTuple):
    """Sums over pairs: of the loss and of the pairs themselves, seen and noise apart."""

    seen: float = 0.0
    noise: float = 0.0
    seen_pairs: int = 0
    noise_pairs: int = 0

    def __add__(self, other: object) -> "Tally":
        if not isinstance(other, Tally):
            return NotImplemented
        return Tally(
            self.seen + other.seen,
            self.noise + other.noise,
            self.seen_pairs + other.seen_pairs,
            self.noise_pairs + other.noise_pairs,
        )

    @property
    def pairs(self) -> int:
        """The number of all pairs."""
        return self.seen_pairs + self.noise_pairs

    @property
    def mean(self) -> float:
        """The loss per pair."""
        return (self.seen + self.noise) / max(1, self.pairs)

    def record(self) -> dict[str, float]:
        """Return means, for `losses_` and the saved model."""
        record = {"loss": self.mean}
        if self.noise_pairs:
            record["seen"] = self.seen / max(1, self.seen_pairs)
            record["noise"] = self.noise / self.noise_pairs
        return record | {"pairs": self.pairs}


class Schedule(NamedTuple):
    """How many epochs, and how fast rows move."""

    epochs: int
    learning_rate: float
    decays: bool  # linearly, to a ten thousandth

    def rate(self, done: float) -> float:
        """Return the learning rate when this share of all work is done."""
        return self.learning_rate * max(1.0 - done, 1e-4) if self.decays else self.learning_rate


class Clock:
    """When the next checkpoint is due."""

    def __init__(self, every: float) -> None:
        self._every = every  # seconds
        self._last = time.monotonic()

    def is_due(self) -> bool:
        """Whether so much time has passed since the last one."""
        return time.monotonic() - self._last >= self._every

    def restart(self) -> None:
        """Begin to wait for the next one."""
        self._last = time.monotonic()


@dataclass
class State:
    """How far training is."""

    epoch: int = 0
    unit: int = 0
    so_far: Tally = field(default_factory=Tally)  # of this epoch
    losses: list[dict[str, float]] = field(default_factory=list)  # of the epochs before

    @property
    def has_begun(self) -> bool:
        """Whether any work was done."""
        return bool(self.epoch or self.unit)

    def record(self) -> dict[str, Any]:
        """Return what a checkpoint keeps."""
        return {"epoch": self.epoch, "unit": self.unit, "so_far": list(self.so_far), "losses": self.losses}

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self:
        """Restore from what a checkpoint kept."""
        return cls(record["epoch"], record["unit"], Tally(*record["so_far"]), list(record["losses"]))
