"""Counted rows spilled to disk, and their merging: what counting does when memory is not enough for one chunk."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt

from ..kernels import counting
from ..kernels.counting import DenseRow
from ..sparse import row_spans
from ..storage.arrays import read_blocks, write_blocks
from ..threads import Threads
from .chunks import BLOCK_CELLS, CountedRows, room


class Spill:
    """The rows of one chunk in two scratch files; only where each row begins is kept in memory."""

    def __init__(self, path: Path, bounds: npt.NDArray[np.int64], *, is_shared: bool = False) -> None:
        self._columns, self._counts = path.with_suffix(".columns"), path.with_suffix(".counts")
        self.bounds, self._is_shared = bounds, is_shared

    @classmethod
    def written(cls, path: Path, blocks: Iterable[CountedRows]) -> Self:
        """Write the rows of a chunk."""
        ends = [np.zeros(1, np.int64)]
        with path.with_suffix(".columns").open("wb") as columns, path.with_suffix(".counts").open("wb") as counts:
            for block in blocks:
                columns.write(block.columns.data)
                counts.write(block.counts.data)
                ends.append(block.ends + ends[-1][-1])
        return cls(path, np.concatenate(ends))

    def hand_over(self, totals: Iterable[npt.NDArray[np.int64]]) -> None:
        """Write down what other processes need to know: where rows begin, and some totals."""
        write_blocks(self._columns.with_suffix(".totals"), [tuple(totals)])
        self.bounds.tofile(self._columns.with_suffix(".bounds"))

    @staticmethod
    def totals(path: Path, width: int) -> tuple[npt.NDArray[np.int64], ...]:
        """Return the totals that another process handed over."""
        return next(read_blocks(path.with_suffix(".totals"), width))

    @classmethod
    def taken_over(cls, path: Path, first: int, last: int) -> Self:
        """Open some rows of what another process has counted; its files stay, for others have its other rows."""
        bounds = np.fromfile(path.with_suffix(".bounds"), np.int64, last - first + 1, offset=8 * first)
        return cls(path, bounds, is_shared=True)

    def read(self, start: int, stop: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Cells start..stop; read, not mapped, so that they do not count as this process's memory for longer."""
        return (
            np.fromfile(self._columns, np.int32, stop - start, offset=4 * start),
            np.fromfile(self._counts, np.int64, stop - start, offset=8 * start),
        )

    def delete(self) -> None:
        """Give the space back, unless others still read it."""
        if not self._is_shared:
            self._columns.unlink()
            self._counts.unlink()


def merged(spills: list[Spill], threads: Threads, states: list[DenseRow]) -> Iterator[CountedRows]:
    """Add up spills, in the order of the rows."""
    bounds = np.stack([spill.bounds for spill in spills])

    def merge(row: DenseRow, rows: tuple[int, int]) -> CountedRows:
        here = bounds[:, rows[0] : rows[1] + 1]
        parts = [spill.read(int(span[0]), int(span[-1])) for spill, span in zip(spills, here, strict=True)]
        lengths = here[:, -1] - here[:, 0]
        local = here - here[:, :1] + (np.cumsum(lengths) - lengths)[:, None]
        columns, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
        cells = room(rows[1] - rows[0], len(columns))
        n = counting.merge_rows(columns, counts, local, row, cells)
        return CountedRows(cells.ends, cells.columns[:n], cells.counts[:n], len(columns))

    return threads.map(merge, row_spans(np.diff(bounds).sum(axis=0), BLOCK_CELLS), states)


def reduced(spills: list[Spill], fan_in: int, scratch: Path, threads: Threads, states: list[DenseRow]) -> list[Spill]:
    """Merge until at most ``fan_in`` spills are left, never more than so many at a time."""
    generation = 0
    while len(spills) > fan_in:
        generation += 1
        fewer = []
        for place in range(0, len(spills), fan_in):
            group = spills[place : place + fan_in]
            fewer.append(Spill.written(scratch / f"merged-{generation}-{place}", merged(group, threads, states)))
            for spill in group:
                spill.delete()
        spills = fewer
    return spills
