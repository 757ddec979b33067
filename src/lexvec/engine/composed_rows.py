"""Words whose vectors are composed from input rows that they share with other words.

Words of different parts share input rows, so blocks would no longer be disjoint. So the vectors of a unit's words
are composed when the unit begins, a sweep moves them as it moves any rows, and when the unit ends each word's change is
added to its input rows, word after word. Every number is the result of the same additions in the same order, however
many threads there are.

Words that share a row do not see one another's changes within a unit. Steps one after another would: each finds less
left to do than the one before. So the sum of all changes goes too far, and is divided.

A word that occurs often has arrived, at the end of a unit, where the unit's contexts want it; if m such words share a
row, the sum would take it m times too far, and training would diverge. So a word counts for min(1, occurrences /
ENOUGH), and where the words of a row count for more than 1, the sum is divided by that: at most the mean of words that
have arrived. Of words that take one n-th of their gradients, an occurrence counts for one n-th.

If the derivative of the loss is bounded, that is too careful. Against steps one after another the excess was measured:
it grows as the square root of rate × occurrences. So a word counts for min(1, HASTE · rate · occurrences), and the sum
is divided by the root of what the words of a row count for. A word moves by the mean of its rows, few of which are
crowded. But where most are, as in a small table, that would go too far, and diverge: such units have the first rule.
"""

import numpy as np
import numpy.typing as npt

from ..kernels import subwords as kernels
from ..kernels.steps import PlainPart
from ..kernels.subwords import InputRows
from ..threads import Threads
from .rows import Begin, PartedArray, Rows, aligned

Matrix = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

#: Occurrences in a unit from which on a word's vector is where the contexts of the unit want it.
ENOUGH = 64
#: How much an occurrence counts, per learning rate, if the derivative of the loss is bounded.
HASTE = 0.5


class UndividedArray(PartedArray):
    """Rows in one piece, for those that no block owns."""

    def __init__(self, length: int, columns: int) -> None:
        super().__init__(1, length, columns)

    def _gathered(self) -> Matrix:
        return self.parts[0][:, : self.columns].copy()


class ComposedRows(Rows):
    """The words' side of a model with subwords: ``arrays`` has the input rows, and a part has composed vectors.

    All n input rows of a word change as its vector does. So the vector, their mean, ends where the sweep left it, if no
    other word of the unit has these rows. If the gradient is ``shared`` among them, a sweep moves the vector by one
    n-th of its gradient. ``bounded`` says whether the derivative of the loss is.
    """

    def __init__(
        self,
        parts: int,
        indptr: Integers,
        rows: Integers,
        count: int,
        dim: int,
        begin: Begin,
        shared: bool,
        bounded: bool,
    ) -> None:
        inputs = UndividedArray(count, dim)
        inputs.begin(begin)
        shares = (1 / np.maximum(np.diff(indptr), 1)).astype(np.float32)
        super().__init__(PlainPart, {"rows": inputs}, factors=shares if shared else None)
        self.parts = parts
        self._table, self._inputs = InputRows(indptr, rows.astype(np.int32)), inputs.parts[0]
        words = np.arange(len(indptr) - 1)
        first = np.concatenate([[0], np.cumsum([len(words[part::parts]) for part in range(parts)])])
        self._places = first[words % parts] + words // parts
        self._vectors = aligned(len(words), dim)
        self._uses = np.cumsum(np.bincount(rows, minlength=count))  # how often words have the rows up to each
        self._composed = [self._vectors[first[part] : first[part + 1]] for part in range(parts)]
        # A vector that takes a share of its gradient arrives the later.
        self._steps = shares if shared else np.ones(len(words), np.float32)
        self._before = aligned(0, dim)
        self._words = words[:0]
        self._crowds, self._bounded, self._root = np.zeros(count, np.float32), bounded, False

    def part(self, number: int) -> PlainPart:
        """Return the composed vectors of one part."""
        return PlainPart(self._composed[number], self._factors_of(number))

    def begin_unit(self, occurrences: Integers, rate: float, threads: Threads) -> None:
        """Compose the vectors of a unit's words."""
        words = self._words = np.flatnonzero(occurrences)
        places = self._places[words]
        steps, careful, hasty = occurrences[words] * self._steps[words], 1 / ENOUGH, HASTE * rate
        self._root = self._bounded and self._excess(steps * max(careful, hasty)) <= 1
        self._crowd(steps * (hasty if self._root else careful))
        if len(words) > len(self._before):
            self._before = aligned(len(words), self._vectors.shape[1])

        def compose(_: int, task: int) -> None:
            bounds = len(words) * task // threads.count, len(words) * (task + 1) // threads.count
            kernels.compose(self._table, words, *bounds, self._inputs, places, self._vectors, self._before)

        threads.each(compose, threads.count)

    def _crowd(self, counting: npt.NDArray[np.floating]) -> Matrix:
        """Sum up what the words of each row count for, at most 1 each, and return that of each word."""
        weights: Matrix = np.minimum(counting, 1).astype(np.float32)
        kernels.crowd(self._table, self._words, weights, self._crowds)
        return weights

    def _excess(self, counting: npt.NDArray[np.floating]) -> float:
        """Return how many times too far words would go if sums were divided by roots."""
        return kernels.mean_root(self._table, self._words, self._crowd(counting), self._crowds)

    def finish_unit(self, threads: Threads) -> None:
        """Add the change of each word to its input rows."""
        words, places = self._words, self._places[self._words]
        # Each thread has rows of its own, because words share them: so many that all have about as much to do.
        shares = np.linspace(0, self._table.rows.size, threads.count + 1)
        bounds = [0, *np.searchsorted(self._uses, shares[1:-1]).tolist(), len(self._uses)]

        def spread(_: int, task: int) -> None:
            kernels.spread(
                self._table, words, self._crowds, self._root, self._vectors, places, self._before, bounds[task],
                bounds[task + 1], self._inputs,
            )  # fmt: skip

        threads.each(spread, threads.count)
