"""What work reports to, how far a stage is, and reports as lines of text: in the log, or on standard error."""

import logging
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Protocol, Self

from ..presentation.visible import visible

SHOW_AFTER = 1.0  # seconds; shorter stages need not be shown
LINE_EVERY = 10.0
_SCALES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


class Note(str):
    """A note whose figures programs can read as data.

    >>> note = Note("loss 0.5000", loss=0.5)
    >>> note, note.figures
    ('loss 0.5000', {'loss': 0.5})
    """

    figures: Mapping[str, float]

    def __new__(cls, text: str, **figures: float) -> Self:
        """Return a note with these figures."""
        note = super().__new__(cls, text)
        note.figures = figures
        return note


class Stage(Protocol):
    """One piece of work under way."""

    def advance(self, amount: int, note: str = "") -> None:
        """Report that ``amount`` more units are done; ``note`` is shown beside it."""


class Progress(Protocol):
    """Shows stages of work."""

    def stage(self, name: str, total: int | None, unit: str) -> AbstractContextManager[Stage]:
        """Begin a stage of ``total`` units (None if that is not known)."""

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Report something once; at logging.WARNING it is probably a mistake."""


#: What functions accept: True for a bar, False for nothing, None for logging, or an object of your own.
ProgressLike = Progress | bool | None


class Silent:
    """Shows nothing at all."""

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:  # noqa: ARG002 (the protocol's)
        """Begin a stage."""
        yield _SilentStage()

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Report nothing."""


class _SilentStage:
    def advance(self, amount: int, note: str = "") -> None:
        pass


class Meter:
    """Counts the units of a stage that are done, and the time."""

    def __init__(self, name: str, total: int | None, unit: str) -> None:
        self.name, self.total, self.unit = name, total, unit
        self.done = 0
        self._note = ""
        self._started = time.monotonic()
        self._next_line = self._started + LINE_EVERY

    def advance(self, amount: int, note: str = "") -> None:
        """Add to what is done."""
        self.done += amount
        self._note = f", {note}" if note else ""

    @property
    def seconds(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._started

    @property
    def lasting(self) -> bool:
        """Whether the stage takes long enough to be shown."""
        return self.seconds > SHOW_AFTER

    @property
    def share(self) -> float | None:
        """The share that is done, from 0 to 1, or None if the total is not known."""
        return min(1.0, self.done / self.total) if self.total else None

    def due(self) -> bool:
        """Whether it is time for another line."""
        now = time.monotonic()
        if now < self._next_line:
            return False
        self._next_line = now + LINE_EVERY
        return True

    def beginning(self) -> str:
        """Return the line for the beginning."""
        known = self.total is not None and self.unit
        return f"{self.name}: {amount(self.total or 0, self.unit)}" if known else self.name

    def line(self) -> str:
        """Return the line for now."""
        seconds = self.seconds
        part = f"{100 * self.done / self.total:.0f}%, " if self.total else ""
        left = ""
        if self.total and self.done:
            left = f", {seconds * max(0, self.total - self.done) / self.done:.0f} s left"
        speed = rate(self.done, seconds, self.unit)
        return f"{self.name}: {part}{speed}{left if speed else left.removeprefix(', ')}{self._note}"

    def ending(self) -> str:
        """Return the line for the end."""
        seconds = self.seconds
        speed = f", {rate(self.done, seconds, self.unit)}" if self.done and self.unit else ""
        return f"{self.name}: done in {seconds:.1f} s{speed}{self._note}"


class _LineStage:
    def __init__(self, meter: Meter, say: Callable[[str], None]) -> None:
        self._meter, self._say = meter, say

    def advance(self, amount: int, note: str = "") -> None:
        self._meter.advance(amount, note)
        if self._meter.due():
            self._say(self._meter.line())


class _Written(ABC):
    """A line every ten seconds, and one at the end."""

    brief = False  # whether short stages are reported too, and the beginning of each

    @abstractmethod
    def note(self, text: str, level: int = logging.INFO) -> None:
        """Report something once."""

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        """Begin a stage."""
        meter = Meter(name, total, unit)
        if self.brief:
            self.note(meter.beginning())
        yield _LineStage(meter, self.note)
        if self.brief or meter.lasting:
            self.note(meter.ending())


class Logged(_Written):
    """Reports to a logger; the application decides what to do with it.

    The package adds no handler, not even a NullHandler. Without any set-up of logging, Python's last resort then still
    prints warnings (nothing could be learned, something was damaged) on standard error, and nothing else.
    """

    brief = True

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Report something once."""
        self._logger.log(level, "%s", text)


class Lines(_Written):
    """Lines on standard error, of this level or above; stages shorter than a second are omitted."""

    def __init__(self, level: int = logging.INFO) -> None:
        self._level = level

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Report something once."""
        if level >= self._level and sys.stderr:
            with suppress(OSError):  # a closed pipe or a full disk behind standard error must not stop the work
                sys.stderr.write(f"{visible(text)}\n")
                sys.stderr.flush()


def amount(number: float, unit: str) -> str:
    """Return an amount such as "12.3 M tokens" or "5.0 GB"."""
    for scale, letter in _SCALES:
        if number >= scale:
            return f"{number / scale:.1f} {letter}{'' if unit == 'B' else ' '}{unit}"
    return f"{number:.3g} {unit}"


def rate(done: float, seconds: float, unit: str) -> str:
    """Return a rate such as "12.3 M tokens/s"; nothing for work that has no unit."""
    if not unit:
        return ""
    return f"{amount(done / max(seconds, 1e-9), unit)}/s"
