"""Lengths, unit vectors, cosines and principal axes in double precision, a block of rows at a time."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import InputError, ParameterError

_BLOCK_BYTES = 8 << 20
_LARGEST = float(np.finfo(np.float32).max)


def row_blocks(matrix: npt.NDArray[Any]) -> Iterator[tuple[int, npt.NDArray[Any]]]:
    """Yield the rows in order, some at a time, each block with the number of its first row."""
    height = max(1, _BLOCK_BYTES // max(1, matrix.shape[1] * matrix.itemsize))
    for start in range(0, len(matrix), height):
        yield start, matrix[start : start + height]


def check_numbers(rows: npt.NDArray[Any], name: Callable[[int], str], largest: float = _LARGEST) -> None:
    """Refuse rows with NaN, infinity or numbers beyond ``largest``; ``name`` returns what to call a row."""
    extreme = np.maximum(rows.max(initial=0), -rows.min(initial=0))  # NaN if there is one
    if extreme <= largest:
        return
    fine = np.abs(rows) <= largest
    bad = int(np.flatnonzero(~fine.all(axis=1))[0])
    value = rows[bad][~fine[bad]][0]
    what = "which is too large for a vector" if np.isfinite(value) else "or a number too large for 32 bits"
    raise InputError(f"the vector of {name(bad)} has {value}, {what}: mend or remove it")


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


def with_fixed_signs(axes: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return axes, which are rows, turned so that the largest number of each is positive: results then repeat.

    >>> with_fixed_signs(np.array([[0.6, -0.8], [0.8, 0.6]])).tolist()
    [[-0.6, 0.8], [0.8, 0.6]]
    """
    largest = axes[np.arange(len(axes)), np.abs(axes).argmax(axis=1)]
    return np.asarray(axes * np.where(largest < 0, -1.0, 1.0)[:, None])


def principal_axes(matrix: npt.NDArray[np.float32]) -> Doubles:
    """Return orthonormal axes as rows, the one with the largest sum of squares of the unit vectors first.

    >>> principal_axes(np.array([[0, 1], [0, 2], [1, 0]], np.float32)).tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    products = np.zeros((matrix.shape[1], matrix.shape[1]))
    for _, rows in row_blocks(matrix):
        units = unit_vectors(rows)
        products += units.T @ units
    return with_fixed_signs(np.linalg.eigh(products)[1].T[::-1])


class Plane(NamedTuple):
    """The positions of words on a plane, and how much of their variance it shows."""

    #: A row of two coordinates for each word.
    points: npt.NDArray[np.float64]
    #: The share of the variance that lies in the plane, from 0 to 1.
    share: float


def plane(matrix: npt.NDArray[np.floating]) -> Plane:
    """Return the first two principal components of the unit vectors."""
    if len(matrix) < 3:
        raise ParameterError("a plane needs at least three words: give more")
    units = unit_vectors(matrix)
    centred = units - units.mean(axis=0)
    _, strengths, directions = np.linalg.svd(centred, full_matrices=False)
    points = centred @ first_two(directions).T
    total = float((strengths**2).sum())
    return Plane(points, float((strengths[:2] ** 2).sum()) / total if total else 1.0)


def first_two(axes: npt.NDArray[Any]) -> Doubles:
    """Return the first two axes, which are rows; one that is missing is zero."""
    chosen = np.zeros((2, axes.shape[1]))
    chosen[: len(axes)] = axes[:2]
    return with_fixed_signs(chosen)
