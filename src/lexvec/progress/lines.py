"""Progress as lines of text: in the log, or on standard error where nobody watches a bar."""

import logging
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .meter import Meter
from .protocol import Stage


class _LineStage:
    def __init__(self, meter: Meter, say: Callable[[str], None]) -> None:
        self._meter, self._say = meter, say

    def advance(self, amount: int, note: str = "") -> None:
        self._meter.advance(amount, note)
        if self._meter.due():
            self._say(self._meter.line())


class _Written(ABC):
    """A line every ten seconds, and one at the end."""

    brief = False  # whether stages are told of that take no time, and when they begin

    @abstractmethod
    def note(self, text: str, level: int = logging.INFO) -> None:
        """Say something once."""

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        """Begin a piece of work."""
        meter = Meter(name, total, unit)
        if self.brief:
            self.note(meter.beginning())
        yield _LineStage(meter, self.note)
        if self.brief or meter.lasting:
            self.note(meter.ending())


class Logged(_Written):
    """Reports to a logger; what becomes of it is up to whoever has set up logging.

    The package adds no handler, not even a NullHandler: what is worth a warning (nothing could be learned, something
    was damaged) then reaches standard error by Python's last resort even where logging was never set up, while
    everything else stays silent there.
    """

    brief = True

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Say something once."""
        self._logger.log(level, "%s", text)


class Lines(_Written):
    """Lines on standard error, of this level or above; work that is done within a second is not mentioned."""

    def __init__(self, level: int = logging.INFO) -> None:
        self._level = level

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Say something once."""
        if level >= self._level and sys.stderr:
            sys.stderr.write(f"{text}\n")
            sys.stderr.flush()
