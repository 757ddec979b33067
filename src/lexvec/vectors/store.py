"""Words and their rows: what every query, conversion and derived set of vectors starts from."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..composition import Composer
from ..errors import Given, InputError, ParameterError
from ..presentation import cards
from ..trained import normalisation_from
from .analogies import RowNumbers
from .arguments import counts_from, matrix_from, strings
from .encodings import EncodedMatrix
from .found_words import FoundWords
from .row_blocks import check_numbers, row_blocks
from .unit_vectors import Doubles, norms_of, unit_vectors

_SHOWN = 5  # words in a repr, and dimensions in a notebook


class StoredVectors:
    """The words, rows, lengths and facts of `lexvec.WordVectors`."""

    def __init__(
        self,
        words: Sequence[str],
        matrix: npt.ArrayLike,
        *,
        counts: npt.ArrayLike | None = None,
        normalisation: Mapping[str, Any] | None = None,
        composer: Composer | None = None,
    ) -> None:
        self.words = strings("words", words)
        self.matrix = matrix_from("matrix", matrix)
        if len(self.words) != len(self.matrix):
            raise InputError(f"{len(self.words)} words but {len(self.matrix)} vectors: give one vector per word")
        self.index = {word: row for row, word in enumerate(self.words)}
        if len(self.index) != len(self.words):
            double = next(word for row, word in enumerate(self.words) if self.index[word] != row)
            raise InputError(f"the word {double!r} occurs twice: leave one out")
        self.counts = counts_from(counts, len(self.words))
        self.normalisation = normalisation_from(normalisation)
        self.composer = composer

    @property
    def dim(self) -> int:
        """Number of dimensions of the vectors."""
        return int(self.matrix.shape[1])

    @cached_property
    def norms(self) -> npt.NDArray[np.float64]:
        """The length of each row, or 1 for a zero vector; computed by the first search, or read if a folder has it."""
        stored = self.matrix.norms() if isinstance(self.matrix, EncodedMatrix) else None
        if stored is not None:
            return np.where(stored > 0, stored, 1).astype(np.float64)
        norms = np.empty(len(self))
        for start, rows in row_blocks(self.matrix):
            self._check(rows, range(start, start + len(rows)))
            norms[start : start + len(rows)] = norms_of(rows)
        norms[norms == 0] = 1
        return norms

    def _check(self, rows: npt.NDArray[np.float32], places: Sequence[int] | RowNumbers) -> None:
        check_numbers(rows, lambda row: repr(self.words[places[row]]))

    def unit_rows(self, rows: RowNumbers | slice) -> Doubles:
        """Return rows of the matrix, by number, as unit vectors in double precision.

        >>> from lexvec import WordVectors
        >>> WordVectors(["cat", "dog"], np.array([[3, 4], [0, 2]])).unit_rows(np.array([0])).tolist()
        [[0.6, 0.8]]
        """
        try:
            chosen = self.matrix[rows]
            places = range(len(self))[rows] if isinstance(rows, slice) else rows
        except (IndexError, TypeError, ValueError) as error:
            raise ParameterError(
                Given("rows", rows), f": it must be row numbers below {len(self):,}, or a slice"
            ) from error
        self._check(chosen, places)
        return unit_vectors(chosen)

    def __sklearn_clone__(self) -> Self:
        return self  # a clone of an estimator must not copy a matrix

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word in self.index

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __getitem__(self, words: str | Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a copy of the vector of a word, or of the vectors of several words as rows.

        A word without a row gets a vector from ``composer``; one that has no n-gram is an `UnknownWordError`.

        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["cat", "dog"], np.eye(2))
        >>> vectors["dog"].tolist(), vectors[["dog", "cat"]].shape
        ([0.0, 1.0], (2, 2))
        """
        given = [words] if isinstance(words, str) else strings("words", words)
        found = FoundWords(self, given)
        rows = found.rows(np.array([found.number(word) for word in given], np.int64))
        return rows[0] if isinstance(words, str) else rows

    def composed(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a vector composed from n-grams for each word; zeros where a word has none, or without a composer.

        >>> from lexvec import WordVectors
        >>> WordVectors(["cat", "dog"], np.eye(2)).composed(["cats"]).tolist()
        [[0.0, 0.0]]
        """
        given = strings("words", words)
        if self.composer is None or not given:
            return np.zeros((len(given), self.dim), np.float32)
        rows = self.composer.composed(given)
        check_numbers(rows, lambda row: repr(given[row]))
        return rows

    def _repr_html_(self) -> str:
        more = ["…"] if self.dim > _SHOWN else []
        rows = [
            [word, *(f"{value:.3f}" for value in row[:_SHOWN].tolist()), *more]
            for word, row in zip(self.words[:_SHOWN], self.matrix[:_SHOWN], strict=True)
        ]
        heads = ["word", *(str(place) for place in range(min(self.dim, _SHOWN))), *more]
        rest = [cards.paragraph(f"and {len(self) - _SHOWN:,} more words")] if len(self) > _SHOWN else []
        heading = f"WordVectors: {len(self):,} words × {self.dim} dimensions"
        return cards.card(heading, cards.columns(heads, rows), *rest)

    def __repr__(self) -> str:
        words = ", ".join(map(repr, self.words[:_SHOWN])) + (", …" if len(self) > _SHOWN else "")
        return f"<WordVectors: {len(self):,} words × {self.dim} dimensions{': ' if words else ''}{words}>"
