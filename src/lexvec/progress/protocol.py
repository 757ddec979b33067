"""What work reports, whoever shows it."""

import logging
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Stage(Protocol):
    """One piece of work under way."""

    def advance(self, amount: int, note: str = "") -> None:
        """``amount`` more units are done; ``note`` says how it goes."""


class Progress(Protocol):
    """Shows stages of work."""

    def stage(self, name: str, total: int | None, unit: str) -> AbstractContextManager[Stage]:
        """Begin a piece of work of ``total`` units (None where nobody knows)."""

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Say something once; at logging.WARNING it is something that the user will hardly have wanted."""


#: What functions take: True for a bar, False for nothing, None for logging, or something of one's own.
ProgressLike = Progress | bool | None


class _SilentStage:
    def advance(self, amount: int, note: str = "") -> None:
        pass


class Silent:
    """Shows nothing at all."""

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:  # noqa: ARG002 (the protocol's)
        """Begin a piece of work."""
        yield _SilentStage()

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Say nothing."""
