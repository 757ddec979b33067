"""Slow, readable twins of the scorers."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def units(matrix: npt.NDArray[np.floating]) -> Array:
    rows = []
    for row in matrix.astype(np.float64):
        length = np.sqrt(row @ row)
        rows.append(row / length if length else row)
    return np.array(rows)


def answer(matrix: npt.NDArray[np.floating], question: Sequence[int], solver: str, epsilon: float = 0.001) -> int:
    """The row that a solver takes, −1 if there is none."""
    a, b, c = question
    rows = units(matrix)
    best, found = -np.inf, -1
    for x in range(len(rows)):
        if x in (a, b, c):
            continue
        near_a, near_b, near_c = (float(rows[x] @ rows[word]) for word in (a, b, c))
        if solver == "3CosAdd":
            score = near_b - near_a + near_c
        else:
            score = ((near_b + 1) / 2) * ((near_c + 1) / 2) / ((near_a + 1) / 2 + epsilon)
        if score > best:
            best, found = score, x
    return found
