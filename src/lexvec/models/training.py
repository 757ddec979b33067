"""From a corpus and its matrix to what is learned: plan the memory, begin the rows, run the epochs."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..composition import Composition
from ..contexts import Contexts
from ..corpus import Corpus
from ..engine import Executor
from ..engine.part_files import PartFolder
from ..engine.schedule import Clock, State
from ..engine.training import EpochCallback, Learner, Training
from ..progress import Progress
from ..trained import Trained
from .checkpoints import Checkpoints
from .footprint import Footprint, Sizes
from .memory import Memory
from .run import RunFolder, Scratch

if TYPE_CHECKING:
    from .stepwise import StepwiseModel


@dataclass(frozen=True)
class Workplace:
    """Who trains, in which memory, where it is kept, and who hears of it."""

    executor: Executor
    memory: Memory
    scratch: Scratch
    progress: Progress
    #: The folder of the run, if it is kept.
    run: RunFolder | None = None
    #: Takes over what was learned: before callbacks are called, at the end, and if training is interrupted.
    keep: Callable[[Trained], None] = lambda _: None
    callbacks: Sequence[EpochCallback] = ()
    checkpoint_every: float = 0.0  # minutes

    def pin(self, name: str, value: Any) -> None:
        """Remember something of the input, so that a resumed run can tell whether it is still the same."""
        if self.run:
            self.run.pin(name, value)

    def settled(self, order: dict[str, int]) -> dict[str, int]:
        """Return the order of steps of a run that resumes, or record ``order`` for one that begins."""
        return self.run.settle(order) if self.run and order else order


class Data(NamedTuple):
    """What a model learns from."""

    corpus: Corpus
    #: How words' vectors are composed of the rows that are learned.
    composition: Composition
    #: Made by the recipe of the model; None: the model learns from the text itself.
    matrix: Any


@dataclass(frozen=True)
class Task:
    """What a learner is built from: a model, its data, and the way in which it is trained here."""

    model: "StepwiseModel"
    corpus: Corpus
    composition: Composition
    matrix: Any
    contexts: Contexts
    way: Footprint
    place: Workplace

    @classmethod
    def planned(cls, model: "StepwiseModel", data: Data, place: Workplace) -> "Task":
        """Plan a training: the fastest way that fits into memory."""
        sizes = Sizes.of(data.corpus, place.executor, data.matrix, input_rows=data.composition.rows)
        return cls(model, *data, model._contexts_of(data), place.memory.choose(model.footprints, sizes), place)

    @property
    def parts(self) -> int:
        """The number of parts of words, and of contexts."""
        return self.model._parts_for(len(self.corpus.vocabulary))

    @property
    def own(self) -> range:
        """The parts of words and contexts that this process begins with."""
        return self.place.executor.own(self.parts)

    @property
    def threads(self) -> int:
        """How many threads work here."""
        return self.place.executor.threads.count

    @property
    def folder(self) -> Path:
        """Where scratch files go."""
        return self.place.scratch.folder

    def files(self, side: str) -> PartFolder | None:
        """Return where the rows of a side, "words" or "contexts", are kept: None if they are in memory."""
        if self.way.resident is None:
            return None
        folder = self.folder / side
        folder.mkdir()
        return PartFolder(folder, self.way.resident[side == "contexts"])

    def learned(self, learner: Learner, losses: list[dict[str, float]], *, last: bool) -> Trained:
        """Return copies of what was learned; the last time, the rows of each side are given up once they are copied."""
        more = self.model._learned_beside(learner)
        W, C = (rows.whole(release=last) for rows in (learner.words.arrays["rows"], learner.contexts.arrays["rows"]))
        vocabulary = self.corpus.vocabulary
        order = self.model._order(len(vocabulary))
        normalisation = self.corpus.normalisation
        return Trained(
            W,
            C,
            vocabulary,
            self.contexts,
            self.composition,
            normalisation,
            [dict(record) for record in losses],
            order,
            more,
        )


def train(model: "StepwiseModel", data: Data, place: Workplace) -> Trained:
    """Train a model from the latest checkpoint of its run, or the beginning, to the end."""
    task = Task.planned(model, data, place)
    learner, run, crew = model._learner(task), place.run, place.executor.crew

    def keep(*, last: bool) -> Trained | None:
        if crew and not training.state.has_begun:
            return None  # no worker has learned anything
        trained = task.learned(learner, training.state.losses, last=last)
        place.keep(trained)
        return trained

    def after_epoch(*_: Any) -> None:
        keep(last=False)

    checkpoints = Checkpoints(run.path, run.start.parameters) if run and crew is None else None
    training = Training(
        learner,
        model.schedule,
        place.executor,
        run.reporting(place.progress) if run else place.progress,
        lambda state: checkpoints.save(state, learner.arrays) if checkpoints else None,
        Clock(place.checkpoint_every * 60),
        [after_epoch, *place.callbacks] if place.callbacks else [],
        checkpoints.restore(learner.arrays, place.progress) if checkpoints else State(),
    )

    try:
        crew.train(training, task) if crew else training.run()
    finally:
        trained = keep(last=True)
    assert trained is not None
    if not any(epoch["pairs"] for epoch in trained.losses):
        place.progress.note(
            "there was no pair to learn from; use a larger subsample (0 drops no token) or longer sentences",
            logging.WARNING,
        )
    return trained
