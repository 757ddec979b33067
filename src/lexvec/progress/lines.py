"""Progress as lines of text: in the log, or on standard error where there is no terminal."""

import logging
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from ..presentation.visible import visible
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
