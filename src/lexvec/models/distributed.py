"""The driver of a training on several machines: it lets workers join, watches them, and seals their checkpoints.

Workers train by themselves, in a ring. The driver starts them at the latest checkpoint, shows their progress, and makes
a checkpoint of the pieces that they write. When a worker is lost, it starts those that are left again. The result is
read from the last checkpoint, so the rows never pass through the driver's connection.
"""

import contextlib
import logging
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..cluster.engine import Message, Running
from ..cluster.links import PeerLostError, StoppedError
from ..corpus import Corpus
from ..engine.schedule import State
from ..engine.training import Learner
from ..errors import ClusterError
from ..progress import Progress, Stage
from ..storage.artefact import META
from . import worker as work
from .base import StepwiseModel
from .checkpoints import Checkpoint, Checkpoints
from .fit import Fit, Keep
from .probe import difference, probe

_log = logging.getLogger(__name__)

PATIENCE = 300.0  # seconds without a byte from a neighbour after which it counts as lost
_JOINING = 600.0  # seconds for workers to compile kernels and answer
_STARTING = 120.0  # seconds for all workers to be free for the training
_NO_WORKERS = 30.0  # seconds to wait for a first worker
_REMINDER = 15.0  # seconds of waiting that are worth a line
_SEALING = 60.0  # seconds for the last pieces to be reported
_MOST_LOSSES = 3  # of workers, without a new checkpoint between them
_ADVICE = "put the corpus and the output on storage that all workers share"


