"""What pairs should score: the cells of a matrix, which is in memory or is read part by part from disk.

Rows that are not in memory are laid out by part in two scratch files, so that the rows of one part lie together. They
are read in stretches of some megabytes while the targets of a part are filled in; the order makes no difference, since
a target depends on its cell only.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from ... import sparse
from ...kernels.pairs import Targets
from ...sparse import SparseArtefact, row_spans, stretch_cells
from ...storage.arrays import ArrayFile

Values = npt.NDArray[np.float32]


class TargetStore(Protocol):
    """The rows of a matrix, by part of words."""

    unseen: np.float32

    def stretches(self, thread: int, part: int) -> Iterator[Targets]:
        """Yield the rows of a part, from the first to the last; a thread's stretch is overwritten by its next one."""


class MatrixInMemory:
    """A matrix whose cells are arrays of this process, such as memory-mapped ones."""

    def __init__(self, matrix: SparseArtefact, values: Values, unseen: np.float32, parts: int) -> None:
        self._indptr, self._indices, self._values, self.unseen = matrix.indptr, matrix.indices, values, unseen
        self._parts = parts

    def stretches(self, thread: int, part: int) -> Iterator[Targets]:
        """Yield all rows of a part at once."""
        del thread
        yield self._rows(part, self._parts)

    def whole(self) -> Targets:
        """Return all rows, in the order of the words."""
        return self._rows(0, 1)

    def _rows(self, part: int, parts: int) -> Targets:
        starts, stops = (np.ascontiguousarray(each[part::parts]) for each in (self._indptr[:-1], self._indptr[1:]))
        return Targets(0, starts, stops, self._indices, self._values, self.unseen)


class MatrixByPart:
    """A matrix on disk, row after row of part 0, then of part 1, and so on."""

    def __init__(
        self,
        matrix: SparseArtefact,
        folder: Path,
        unseen: np.float32,
        parts: int,
        own: range,
        threads: int,
        value: Callable[[Values], Values] = lambda values: values,
    ) -> None:
        """Lay out the rows of the parts ``own`` in two files in ``folder``; ``value`` maps cells to targets."""
        self.unseen = unseen
        lengths = np.diff(matrix.indptr)
        by_part = [lengths[part::parts] * (part in own) for part in range(parts)]
        self._first_rows = np.concatenate(([0], np.cumsum([len(rows) for rows in by_part])))
        self._ends = np.concatenate(([0], np.cumsum(np.concatenate(by_part))))
        self._spans = [list(row_spans(rows, sparse.STRETCH_CELLS)) for rows in by_part]
        cells = int(self._ends[-1])
        self._indices = ArrayFile.scratch(folder / "matrix.columns", np.int32, cells)
        self._values = ArrayFile.scratch(folder / "matrix.values", np.float32, cells)
        self._lay_out(matrix, parts, own, value)
        longest = stretch_cells(int(lengths.max(initial=0)))
        self._buffers = [(np.empty(longest, np.int32), np.empty(longest, np.float32)) for _ in range(threads)]

    def _lay_out(self, matrix: SparseArtefact, parts: int, own: range, value: Callable[[Values], Values]) -> None:
        indptr = matrix.indptr
        columns, values = matrix.file("indices", dtype=np.int32), matrix.file("data", dtype=np.float32)
        for first, last in row_spans(np.diff(indptr), sparse.STRETCH_CELLS):
            begin, end = int(indptr[first]), int(indptr[last])
            here, targets = columns.read(begin, end), value(values.read(begin, end))
            for part in own:
                rows = np.arange(first + (part - first) % parts, last, parts)
                if not len(rows):
                    continue
                at = _cells_of(indptr, rows) - begin
                to = int(self._ends[self._first_rows[part] + rows[0] // parts])
                self._indices.write(to, here[at])
                self._values.write(to, targets[at])

    def stretches(self, thread: int, part: int) -> Iterator[Targets]:
        """Read the rows of a part, and let the system read ahead."""
        indices, values = self._buffers[thread]
        row, spans = int(self._first_rows[part]), self._spans[part]
        for number, (first, last) in enumerate(spans):
            begin, end = self._bounds(row, spans[number])
            for file, buffer in ((self._indices, indices), (self._values, values)):
                file.read(begin, end, buffer)
                if number + 1 < len(spans):
                    file.expect(*self._bounds(row, spans[number + 1]))
            ends = self._ends[row + first : row + last + 1] - begin
            yield Targets(first, ends[:-1], ends[1:], indices, values, self.unseen)

    def _bounds(self, row: int, span: tuple[int, int]) -> tuple[int, int]:
        return int(self._ends[row + span[0]]), int(self._ends[row + span[1]])

    @property
    def bytes_read(self) -> int:
        """How much was read so far."""
        return self._indices.bytes_read + self._values.bytes_read


def _cells_of(indptr: npt.NDArray[np.int64], rows: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return the places of all cells of some rows."""
    lengths = indptr[rows + 1] - indptr[rows]
    first = np.cumsum(lengths) - lengths
    return np.repeat(indptr[rows] - first, lengths) + np.arange(lengths.sum())
