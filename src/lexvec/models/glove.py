"""GloVe: weighted squared error against the logarithm of counts, over all cells that are not zero (section 2.2)."""

import logging
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from ..cooccurrence import Cooccurrence, CooccurrenceCounter
from ..kernels import pairs as pair_kernels
from ..kernels import steps
from ..kernels.pairs import Pairs
from ..kernels.steps import Adaptive, CellStep
from ..parameters import parameter
from ..sampling import stream_key
from .base import Model
from .engine import PARTS, Array, Loss, Schedule, Team, aligned
from .job import Job
from .recipe import Recipe

_log = logging.getLogger(__name__)


@dataclass(kw_only=True, eq=False)
class GloVe(Model):
    """GloVe with AdaGrad and biases; the defaults are the paper's.

    The biases are in ``word_bias_`` and ``context_bias_``.

    >>> model = GloVe(dim=8, epochs=3).fit([["a", "b", "a", "c"]] * 200)
    >>> model.losses_[-1]["loss"] < model.losses_[0]["loss"]
    True
    >>> model.vectors("sum"), model.word_bias_.shape
    (<WordVectors: 3 words × 8 dimensions: 'a', 'b', 'c'>, (3,))
    """

    name: ClassVar[str] = "glove"
    also: ClassVar[tuple[str, ...]] = ("word_bias", "context_bias")

    epochs: int = parameter(50, "passes over the cells", minimum=1)
    learning_rate: float = parameter(0.05, "AdaGrad's", minimum=1e-9)
    bias_rate: float = parameter(
        1.0, "AdaGrad's for the biases: 1 as in today's Stanford program, 0.05 as in its first versions", minimum=0
    )
    window: int = parameter(10, "words on each side; a context at distance d counts 1/d", minimum=1, maximum=2**31 - 1)
    subsample: float | None = parameter(
        None, "threshold t of subsampling (the paper uses none here)", minimum=0, maximum=1
    )
    x_max: float = parameter(100.0, "counts from here on weigh 1", minimum=0)
    beta: float = parameter(0.75, "smaller counts weigh (count / x_max)^beta", minimum=0)

    @property
    def recipe(self) -> Recipe:
        """Harmonic counts."""
        return Recipe(
            CooccurrenceCounter(
                window=self.window,
                window_kind="harmonic",
                subsample=self.subsample,
                seed=self.seed,
                memory=self.memory,
                threads=self.threads,
            )
        )

    def _learn(self, job: Job) -> None:
        counts = job.matrix(self.recipe)
        words = len(job.corpus.vocabulary)
        self._require(16 * words * self.dim + counts.bytes + 12 * len(counts.indices), "rows and cells", job.progress)
        trainer = CellTrainer(self, counts, job.team)
        del counts  # the trainer has the cells in an order of its own
        self._train(trainer, Schedule(self.epochs, self.learning_rate, False), job)
        self._keep(trainer.arrays["W"], trainer.arrays["C"])
        self.word_bias_, self.context_bias_ = trainer.arrays["word_bias"], trainer.arrays["context_bias"]


class CellTrainer:
    """Sweeps over the cells of a matrix; a unit of work is one round of blocks. Each epoch has an order of its own."""

    unit_name = "cells"
    units = PARTS

    def __init__(self, model: GloVe, counts: Cooccurrence, team: Team) -> None:
        self._model, self._team = model, team
        self.words = len(counts.indices)
        words, dim = int(counts.meta["facts"]["words"]), model.dim
        self.arrays: dict[str, Array] = {}
        for side, purpose in (("W", "word rows"), ("C", "context rows")):
            self.arrays[side] = aligned(words, dim)
            steps.fill_uniform(self.arrays[side], dim, 1 / dim, stream_key(model.seed, purpose))
            self.arrays[f"{side}_squares"] = aligned(words, dim)
            self.arrays[f"{side}_squares"][:] = 1
        for side in ("word_bias", "context_bias"):
            self.arrays[side] = np.zeros(words, np.float32)
            self.arrays[f"{side}_squares"] = np.ones(words, np.float32)
        self._ends = np.zeros((PARTS, PARTS + 1), np.int64)
        self._cells: list[Pairs] = [self._part(counts, i) for i in range(PARTS)]
        _log.debug("%d cells in %d × %d blocks", self.words, PARTS, PARTS)

    def _part(self, counts: Cooccurrence, i: int) -> Pairs:
        """The cells of the rows i, i + PARTS …, cut by the part of their context."""
        indptr = counts.indptr
        rows = np.arange(i, len(indptr) - 1, PARTS)
        lengths = indptr[rows + 1] - indptr[rows]
        first = np.cumsum(lengths) - lengths
        at = np.repeat(indptr[rows] - first, lengths) + np.arange(lengths.sum())
        found = Pairs(np.repeat(rows, lengths).astype(np.int32), counts.indices[at], counts.data[at])
        cells = Pairs(np.empty_like(found.words), np.empty_like(found.contexts), np.empty_like(found.targets))
        whole = np.array([[0, len(at)]]), np.zeros(1, np.int32)
        pair_kernels.cut(found, *whole, PARTS, cells, self._ends[i, 1:])
        return cells

    def rewind(self, epoch: int, unit: int) -> None:
        """Bring the cells into the order that they have at this point: each epoch shuffles that of the one before."""
        for past in range(epoch + 1):
            for shift in range(PARTS if past < epoch else unit):
                self._team.round(partial(self._shuffle, past), shift)

    def _shuffle(self, epoch: int, i: int, j: int) -> None:
        key = stream_key(self._model.seed, "order", epoch, i, j)
        steps.shuffle(self._cells[i], self._ends[i, j], self._ends[i, j + 1], key)

    def work(self, epoch: int, unit: int, rate: float) -> Loss:
        """One round of blocks."""
        arrays, model = self.arrays, self._model
        words = Adaptive(arrays["W"], arrays["word_bias"], arrays["W_squares"], arrays["word_bias_squares"])
        contexts = Adaptive(arrays["C"], arrays["context_bias"], arrays["C_squares"], arrays["context_bias_squares"])
        how = CellStep(model.x_max, model.beta, rate, model.bias_rate)
        losses = np.zeros((PARTS, 2))

        def block(i: int, j: int) -> None:
            self._shuffle(epoch, i, j)
            first, last = self._ends[i, j], self._ends[i, j + 1]
            steps.sweep_cells(words, contexts, self._cells[i], first, last, how, losses[i])

        self._team.round(block, unit)
        shifted = (np.arange(PARTS) + unit) % PARTS
        done = self._ends[np.arange(PARTS), shifted + 1] - self._ends[np.arange(PARTS), shifted]
        return Loss(float(losses[:, 0].sum()), 0.0, int(done.sum()), 0)
