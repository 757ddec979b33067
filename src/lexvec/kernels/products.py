"""Sparse matrix times dense block."""

import numpy as np
import numpy.typing as npt

from .jit import kernel, prefetch

_AHEAD = 6
_LINE = 16


@kernel
def multiply_rows(
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    data: npt.NDArray[np.float32],
    block: npt.NDArray[np.float32],
    out: npt.NDArray[np.float32],
    first: int,
    last: int,
) -> None:
    """out[first:last] = (matrix @ block)[first:last]."""
    columns = block.shape[1]
    for row in range(first, last):
        sums = out[row]
        sums[:] = np.float32(0)
        for k in range(indptr[row], indptr[row + 1]):
            ahead = block[indices[min(k + _AHEAD, indices.size - 1)]]
            for d in range(0, columns, _LINE):
                prefetch(ahead, np.int64(d))
            value = data[k]
            source = block[indices[k]]
            for d in range(columns):
                sums[d] += value * source[d]
