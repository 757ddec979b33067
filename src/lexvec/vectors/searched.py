"""Searches of a store: neighbours and analogies, among all words or some, with words or arrays as the result."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ..errors import Given, ParameterError
from ..storage.arguments import check_whole
from . import search
from .analogies import RowNumbers
from .arguments import strings
from .derived import DerivedVectors, check_unknown, check_weights
from .found_words import FoundWords, Term, numbered_groups, unit_terms
from .unit_vectors import unit_vectors

Found = list[tuple[str, float]]
Method = Literal["add", "mul"]

_QUESTIONS = 1024  # analogies whose vectors are gathered at once


class SearchedVectors(DerivedVectors):
    """What the queries of `lexvec.WordVectors` share."""

    def most_similar(
        self,
        positive: Term | Sequence[Term],
        negative: Term | Sequence[Term] = (),
        *,
        count: int = 10,
        weights: Sequence[float] | None = None,
        candidates: Sequence[str] | None = None,
    ) -> Found:
        """Return the words with the largest cosines to the sum of the positive terms minus the negative ones.

        A term is a word, which is left out of the result, or a vector. Each is scaled to length 1 first, and then
        multiplied by its weight: ``weights`` has one for each positive term and then for each negative one.
        ``candidates`` are the words to search among (default: all).

        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [0, 1]]))
        >>> [word for word, cosine in vectors.most_similar(["cat", "car"])]
        ['dog']
        >>> vectors.most_similar(np.array([0.0, 2.0]), count=1)
        [('car', 1.0)]
        """
        plus, minus = unit_terms(self, "positive", positive), unit_terms(self, "negative", negative)
        if not plus and not minus:
            raise ParameterError("positive and negative are empty: give at least one word or vector")
        weighted = check_weights(weights, len(plus) + len(minus)) * np.repeat([1, -1], [len(plus), len(minus)])
        total = sum((weight * vector for weight, (_, vector) in zip(weighted, plus + minus, strict=True)),
                    np.zeros(self.dim))  # fmt: skip
        own = [row for row, _ in plus + minus if row is not None]
        return self._search(total[None, None], search.cosine_score, count, [own], candidates)[0]

    def neighbors(
        self,
        terms: Sequence[Term],
        *,
        count: int = 10,
        candidates: Sequence[str] | None = None,
        unknown: Literal["raise", "skip"] = "raise",
    ) -> list[Found]:
        """Return `most_similar` of each word or vector, all in one pass over the matrix.

        With ``unknown="skip"`` the list of an unknown word is empty. `nearest` returns arrays.

        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [0, 1]]))
        >>> [[word for word, cosine in found] for found in vectors.neighbors(["cat", "car"], count=1)]
        [['dog'], ['dog']]
        """
        if isinstance(terms, str):
            raise ParameterError(Given("terms", terms), ": it must be a list of words or vectors")
        if check_unknown(unknown, allowed=("raise", "skip")) == "skip":
            known = [not isinstance(term, str) or term in self for term in terms]
            asked = iter(self.neighbors([t for t, k in zip(terms, known, strict=True) if k], count=count,
                                        candidates=candidates))  # fmt: skip
            return [next(asked) if is_known else [] for is_known in known]
        return [self._named(best) for best in self._nearest(terms, count, candidates)]

    def analogy(
        self,
        a: str,
        b: str,
        c: str,
        *,
        method: Method = "add",
        count: int = 10,
        candidates: Sequence[str] | None = None,
    ) -> Found:
        """Answer "a is to b as c is to which word?" by 3CosAdd or 3CosMul, leaving out a, b and c themselves.

        >>> from lexvec import WordVectors
        >>> words = ["man", "king", "woman", "queen", "car"]
        >>> rows = np.array([[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1], [1, 1, 0]])
        >>> WordVectors(words, rows).analogy("man", "king", "woman", method="mul", count=1)[0][0]
        'queen'
        """
        return self.analogies([(a, b, c)], method=method, count=count, candidates=candidates)[0]

    def analogies(
        self,
        questions: Iterable[tuple[str, str, str]],
        *,
        method: Method = "add",
        count: int = 10,
        candidates: Sequence[str] | None = None,
    ) -> list[Found]:
        """Answer each question (a, b, c) as `analogy` does, many in one pass over the matrix."""
        if method not in get_args(Method):
            raise ParameterError(Given("method", method), f": it must be one of {', '.join(get_args(Method))}")
        words, numbers = numbered_groups(self, "questions", questions, 3, "three words (a is to b as c is to …)")
        found: list[Found] = []
        for start in range(0, len(numbers), _QUESTIONS):
            found += self._answers(words, numbers[start : start + _QUESTIONS], method, count, candidates)
        return found

    def _answers(
        self, words: FoundWords, numbers: RowNumbers, method: Method, count: int, candidates: Sequence[str] | None
    ) -> list[Found]:
        used, inverse = np.unique(numbers, return_inverse=True)
        a, b, c = words.unit_rows(used)[inverse.reshape(-1, 3)].transpose(1, 0, 2)
        if method == "add":
            return self._search((b - a + c)[:, None], search.cosine_score, count, numbers.tolist(), candidates)
        return self._search(np.stack([b, c, a], axis=1), search.cosmul_score, count, numbers.tolist(), candidates)

    def nearest(
        self, terms: Sequence[Term], *, count: int = 10, candidates: Sequence[str] | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Return the row numbers and the cosines of `neighbors` as two arrays with a row per term.

        Arrays have ``count`` columns, but never more than there are words. Rows with fewer words to find end with −1
        and NaN.

        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [0, 1]]))
        >>> rows, cosines = vectors.nearest(["cat", "car"], count=1)
        >>> rows.tolist(), cosines.round(3).tolist()
        ([[1], [1]], [[0.707], [0.707]])
        """
        found = self._nearest(terms, count, candidates)
        width = min(count, len(self))
        rows, cosines = np.full((len(found), width), -1, np.int64), np.full((len(found), width), np.nan)
        for query, best in enumerate(found):
            rows[query, : len(best.rows)], cosines[query, : len(best.rows)] = best.rows, best.scores
        return rows, cosines

    def _nearest(self, terms: Sequence[Term], count: int, candidates: Sequence[str] | None) -> list[search.Best]:
        found = unit_terms(self, "terms", terms)
        queries = np.array([vector for _, vector in found]).reshape(-1, 1, self.dim)
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

    @cached_property
    def _lengths(self) -> search.Lengths:
        return search.Lengths(self.norms)

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
            return search.nearest(self.matrix, self._lengths, units, score, wanted, excluded)
        # In the order of the rows, since of equal scores the lower row comes first.
        chosen = np.unique(np.array([self._row(word) for word in strings("candidates", candidates)], np.intp))
        place = {row: at for at, row in enumerate(chosen.tolist())}
        inside = [[place[row] for row in rows if row in place] for rows in excluded]
        found = search.nearest(self.matrix[chosen], search.Lengths(self.norms[chosen]), units, score, wanted, inside)
        return [search.Best(chosen[best.rows], best.scores) for best in found]

    def _named(self, best: search.Best) -> Found:
        return [(self.words[row], value) for row, value in zip(best.rows.tolist(), best.scores.tolist(), strict=True)]
