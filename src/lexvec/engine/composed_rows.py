"""Words whose vectors are composed from input rows that they share with other words.

Words of different parts share input rows, so blocks would no longer be disjoint. So the vectors of a unit's words
are composed when the unit begins, a sweep moves them as it moves any rows, and when the unit ends each word's change is
added to its input rows, word after word. Every number is the result of the same additions in the same order, however
many threads there are.

Words that share a row do not see one another's changes within a unit. While changes are small their sum is right: it is
what steps one after another would do. But a word that occurs often has arrived, at the end of a unit, where the unit's
contexts want it; if m such words share a row, the sum would take it m times too far, and training would diverge. So a
word counts for min(1, occurrences / ENOUGH), and where the words of a row count for more than 1, it gets the sum of
their changes divided by that: at most the mean of words that have arrived. Of words that take one n-th of their
gradients, n times as many occurrences are enough.
"""

import numpy as np
import numpy.typing as npt

from ..kernels import subwords as kernels
from ..kernels.steps import PlainPart, fill_uniform
from ..kernels.subwords import InputRows
from ..threads import Threads
from .rows import PartedArray, Rows, aligned

Matrix = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

#: Occurrences in a unit from which on a word's vector is where the contexts of the unit want it.
ENOUGH = 64
_LINE = 16  # float32 in a cache line


class UndividedArray(PartedArray):
    """Rows in one piece, for those that no block owns."""

    def __init__(self, length: int, columns: int) -> None:
        super().__init__(1, length, columns)

    def whole(self) -> Matrix:
        """Return all rows, without padding."""
        return self.parts[0][:, : self.columns].copy()


class ComposedRows(Rows):
    """The words' side of a model with subwords: ``arrays`` has the input rows, and a part has composed vectors.

    All n input rows of a word change as its vector does. So the vector, their mean, ends where the sweep left it, if no
    other word of the unit has these rows. If the gradient is ``shared`` among them, a sweep moves the vector by one
    n-th of its gradient.
    """

    def __init__(
        self, parts: int, indptr: Integers, rows: Integers, count: int, dim: int, key: np.uint64, *, shared: bool
    ) -> None:
        inputs = UndividedArray(count, dim)
        fill_uniform(inputs.parts[0], dim, 1 / dim, key, 0, 1)
        super().__init__(PlainPart, {"rows": inputs})
        self.parts = parts
        self._table, self._inputs = InputRows(indptr, rows.astype(np.int32)), inputs.parts[0]
        words = np.arange(len(indptr) - 1)
        first = np.concatenate([[0], np.cumsum([len(words[part::parts]) for part in range(parts)])])
        self._places = first[words % parts] + words // parts
        self._vectors = aligned(len(words), dim)
        self._composed = [self._vectors[first[part] : first[part + 1]] for part in range(parts)]
        shares = (1 / np.maximum(np.diff(indptr), 1)).astype(np.float32)
        self._shares = [np.ascontiguousarray(shares[part::parts] if shared else shares[:0]) for part in range(parts)]
        # A vector that takes a share of its gradient arrives the later.
        self._speeds = shares / ENOUGH if shared else np.full(len(words), 1 / ENOUGH, np.float32)
        self._before = aligned(0, dim)
        self._words = words[:0]
        self._crowds = np.zeros(count, np.float32)

    def part(self, number: int) -> PlainPart:
        """Return the composed vectors of one part."""
        return PlainPart(self._composed[number], self._shares[number])

    def begin_unit(self, occurrences: Integers, threads: Threads) -> None:
        """Compose the vectors of a unit's words."""
        words = self._words = np.flatnonzero(occurrences)
        places = self._places[words]
        weights = np.minimum(occurrences[words] * self._speeds[words], 1).astype(np.float32)
        kernels.crowd(self._table, words, weights, self._crowds)
        if len(words) > len(self._before):
            self._before = aligned(len(words), self._vectors.shape[1])

        def compose(_: int, task: int) -> None:
            first, last = _share(len(words), task, threads.count)
            kernels.compose(self._table, words, first, last, self._inputs, self._places, self._vectors)
            kernels.copy_rows(self._vectors, places, first, last, self._before)

        threads.each(compose, threads.count)

    def finish_unit(self, threads: Threads) -> None:
        """Add the change of each word to its input rows."""
        words, places = self._words, self._places[self._words]
        lines = self._inputs.shape[1] // _LINE

        def spread(_: int, task: int) -> None:
            lines_of_task = _share(lines, task, threads.count)  # columns: two words may have a row in common
            first, last = lines_of_task[0] * _LINE, lines_of_task[1] * _LINE
            kernels.subtract(self._vectors, places, first, last, self._before)
            kernels.spread(self._table, words, self._crowds, self._before, first, last, self._inputs)

        threads.each(spread, threads.count)


def _share(size: int, number: int, count: int) -> tuple[int, int]:
    """Return the bounds of one of ``count`` stretches of about the same length."""
    return size * number // count, size * (number + 1) // count
