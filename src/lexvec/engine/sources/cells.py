"""Pairs from all cells of a matrix that are not zero: the source of GloVe."""

import logging
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...draws import stream_key
from ...kernels import pairs as pair_kernels
from ...kernels import steps
from ...kernels.pairs import Pairs
from ...sparse import SparseArtefact
from ...threads import Threads
from ..schedule import Tally

_log = logging.getLogger(__name__)


class CellSource:
    """The cells of a matrix in blocks. A unit of work is one round of blocks; each epoch has an order of its own."""

    size_name = "cells"

    def __init__(self, matrix: SparseArtefact, parts: int, seed: int) -> None:
        self.units = self.parts = parts
        self.size = len(matrix.indices)
        self.occurrences = np.diff(matrix.indptr)
        self._seed = seed
        self.ends = np.zeros((parts, parts + 1), np.int64)
        self._cells: list[Pairs] = [self._part(matrix, part) for part in range(parts)]
        _log.debug("%d cells in %d × %d blocks", self.size, parts, parts)

    def _part(self, matrix: SparseArtefact, part: int) -> Pairs:
        """Return the cells of one word part, cut by the part of their context; their targets are logarithms."""
        indptr = matrix.indptr
        rows = np.arange(part, len(indptr) - 1, self.parts)
        lengths = indptr[rows + 1] - indptr[rows]
        first = np.cumsum(lengths) - lengths
        at = np.repeat(indptr[rows] - first, lengths) + np.arange(lengths.sum())
        local = np.repeat(np.arange(len(rows), dtype=np.int32), lengths)
        found = Pairs(local, matrix.indices[at], np.log(matrix.data[at]))
        cells = Pairs(np.empty_like(found.words), np.empty_like(found.contexts), np.empty_like(found.targets))
        pair_kernels.cut(found, len(at), self.parts, cells, self.ends[part, 1:])
        return cells

    def rewind(self, epoch: int, number: int, threads: Threads) -> None:
        """Bring the cells into the order that they have at this point: each epoch shuffles that of the one before."""

        def shuffle(past: int, shift: int) -> None:
            threads.each(lambda _, i: self.shuffle(past, i, (i + shift) % self.parts), self.parts)

        for past in range(epoch + 1):
            for shift in range(self.parts if past < epoch else number):
                shuffle(past, shift)

    def unit(self, epoch: int, number: int, threads: Threads) -> "_Round":
        """Return one round of blocks."""
        del threads
        return _Round(self, epoch, number)

    def block(self, i: int, j: int) -> Pairs:
        """Return the cells of one block, in their present order."""
        cells, first, last = self._cells[i], self.ends[i, j], self.ends[i, j + 1]
        return Pairs(cells.words[first:last], cells.contexts[first:last], cells.targets[first:last])

    def shuffle(self, epoch: int, i: int, j: int) -> None:
        """Bring the cells of one block into the order of an epoch."""
        steps.shuffle(self.block(i, j), stream_key(self._seed, "order", epoch, i, j))


class _Round:
    """One unit: the blocks of one round."""

    def __init__(self, source: CellSource, epoch: int, shift: int) -> None:
        self.rounds: Sequence[int] = (shift,)
        self._source, self._epoch = source, epoch
        self._words = np.arange(source.parts)
        self._contexts = (self._words + shift) % source.parts

    @property
    def occurrences(self) -> npt.NDArray[np.int64]:
        """How many cells each word has, in this round and all others."""
        return self._source.occurrences

    def prepare(self, thread: int, part: int) -> None:
        """Shuffle the block of one word part."""
        del thread
        self._source.shuffle(self._epoch, part, int(self._contexts[part]))

    def block(self, i: int, j: int) -> Pairs:
        """Return the cells of one block."""
        return self._source.block(i, j)

    def counts(self) -> npt.NDArray[np.int64]:
        """Return the cells of each word part in this round."""
        ends = self._source.ends
        return (ends[self._words, self._contexts + 1] - ends[self._words, self._contexts])[:, None]

    def tally(self, losses: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]) -> Tally:
        """Add up the losses of the round's blocks."""
        return Tally(float(losses[self._words, self._contexts, 0].sum()), 0.0, int(counts.sum()), 0)
