"""k-means for product quantisation: which centroid is nearest to each row."""

import numpy as np
import numpy.typing as npt

from .jit import kernel

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
