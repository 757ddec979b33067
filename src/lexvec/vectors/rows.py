"""Matrices row by row: in blocks of some megabytes, so that one that is memory-mapped is never copied as a whole."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError

_BLOCK_BYTES = 8 << 20


def blocks(matrix: npt.NDArray[Any]) -> Iterator[tuple[int, npt.NDArray[Any]]]:
    """The rows in order, some at a time, each with the place of the first."""
    height = max(1, _BLOCK_BYTES // max(1, matrix.shape[1] * matrix.itemsize))
    for start in range(0, len(matrix), height):
        yield start, matrix[start : start + height]


def check_finite(rows: npt.NDArray[Any], name: Callable[[int], str]) -> None:
    """Refuse rows with NaN or infinity; ``name`` says what row this is."""
    if not np.isfinite(rows).all():
        bad = int(np.flatnonzero(~np.isfinite(rows).all(axis=1))[0])
        value = rows[bad][~np.isfinite(rows[bad])][0]
        raise InputError(f"the vector of {name(bad)} has {value}, or a number too large for 32 bits: mend or remove it")
