"""The executor of a driver: its threads prepare a training, and workers do the rest."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from ..engine import ThreadExecutor
from ..engine.training import Training
from ..machine import available_threads
from ..models import Model
from ..models.training import Task
from ..progress import Progress
from ..shared_work import Helpers
from .driver import ClusterTraining
from .engine import open_engine
from .joining import Joining
from .stages import WorkerHelpers


class Workers:
    """The workers of an engine, as the crew of a driver."""

    def __init__(self, joining: Joining) -> None:
        self._joining = joining
        self.helpers: Helpers = WorkerHelpers(joining)

    def threads(self) -> list[int]:
        """Return the threads of each worker, as far as that is known; at least one worker."""
        return self._joining.threads()

    def train(self, training: Training, task: Task) -> None:
        """Train from the latest checkpoint, or the beginning, to the end."""
        ClusterTraining(self._joining, training, task).run()


class DriverExecutor(ThreadExecutor):
    """The threads of a driver, which has no rows of its own."""

    def __init__(self, threads: int, crew: Workers) -> None:
        super().__init__(threads)
        self.crew = crew

    def own(self, parts: int) -> range:
        """Return nothing: workers have all rows."""
        del parts
        return range(0)


@contextmanager
def open_executor(
    engine: Any, model: type[Model], threads: int | None, progress: Progress
) -> Iterator[DriverExecutor]:  # fmt: skip
    """Return the executor that has a model trained by an engine; ``threads`` is the number per worker."""
    with open_engine(engine, threads, partial(progress.note, level=logging.WARNING)) as opened:
        workers = Workers(Joining(opened, model, progress, threads))
        with DriverExecutor(available_threads(threads), workers) as executor:
            yield executor
