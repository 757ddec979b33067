"""How the vector of a word comes from input rows: from one row of its own, or from rows that it shares with others.

Words and input rows are two index spaces: W.npy has a row per input row. Where a word's vector is its own row, they are
the same, and nothing is copied.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np
import numpy.typing as npt

from .errors import ArtefactError
from .registry import Registry
from .storage.artefact import Artefact, ArtefactWriter
from .subwords import ArrayRows, NgramComposer, NgramScheme, Scheme, SubwordComposer, recorded_scheme
from .subwords.schemes import ListedParts

Matrix = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

BUCKETS = "subword_buckets"


class Composer(Protocol):
    """Composes vectors for words that have no row of their own."""

    def composed(self, words: Sequence[str]) -> Matrix:
        """Return a vector per word: zeros where a word has nothing that a vector could come from."""


class Composition(ABC):
    """Composes the vectors of words from rows of a matrix."""

    name: ClassVar[str]

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many input rows there are."""

    @abstractmethod
    def vectors(self, rows: Matrix, limit: int | None = None) -> Matrix:
        """Return a vector per word, of the first ``limit`` words."""

    def composer(self, rows: Matrix) -> Composer | None:
        """Return what composes vectors of other words; None if nothing does."""
        del rows
        return None

    def record(self) -> dict[str, Any]:
        """Return what the facts of a saved model say of its composition."""
        return {"composition": self.name}

    def save(self, out: ArtefactWriter) -> None:  # noqa: B027 (most have nothing more to write)
        """Write what the facts have no room for."""

    @classmethod
    def recorded(cls, folder: Artefact, words: Sequence[str]) -> Self:
        """Return the composition of a saved model."""
        del folder
        return cls(words)


class OwnRow(Composition):
    """A word's vector is a row of its own."""

    name = "own row"

    @property
    def rows(self) -> int:
        """As many as words."""
        return len(self.words)

    def vectors(self, rows: Matrix, limit: int | None = None) -> Matrix:
        """Return the rows themselves."""
        return rows[:limit]


class SubwordMean(Composition):
    """A word's vector is the mean of a row of its own, unless the scheme has none, and of the rows of its subwords.

    There are rows for the buckets that words of the vocabulary use, not for all: first the rows of words, then those of
    ``buckets``, which are in ascending order.

    >>> from lexvec.subwords import FastTextScheme
    >>> composition = SubwordMean.for_words(["the", "there"], FastTextScheme(3, 3))
    >>> composition.rows, [len(composition.input_rows()[1]), len(composition.buckets)]
    (8, [10, 6])
    """

    name = "mean of subwords"

    def __init__(self, words: Sequence[str], scheme: Scheme, buckets: Integers) -> None:
        super().__init__(words)
        self.scheme, self.buckets = scheme, buckets
        self.own = len(words) if scheme.has_word_rows else 0

    @classmethod
    def for_words(cls, words: Sequence[str], scheme: Scheme) -> Self:
        """Return the composition of a vocabulary."""
        return cls(words, scheme, np.unique(scheme.table(words)[1]))

    @property
    def rows(self) -> int:
        """A row per word, if words have one, and one per bucket."""
        return self.own + len(self.buckets)

    def input_rows(self) -> tuple[Integers, Integers]:
        """Return the input rows of all words: those of word i are ``rows[indptr[i]:indptr[i + 1]]``."""
        indptr, buckets = self.scheme.table(self.words)
        rows = np.searchsorted(self.buckets, buckets) + self.own
        if not self.own:
            return indptr, rows
        return indptr + np.arange(len(indptr)), np.insert(rows, indptr[:-1], np.arange(self.own))

    def vectors(self, rows: Matrix, limit: int | None = None) -> Matrix:
        """Return the means."""
        words, composer = self.words[:limit], self._composer(rows)
        if not self.own:
            return composer.composed(words)
        return composer.composed_with(words, ArrayRows(rows[: self.own]), np.arange(len(words)))

    def composer(self, rows: Matrix) -> Composer | None:
        """Return what composes the vectors of other words from the rows of their subwords."""
        return self._composer(rows)

    def _composer(self, rows: Matrix) -> SubwordComposer:
        table = ArrayRows(rows[self.own :])
        if isinstance(self.scheme, NgramScheme):
            return NgramComposer(self.scheme, table, self.buckets)
        return SubwordComposer(self.scheme, table, self.buckets)

    def record(self) -> dict[str, Any]:
        """Return the scheme, too."""
        return {**super().record(), "subwords": self.scheme.record(), "input_rows": self.rows}

    def save(self, out: ArtefactWriter) -> None:
        """Write the numbers of the buckets, and the parts of words if a file listed them."""
        out.array(BUCKETS, np.int64).append(self.buckets)
        if isinstance(self.scheme, ListedParts):
            self.scheme.save(out.folder)

    @classmethod
    def recorded(cls, folder: Artefact, words: Sequence[str]) -> Self:
        """Return the composition of a saved model."""
        record = folder.meta["facts"].get("subwords")
        if isinstance(record, dict) and record.get("name") == ListedParts.name:
            scheme: Scheme = ListedParts.recorded(record, folder)
        else:
            scheme = recorded_scheme(record, folder.path)
        buckets: Integers = folder.array(BUCKETS, dtype=np.int64, dimensions=1)
        if len(buckets) and not (buckets[0] >= 0 and buckets[-1] < scheme.buckets and (np.diff(buckets) > 0).all()):
            raise ArtefactError(f"{folder.path} is damaged (its buckets of subwords are not in order): rebuild it")
        return cls(words, scheme, buckets)


#: Ways to compose vectors, by the name that a saved model records.
COMPOSITIONS: Registry[type[Composition]] = Registry(
    "composition", {composition.name: composition for composition in (OwnRow, SubwordMean)}
)


def recorded_composition(folder: Artefact, words: Sequence[str]) -> Composition:
    """Return how a saved model composes vectors; older ones, which do not say, have a row per word."""
    name = folder.meta["facts"].get("composition", OwnRow.name)
    if name not in COMPOSITIONS:
        raise ArtefactError(
            f"{folder.path} composes vectors in an unknown way, {name!r:.60}: use the version that made it"
        )
    return COMPOSITIONS[name].recorded(folder, words)
