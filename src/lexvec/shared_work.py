"""What a stage asks of other processes that share its work: they exchange files that all of them see."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from .progress import Stage

#: ``job(threads, **settings)`` gets ready in a helper and returns ``do``; ``do(folder, **arguments)`` does a task. It
#: writes files into a folder of its own and returns plain values. A job is a function of a module, and settings and
#: arguments are plain values, so that they can be sent.
Job = Callable[..., Callable[..., Any]]


class Task(NamedTuple):
    """Something to do, and how much of its stage it is."""

    size: int
    arguments: Mapping[str, Any]


class Done(NamedTuple):
    """A task that was done: its folder, and what was returned."""

    folder: Path
    result: Any


class Helpers(Protocol):
    """Processes that share the work of a stage."""

    @property
    def shares(self) -> int:
        """How many tasks a stage should have, so that all helpers have enough to do."""

    def each(
        self,
        job: Job,
        settings: Mapping[str, Any],
        tasks: Sequence[Task],
        *,
        folder: Path,
        reads: Sequence[Path],
        stage: Stage,
    ) -> list[Done]:
        """Have all tasks done, each in a folder within ``folder``; helpers must see the files ``reads``, too."""
