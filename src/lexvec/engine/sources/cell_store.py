"""The cells of a matrix in blocks, one after another, in memory or on disk: written once, read in every epoch."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ...kernels import pairs as pair_kernels
from ...kernels.pairs import Pairs
from ...sparse import SparseArtefact, row_spans
from ...storage.arrays import ArrayFile

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
