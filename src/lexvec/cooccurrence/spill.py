"""Runs of counted rows on disk, and their merging: what counting does when memory is not enough for one chunk."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..kernels import counting
from ..kernels.counting import Row
from ..parallel import ordered_map
from ..sparse import row_blocks
from .chunks import BLOCK_CELLS, Block, room


class Spill:
    """The rows of one chunk in two scratch files; only where each row begins is kept in memory."""

    def __init__(self, path: Path, blocks: Iterable[Block]) -> None:
        self._columns, self._counts = path.with_suffix(".columns"), path.with_suffix(".counts")
        ends = [np.zeros(1, np.int64)]
        with self._columns.open("wb") as columns, self._counts.open("wb") as counts:
            for block in blocks:
                columns.write(block.columns.data)
                counts.write(block.counts.data)
                ends.append(block.ends + ends[-1][-1])
        self.bounds: npt.NDArray[np.int64] = np.concatenate(ends)

    def read(self, start: int, stop: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Cells start..stop; read, not mapped, so that they do not count as this process's memory for longer."""
        return (
            np.fromfile(self._columns, np.int32, stop - start, offset=4 * start),
            np.fromfile(self._counts, np.int64, stop - start, offset=8 * start),
        )

    def delete(self) -> None:
        """Give the space back."""
        self._columns.unlink()
        self._counts.unlink()


def merged(spills: list[Spill], states: list[Row]) -> Iterator[Block]:
    """The sum of spills, in the order of the rows."""
    bounds = np.stack([spill.bounds for spill in spills])

    def merge(row: Row, rows: tuple[int, int]) -> Block:
        here = bounds[:, rows[0] : rows[1] + 1]
        parts = [spill.read(int(span[0]), int(span[-1])) for spill, span in zip(spills, here, strict=True)]
        lengths = here[:, -1] - here[:, 0]
        local = here - here[:, :1] + (np.cumsum(lengths) - lengths)[:, None]
        columns, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
        cells = room(rows[1] - rows[0], len(columns))
        n = counting.merge_rows(columns, counts, local, row, cells)
        return Block(cells.ends, cells.columns[:n], cells.counts[:n], len(columns))

    return ordered_map(merge, row_blocks(np.diff(bounds).sum(axis=0), BLOCK_CELLS), states)


def reduced(spills: list[Spill], fan_in: int, scratch: Path, states: list[Row]) -> list[Spill]:
    """Merge until at most ``fan_in`` spills are left, never more than so many at a time."""
    generation = 0
    while len(spills) > fan_in:
        generation += 1
        fewer = []
        for place in range(0, len(spills), fan_in):
            group = spills[place : place + fan_in]
            fewer.append(Spill(scratch / f"merged-{generation}-{place}", merged(group, states)))
            for spill in group:
                spill.delete()
        spills = fewer
    return spills
