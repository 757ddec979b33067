"""Exact search for the best rows of a matrix, block by block: nothing of the size of the matrix is allocated.

Rows are found in single precision, by one product of a block with all queries, and judged in double: every row whose
score, with all that rounding can have done to it, might be among the best is scored again from its float32 values. So
the result is that of sorting all scores in double precision, and does not depend on blocks, batches or threads. Of
equal scores the lower row comes first.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.intp]
Singles = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

EPSILON = 0.001  # of 3CosMul, so that nothing is divided by zero (Levy and Goldberg 2014)
_BLOCK_BYTES = 16 << 20
# One query is bound by memory: pieces so small that BLAS does not wake its threads for them, which then only costs.
_PIECE_BYTES = 1 << 20
_TOGETHER = 256  # queries that share one pass over the matrix
_TINY, _HUGE = 2.0**-60, 2.0**60  # norms beyond which a product in single precision may leave its range

Score = Callable[[Any, float], Any]


class Best(NamedTuple):
    """Rows and their scores, best first."""

    rows: Rows
    scores: Doubles


def norms_of(rows: npt.NDArray[np.floating]) -> Doubles:
    """Lengths of rows; squares of single precision can neither overflow nor vanish in double."""
    squares: Doubles = np.einsum("ij,ij->i", rows, rows, dtype=np.float64, casting="safe")
    return np.sqrt(squares)


def unit(rows: npt.NDArray[np.floating]) -> Doubles:
    """Rows of length 1, in double precision; a zero row stays one."""
    doubles = np.asarray(rows, np.float64)
    largest = np.abs(doubles).max(axis=1, keepdims=True, initial=0.0)
    doubles = doubles / np.where(largest > 0, largest, 1.0)  # now no square leaves the range of doubles either
    lengths = norms_of(doubles)[:, None]
    return np.asarray(doubles / np.where(lengths > 0, lengths, 1.0))


def add(cosines: Any, slack: float) -> Any:
    """The score of one cosine: itself. With ``slack``, the most it can be if each cosine is wrong by as much."""
    return cosines[:, 0] + slack


def multiply(cosines: Any, slack: float) -> Any:
    """3CosMul of terms (b, c, a): b · c / (a + ε) each cosine x shifted to (x + 1) / 2, so that none is negative."""
    scores = cosines[:, 0] + (1 + 2 * slack)
    scores *= cosines[:, 1] + (1 + 2 * slack)
    divisor = np.maximum(cosines[:, 2] + (1 - 2 * slack), 0)
    divisor += 2 * EPSILON
    divisor *= 2
    scores /= divisor
    return scores


def nearest(
    matrix: Singles,
    norms: Doubles,
    queries: Doubles,
    score: Score,
    count: int,
    excluded: Sequence[Sequence[int]],
) -> list[Best]:
    """For each query the ``count`` best rows that are not excluded; queries × terms × dimensions, all of length 1."""
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
    """Cosines of all queries (rows of the result) with all rows of a block (columns), to within rounding."""
    cosines = np.empty((len(singles), len(block)), np.float32)
    step = max(1, _PIECE_BYTES // (4 * max(1, block.shape[1]))) if len(singles) == 1 else len(block)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # of rows that are done again below
        for start in range(0, len(block), step):
            np.matmul(singles, block[start : start + step].T, out=cosines[:, start : start + step])
        cosines /= lengths.astype(np.float32)
    odd = np.flatnonzero((lengths < _TINY) | (lengths > _HUGE))
    cosines[:, odd] = flat @ unit(block[odd]).T
    return cosines


def _promising(bounds: Singles, best: list[Best], count: int) -> list[int]:
    """Queries for which a row of this block may be among the best."""
    worst = [found.scores[-1] if len(found.rows) == count else -np.inf for found in best]
    return np.flatnonzero(bounds.max(axis=1) >= np.array(worst)).tolist()


class _Exact:
    """Scores rows of a block in double precision, for one query."""

    def __init__(self, block: Singles, lengths: Doubles, query: Doubles, score: Score, start: int) -> None:
        self._block, self._lengths, self._query, self._score, self._start = block, lengths, query, score, start

    def _scores(self, rows: Rows) -> Doubles:
        found = np.empty(len(rows))
        for some in range(0, len(rows), 1024):  # where many are equal there may be many
            place = rows[some : some + 1024]
            units = self._block[place] / self._lengths[place, None]
            # Summed the same way for each row, which a matrix product does not promise: equal rows score the same.
            cosines = (units[:, None, :] * self._query[None]).sum(axis=2)
            found[some : some + 1024] = self._score(cosines, 0.0)
        return found

    def merged(self, best: Best, bounds: Singles, count: int) -> Best:
        """The best so far and of this block."""
        worst = best.scores[-1] if len(best.rows) == count else -np.inf
        if worst == -np.inf and len(bounds) > count:
            # Any ``count`` rows will do for a first threshold; those with the largest bounds are a high one.
            likely = np.argpartition(-bounds, count - 1)[:count]
            worst = self._scores(likely).min() if bounds[likely].min() > -np.inf else worst
        rows = np.flatnonzero((bounds >= worst) & (bounds > -np.inf))
        # What was found before lies in lower rows, and sorting is stable: so ties go to the lower row.
        everywhere = np.concatenate([best.rows, rows + self._start])
        scores = np.concatenate([best.scores, self._scores(rows)])
        order = np.argsort(-scores, kind="stable")[:count]
        return Best(everywhere[order], scores[order])
