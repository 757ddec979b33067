"""Matrices in blocks of rows, some megabytes each, so that a memory-mapped matrix is never copied as a whole."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import InputError

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
