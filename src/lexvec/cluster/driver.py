"""The driver of a training on several machines: it lets workers join, watches them, and seals their checkpoints."""

import contextlib
import logging
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from ..engine import ThreadExecutor
from ..engine.training import Training
from ..errors import ClusterError
from ..machine import available_threads
from ..models import Model
from ..models.checkpoints import Checkpoint, Checkpoints
from ..models.training import Task
from ..progress import Progress
from ..shared_work import Helpers
from ..storage.atomic import temporary_folder
from ..storage.meta import META
from . import worker as work
from .engine import open_engine
from .joining import TOKEN, Joining
from .links import PeerLostError, SilentWorkerError, StoppedError
from .reports import WorkerReports
from .stages import WorkerHelpers

PATIENCE = 300.0  # seconds without a byte from a neighbour after which it counts as lost
_MOST_LOSSES = 3  # of workers, without a new checkpoint between them


class ClusterTraining:
    """A training on the workers of an engine."""

    def __init__(self, joining: Joining, training: Training, task: Task) -> None:
        self._joining, self._engine, self._training, self._task = joining, joining.engine, training, task
        self._learner, self._run, self._progress = training.learner, task.place.run, training.progress
        self.costs: list[dict[str, Any]] = []  # of the workers that came to the end

    def run(self) -> None:
        """Train from the latest checkpoint, or the beginning, to the end."""
        if self._engine.dashboard:
            self._progress.note(f"dashboard: {self._engine.dashboard}")
        with self._folder() as folder:
            self._checkpoints = Checkpoints(folder, self._parameters)
            self._pieces = folder / ".pieces.partial"
            shutil.rmtree(self._pieces, ignore_errors=True)
            self._pieces.mkdir(exist_ok=True)  # a worker of a run that was stopped may still write here
            (self._pieces / TOKEN).write_text(secrets.token_hex(16), encoding="utf-8")
            try:
                self._until_done()
            finally:
                shutil.rmtree(self._pieces, ignore_errors=True)
                self._take_over()

    @property
    def _parameters(self) -> dict[str, Any]:
        return self._run.start.parameters if self._run else self._task.model.record()

    @contextlib.contextmanager
    def _folder(self) -> Iterator[Path]:
        if self._run:
            yield self._run.path
        else:
            temporary = temporary_folder()
            try:
                yield temporary.path
            finally:
                temporary.discard()

    def _take_over(self) -> None:
        """Read what was learned from the latest checkpoint."""
        checkpoint = self._checkpoints.latest(self._progress)
        if checkpoint is None:
            return
        for array in self._learner.arrays.values():
            array.hold(range(array.count))
        self._training.state = checkpoint.fill(self._learner.arrays)

    def _until_done(self) -> None:
        losses, before = 0, None
        while True:
            checkpoint = self._checkpoints.latest(self._progress)
            workers = self._joining.members(self._files(), most=self._learner.words.parts)
            self._note_size(len(workers))
            lost = self._attempt(workers, checkpoint)
            if not lost:
                return
            now = self._checkpoints.latest(self._progress)
            losses = losses + 1 if (now and now.path) == before else 1
            before = now and now.path
            if losses >= _MOST_LOSSES:
                raise ClusterError(f"workers were lost {losses} times without a new checkpoint ({lost}): check them")
            place = "the beginning" if now is None else now.path.name
            self._progress.note(f"{lost}; going on from {place} with the workers that are left", logging.WARNING)

    def _note_size(self, workers: int) -> None:
        parts = self._learner.words.parts
        kind = "worker" if workers == 1 else "workers"
        self._progress.note(f"training {parts} parts on {workers} {kind}")

    def _files(self) -> list[Path]:
        """Return files that all workers must see."""
        return [self._pieces / TOKEN, *(Path(path) / META for path in (self._task.corpus.path, self._matrix) if path)]

    @property
    def _matrix(self) -> Path | None:
        return None if self._task.matrix is None else Path(self._task.matrix.path)

    def _attempt(self, workers: dict[str, int], checkpoint: Checkpoint | None) -> str:
        """Train until all is done or a worker is lost; return which, or an empty text."""
        reports = WorkerReports(self._training, self._checkpoints, list(workers), self._take_over)
        shared = {
            "size": len(workers),
            "secret": secrets.token_hex(32),
            "patience": PATIENCE,
            "task": {
                "model": self._task.model.name,
                "parameters": self._task.model.record(),
                "corpus": str(self._task.corpus.path),
                "matrix": self._matrix and str(self._matrix),
                "checkpoint": checkpoint and str(checkpoint.path),
                "pieces": str(self._pieces / secrets.token_hex(4)),
                "memory": self._task.model.memory,
                "every": self._task.place.checkpoint_every * 60,
                "asks": bool(self._training.callbacks),
            },
        }
        tasks = {
            worker: {"rank": rank, "threads": threads, **shared}
            for rank, (worker, threads) in enumerate(workers.items())
        }
        running = self._engine.start(work.train, tasks, need_one_another=True)
        try:
            with reports:
                reports.until_all_have_ended(running)
        finally:
            running.stop()
        for worker, outcome in running.outcomes.items():
            if isinstance(outcome, SilentWorkerError):
                self._joining.leave_out(worker)
        errors = [outcome for outcome in running.outcomes.values() if isinstance(outcome, BaseException)]
        for error in errors:
            if not isinstance(error, PeerLostError | StoppedError):
                raise error
        if not errors:
            self.costs = list(running.outcomes.values())
        if reports.stopped:  # the checkpoint that the callbacks saw is the result, even if a worker was lost since
            return ""
        # A neighbour of the lost worker knows only that its connection ended; the engine knows who is gone.
        texts = [str(error).rpartition(":")[0] or str(error) for error in errors]
        return min(texts, key=lambda text: "is gone" not in text, default="")


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
