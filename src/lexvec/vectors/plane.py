"""Words on a plane, spanned by the two directions in which their vectors differ most."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError
from .unit_vectors import unit_vectors


class Plane(NamedTuple):
    """The positions of words on a plane, and how much of their variance it shows."""

    #: A row of two coordinates for each word.
    points: npt.NDArray[np.float64]
    #: The share of the variance that lies in the plane, from 0 to 1.
    share: float


def plane(matrix: npt.NDArray[np.floating]) -> Plane:
    """Return the first two principal components of the unit vectors, with fixed signs, so that pictures repeat."""
    if len(matrix) < 3:
        raise ParameterError("a plane needs at least three words: give more")
    units = unit_vectors(matrix)
    centred = units - units.mean(axis=0)
    _, strengths, directions = np.linalg.svd(centred, full_matrices=False)
    chosen = np.zeros((2, matrix.shape[1]))
    chosen[: len(directions)] = directions[:2]
    largest = chosen[np.arange(2), np.abs(chosen).argmax(axis=1)]
    points = centred @ (chosen * np.where(largest < 0, -1.0, 1.0)[:, None]).T
    total = float((strengths**2).sum())
    return Plane(points, float((strengths[:2] ** 2).sum()) / total if total else 1.0)
