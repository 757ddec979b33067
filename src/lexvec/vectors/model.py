"""Trained models as folders: read by the models, and by all that only wants their vectors."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from ..composition import Composer, Composition, recorded_composition
from ..contexts import Contexts, recorded_contexts
from ..errors import ArtefactError, ParameterError
from ..storage.arguments import check_whole
from ..storage.artefact import Artefact
from ..vocabulary import FILE, Vocabulary, folder_vocabulary
from .arguments import normalisation_from

Combine = Literal["word", "context", "sum"]
Matrix = npt.NDArray[np.float32]
Row = npt.NDArray[np.float32]


def check_combine(combine: str) -> None:
    """Raise unless ``combine`` names a way to make vectors from W and C."""
    if combine not in get_args(Combine):
        raise ParameterError(f"combine={combine!r}: it must be one of {', '.join(get_args(Combine))}")


def combined(W: Matrix, C: Matrix, combine: Combine) -> Matrix:
    """Return W, C, or W + C; all have a row per word."""
    check_combine(combine)
    return W if combine == "word" else C if combine == "context" else W + C


def top_contexts(vector: Row, C: Matrix, contexts: Contexts, count: int) -> list[tuple[str, float]]:
    """Return the contexts whose rows of C have the largest product with a vector, each with it, the largest first."""
    return contexts.strongest(C @ vector, check_whole(count, "count", 1))


class ModelFolder(Artefact):
    """A trained model on disk; its arrays are memory-mapped."""

    kind = "model"
    facts: ClassVar[Mapping[str, Any]] = {"model": str, "words": int, "dim": int, "losses": list}
    contents = ("W.npy", "C.npy", FILE)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words, most frequent first."""
        return folder_vocabulary(self)

    @property
    def losses(self) -> list[dict[str, float]]:
        """A record per epoch."""
        losses: list[dict[str, float]] = self.meta["facts"]["losses"]
        if not all(isinstance(epoch, dict) and all(map(_is_number, epoch.values())) for epoch in losses):
            raise ArtefactError(f"{self.path} is damaged (its losses are not numbers): rebuild it")
        return losses

    @cached_property
    def contexts(self) -> Contexts:
        """The contexts, a row of C each."""
        return recorded_contexts(self.meta["facts"], self.vocabulary, self.path)

    @cached_property
    def composition(self) -> Composition:
        """How the vectors of words come from the rows of W."""
        return recorded_composition(self, self.vocabulary.words)

    @property
    def normalisation(self) -> dict[str, Any] | None:
        """How the text was normalised, or None if that is unknown."""
        return recorded_normalisation(self)

    @property
    def W(self) -> Matrix:  # noqa: N802 (the paper's name)
        """The input rows."""
        return self._matrix("W", self.composition.rows)

    @property
    def C(self) -> Matrix:  # noqa: N802
        """The vectors of contexts."""
        return self._matrix("C", len(self.contexts))

    def vectors(self, combine: Combine, limit: int | None = None) -> Matrix:
        """Return W, C or W + C with a row per word, of the first ``limit`` words."""
        W = self.composition.vectors(self.W, limit)
        return combined(W, self.contexts.by_word(self.C)[:limit], combine)

    def composer(self, combine: Combine) -> Composer | None:
        """Return what composes vectors of other words; None if nothing does, or if contexts are part of vectors."""
        return self.composition.composer(self.W) if combine == "word" else None

    def top_contexts(self, word: str, *, count: int = 10) -> list[tuple[str, float]]:
        """Return the contexts that score highest with a word, by the product of their vectors."""
        return top_contexts(self.composition.vectors(self.W)[self.vocabulary[word]], self.C, self.contexts, count)

    def _matrix(self, name: str, rows: int) -> Matrix:
        array = self.array(name)
        words, dim = self.meta["facts"]["words"], self.meta["facts"]["dim"]
        if array.dtype != np.float32 or words != len(self.vocabulary) or array.shape != (rows, dim):
            raise ArtefactError(f"{self.path} is damaged (its arrays do not fit together): rebuild it")
        return array


def recorded_normalisation(folder: Artefact) -> dict[str, Any] | None:
    """Return how the text of a folder was normalised; older folders, which do not say, give None."""
    try:
        return normalisation_from(folder.meta["facts"].get("normalisation"))
    except ParameterError:
        raise ArtefactError(f"{folder.path} is damaged (its normalisation is unusable): rebuild it") from None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
