"""Exact search for the best rows of a matrix, block by block: nothing of the size of the matrix is allocated.

Rows are found in single precision, by one product of a block with all queries, and judged in double precision: every
row whose score might be among the best, given the largest possible rounding error, is scored again from its float32
values. The result equals that of sorting all scores in double precision, and does not depend on blocks, batches or
threads. Of equal scores the lower row comes first.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..machine import available_threads
from ..threads import Threads
from .analogies import Singles, factor, reciprocal
from .encodings import EncodedMatrix
from .geometry import Doubles, norms_of, unit_vectors

_BLOCK_BYTES = 16 << 20
_ALONE = 1 << 16  # rows of a block for a single query: so few that their products stay in the cache
_FEW = 3  # terms of queries up to which memory limits the speed of a pass
_PIECE_BYTES = 1 << 20  # of a pass for two or three terms: so little that BLAS uses the calling thread only
_TOGETHER = 256  # queries that share one pass over the matrix
_ODD = 4096  # rows that are multiplied in double precision at once
_TINY, _HUGE = 2.0**-60, 2.0**60  # norms beyond which a product in single precision may leave its range

Score = Callable[[Any, float], Any]


class Best(NamedTuple):
    """Rows and their scores, best first."""

    rows: npt.NDArray[np.intp]
    scores: Doubles


class Lengths:
    """The lengths of all rows of a matrix, in the two precisions that searches use."""

    def __init__(self, norms: Doubles) -> None:
        self.doubles = norms
        with np.errstate(over="ignore"):  # see ``odd``
            self.singles = norms.astype(np.float32)
        #: Rows whose products in single precision may leave its range.
        self.odd = np.flatnonzero((norms < _TINY) | (norms > _HUGE))


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
    lengths: Lengths,
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
        return [
            best for part in parts for best in nearest(matrix, lengths, queries[part], score, count, excluded[part])
        ]
    sweep = _Sweep(matrix, lengths, queries, score, excluded)
    best = [Best(np.empty(0, np.intp), np.empty(0)) for _ in queries]
    with Threads(sweep.threads) as pool:
        for start, bounds in sweep.blocks(pool):
            block = slice(start, start + bounds.shape[1])
            for query in _promising(bounds, best, count):
                exact = _Exact(matrix, lengths.doubles[block], queries[query], score, start)
                best[query] = exact.merged(best[query], bounds[query], count)
    return best


class _Sweep:
    """Upper bounds of all scores, in single precision, block by block."""

    def __init__(
        self, matrix: Singles, lengths: Lengths, queries: Doubles, score: Score, excluded: Sequence[Sequence[int]]
    ) -> None:
        self._matrix, self._lengths, self._score = matrix, lengths, score
        self._shape = queries.shape[:2]
        self._doubles = queries.reshape(-1, queries.shape[2])
        self._singles = self._doubles.astype(np.float32)
        self._excluding = np.repeat(np.arange(len(queries)), [len(rows) for rows in excluded])
        self._excluded = np.array([row for rows in excluded for row in rows], np.intp)
        dim = queries.shape[2]
        self._slack = (dim + 8) * 2.0**-23  # twice the largest rounding error of a product in single precision
        if isinstance(matrix, EncodedMatrix):
            self._slack *= 4  # queries may be turned and tables added up first, each with errors of its own
        self._alone = len(self._singles) == 1 and not isinstance(matrix, EncodedMatrix)
        self._height = _ALONE if self._alone else max(1, _BLOCK_BYTES // (4 * (dim + len(self._singles))))
        self._starts = range(0, len(matrix), self._height)

    @property
    def threads(self) -> int:
        """One if BLAS shares a product among threads of its own; otherwise all cores, because memory is the limit."""
        by_blas = len(self._singles) > _FEW or self._alone
        return 1 if by_blas else max(1, min(available_threads(), len(self._starts)))

    def blocks(self, pool: Threads) -> Iterator[tuple[int, Singles]]:
        """Yield the first row of each block and its bounds: all queries (rows) by all rows of the block (columns)."""
        if self._alone:
            yield from self._blocks_alone()
        else:
            yield from zip(self._starts, pool.map(self._block, self._starts), strict=True)

    def _blocks_alone(self) -> Iterator[tuple[int, Singles]]:
        """Yield the blocks of one query, with one product for as many of them as fit in memory.

        A product wakes the threads of BLAS and waits for them. On busy cores the waiting takes longer than the work of
        a block.
        """
        together = max(1, _BLOCK_BYTES // (4 * self._height)) * self._height
        for first in range(0, len(self._matrix), together):
            with np.errstate(over="ignore", invalid="ignore"):  # see `_bounds`
                products = np.matmul(self._matrix[first : first + together], self._singles[0])[None]
            for start in range(0, products.shape[1], self._height):
                yield first + start, self._bounds(first + start, products[:, start : start + self._height])

    def _block(self, _: None, start: int) -> Singles:
        rows = slice(start, min(start + self._height, len(self._matrix)))
        products = np.empty((len(self._singles), rows.stop - start), np.float32)
        with np.errstate(over="ignore", invalid="ignore"):  # see `_bounds`
            if isinstance(self._matrix, EncodedMatrix):
                self._matrix.products(self._singles, rows, products)
            elif len(self._singles) > _FEW:
                np.matmul(self._singles, self._matrix[rows].T, out=products)
            else:
                self._multiply(self._matrix[rows], products)
        return self._bounds(start, products)

    def _multiply(self, block: Singles, out: Singles) -> None:
        """Multiply few queries by a block in one pass over memory: each piece is in the cache for all of them."""
        step = max(1, _PIECE_BYTES // (4 * max(1, block.shape[1])))
        for start in range(0, len(block), step):
            piece = slice(start, start + step)
            for query, products in zip(self._singles, out, strict=True):
                np.matmul(block[piece], query, out=products[piece])

    def _bounds(self, start: int, products: Singles) -> Singles:
        """Return the bounds of the block that begins at ``start``; its products become cosines."""
        cosines, stop = products, start + products.shape[1]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # odd rows are computed again
            cosines /= self._lengths.singles[start:stop]
        first, last = np.searchsorted(self._lengths.odd, (start, stop)).tolist()
        for some in range(first, last, _ODD):
            rows = self._lengths.odd[some : min(some + _ODD, last)]
            cosines[:, rows - start] = self._doubles @ unit_vectors(self._matrix[rows]).T
        bounds: Singles = self._score(cosines.reshape(*self._shape, cosines.shape[1]), self._slack)
        inside = (self._excluded >= start) & (self._excluded < stop)
        bounds[self._excluding[inside], self._excluded[inside] - start] = -np.inf
        return bounds


def _promising(bounds: Singles, best: list[Best], count: int) -> list[int]:
    """Return the queries for which a row of this block may be among the best."""
    worst = [found.scores[-1] if len(found.rows) == count else -np.inf for found in best]
    return np.flatnonzero(bounds.max(axis=1) >= np.array(worst)).tolist()


class _Exact:
    """Scores rows of a block in double precision, for one query."""

    def __init__(self, matrix: Singles, lengths: Doubles, query: Doubles, score: Score, start: int) -> None:
        self._matrix, self._lengths, self._query, self._score, self._start = matrix, lengths, query, score, start

    def _scores(self, rows: npt.NDArray[np.intp]) -> Doubles:
        found = np.empty(len(rows))
        for some in range(0, len(rows), 1024):  # many rows may be equal
            place = rows[some : some + 1024]
            decoded = self._matrix[place + self._start]
            lengths = self._lengths[place]
            if isinstance(self._matrix, EncodedMatrix):
                lengths = norms_of(decoded)  # those that are stored may be rounded
                lengths[lengths == 0] = 1
            units = decoded / lengths[:, None]
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
        rows = np.flatnonzero(bounds >= worst if worst > -np.inf else bounds > worst)
        # Rows found before are lower, and sorting is stable, so ties go to the lower row.
        everywhere = np.concatenate([best.rows, rows + self._start])
        scores = np.concatenate([best.scores, self._scores(rows)])
        order = np.argsort(-scores, kind="stable")[:count]
        return Best(everywhere[order], scores[order])
