"""What models share that learn step by step: each declares where its pairs come from, and how rows begin and move."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..contexts import Contexts
from ..engine.rows import default_parts
from ..engine.schedule import Schedule
from ..engine.training import Learner
from ..errors import Given, ParameterError
from ..parameters import Search, parameter
from ..trained import Trained
from .base import Model
from .training import Data, Task, Workplace, train


@dataclass(kw_only=True, eq=False)
class StepwiseModel(Model):
    """Base of the models that learn step by step: each declares its source of pairs, its step and its schedule."""

    epochs: int = parameter(5, "Number of passes over the corpus.", minimum=1, search=Search(1, 10))
    learning_rate: float = parameter(
        0.025, "Initial learning rate; it falls linearly.", minimum=1e-9, search=Search(0.005, 0.1, log=True)
    )
    parts: int | None = parameter(
        None,
        "Number of partitions of words and contexts, a power of two. It limits the number of threads, and decides the "
        "order of steps, and so the exact result. Default: 16 up to 131,072 words, 32 up to twice as many, "
        "and so on up to 128; at least 32 for GloVe with more than 32,768 words; with subwords 4, or 8 for more than "
        "65,536 words.",
        minimum=1,
        maximum=1024,
    )

    def _check(self) -> None:
        super()._check()
        if self.parts and self.parts.bit_count() > 1:
            raise ParameterError(Given("parts", self.parts), ": it must be a power of two, such as 64")

    def _check_distributable(self) -> None:
        """Accept: word parts stay with workers and context parts travel."""

    @property
    @abstractmethod
    def schedule(self) -> Schedule:
        """How long and how fast to train."""

    def _parts_for(self, words: int) -> int:
        """Return the number of parts for so many words."""
        return self.parts or default_parts(words)

    def _order(self, words: int) -> dict[str, int]:
        """Return the parameters that decide the order of steps, and so the exact result, with their defaults."""
        return {"parts": self._parts_for(words)}

    def _contexts_of(self, data: Data) -> Contexts:
        """Return the contexts: those of the matrix."""
        contexts: Contexts = data.matrix.contexts
        return contexts

    @abstractmethod
    def _learner(self, task: Task) -> Learner:
        """Return the source of pairs, the step, and the rows that it moves."""

    def _learned_beside(self, learner: Learner) -> dict[str, npt.NDArray[np.float32]]:
        """Return what is learned beside W and C, by name."""
        del learner
        return {}

    def _learn(self, data: Data, place: Workplace) -> Trained:
        return train(self, data, place)
