"""Words on a plane: the two directions in which their vectors differ most."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError
from . import search


class Plane(NamedTuple):
    """Where words are on a plane, and how much of what sets them apart it shows."""

    #: A row of two numbers for each word.
    points: npt.NDArray[np.float64]
    #: How much of their variance is in the plane, from 0 to 1.
    share: float


def plane(matrix: npt.NDArray[np.floating]) -> Plane:
    """The main components of the unit vectors; signs are set so that the same vectors give the same picture."""
    if len(matrix) < 3:
        raise ParameterError("a plane needs at least three words")
    units = search.unit(matrix)
    centred = units - units.mean(axis=0)
    _, strengths, directions = np.linalg.svd(centred, full_matrices=False)
    chosen = np.zeros((2, matrix.shape[1]))
    chosen[: len(directions)] = directions[:2]
    largest = chosen[np.arange(2), np.abs(chosen).argmax(axis=1)]
    points = centred @ (chosen * np.where(largest < 0, -1.0, 1.0)[:, None]).T
    total = float((strengths**2).sum())
    return Plane(points, float((strengths[:2] ** 2).sum()) / total if total else 1.0)
