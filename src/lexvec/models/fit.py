"""One fit under way: the corpus and the matrix it learns from, who does the work, and where it is kept."""

import logging
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..corpus import Corpus
from ..engine import Executor
from ..engine.footprint import Footprint, Sizes
from ..engine.part_files import PartFolder
from ..engine.schedule import Clock, Schedule, State
from ..engine.training import EpochCallback, Learner, Training
from ..errors import Given, MemoryLimitError, TooLittleMemoryError
from ..helpers import Helpers
from ..machine import free_memory
from ..parameters import bytes_of
from ..progress import Progress
from ..sparse import SparseArtefact
from .checkpoints import Checkpoints
from .inputs import Inputs
from .recipe import Recipe
from .run import RunFolder
from .scratch import Scratch

if TYPE_CHECKING:
    from .joining import Joining

_log = logging.getLogger(__name__)


class Keep(Protocol):
    """Takes over what was learned, and the losses of the epochs so far."""

    def __call__(self, losses: list[dict[str, float]], *, last: bool) -> None:
        """Do so; the last time, nothing is learned afterwards."""


@dataclass(frozen=True)
class Fit:
    """Finds or makes what a model needs, and trains it."""

    inputs: Inputs
    executor: Executor
    run: RunFolder | None
    progress: Progress
    callbacks: Sequence[EpochCallback]
    checkpoint_every: float  # minutes
    memory: str | int | None  # that training may use
    scratch: Scratch
    joining: "Joining | None" = None  # workers that count and train, instead of this process
    matrices: list[Any] = field(default_factory=list)  # that were found or made

    def corpus(self) -> Corpus:
        """Return the encoded corpus; text is encoded into the folder of the run, or a temporary one."""
        encoded = self.inputs.encode(
            self.run.corpus if self.run else None, self.progress, self.executor.threads, self._helpers
        )
        self.pin("corpus", encoded.meta["files"])
        return encoded

    def matrix(self, recipe: Recipe, corpus: Corpus) -> Any:
        """Return the matrix to learn from: the one given, if it fits, or one made for this run."""
        matrix: Any
        if self.inputs.matrix is None:
            folder = self.run.path if self.run else None
            matrix = recipe.make(corpus, folder, self.progress, self.executor.threads, self._helpers)
        else:
            matrix = recipe.checked(self.inputs.matrix, corpus)
            self.pin("matrix", matrix.meta["files"])
        self.matrices.append(matrix)
        return matrix

    @property
    def _helpers(self) -> Helpers | None:
        if self.joining is None:
            return None
        from .distributed_stages import WorkerHelpers  # workers build models, which import this module

        return WorkerHelpers(self.joining)

    def own(self, parts: int) -> range:
        """Return the parts of words and contexts that this process begins with."""
        return self.executor.own(parts)

    def pin(self, name: str, value: Any) -> None:
        """Remember something of the input, so that a resumed run can tell whether it is still the same."""
        if self.run:
            self.run.pin(name, value)

    def settled(self, order: dict[str, int]) -> dict[str, int]:
        """Return the order of steps of a run that resumes, or record ``order`` for one that begins."""
        return self.run.settle(order) if self.run else order

    def sizes(self, corpus: Corpus, matrix: SparseArtefact | None = None, **more: int) -> Sizes:
        """Return the sizes that memory depends on."""
        counts, contexts, threads = corpus.vocabulary.counts, len(corpus.vocabulary), self.executor.threads.count
        if matrix is not None:
            lengths = np.diff(matrix.indptr)
            contexts = len(matrix.contexts)
            more |= {"cells": int(lengths.sum()), "longest_row": int(lengths.max(initial=0))}
        workers = getattr(self.executor, "size", 1)
        return Sizes(counts, len(corpus), corpus.longest_sentence, contexts, threads, workers=workers, **more)

    def choose(self, footprints: Callable[[Sizes], list[Footprint]], sizes: Sizes) -> Footprint:
        """Report what training needs, the first of the ways that fits into memory, and raise if none does."""
        if self.joining is not None:
            return self._choose_for_workers(footprints, sizes, self.joining)
        way = self._first_fitting_here(footprints(sizes))
        self.progress.note(f"training {way.described()}")
        return way

    def check(self, footprints: Callable[[Sizes], list[Footprint]], sizes: Sizes, recipe: Recipe) -> None:
        """Raise, before a matrix is counted, if counting or training cannot fit into memory however few its cells are.

        The error states what is enough however many they are.
        """
        if not footprints(sizes) or self.inputs.matrix is not None or self.joining is not None:
            return
        counting, most = recipe.least_memory(sizes), self._possible(footprints(recipe.most(sizes)))
        enough = max(counting, min((way.total for way in most), default=0))
        self._first_fitting_here(footprints(recipe.begun(sizes)), before=counting, enough=enough)

    def _possible(self, ways: list[Footprint]) -> list[Footprint]:
        """Return the ways that the executor can go: parts that nobody holds while they are used must be in memory."""
        holds_parts = getattr(self.executor, "holds_parts", False)
        return [way for way in ways if holds_parts or way.resident is None]

    def _first_fitting_here(self, ways: list[Footprint], before: int = 0, enough: int = 0) -> Footprint:
        free = free_memory()
        _log.debug("%.2f GB of memory are free", free / 1e9)
        if self.memory is None:
            return self._first_fitting(self._possible(ways), free, free)
        limit = bytes_of("memory", self.memory)
        return self._first_fitting(self._possible(ways), limit, free, before=before, enough=enough)

    def _first_fitting(
        self, ways: list[Footprint], limit: int, free: int, where: str = "", before: int = 0, enough: int = 0
    ) -> Footprint:
        """Return the first way that fits, if what is needed before training does, too.

        An error states what is ``enough``, if that is more than the least of the ways takes.
        """
        fitting = [way for way in ways if max(way.total, before) <= limit]
        if not fitting:
            raise self._too_small(min(ways, key=lambda way: way.total), free, where, max(before, enough))
        return fitting[0]

    def _choose_for_workers(
        self, footprints: Callable[[Sizes], list[Footprint]], sizes: Sizes, joining: "Joining"
    ) -> Footprint:
        """Report what each worker needs, and return how this process gathers what they learn.

        Each worker compares its own free memory, if there is no limit.
        """
        threads = joining.threads()
        shared = replace(sizes, workers=len(threads), threads=max(threads))
        where = f" on each of {len(threads)} workers" if len(threads) > 1 else " on the worker"
        limit = sys.maxsize if self.memory is None else bytes_of("memory", self.memory)
        ways = [way for way in footprints(shared) if way.resident is None]
        # The rows of all workers, and the result.
        gathering = [
            way._replace(
                on_disk="rows" if way.resident else "",
                memory={name: way.memory[name] for name in ("rows", "vocabulary")},
            )
            for way in footprints(sizes)
        ]
        result = min(way.total for way in gathering)
        self.progress.note(f"training {self._first_fitting(ways, limit, 0, where, enough=result).described()}{where}")
        return self._first_fitting(gathering, limit, 0)

    def row_files(self, way: Footprint) -> tuple[PartFolder | None, PartFolder | None]:
        """Return where the rows of words and contexts are kept: None for those in memory."""
        if way.resident is None:
            return None, None
        sides = [self.scratch.folder / side for side in ("words", "contexts")]
        for side in sides:
            side.mkdir()
        return PartFolder(sides[0], way.resident[0]), PartFolder(sides[1], way.resident[1])

    def _too_small(self, least: Footprint, free: int, where: str, enough: int) -> Exception:
        if self.memory is None:
            return TooLittleMemoryError(
                f"training {least.described()}, and {free / 1e9:.1f} GB are free; use a smaller dim, or a larger "
                "min_count for fewer words"
            )
        more = ", more workers" if where else ""
        return MemoryLimitError(
            Given("memory", self.memory),
            f" is too small: training {least.described()}{where}; use at least "
            f"{math.ceil(max(least.total, enough) / 1e6)}MB{more}, a smaller dim, or a larger min_count for fewer "
            "words",
        )

    def train(self, learner: Learner, schedule: Schedule, keep: Keep) -> None:
        """Train from the latest checkpoint, or the beginning, to the end.

        ``keep`` is given the losses of the epochs so far: before callbacks are called, at the end, and if training is
        interrupted.
        """
        checkpoints = Checkpoints(self.run.path, self.run.start.parameters) if self.run else None
        state = checkpoints.restore(learner.arrays, self.progress) if checkpoints else State()

        def save(now: State) -> None:
            if checkpoints:
                checkpoints.save(now, learner.arrays)

        callbacks = [lambda *_: keep(state.losses, last=False), *self.callbacks] if self.callbacks else []
        progress = self.run.reporting(self.progress) if self.run else self.progress
        training = Training(
            learner, schedule, self.executor, progress, save, Clock(self.checkpoint_every * 60), callbacks
        )
        try:
            training.run(state)
        finally:
            keep(state.losses, last=True)

    def check_pairs(self, losses: list[dict[str, float]]) -> None:
        """Warn if there was nothing to learn from in all epochs."""
        if not any(epoch["pairs"] for epoch in losses):
            self.progress.note(
                "there was no pair to learn from; use a larger subsample (0 drops no token) or longer sentences",
                logging.WARNING,
            )
