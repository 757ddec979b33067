"""Lengths, unit vectors and cosines in double precision, used by queries and by evaluation alike."""

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]


def norms_of(rows: npt.NDArray[np.floating]) -> Doubles:
    """Return the lengths of rows. Squares of float32 numbers can neither overflow nor vanish in double precision."""
    squares: Doubles = np.einsum("ij,ij->i", rows, rows, dtype=np.float64, casting="safe")
    return np.sqrt(squares)


def unit_vectors(rows: npt.NDArray[np.floating]) -> Doubles:
    """Return rows of length 1; a zero row stays zero, so that its cosines are 0.

    >>> unit_vectors(np.array([[3.0, 4.0], [0.0, 0.0]])).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """
    units = np.array(rows, np.float64)
    if rows.dtype != np.float32:
        # Squares of doubles may leave their range. Scaling by a power of two is exact, so it changes no bit otherwise.
        largest = np.abs(units).max(axis=1, keepdims=True, initial=0.0)
        units = np.ldexp(units, -np.frexp(largest)[1])
    lengths = norms_of(units)[:, None]
    units /= np.where(lengths > 0, lengths, 1.0)
    return units


def cosines_of(one: Doubles, other: Doubles) -> Doubles:
    """Return the cosine of each row of one array of unit vectors with the same row of another."""
    return np.asarray((one * other).sum(axis=1))
