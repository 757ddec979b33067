"""Trained models as folders: what both the models and whoever only wants their vectors read."""

from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ..errors import ArtefactError, ParameterError
from ..storage.artefact import Artefact
from ..vocabulary import FILE, Vocabulary

Combine = Literal["word", "context", "sum"]
Matrix = npt.NDArray[np.float32]


def check_combine(combine: str) -> None:
    """Refuse what is none of the ways to make vectors of W and C."""
    if combine not in get_args(Combine):
        raise ParameterError(f"combine={combine!r}: it must be one of {', '.join(get_args(Combine))}")


def combined(W: Matrix, C: Matrix, combine: Combine) -> Matrix:
    """W, C, or W + C."""
    check_combine(combine)
    return W if combine == "word" else C if combine == "context" else W + C


class ModelFolder(Artefact):
    """A trained model on disk; its arrays are memory-mapped."""

    kind = "model"
    facts = ("model", "words", "dim", "losses")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words, most frequent first."""
        return Vocabulary.load(self.path / FILE, exact=True)

    @property
    def W(self) -> Matrix:  # noqa: N802 (the paper's name)
        """The vectors of words."""
        return self._matrix("W")

    @property
    def C(self) -> Matrix:  # noqa: N802
        """The vectors of contexts."""
        return self._matrix("C")

    def _matrix(self, name: str) -> Matrix:
        array = self.array(name)
        words, dim = self.meta["facts"]["words"], self.meta["facts"]["dim"]
        if array.dtype != np.float32 or words != len(self.vocabulary) or array.shape != (words, dim):
            raise ArtefactError(f"{self.path} is damaged (its arrays do not fit together): make it anew")
        return array
