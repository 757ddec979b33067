"""Exact search for the best rows of a matrix, block by block: nothing of the size of the matrix is allocated.

Rows are found in single precision, by one product of a block with all queries, and judged in double precision: every
row whose score might be among the best, given the largest possible rounding error, is scored again from its float32
values. The result equals that of sorting all scores in double precision, and does not depend on blocks, batches or
threads. Of equal scores the lower row comes first.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .analogies import Singles, factor, reciprocal
from .unit_vectors import Doubles, unit_vectors

_BLOCK_BYTES = 16 << 20
# One query is bound by memory: pieces so small that BLAS does not wake its threads for them, which only costs time.
_PIECE_BYTES = 1 << 20
_TOGETHER = 256  # queries that share one pass over the matrix
_TINY, _HUGE = 2.0**-60, 2.0**60  # norms beyond which a product in single precision may leave its range

Score = Callable[[Any, float], Any]


class Best(NamedTuple):
    """Rows and their scores, best first."""

    rows: npt.NDArray[np.intp]
    scores: Doubles


def cosine_score(cosines: Any, slack: float) -> Any:
    """Return the score of one cosine: itself. ``slack`` makes it an upper bound, if cosines are wrong by as much."""
    return cosines[:, 0] + slack


def cosmul_score(cosines: Any, slack: float) -> Any:
    """Return the score by 3CosMul of the cosines with b, c and a."""
    scores = factor(cosines[:, 0], slack)
    scores *= factor(cosines[:, 1], slack)
    scores *= reciprocal(np.maximum(factor(cosines[:, 2], -slack), 0))
    return scores


def nearest(
    matrix: Singles,
    norms: Doubles,
    queries: Doubles,
    score: Score,
    count: int,
    excluded: Sequence[Sequence[int]],
) -> list[Best]:
    """Return, for each query, the ``count`` best rows that are not excluded.

    ``queries`` has the axes query, term of the score, dimension; all vectors in it have length 1.
    """
    if len(queries) > _TOGETHER:
        parts = [slice(start, start + _TOGETHER) for start in range(0, len(queries), _TOGETHER)]
        return [best for part in parts for best in nearest(matrix, norms, queries[part], score, count, excluded[part])]
    number, terms, dim = queries.shape
    best = [Best(np.empty(0, np.intp), np.empty(0)) for _ in range(number)]
    flat = queries.reshape(-1, dim)
    singles = flat.astype(np.float32)
    whose = np.repeat(np.arange(number), [len(rows) for rows in excluded])
    barred = np.array([row for rows in excluded for row in rows], np.intp)
    slack = (dim + 8) * 2.0**-23  # twice the worst that rounding can do to a product in single precision
    height = max(1, _BLOCK_BYTES // (4 * (dim + len(flat))))
    for start in range(0, len(matrix), height):
        block, lengths = matrix[start : start + height], norms[start : start + height]
        cosines = _cosines(block, lengths, flat, singles).reshape(number, terms, len(block))
        bounds = score(cosines, slack)
        inside = (barred >= start) & (barred < start + len(block))
        bounds[whose[inside], barred[inside] - start] = -np.inf
        for query in _promising(bounds, best, count):
            exact = _Exact(block, lengths, queries[query], score, start)
            best[query] = exact.merged(best[query], bounds[query], count)
    return best


def _cosines(block: Singles, lengths: Doubles, flat: Doubles, singles: Singles) -> Singles:
    """Return the cosines of all queries (rows of the result) with all rows of a block (columns), up to rounding."""
    cosines = np.empty((len(singles), len(block)), np.float32)
    step = max(1, _PIECE_BYTES // (4 * max(1, block.shape[1]))) if len(singles) == 1 else len(block)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # these rows are computed again below
        for start in range(0, len(block), step):
            np.matmul(singles, block[start : start + step].T, out=cosines[:, start : start + step])
        cosines /= lengths.astype(np.float32)
    odd = np.flatnonzero((lengths < _TINY) | (lengths > _HUGE))
    cosines[:, odd] = flat @ unit_vectors(block[odd]).T
    return cosines


def _promising(bounds: Singles, best: list[Best], count: int) -> list[int]:
    """Return the queries for which a row of this block may be among the best."""
    worst = [found.scores[-1] if len(found.rows) == count else -np.inf for found in best]
    return np.flatnonzero(bounds.max(axis=1) >= np.array(worst)).tolist()


class _Exact:
    """Scores rows of a block in double precision, for one query."""

    def __init__(self, block: Singles, lengths: Doubles, query: Doubles, score: Score, start: int) -> None:
        self._block, self._lengths, self._query, self._score, self._start = block, lengths, query, score, start

    def _scores(self, rows: npt.NDArray[np.intp]) -> Doubles:
        found = np.empty(len(rows))
        for some in range(0, len(rows), 1024):  # many rows may be equal
            place = rows[some : some + 1024]
            units = self._block[place] / self._lengths[place, None]
            # Unlike a matrix product, this sums all rows in the same order, so equal rows score the same.
            cosines = (units[:, None, :] * self._query[None]).sum(axis=2)
            found[some : some + 1024] = self._score(cosines, 0.0)
        return found

    def merged(self, best: Best, bounds: Singles, count: int) -> Best:
        """Return the best of those found so far and of this block."""
        worst = best.scores[-1] if len(best.rows) == count else -np.inf
        if worst == -np.inf and len(bounds) > count:
            # Any ``count`` rows give a first threshold; those with the largest bounds give a high one.
            likely = np.argpartition(-bounds, count - 1)[:count]
            worst = self._scores(likely).min() if bounds[likely].min() > -np.inf else worst
        rows = np.flatnonzero((bounds >= worst) & (bounds > -np.inf))
        # Rows found before are lower, and sorting is stable, so ties go to the lower row.
        everywhere = np.concatenate([best.rows, rows + self._start])
        scores = np.concatenate([best.scores, self._scores(rows)])
        order = np.argsort(-scores, kind="stable")[:count]
        return Best(everywhere[order], scores[order])
