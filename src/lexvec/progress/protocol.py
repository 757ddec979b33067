"""What work reports, however it is shown."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, Self


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


class _SilentStage:
    def advance(self, amount: int, note: str = "") -> None:
        pass


class Silent:
    """Shows nothing at all."""

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:  # noqa: ARG002 (the protocol's)
        """Begin a stage."""
        yield _SilentStage()

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Report nothing."""
