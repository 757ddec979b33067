"""The cells of a matrix in blocks, one after another, in memory or on disk: written once, read in every epoch."""

from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ...kernels import pairs as pair_kernels
from ...kernels.pairs import Pairs
from ...sparse import SparseArtefact, row_spans
from ...storage.array_file import ArrayFile

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
    """Return where blocks begin in a store that has those of the word parts ``own``; other blocks are empty.

    Block (i, j) is the cells from ``[i · parts + j]`` on, in the order of the matrix.
    """
    indptr, columns = matrix.indptr, matrix.file("indices", dtype=np.int32)
    sizes = np.zeros(parts * parts, np.int64)
    for first, last in row_spans(np.diff(indptr), SORTED_CELLS) if own else ():
        begin, end = int(indptr[first]), int(indptr[last])
        pair_kernels.count_blocks(first, indptr[first : last + 1] - begin, columns.read(begin, end), parts, sizes)
    is_own = np.isin(np.arange(parts), own)
    return np.concatenate(([0], np.cumsum(np.where(np.repeat(is_own, parts), sizes, 0))))


def fill_store(matrix: SparseArtefact, parts: int, store: CellStore, starts: npt.NDArray[np.int64], own: range) -> None:
    """Write the cells of the word parts ``own`` by block, the logarithms of their values as targets."""
    indptr = matrix.indptr
    columns, values = matrix.file("indices", dtype=np.int32), matrix.file("data")
    places = starts[:-1].copy()
    for first, last in row_spans(np.diff(indptr), SORTED_CELLS) if own else ():
        begin, end = int(indptr[first]), int(indptr[last])
        here, logs = columns.read(begin, end), np.log(values.read(begin, end), dtype=np.float32)
        blocks = Pairs(np.empty_like(here), np.empty_like(here), np.empty_like(logs))
        ends = np.zeros(parts * parts, np.int64)
        pair_kernels.sort_blocks(first, indptr[first : last + 1] - begin, here, logs, parts, blocks, ends)
        before = 0
        for block in np.flatnonzero(np.diff(ends, prepend=0)):
            some = slice(before, before := int(ends[block]))
            if block // parts not in own:
                continue
            cells = Pairs(blocks.words[some], blocks.contexts[some], blocks.targets[some])
            store.write(int(places[block]), cells)
            places[block] += some.stop - some.start
