"""Analogy questions: a is to b as c is to which word?

3CosAdd looks for the word x with the largest cos(x, b) − cos(x, a) + cos(x, c). 3CosMul looks for the largest
cos(x, b) cos(x, c) / (cos(x, a) + ε), with all cosines shifted to 0…1 (Levy and Goldberg 2014). Every word of the
vocabulary may be the answer, except the three of the question; among equals the first in the vocabulary wins.

`solve` answers tens of thousands of questions in one pass. One product of a block of the vocabulary with the words of
all questions serves both methods: its rows are the summands of 3CosAdd and, shifted to 0…1 and with reciprocals beside
them, the factors of 3CosMul. The rest is sums and products of rows that stay in the cache, a batch of questions at a
time. Threads share the blocks and results are merged in order, so the number of threads changes nothing. The pass is in
float32: two words whose scores agree to six digits may change places. (`lexvec.vectors.search` is exact, and finds
more than the best word.)
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..progress import ProgressLike, resolved
from ..threads import Threads
from .geometry import Doubles

RowNumbers = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]
UnitRows = Callable[[RowNumbers | slice], Doubles]

EPSILON = 0.001  # of 3CosMul, against division by zero (Levy and Goldberg 2014)
SOLVERS = ("3CosAdd", "3CosMul")

_COSINES = 1 << 22  # cosines that a thread holds at once, beside as many reciprocals: 32 MB
_WORKERS = 16  # threads at most, so that memory stays within a few hundred megabytes
_BLOCK = 4096  # rows of the vocabulary in a block, at most
_BATCH = 32  # questions at a time


def factor(cosines: Any, slack: float = 0.0, out: Any = None) -> Any:
    """Return cosines shifted to 0…1, as 3CosMul multiplies them, each with ``slack`` added for an upper bound."""
    shifted = np.clip(cosines, -1, 1, out=out)  # rounding must not make a factor negative
    shifted += 1 + 2 * slack
    shifted *= 0.5
    return shifted


def reciprocal(factors: Any, out: Any = None) -> Any:
    """Return 1 / (factor + ε): what 3CosMul multiplies by for the word a."""
    sums = np.add(factors, EPSILON, out=out)
    return np.divide(1, sums, out=sums)


@dataclass(frozen=True)
class _Questions:
    """Questions in an order that puts those with the same a and b side by side, so that their rows are still cached."""

    rows: RowNumbers  # a, b, c of each question, as rows of the matrix
    asked: RowNumbers  # the distinct words among them
    places: RowNumbers  # a, b, c as places in ``asked``
    units: Singles  # their vectors

    @classmethod
    def from_rows(cls, unit_rows: UnitRows, rows: RowNumbers) -> "_Questions":
        asked, places = np.unique(rows, return_inverse=True)
        return cls(rows, asked, places.reshape(rows.shape), unit_rows(asked).astype(np.float32))

    @property
    def block(self) -> int:
        """How many words of the vocabulary make a block: their cosines must fit into the memory of a thread."""
        return min(_BLOCK, max(64, _COSINES // len(self.asked)))


class _BestAnswers:
    """The best score of each question so far, and the row that has it."""

    def __init__(self, questions: int) -> None:
        self.scores = np.full(questions, -np.inf, np.float32)
        self.rows = np.full(questions, -1, np.int64)

    def merge(self, scores: Singles, rows: RowNumbers) -> None:
        """Keep what is better in a later block."""
        better = scores > self.scores
        self.scores[better] = scores[better]
        self.rows[better] = rows[better]


def solve(
    unit_rows: UnitRows, words: int, questions: RowNumbers, *, threads: int = 1, progress: ProgressLike = None
) -> dict[str, RowNumbers]:
    """Return the row of each method's answer to each question; −1 where no word is left to answer.

    ``unit_rows`` returns rows of a matrix of so many ``words`` as unit vectors; a question is the rows of a, b and c.
    """
    best = {solver: _BestAnswers(len(questions)) for solver in SOLVERS}
    if not len(questions):
        return {solver: best[solver].rows for solver in SOLVERS}
    order = np.lexsort(questions.T[::-1])
    asked = _Questions.from_rows(unit_rows, questions[order])
    starts = range(0, words, asked.block)
    states = [_Worker(unit_rows, words, asked) for _ in range(max(1, min(threads, _WORKERS, len(starts))))]
    with Threads(len(states)) as pool, resolved(progress, __name__).stage("analogies", words, "words") as stage:
        for start, found in zip(starts, pool.map(_Worker.search, starts, states), strict=True):
            for solver, (scores, rows) in found.items():
                best[solver].merge(scores, rows)
            stage.advance(min(asked.block, words - start))
    answers = {solver: np.empty(len(questions), np.int64) for solver in SOLVERS}
    for solver in SOLVERS:
        answers[solver][order] = best[solver].rows
    return answers


class _Worker:
    """The scratch memory of one thread, and the search that uses it."""

    def __init__(self, unit_rows: UnitRows, words: int, questions: _Questions) -> None:
        self._unit_rows, self._words, self._questions = unit_rows, words, questions
        self._cosines, self._reciprocals = np.empty((2, len(questions.asked) * questions.block), np.float32)
        self._scores, self._gathered = np.empty((2, _BATCH * questions.block), np.float32)

    def search(self, start: int) -> dict[str, tuple[Singles, RowNumbers]]:
        """Return the best scores within the block that begins at ``start``, and their rows."""
        asked = self._questions
        block = slice(start, min(start + asked.block, self._words))
        units = self._unit_rows(block).astype(np.float32)
        shape = (len(asked.asked), len(units))
        cosines = self._cosines[: shape[0] * shape[1]].reshape(shape)
        np.matmul(asked.units, units.T, out=cosines)
        excluded = self._excluded(start, len(units))
        added = self._scan(cosines, cosines, np.subtract, np.add, excluded, start)
        factors = factor(cosines, out=cosines)
        reciprocals = reciprocal(factors, out=self._reciprocals[: shape[0] * shape[1]].reshape(shape))
        multiplied = self._scan(factors, reciprocals, np.multiply, np.multiply, excluded, start)
        return dict(zip(SOLVERS, (added, multiplied), strict=True))

    def _excluded(self, start: int, length: int) -> tuple[RowNumbers, RowNumbers]:
        """Return the questions with a word of their own in this block, and its place there."""
        inside = (self._questions.rows >= start) & (self._questions.rows < start + length)
        questions, which = np.nonzero(inside)
        return questions, self._questions.rows[questions, which] - start

    def _scan(
        self,
        terms: Singles,
        against: Singles,
        less: np.ufunc,
        more: np.ufunc,
        excluded: tuple[RowNumbers, RowNumbers],
        start: int,
    ) -> tuple[Singles, RowNumbers]:
        """Return, for each question, the largest of ``terms[b] less against[a] more terms[c]``."""
        places = self._questions.places
        scores, rows = np.empty(len(places), np.float32), np.empty(len(places), np.int64)
        bounds = np.searchsorted(excluded[0], np.arange(0, len(places) + _BATCH, _BATCH))
        for number, first in enumerate(range(0, len(places), _BATCH)):
            a, b, c = places[first : first + _BATCH].T
            size = (len(a), terms.shape[1])
            batch = self._scores[: size[0] * size[1]].reshape(size)
            gathered = self._gathered[: size[0] * size[1]].reshape(size)
            _take(terms, b, batch)
            less(batch, _take(against, a, gathered), out=batch)
            more(batch, _take(terms, c, gathered), out=batch)
            own = slice(bounds[number], bounds[number + 1])
            batch[excluded[0][own] - first, excluded[1][own]] = -np.inf
            found = batch.argmax(axis=1)
            scores[first : first + len(a)] = batch[np.arange(len(a)), found]
            rows[first : first + len(a)] = found + start
        return scores, rows


def _take(terms: Singles, rows: npt.NDArray[np.integer], out: Singles) -> Singles:
    # Any mode other than "raise" lets numpy write to ``out`` directly, without a copy of its own.
    return terms.take(rows, axis=0, out=out, mode="clip")