class ClusterTraining:
    """A training on the workers of an engine."""

    def __init__(self, fit: Fit, model: StepwiseModel, corpus: Corpus, learner: Learner, keep: Keep) -> None:
        assert fit.engine is not None
        self._fit, self._engine, self._model, self._corpus = fit, fit.engine, model, corpus
        self._learner, self._keep = learner, keep
        self._progress = fit.run.reporting(fit.progress) if fit.run else fit.progress
        self._joined: dict[str, bool] = {}  # workers that were asked, and whether they are alike
        self._refused: list[str] = []  # why others were not
        self.costs: list[dict[str, Any]] = []  # of the workers that came to the end

    def run(self) -> None:
        """Train from the latest checkpoint, or the beginning, to the end."""
        if self._engine.dashboard:
            self._fit.progress.note(f"dashboard: {self._engine.dashboard}")
        with self._folder() as folder:
            self._checkpoints = Checkpoints(folder, self._parameters)
            self._pieces = folder / ".pieces.partial"
            shutil.rmtree(self._pieces, ignore_errors=True)
            self._pieces.mkdir()
            (self._pieces / "token").write_text(secrets.token_hex(16), encoding="utf-8")
            try:
                self._until_done()
            finally:
                shutil.rmtree(self._pieces, ignore_errors=True)
                self._take_over()

    @property
    def _parameters(self) -> dict[str, Any]:
        return self._fit.run.start.parameters if self._fit.run else self._model.record()

    @contextlib.contextmanager
    def _folder(self) -> Iterator[Path]:
        if self._fit.run:
            yield self._fit.run.path
        else:
            with tempfile.TemporaryDirectory(prefix="lexvec-run-") as name:
                yield Path(name)

    def _take_over(self) -> None:
        """Read what was learned from the latest checkpoint."""
        checkpoint = self._checkpoints.latest(self._fit.progress)
        if checkpoint is None:
            return
        for array in self._learner.arrays.values():
            array.hold(range(array.count))
        self._keep(checkpoint.fill(self._learner.arrays).losses, last=False)

    def _until_done(self) -> None:
        losses, before = 0, None
        while True:
            checkpoint = self._checkpoints.latest(self._fit.progress)
            workers = self._members()
            self._note_size(len(workers))
            lost = self._attempt(workers, checkpoint)
            if not lost:
                return
            now = self._checkpoints.latest(self._fit.progress)
            losses = losses + 1 if (now and now.path) == before else 1
            before = now and now.path
            if losses > _MOST_LOSSES:
                raise ClusterError(f"workers were lost {losses} times without a new checkpoint ({lost}): check them")
            place = "the beginning" if now is None else now.path.name
            self._fit.progress.note(f"{lost}; going on from {place} with the workers that are left", logging.WARNING)

    def _note_size(self, workers: int) -> None:
        parts = self._learner.words.parts
        kind = "worker" if workers == 1 else "workers"
        self._fit.progress.note(f"training {parts} parts on {workers} {kind}")

    # -- joining

    def _members(self) -> dict[str, int]:
        """Return the workers that are there and compute the same bits, no more than there are parts."""
        until, reminded = time.monotonic() + _NO_WORKERS, False
        while True:
            there = self._engine.workers()
            self._ask({worker: threads for worker, threads in there.items() if worker not in self._joined})
            alike = {worker: threads for worker, threads in there.items() if self._joined.get(worker)}
            if alike:
                return dict(list(alike.items())[: self._learner.words.parts])
            if self._refused:
                raise ClusterError(self._refused[-1])
            if time.monotonic() > until:
                raise ClusterError("the cluster has no worker: start some, such as dask worker ADDRESS, then resume")
            if not reminded:
                self._fit.progress.note("waiting for workers")
                reminded = True
            time.sleep(0.2)

    def _ask(self, workers: dict[str, int]) -> None:
        """Let workers join: each must see the files and compute the same bits as this process."""
        if not workers:
            return
        seen = [self._pieces / "token", *(Path(path) / META for path in (self._corpus.path, self._matrix) if path)]
        files = {str(path): path.read_text(encoding="utf-8") for path in seen}
        task = {"model": self._model.name, "files": files}
        running = self._engine.start(work.join, dict.fromkeys(workers, task))
        try:
            here = probe(type(self._model))
            self._wait(running, workers, _JOINING, "join")
        finally:
            running.stop()
        for worker in workers:
            answer = running.outcomes.get(worker)
            reason = _reason(answer, here)
            self._joined[worker] = not reason
            if reason and not isinstance(answer, PeerLostError):
                self._refused.append(f"worker {worker} {reason}")
                self._fit.progress.note(f"{self._refused[-1]}; training without it", logging.WARNING)

    def _wait(self, running: Running, workers: dict[str, int], limit: float, what: str) -> None:
        """Wait until all workers have answered."""
        began, reminded = time.monotonic(), False
        while len(running.outcomes) < len(workers) and time.monotonic() - began < limit:
            running.messages()
            if not reminded and time.monotonic() - began > _REMINDER:
                reminded = True
                missing = workers.keys() - running.outcomes.keys()
                self._fit.progress.note(f"waiting for {len(missing)} workers to {what} ({min(missing)} is one)")

    @property
    def _matrix(self) -> Path | None:
        return self._fit.matrices[-1].path if self._fit.matrices else None

    # -- one attempt

    def _attempt(self, workers: dict[str, int], checkpoint: Checkpoint | None) -> str:
        """Train until all is done or a worker is lost; return which, or an empty text."""
        watch = _Watch(self._fit, self._checkpoints, self._progress, list(workers), self._take_over)
        shared = {
            "size": len(workers),
            "secret": secrets.token_hex(32),
            "patience": PATIENCE,
            "task": {
                "model": self._model.name,
                "parameters": self._model.record(),
                "corpus": str(self._corpus.path),
                "matrix": self._matrix and str(self._matrix),
                "checkpoint": checkpoint and str(checkpoint.path),
                "pieces": str(self._pieces / secrets.token_hex(4)),
                "every": self._fit.checkpoint_every * 60,
                "asks": bool(self._fit.callbacks),
            },
        }
        tasks = {
            worker: {"rank": rank, "threads": self._model.threads or threads, **shared}
            for rank, (worker, threads) in enumerate(workers.items())
        }
        running = self._engine.start(work.train, tasks)
        try:
            with watch:
                watch.until_all_have_ended(running)
        finally:
            running.stop()
        for worker in watch.late:
            self._joined[worker] = False
        errors = [outcome for outcome in running.outcomes.values() if isinstance(outcome, BaseException)]
        for error in errors:
            if not isinstance(error, PeerLostError | StoppedError):
                raise error
        if not errors:
            self.costs = list(running.outcomes.values())
        # A neighbour of the lost worker knows only that its connection ended; Dask knows who is gone.
        return min(
            (str(error).rpartition(":")[0] for error in errors), key=lambda text: "is gone" not in text, default=""
        )


