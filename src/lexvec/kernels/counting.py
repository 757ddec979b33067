"""Counting cells row by row.

All occurrences of one word are visited together, their contexts added up in one dense row of V numbers, and the row
is written out in the order of its columns. Nothing is sorted: a bit per column (and a bit per 64 columns above it)
remembers where the row is not zero. The row stays in the cache, and the contexts of an occurrence lie side by side in
memory, so a pair costs about a nanosecond or two, where sorting it would cost ten times as much.

Sums are of whole numbers, so that no order of adding, number of threads or number of spills can change a bit.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .jit import inlined, kernel, prefetch, trailing_zeros
from .tokens import END
from .windows import ContextAxis, column

_ONE = np.uint64(1)
_AHEAD = 12  # occurrences; their places in the stream are far apart, so each would be a cache miss


class DenseRow(NamedTuple):
    """One dense row of counts, empty between calls, and the sums of all rows by column."""

    sums: npt.NDArray[np.int64]  # a number per column
    bits: npt.NDArray[np.uint64]  # a bit per column
    summary: npt.NDArray[np.uint64]  # a bit per word of bits
    columns: npt.NDArray[np.int64]  # column totals of all that was written


class CellBuffer(NamedTuple):
    """Rows being written: columns and counts, and where each row ends."""

    columns: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]


class Window(NamedTuple):
    """Which contexts count, and how much: ``weights[d]`` at distance d = 1..size on a side that is looked at."""

    weights: npt.NDArray[np.int64]
    left: bool
    right: bool


@kernel
def tally(stream: npt.NDArray[np.int32], low: int, high: int, counts: npt.NDArray[np.int64]) -> None:
    """Count the words at the places low..high of a stream."""
    for place in range(low, high):
        if stream[place] >= 0:
            counts[stream[place]] += 1


@kernel
def scatter(
    stream: npt.NDArray[np.int32], low: int, high: int, ends: npt.NDArray[np.int64], places: npt.NDArray[np.int32]
) -> None:
    """Write the places low..high of a stream by word: those of w from ``ends[w]`` on, which then is where they end."""
    for place in range(low, high):
        word = stream[place]
        if word >= 0:
            places[ends[word]] = place
            ends[word] += 1


@inlined
def _add(row: DenseRow, column: int, count: int) -> None:
    # Setting bits that are set costs less than asking: whether a column is new cannot be predicted.
    row.sums[column] += count
    row.bits[column >> 6] |= _ONE << np.uint64(column & 63)
    row.summary[column >> 12] |= _ONE << np.uint64((column >> 6) & 63)


@inlined
def _write(row: DenseRow, cells: CellBuffer, written: int) -> int:
    """Write out the row in the order of its columns, and empty it."""
    for s in range(row.summary.size):
        above = row.summary[s]
        row.summary[s] = 0
        while above:
            b = (s << 6) + trailing_zeros(above)
            above &= above - _ONE
            bits = row.bits[b]
            row.bits[b] = 0
            while bits:
                column = (b << 6) + trailing_zeros(bits)
                bits &= bits - _ONE
                cells.columns[written] = column
                cells.counts[written] = row.sums[column]
                row.columns[column] += row.sums[column]
                row.sums[column] = 0
                written += 1
    return written


@kernel
def count_rows(
    stream: npt.NDArray[np.int32],
    sizes: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    places: npt.NDArray[np.int32],
    rows: tuple[int, int],
    window: Window,
    axis: ContextAxis | None,
    row: DenseRow,
    cells: CellBuffer,
) -> int:
    """Count the contexts of the words rows[0]..rows[1]; returns the number of cells written."""
    widest = window.weights.size - 1
    written = 0
    for word in range(rows[0], rows[1]):
        for k in range(starts[word], starts[word + 1]):
            prefetch(stream, np.int64(places[min(k + _AHEAD, places.size - 1)]))
            place = np.int64(places[k])
            size = np.int64(sizes[place]) if sizes.size else widest
            if window.right:
                for d in range(1, size + 1):
                    token = stream[place + d]
                    if token == END:
                        break
                    if token >= 0:
                        _add(row, column(axis, np.int64(token), d), window.weights[d])
            if window.left:
                for d in range(1, size + 1):
                    token = stream[place - d]
                    if token == END:
                        break
                    if token >= 0:
                        _add(row, column(axis, np.int64(token), -d), window.weights[d])
        written = _write(row, cells, written)
        cells.ends[word - rows[0]] = written
    return written


@kernel
def merge_rows(
    columns: npt.NDArray[np.int32],
    counts: npt.NDArray[np.int64],
    bounds: npt.NDArray[np.int64],
    row: DenseRow,
    cells: CellBuffer,
) -> int:
    """Add up the rows of several spills: row r of spill k is cells bounds[k, r]..bounds[k, r + 1]."""
    written = 0
    for r in range(bounds.shape[1] - 1):
        for k in range(bounds.shape[0]):
            for i in range(bounds[k, r], bounds[k, r + 1]):
                _add(row, np.int64(columns[i]), counts[i])
        written = _write(row, cells, written)
        cells.ends[r] = written
    return written
