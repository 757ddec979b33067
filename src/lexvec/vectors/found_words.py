"""Words by number: rows of the matrix, and after the last row words that have none and are composed."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..composition import Matrix
from ..errors import Given, ParameterError, UnknownWordError
from .analogies import RowNumbers
from .arguments import Unknown, checked_list, shown, vector_from
from .geometry import Doubles, check_numbers, cosines_of, unit_vectors

if TYPE_CHECKING:
    from .word_vectors import WordVectors


Term = str | npt.NDArray[Any]


class FoundWords:
    """The vectors of some words. Numbers from ``len(vectors)`` on are composed words, which no search returns.

    A word that has no row, and no vector that is not zero can be composed for, is an `UnknownWordError`.
    """

    def __init__(self, vectors: "WordVectors", words: Iterable[str]) -> None:
        self._vectors = vectors
        self.composed = list(dict.fromkeys(word for word in words if not _is_known(word, vectors)))
        self._numbers = {word: len(vectors) + place for place, word in enumerate(self.composed)}
        self._rows = vectors.composed(self.composed)
        zero = np.flatnonzero(~self._rows.any(axis=1))
        if len(zero):
            raise UnknownWordError(self.composed[zero[0]], vectors.index, uncomposable=vectors.composer is not None)

    def number(self, word: str) -> int:
        """Return the number of a word."""
        row = self._vectors.index.get(word)
        return self._numbers[word] if row is None else row

    def rows(self, numbers: RowNumbers) -> Matrix:
        """Return the vectors of these numbers, as a copy."""
        known = numbers < len(self._vectors)
        rows = np.empty((len(numbers), self._vectors.dim), np.float32)
        rows[known] = self._vectors.matrix[numbers[known]]
        rows[~known] = self._rows[numbers[~known] - len(self._vectors)]
        check_numbers(rows, lambda place: repr(self._word(int(numbers[place]))))
        return rows

    def unit_rows(self, numbers: RowNumbers | slice) -> Doubles:
        """Return the vectors of these numbers, or of a slice of the matrix, as unit vectors in double precision."""
        return self._vectors.unit_rows(numbers) if isinstance(numbers, slice) else unit_vectors(self.rows(numbers))

    def _word(self, number: int) -> str:
        known = len(self._vectors)
        return self._vectors.words[number] if number < known else self.composed[number - known]


class UnitTerm(NamedTuple):
    """A term of a query as a unit vector; a word also has its number."""

    number: int | None
    vector: Doubles


def unit_terms(vectors: "WordVectors", name: str, given: Term | Sequence[Term]) -> list[UnitTerm]:
    """Return the words and vectors that the parameter ``name`` was given."""
    if isinstance(given, str) or (isinstance(given, np.ndarray) and given.ndim == 1):
        given = [given]
    each = checked_list(name, given, object, "a word, a vector, or a list of these")
    found = FoundWords(vectors, (term for term in each if isinstance(term, str)))
    terms: list[UnitTerm] = []
    for term in each:
        if isinstance(term, str):
            number = found.number(term)
            terms.append(UnitTerm(number, found.unit_rows(np.array([number]))[0]))
            continue
        vector = vector_from(term)
        if vector is None or vector.shape != (vectors.dim,) or not np.isfinite(vector).all():
            raise ParameterError(Given(name), f" has {shown(term)} in it: give a word or {vectors.dim} finite numbers")
        terms.append(UnitTerm(None, unit_vectors(vector[None])[0]))
    return terms


def numbered_groups(
    vectors: "WordVectors", name: str, groups: Iterable[Sequence[str]], size: int, wanted: str
) -> tuple[FoundWords, RowNumbers]:
    """Return the words that the parameter ``name`` was given in groups of one size, and a row of numbers per group."""
    lists = checked_list(name, groups, Sequence, f"a list of {wanted} each")  # type: ignore[type-abstract]
    for words in lists:
        if isinstance(words, str) or len(words) != size:
            raise ParameterError(Given(name), f" has {shown(words)} in it: give {wanted} each")
    found = FoundWords(vectors, (word for words in lists for word in words))
    return found, np.array([[found.number(word) for word in words] for words in lists], np.int64).reshape(-1, size)


def _is_known(word: object, vectors: "WordVectors") -> bool:
    if not isinstance(word, str):
        raise UnknownWordError(word, vectors.index)
    return word in vectors.index


def partial_similarities(vectors: "WordVectors", pairs: list[tuple[str, str]], unknown: Unknown) -> Doubles:
    """Return the cosine of each pair; NaN, 0 or that of composed vectors where a word has no row."""
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2:
            raise ParameterError(Given("pairs"), f" has {shown(pair)} in it: give two words each")
    words = list(dict.fromkeys(word for pair in pairs for word in pair))
    units = unit_vectors(vectors.lookup(words, unknown="compose" if unknown == "compose" else "zero"))
    place = {word: row for row, word in enumerate(words)}
    ones, others = np.array([[place[one], place[other]] for one, other in pairs], np.intp).reshape(-1, 2).T
    cosines = cosines_of(units[ones], units[others])
    if unknown == "skip":
        cosines[[one not in vectors.index or other not in vectors.index for one, other in pairs]] = np.nan
    return cosines
