"""Products with sparse matrices, and the nearest centroids of rows."""

import numpy as np
import numpy.typing as npt

from .jit import kernel, prefetch

_AHEAD = 6
_LINE = 16


@kernel
def multiply_rows(
    ends: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    data: npt.NDArray[np.float32],
    block: npt.NDArray[np.float32],
    out: npt.NDArray[np.float32],
) -> None:
    """Multiply some rows of a matrix with a block: row r is the cells ends[r]..ends[r + 1]."""
    columns = block.shape[1]
    for row in range(ends.size - 1):
        sums = out[row]
        sums[:] = np.float32(0)
        for k in range(ends[row], ends[row + 1]):
            ahead = block[indices[min(k + _AHEAD, indices.size - 1)]]
            for d in range(0, columns, _LINE):
                prefetch(ahead, np.int64(d))
            value = data[k]
            source = block[indices[k]]
            for d in range(columns):
                sums[d] += value * source[d]


@kernel
def add_transposed(
    ends: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    data: npt.NDArray[np.float32],
    block: npt.NDArray[np.float32],
    out: npt.NDArray[np.float32],
    first: int,
    last: int,
) -> None:
    """Add the product of some transposed rows of a matrix with a block to out[first:last].

    Row r goes with row r of the block. Columns are in order within a row, so those from ``first`` on are found by
    bisection.
    """
    columns = block.shape[1]
    for row in range(ends.size - 1):
        low, high = ends[row], ends[row + 1]
        while low < high:
            middle = (low + high) >> 1
            if indices[middle] < first:
                low = middle + 1
            else:
                high = middle
        source = block[row]
        for k in range(low, ends[row + 1]):
            if indices[k] >= last:
                break
            ahead = out[indices[min(k + _AHEAD, indices.size - 1)]]
            for d in range(0, columns, _LINE):
                prefetch(ahead, np.int64(d))
            value = data[k]
            sums = out[indices[k]]
            for d in range(columns):
                sums[d] += value * source[d]


Singles = npt.NDArray[np.float32]


@kernel
def assign(rows: Singles, centroids: Singles, squares: Singles, nearest: npt.NDArray[np.uint8]) -> None:
    """Find the nearest centroid of each row: a column of ``centroids``, with its squared length in ``squares``."""
    distances = np.empty(centroids.shape[1], np.float32)
    for row in range(len(rows)):
        distances[:] = squares
        for column in range(rows.shape[1]):
            twice = np.float32(2) * rows[row, column]
            for centroid in range(centroids.shape[1]):
                distances[centroid] -= twice * centroids[column, centroid]
        best = 0
        for centroid in range(centroids.shape[1]):
            if distances[centroid] < distances[best]:
                best = centroid
        nearest[row] = best
