"""Searches of a store: its rows and norms, among all words or some, with words or arrays as the result."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
import numpy.typing as npt

from ..storage.arguments import check_whole
from . import search
from .arguments import strings
from .derived import DerivedVectors
from .found_words import Term, unit_terms
from .unit_vectors import unit_vectors

if TYPE_CHECKING:
    from .vectors import WordVectors

Found = list[tuple[str, float]]


class SearchedVectors(DerivedVectors):
    """What the queries of `lexvec.WordVectors` share."""

    @property
    def norms(self) -> npt.NDArray[np.float64]:
        """The length of each row."""
        raise NotImplementedError

    def nearest(
        self, terms: Sequence[Term], *, count: int = 10, candidates: Sequence[str] | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Return the row numbers and the cosines of `neighbors` as two arrays with a row per term.

        Where there are fewer than ``count`` words to find, rows end with −1 and NaN.

        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [0, 1]]))
        >>> rows, cosines = vectors.nearest(["cat", "car"], count=1)
        >>> rows.tolist(), cosines.round(3).tolist()
        ([[1], [1]], [[0.707], [0.707]])
        """
        found = self._nearest(terms, count, candidates)
        rows, cosines = np.full((len(found), count), -1, np.int64), np.full((len(found), count), np.nan)
        for query, best in enumerate(found):
            rows[query, : len(best.rows)], cosines[query, : len(best.rows)] = best.rows, best.scores
        return rows, cosines

    def _nearest(self, terms: Sequence[Term], count: int, candidates: Sequence[str] | None) -> list[search.Best]:
        found = unit_terms(cast("WordVectors", self), "terms", terms)
        queries = np.array([vector for _, vector in found]).reshape(-1, 1, self.matrix.shape[1])
        own = [[] if row is None else [row] for row, _ in found]
        return self._best(queries, search.cosine_score, count, own, candidates)

    def _search(
        self,
        queries: npt.NDArray[np.float64],
        score: search.Score,
        count: int,
        excluded: list[list[int]],
        candidates: Sequence[str] | None = None,
    ) -> list[Found]:
        return [self._named(best) for best in self._best(queries, score, count, excluded, candidates)]

    def _best(
        self,
        queries: npt.NDArray[np.float64],
        score: search.Score,
        count: int,
        excluded: list[list[int]],
        candidates: Sequence[str] | None,
    ) -> list[search.Best]:
        wanted = check_whole(count, "count", 1)
        number, terms, dim = queries.shape
        units = unit_vectors(queries.reshape(-1, dim)).reshape(number, terms, dim)
        excluded = [[row for row in rows if row < len(self.words)] for rows in excluded]  # composed words have none
        if candidates is None:
            return search.nearest(self.matrix, self.norms, units, score, wanted, excluded)
        # In the order of the rows, since of equal scores the lower row comes first.
        chosen = np.unique(np.array([self._row(word) for word in strings("candidates", candidates)], np.intp))
        place = {row: at for at, row in enumerate(chosen.tolist())}
        inside = [[place[row] for row in rows if row in place] for rows in excluded]
        found = search.nearest(self.matrix[chosen], self.norms[chosen], units, score, wanted, inside)
        return [search.Best(chosen[best.rows], best.scores) for best in found]

    def _named(self, best: search.Best) -> Found:
        return [(self.words[row], value) for row, value in zip(best.rows.tolist(), best.scores.tolist(), strict=True)]
