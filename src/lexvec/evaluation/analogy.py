"""Analogy questions: a is to b as c is to which word?

3CosAdd looks for the word x with the largest cos(x, b) − cos(x, a) + cos(x, c), 3CosMul for the largest
cos(x, b) cos(x, c) / (cos(x, a) + ε), cosines there moved to 0…1 (Levy and Goldberg 2014). Every word of the vocabulary
may be the answer, except the three of the question; among equals the first in the vocabulary is taken.

One product of a block of the vocabulary with the words of all questions serves both solvers: its rows are the summands
of 3CosAdd, and, moved to 0…1 and with reciprocals beside them, the factors of 3CosMul. What is left are sums and
products of rows that stay in the cache, a batch of questions at a time. Blocks are shared among threads and merged in
their order: the number of threads decides nothing. All this is done in float32: two words whose scores agree to six
digits may change places.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..progress import ProgressLike, resolved
from ..threads import Threads
from ..vectors import WordVectors
from ..vectors.search import EPSILON
from .units import Rows, unit_rows

Floats = npt.NDArray[np.float32]

SOLVERS = ("3CosAdd", "3CosMul")

_TABLE = 1 << 22  # cosines that a thread holds at once, and as many reciprocals: 32 MB
_WORKERS = 16  # threads at most, so that memory stays within some hundred megabytes
_BLOCK = 4096  # rows of the vocabulary in a block, at most
_BATCH = 32  # questions at a time


@dataclass(frozen=True)
class _Questions:
    """Questions in an order that puts those with the same a and b side by side, so that their rows are still cached."""

    rows: Rows  # a, b, c of each question, as rows of the matrix
    asked: Rows  # the distinct words among them
    places: Rows  # a, b, c as places in ``asked``
    units: Floats  # their vectors

    @classmethod
    def of(cls, vectors: WordVectors, rows: Rows) -> "_Questions":
        asked, places = np.unique(rows, return_inverse=True)
        return cls(rows, asked, places.reshape(rows.shape), unit_rows(vectors, asked).astype(np.float32))

    @property
    def block(self) -> int:
        """Rows of the vocabulary whose cosines with all words fit into the table."""
        return min(_BLOCK, max(64, _TABLE // len(self.asked)))


class _Best:
    """The best score of each question so far, and the row that has it."""

    def __init__(self, questions: int) -> None:
        self.scores = np.full(questions, -np.inf, np.float32)
        self.rows = np.full(questions, -1, np.int64)

    def merge(self, scores: Floats, rows: Rows) -> None:
        """Take what is better in a later block."""
        better = scores > self.scores
        self.scores[better] = scores[better]
        self.rows[better] = rows[better]


def solve(vectors: WordVectors, questions: Rows, *, threads: int = 1, progress: ProgressLike = None) -> dict[str, Rows]:
    """The row of each solver's answer to each question (rows of a, b and c); −1 where no word is left to answer."""
    best = {solver: _Best(len(questions)) for solver in SOLVERS}
    if not len(questions):
        return {solver: best[solver].rows for solver in SOLVERS}
    order = np.lexsort(questions.T[::-1])
    asked = _Questions.of(vectors, questions[order])
    starts = range(0, len(vectors), asked.block)
    states = [_Worker(vectors, asked) for _ in range(max(1, min(threads, _WORKERS, len(starts))))]
    with (
        Threads(len(states)) as pool,
        resolved(progress, __name__).stage("analogies", len(vectors), "words") as stage,
    ):
        for start, found in zip(starts, pool.map(_Worker.search, starts, states), strict=True):
            for solver, (scores, rows) in found.items():
                best[solver].merge(scores, rows)
            stage.advance(min(asked.block, len(vectors) - start))
    answers = {solver: np.empty(len(questions), np.int64) for solver in SOLVERS}
    for solver in SOLVERS:
        answers[solver][order] = best[solver].rows
    return answers


class _Worker:
    """One thread's scratch, and what it does with it."""

    def __init__(self, vectors: WordVectors, questions: _Questions) -> None:
        self._vectors, self._questions = vectors, questions
        self._cosines, self._inverses = np.empty((2, len(questions.asked) * questions.block), np.float32)
        self._scores, self._gathered = np.empty((2, _BATCH * questions.block), np.float32)

    def search(self, start: int) -> dict[str, tuple[Floats, Rows]]:
        """The best scores within the block that begins at ``start``, and their rows."""
        asked = self._questions
        block = slice(start, min(start + asked.block, len(self._vectors)))
        units = unit_rows(self._vectors, block).astype(np.float32)
        shape = (len(asked.asked), len(units))
        table = self._cosines[: shape[0] * shape[1]].reshape(shape)
        np.matmul(asked.units, units.T, out=table)
        excluded = self._excluded(start, len(units))
        added = self._scan(table, table, np.subtract, np.add, excluded, start)
        np.clip(table, -1, 1, out=table)  # rounding must not make a factor negative
        table += 1
        table *= 0.5
        inverses = self._inverses[: shape[0] * shape[1]].reshape(shape)
        np.add(table, np.float32(EPSILON), out=inverses)
        np.divide(1, inverses, out=inverses)
        multiplied = self._scan(table, inverses, np.multiply, np.multiply, excluded, start)
        return dict(zip(SOLVERS, (added, multiplied), strict=True))

    def _excluded(self, start: int, length: int) -> tuple[Rows, Rows]:
        """Questions that have a word of their own in this block, and where it is."""
        inside = (self._questions.rows >= start) & (self._questions.rows < start + length)
        questions, which = np.nonzero(inside)
        return questions, self._questions.rows[questions, which] - start

    def _scan(
        self, table: Floats, against: Floats, less: np.ufunc, more: np.ufunc, excluded: tuple[Rows, Rows], start: int
    ) -> tuple[Floats, Rows]:
        """For each question the largest of ``table[b] less against[a] more table[c]``."""
        places = self._questions.places
        scores, rows = np.empty(len(places), np.float32), np.empty(len(places), np.int64)
        bounds = np.searchsorted(excluded[0], np.arange(0, len(places) + _BATCH, _BATCH))
        for number, first in enumerate(range(0, len(places), _BATCH)):
            a, b, c = places[first : first + _BATCH].T
            size = (len(a), table.shape[1])
            batch = self._scores[: size[0] * size[1]].reshape(size)
            gathered = self._gathered[: size[0] * size[1]].reshape(size)
            _take(table, b, batch)
            less(batch, _take(against, a, gathered), out=batch)
            more(batch, _take(table, c, gathered), out=batch)
            own = slice(bounds[number], bounds[number + 1])
            batch[excluded[0][own] - first, excluded[1][own]] = -np.inf
            found = batch.argmax(axis=1)
            scores[first : first + len(a)] = batch[np.arange(len(a)), found]
            rows[first : first + len(a)] = found + start
        return scores, rows


def _take(table: Floats, rows: npt.NDArray[np.integer], out: Floats) -> Floats:
    # Any other mode than "raise" lets numpy write to ``out`` directly, without a copy of its own.
    return table.take(rows, axis=0, out=out, mode="clip")
