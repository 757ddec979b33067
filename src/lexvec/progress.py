"""How long-running work tells how far it is. The library only reports; what is shown is up to the caller."""

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

    def note(self, text: str) -> None:
        """Say something once."""


class _SilentStage:
    def advance(self, amount: int, note: str = "") -> None:
        pass


class Silent:
    """Shows nothing: the default."""

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:  # noqa: ARG002 (the protocol's)
        """Begin a piece of work."""
        yield _SilentStage()

    def note(self, text: str) -> None:
        """Say nothing."""
