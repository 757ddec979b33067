"""The contexts of words: the columns of a matrix, the rows of C, and what noise is drawn from.

Contexts are an axis of their own, beside the words. A kind of context says how many there are, what they are called,
and which one a token at an offset is. By default a context is a word, so both axes have the same entries.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from .errors import ArtefactError
from .registry import Registry
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from .kernels.windows import ContextAxis

Matrix = npt.NDArray[np.float32]


class Contexts(ABC):
    """All contexts that the words of a vocabulary have; ``reach`` is the farthest that a window goes."""

    kind: ClassVar[str]

    def __init__(self, vocabulary: Vocabulary, reach: int) -> None:
        self.vocabulary = vocabulary
        self.reach = reach

    @abstractmethod
    def __len__(self) -> int:
        """Return how many contexts there are."""

    @property
    @abstractmethod
    def labels(self) -> Sequence[str]:
        """What the contexts are called, in order."""

    @abstractmethod
    def label(self, context: int) -> str:
        """Return what one context is called; there can be too many contexts to name them all for a few."""

    @abstractmethod
    def axis(self) -> "ContextAxis | None":
        """Return what kernels need to number the contexts of a token; None if a context is the token itself."""

    @abstractmethod
    def token_counts(self, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return how often each context's word occurs, from the counts of words."""

    @abstractmethod
    def by_word(self, C: Matrix) -> Matrix:
        """Return one row per word: the sum of the rows of its contexts."""

    def strongest(
        self, scores: npt.NDArray[Any], count: int, places: npt.NDArray[np.integer] | None = None
    ) -> list[tuple[str, Any]]:
        """Return the ``count`` contexts with the largest scores, each with its score, the largest first.

        ``places`` are the contexts that the scores belong to (None: all). Equal scores are in the order of contexts.
        """
        falling = -scores.astype(np.float64)
        limit = np.partition(falling, count - 1)[count - 1] if count < len(falling) else np.inf
        chosen = np.flatnonzero(falling <= limit)  # all that share the last place, for the order of contexts to decide
        chosen = chosen[np.argsort(falling[chosen], kind="stable")[:count]]
        contexts = chosen if places is None else places[chosen]
        return [
            (self.label(place), score) for place, score in zip(contexts.tolist(), scores[chosen].tolist(), strict=True)
        ]

    def record(self) -> dict[str, Any]:
        """Return what an artefact's facts say of its contexts."""
        return {"contexts": len(self), "context_kind": self.kind, "context_reach": self.reach}


class WordContexts(Contexts):
    """A context is a word, wherever in the window it is."""

    kind = "words"

    def __len__(self) -> int:
        return len(self.vocabulary)

    @property
    def labels(self) -> Sequence[str]:
        """The words."""
        return self.vocabulary.words

    def label(self, context: int) -> str:
        """Return the word."""
        return self.vocabulary.words[context]

    def axis(self) -> "ContextAxis | None":
        """Return None: a token is its own context."""
        return None

    def token_counts(self, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the counts themselves."""
        return counts

    def by_word(self, C: Matrix) -> Matrix:
        """Return C itself."""
        return C


class PositionalContexts(Contexts):
    """A context is a word at an offset: ``dog_1`` follows the word, ``the_-2`` is two tokens before it.

    Offsets are counted after subsampling, and go from −reach to −1 and from 1 to reach (Salle, Idiart and Villavicencio
    2016, *Enhancing the LexVec Distributed Word Representation Model Using Positional Contexts and External Memory*).
    """

    kind = "positional"

    @property
    def _offsets(self) -> list[int]:
        return [*range(-self.reach, 0), *range(1, self.reach + 1)]

    def __len__(self) -> int:
        return 2 * self.reach * len(self.vocabulary)

    @property
    def labels(self) -> Sequence[str]:
        """Word and offset of each context."""
        return [f"{word}_{offset}" for word in self.vocabulary.words for offset in self._offsets]

    def label(self, context: int) -> str:
        """Return the word and the offset."""
        word, place = divmod(context, 2 * self.reach)
        return f"{self.vocabulary.words[word]}_{self._offsets[place]}"

    def axis(self) -> "ContextAxis | None":
        """Return the place of each offset among the contexts of a word."""
        from .kernels.windows import ContextAxis  # vectors are looked at without the compiler of the kernels

        places = np.zeros(2 * self.reach + 1, np.int64)
        for place, offset in enumerate(self._offsets):
            places[offset] = place
        return ContextAxis(2 * self.reach, places)

    def token_counts(self, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the count of each context's word."""
        return np.repeat(counts, 2 * self.reach)

    def by_word(self, C: Matrix) -> Matrix:
        """Return the sum of the rows of each word's contexts."""
        summed: Matrix = C.reshape(len(self.vocabulary), 2 * self.reach, -1).sum(axis=1)
        return summed


#: Kinds of context by name.
CONTEXT_KINDS: Registry[type[Contexts]] = Registry(
    "context kind", {kind.kind: kind for kind in (WordContexts, PositionalContexts)}
)


def recorded_contexts(facts: dict[str, Any], vocabulary: Vocabulary, path: object) -> Contexts:
    """Return the contexts that an artefact was made with; older ones, which do not say, have words."""
    kind, reach = facts.get("context_kind", WordContexts.kind), facts.get("context_reach", 0)
    if kind not in CONTEXT_KINDS or not isinstance(reach, int) or reach < 0:
        raise ArtefactError(f"{path} has contexts of an unknown kind, {kind!r:.60}: use the version that made it")
    contexts = CONTEXT_KINDS[kind](vocabulary, reach)
    if facts.get("contexts", len(contexts)) != len(contexts):
        raise ArtefactError(f"{path} is damaged (its vocabulary has {len(contexts):,} contexts): rebuild it")
    return contexts
