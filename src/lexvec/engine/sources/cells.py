"""Pairs from all cells of a matrix that are not zero, in blocks in memory or on disk: the source of GloVe."""

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ...draws import stream_key
from ...kernels import pairs as pair_kernels
from ...kernels import steps
from ...kernels.pairs import Pairs
from ...sparse import SparseArtefact, row_spans
from ...storage.arrays import ArrayFile
from ...threads import Threads
from ..schedule import Tally

#: Cells that are sorted into blocks at once (or one row, if it has more), and bytes that each of them takes then.
SORTED_CELLS, SORTED_BYTES = 1 << 20, 64
CELL_BYTES = 12


class CellStore(Protocol):
    """Room for a number of cells."""

    def write(self, start: int, cells: Pairs) -> None:
        """Replace the cells from ``start`` on."""

    def read(self, start: int, stop: int) -> Pairs:
        """Return copies of the cells from ``start`` to ``stop``."""

    def expect(self, start: int, stop: int) -> None:
        """Get ready for these cells, if that takes time."""


class CellsInMemory:
    """Cells in arrays."""

    def __init__(self, length: int) -> None:
        self._cells = Pairs(np.empty(length, np.int32), np.empty(length, np.int32), np.empty(length, np.float32))

    def write(self, start: int, cells: Pairs) -> None:
        """Copy cells into the arrays."""
        for all_, some in zip(self._cells, cells, strict=True):
            all_[start : start + len(some)] = some

    def read(self, start: int, stop: int) -> Pairs:
        """Copy cells out of the arrays."""
        words, contexts, targets = self._cells
        return Pairs(words[start:stop].copy(), contexts[start:stop].copy(), targets[start:stop].copy())

    def expect(self, start: int, stop: int) -> None:
        """Do nothing: all cells are there."""


class CellsOnDisk:
    """Cells in three files in a scratch folder."""

    def __init__(self, length: int, folder: Path) -> None:
        kinds = {"words": np.int32, "contexts": np.int32, "logarithms": np.float32}
        self._files = [ArrayFile.scratch(folder / f"cells.{name}", kind, length) for name, kind in kinds.items()]

    def write(self, start: int, cells: Pairs) -> None:
        """Write cells."""
        for file, some in zip(self._files, cells, strict=True):
            file.write(start, some)

    def read(self, start: int, stop: int) -> Pairs:
        """Read cells."""
        return Pairs(*(file.read(start, stop) for file in self._files))

    def expect(self, start: int, stop: int) -> None:
        """Let the system read ahead."""
        for file in self._files:
            file.expect(start, stop)

    @property
    def bytes_read(self) -> int:
        """How much was read so far."""
        return sum(file.bytes_read for file in self._files)


def block_starts(matrix: SparseArtefact, parts: int, own: range) -> npt.NDArray[np.int64]:
    """Return where blocks begin in a store: (i, j) is the cells from ``[i · parts + j]`` on; only those of ``own``."""
    sizes = np.zeros((parts, parts), np.int64)
    columns = matrix.file("indices", dtype=np.int32)
    for first, ends, begin, end in _stretches(matrix) if len(own) else ():
        pair_kernels.count_blocks(first, ends, columns.read(begin, end), parts, sizes.reshape(-1))
    sizes[[part for part in range(parts) if part not in own]] = 0
    return np.concatenate(([0], np.cumsum(sizes)))


def write_blocks(matrix: SparseArtefact, parts: int, starts: npt.NDArray[np.int64], store: CellStore) -> None:
    """Write the cells of a matrix by block, in the order of the matrix, with logarithms of their values as targets."""
    columns, values = matrix.file("indices", dtype=np.int32), matrix.file("data")
    places, has_room = starts[:-1].copy(), np.diff(starts) > 0
    for first, ends, begin, end in _stretches(matrix) if has_room.any() else ():
        here, logs = columns.read(begin, end), np.log(values.read(begin, end), dtype=np.float32)
        blocks = Pairs(np.empty_like(here), np.empty_like(here), np.empty_like(logs))
        block_ends = np.zeros(parts * parts, np.int64)
        pair_kernels.sort_blocks(first, ends, here, logs, parts, blocks, block_ends)
        sizes = np.diff(block_ends, prepend=0)
        for block in np.flatnonzero((sizes > 0) & has_room).tolist():
            some = slice(int(block_ends[block] - sizes[block]), int(block_ends[block]))
            cells = Pairs(blocks.words[some], blocks.contexts[some], blocks.targets[some])
            store.write(int(places[block]), cells)
            places[block] += sizes[block]


def _stretches(matrix: SparseArtefact) -> Iterator[tuple[int, npt.NDArray[np.int64], int, int]]:
    """Yield stretches of rows: the first row, where rows begin and end in the stretch, and its first and last cell."""
    indptr = matrix.indptr
    for first, last in row_spans(np.diff(indptr), SORTED_CELLS):
        begin, end = int(indptr[first]), int(indptr[last])
        yield first, indptr[first : last + 1] - begin, begin, end


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
