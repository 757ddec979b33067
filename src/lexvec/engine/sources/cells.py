"""Pairs from all cells of a matrix that are not zero: the source of GloVe."""

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...draws import stream_key
from ...kernels import steps
from ...kernels.pairs import Pairs
from ...sparse import SparseArtefact
from ...threads import Threads
from ..schedule import Tally
from .cell_store import CellsInMemory, CellsOnDisk, CellStore, block_starts, write_blocks

_log = logging.getLogger(__name__)


class CellSource:
    """The cells of a matrix in blocks. A unit of work is one round of blocks; each epoch has an order of its own.

    Each epoch shuffles the cells of a block from the order in which they are stored. So cells never change, may as well
    be on disk (in ``folder``), and a run resumes at any unit at once.
    """

    size_name = "cells"

    def __init__(
        self, matrix: SparseArtefact, parts: int, seed: int, own: range | None = None, folder: Path | None = None
    ) -> None:
        """Lay out the cells of the word parts ``own``, by default all."""
        self.units = self.parts = parts
        self.size = len(matrix.file("indices"))
        self.occurrences = np.diff(matrix.indptr)
        self._seed = seed
        self._starts = block_starts(matrix, parts, range(parts) if own is None else own)
        length = int(self._starts[-1])
        self.store: CellStore = CellsOnDisk(length, folder) if folder else CellsInMemory(length)
        write_blocks(matrix, parts, self._starts, self.store)
        _log.debug("%d cells in %d × %d blocks", self.size, parts, parts)

    def rewind(self, epoch: int, number: int, threads: Threads) -> None:
        """Do nothing: no state is kept between units."""

    def unit(self, epoch: int, number: int, threads: Threads) -> "_Round":
        """Return one round of blocks."""
        del threads
        return _Round(self, epoch, number)

    def block(self, epoch: int, i: int, j: int) -> Pairs:
        """Return the cells of one block in the order of an epoch."""
        first, last = self.bounds(i, j)
        self.store.expect(*self.bounds(i, (j + 1) % self.parts))
        cells = self.store.read(first, last)
        steps.shuffle(cells, stream_key(self._seed, "order", epoch, i, j))
        return cells

    def bounds(self, i: int, j: int) -> tuple[int, int]:
        """Return where the cells of a block begin and end."""
        block = i * self.parts + j
        return int(self._starts[block]), int(self._starts[block + 1])


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
        """Do nothing: cells are read when their block is asked for, so that only those of a few blocks are there."""

    def block(self, i: int, j: int) -> Pairs:
        """Return the cells of one block."""
        return self._source.block(self._epoch, i, j)

    def counts(self) -> npt.NDArray[np.int64]:
        """Return the cells of each word part in this round."""
        blocks = zip(self._words.tolist(), self._contexts.tolist(), strict=True)
        return np.diff([self._source.bounds(i, j) for i, j in blocks])

    def tally(self, losses: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]) -> Tally:
        """Add up the losses of the round's blocks."""
        return Tally(float(losses[self._words, self._contexts, 0].sum()), 0.0, int(counts.sum()), 0)
