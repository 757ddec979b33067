"""The directions in which vectors vary most."""

import numpy as np
import numpy.typing as npt

from .row_blocks import row_blocks
from .unit_vectors import Doubles, unit_vectors


def principal_axes(matrix: npt.NDArray[np.float32]) -> Doubles:
    """Return orthonormal axes as columns, the one with the largest sum of squares of the unit vectors first.

    >>> principal_axes(np.array([[0, 1], [0, 2], [1, 0]], np.float32)).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    products = np.zeros((matrix.shape[1], matrix.shape[1]))
    for _, rows in row_blocks(matrix):
        units = unit_vectors(rows)
        products += units.T @ units
    axes = np.linalg.eigh(products)[1][:, ::-1]
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    return np.asarray(axes * np.where(largest < 0, -1.0, 1.0))  # signs are fixed, so that results repeat
