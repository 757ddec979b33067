"""GloVe: weighted squared error against the logarithm of counts, over all cells that are not zero (section 2.2)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ..cooccurrence import CooccurrenceCounter
from ..cooccurrence.counting import CountingParameters
from ..draws import stream_key
from ..engine.losses import LOSSES, adagrad, check_loss
from ..engine.rows import Rows, adaptive_rows, uniform
from ..engine.schedule import Schedule
from ..engine.sources import CellSource
from ..engine.training import Learner
from ..kernels.steps import CellWeights
from ..parameters import Search, parameter, redeclared
from .footprint import Footprint, Sizes, cell_footprints
from .inputs import Recipe
from .stepwise import StepwiseModel
from .training import Task

Biases = npt.NDArray[np.float32]

_MANY_WORDS = 1 << 15


@dataclass(kw_only=True, eq=False)
class GloVe(CountingParameters, StepwiseModel):
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

    epochs: int = redeclared(
        StepwiseModel, "epochs", 50, help="Number of passes over the cells.", search=Search(10, 60, step=5)
    )
    learning_rate: float = redeclared(
        StepwiseModel,
        "learning_rate",
        0.05,
        help="Initial learning rate of AdaGrad.",
        search=Search(0.01, 0.2, log=True),
    )
    bias_rate: float = parameter(
        1.0,
        "Initial learning rate of the biases: 1 as in today's Stanford program, 0.05 as in its first versions.",
        minimum=0,
    )
    window: int = redeclared(CountingParameters, "window", 10)
    window_kind: str = redeclared(CountingParameters, "window_kind", "harmonic")
    subsample: float | None = redeclared(CountingParameters, "subsample", None)
    x_max: float = parameter(
        100.0, "Count at and above which a cell has weight 1.", minimum=0, search=Search(1, 200, log=True)
    )
    beta: float = parameter(
        0.75,
        "Power in the weight (count / x_max)^beta of smaller counts.",
        minimum=0,
        search=Search(0.25, 1.0, step=0.05),
    )
    loss: str = parameter("squared", "Loss of a cell's score against the logarithm of its count.", choices=LOSSES)

    @property
    def recipe(self) -> Recipe:
        """Counts, by default harmonic ones."""
        return Recipe(self.as_parameters(CooccurrenceCounter))

    @property
    def schedule(self) -> Schedule:
        """AdaGrad's own: the rate stays, and steps shrink."""
        return Schedule(self.epochs, self.learning_rate, decays=False)

    def _check(self) -> None:
        super()._check()
        check_loss(self.loss, labels=False)

    def _parts_for(self, words: int) -> int:
        """Return the number of parts: more than for windows, since blocks are large and sums of squares need cache."""
        return self.parts or max(super()._parts_for(words), 32 if words > _MANY_WORDS else 1)

    def footprints(self, sizes: Sizes) -> list[Footprint]:
        """Return the ways to train, with the cells in memory or on disk."""
        return cell_footprints(sizes, self.dim, self._parts_for(sizes.words))

    def _learner(self, task: Task) -> Learner:
        """Return all cells, weighted squared loss against log counts, and rows and biases that AdaGrad moves."""
        parts, own, on_disk = task.parts, task.own, "cells" in task.way.on_disk
        weights = CellWeights(math.log(self.x_max) if self.x_max else -math.inf, self.beta, self.bias_rate)

        def rows(side: str, stream: str, length: int) -> Rows:
            begin = uniform(stream_key(self.seed, stream), self.dim)
            return adaptive_rows(parts, length, self.dim, begin, own, task.files(side))

        return Learner(
            source=CellSource(task.matrix, parts, self.seed, own, task.folder if on_disk else None),
            step=adagrad(self.loss, weights),
            words=rows("words", "word rows", len(task.corpus.vocabulary)),
            contexts=rows("contexts", "context rows", len(task.contexts)),
        )

    def _learned_beside(self, learner: Learner) -> dict[str, Biases]:
        """Return the biases of both sides."""
        sides = {"word_bias": learner.words, "context_bias": learner.contexts}
        return {name: rows.arrays["bias"].whole() for name, rows in sides.items()}

    @property
    def word_bias_(self) -> Biases:
        """The biases of words."""
        return self.trained_.more["word_bias"]

    @property
    def context_bias_(self) -> Biases:
        """The biases of contexts."""
        return self.trained_.more["context_bias"]