class _Watch:
    """Handles what workers report during one attempt."""

    def __init__(
        self, fit: Fit, checkpoints: Checkpoints, progress: Progress, workers: list[str], keep: Callable[[], None]
    ) -> None:
        self._fit, self._checkpoints, self._progress, self._workers, self._keep = (
            fit,
            checkpoints,
            progress,
            workers,
            keep,
        )
        self._listening: dict[str, Any] = {}
        self._pieces: dict[tuple[int, int], dict[int, Message]] = {}
        self._sealed: set[tuple[int, int]] = set()
        self._stack = contextlib.ExitStack()
        self._stage: Stage | None = None
        self.late: list[str] = []

    def __enter__(self) -> "_Watch":
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.close()

    def until_all_have_ended(self, running: Running) -> None:
        """Return when all workers have ended, and their last checkpoint is sealed."""
        began, reminded = time.monotonic(), False
        while len(running.outcomes) < len(self._workers):
            self._handle(running)
            passed = time.monotonic() - began
            missing = [worker for worker in self._workers if worker not in self._listening]
            if missing and passed > _REMINDER and not reminded:
                self._fit.progress.note(f"waiting for {missing[0]} to begin: it is busy with other work")
                reminded = True
            if missing and passed > _STARTING:
                self.late = missing
                running.outcomes.update(
                    (worker, PeerLostError(f"worker {worker} did not begin within {passed:.0f} s: it is busy"))
                    for worker in self._workers if worker not in running.outcomes
                )  # fmt: skip
        wanted = {tuple(outcome["saved"]) for outcome in running.outcomes.values() if isinstance(outcome, dict)}
        until = time.monotonic() + _SEALING
        while len(wanted) == 1 and not wanted <= self._sealed:
            if any(isinstance(outcome, BaseException) for outcome in running.outcomes.values()):
                return
            self._handle(running)
            if time.monotonic() > until:
                raise ClusterError("workers did not report their last checkpoint: resume to train the rest again")

    def _handle(self, running: Running) -> None:
        for worker, message in running.messages():
            if "listening" in message:
                self._listening[worker] = message["listening"]
                if len(self._listening) == len(self._workers):
                    ring = [self._listening[each] for each in self._workers]
                    for each in self._workers:
                        running.send(each, {"ring": ring})
            elif "piece" in message:
                self._take_piece(message)
            elif "epoch" in message:
                running.send(worker, {"stop": self._call_back(running, State.from_record(message["epoch"]))})
            else:
                self._show(message)

    def _show(self, message: Message) -> None:
        if "stage" in message:
            self._stack.close()
            self._stage = self._stack.enter_context(self._progress.stage(*message["stage"]))
        elif "advance" in message and self._stage:
            self._stage.advance(*message["advance"])
        elif "note" in message:
            self._fit.progress.note(message["note"], logging.WARNING)

    def _take_piece(self, message: Message) -> None:
        """Remember a piece; when all workers have written theirs, make a checkpoint of them."""
        state = State.from_record(message["state"])
        place = (state.epoch, state.unit)
        pieces = self._pieces.setdefault(place, {})
        pieces[message["piece"]] = message
        if len(pieces) == len(self._workers):
            ordered = [pieces[rank] for rank in range(len(pieces))]
            files = {name: record for piece in ordered for name, record in piece["files"].items()}
            folders = [Path(piece["folder"]) for piece in ordered]
            self._checkpoints.adopt(state, folders, [piece["parts"] for piece in ordered], files)
            self._sealed.add(place)
            del self._pieces[place]

    def _call_back(self, running: Running, state: State) -> bool:
        """Call the user's callbacks with the model as it is after an epoch; True stops the training."""
        until = time.monotonic() + _SEALING
        while (state.epoch, state.unit) not in self._sealed and time.monotonic() < until:
            self._handle(running)
        self._keep()
        answers = [callback(state.epoch, state.losses[-1]) for callback in self._fit.callbacks]
        return any(answer is True for answer in answers)


def _reason(answer: Any, here: dict[str, str]) -> str:
    """Return why a worker cannot take part, or an empty text."""
    if answer is None:
        return "did not answer"
    if isinstance(answer, BaseException):
        return f"cannot join ({type(answer).__name__}: {answer})"
    if answer["unseen"]:
        unseen = Path(answer["unseen"][0])
        shown = unseen.parent if unseen.name in (META, "token") else unseen
        return f"does not see {shown}: {_ADVICE}"
    differs = difference(here, answer["probe"])
    return f"would compute other bits ({differs}): use workers of one kind" if differs else ""
