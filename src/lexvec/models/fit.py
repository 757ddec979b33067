"""One fit under way: the corpus and the matrix it learns from, who does the work, and where it is kept."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..corpus import Corpus
from ..engine import Executor
from ..engine.schedule import Schedule, State
from ..engine.training import EpochCallback, Learner, Training
from ..errors import ResourceError
from ..machine import free_memory
from ..progress import Progress
from .checkpoints import Checkpoints
from .inputs import Inputs
from .recipe import Recipe
from .run import RunFolder

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Fit:
    """Finds or makes what a model needs, and trains it."""

    inputs: Inputs
    executor: Executor
    run: RunFolder | None
    progress: Progress
    callbacks: Sequence[EpochCallback]
    checkpoint_every: float  # minutes

    def corpus(self) -> Corpus:
        """Return the encoded corpus; text is encoded into the folder of the run, or a temporary one."""
        encoded = self.inputs.encode(self.run.path if self.run else None, self.progress, self.executor.threads)
        self.pin("corpus", encoded.meta["files"])
        return encoded

    def matrix(self, recipe: Recipe, corpus: Corpus) -> Any:
        """Return the matrix to learn from: the one given, if it fits, or one made for this run."""
        if self.inputs.matrix is None:
            return recipe.make(corpus, self.run.path if self.run else None, self.progress, self.executor.threads)
        matrix = recipe.checked(self.inputs.matrix, corpus)
        self.pin("matrix", matrix.meta["files"])
        return matrix

    def own(self, parts: int) -> range:
        """Return the parts of words and contexts that this process begins with."""
        return self.executor.own(parts)

    def pin(self, name: str, value: Any) -> None:
        """Remember something of the input, so that a resumed run can tell whether it is still the same."""
        if self.run:
            self.run.pin(name, value)

    def require(self, needed: int, what: str) -> None:
        """Report how much memory is needed, and raise if there is less."""
        available = free_memory()
        _log.debug("%.2f GB of memory are free", available / 1e9)
        self.progress.note(f"training needs about {needed / 1e9:.2f} GB of memory ({what})")
        if needed > available:
            raise ResourceError(
                f"training needs about {needed / 1e9:.1f} GB of memory ({what}) and {available / 1e9:.1f} GB are free; "
                "use a smaller dim, or a larger min_count for fewer words"
            )

    def train(self, learner: Learner, schedule: Schedule, keep: Callable[[list[dict[str, float]]], None]) -> None:
        """Train from the latest checkpoint, or the beginning, to the end.

        ``keep`` is given the losses of the epochs so far: before callbacks are called, at the end, and if training is
        interrupted.
        """
        checkpoints = Checkpoints(self.run.path, self.run.start.parameters) if self.run else None
        state = checkpoints.restore(learner.arrays, self.progress) if checkpoints else State()

        def save(now: State) -> None:
            if checkpoints:
                checkpoints.save(now, learner.arrays)

        callbacks = [lambda *_: keep(state.losses), *self.callbacks] if self.callbacks else []
        progress = self.run.reporting(self.progress) if self.run else self.progress
        training = Training(learner, schedule, self.executor, progress, save, self.checkpoint_every * 60, callbacks)
        try:
            training.run(state)
        finally:
            keep(state.losses)
        if not any(epoch["pairs"] for epoch in state.losses):
            self.progress.note(
                "there was no pair to learn from; use a larger subsample, or 0 for none", logging.WARNING
            )
