"""What a token at an offset is as a context: which column of the matrix, which row of C."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .jit import inlined


class ContextAxis(NamedTuple):
    """Token t at an offset is column ``t · stride + places[offset]`` (a negative offset counts from the end)."""

    stride: int
    places: npt.NDArray[np.int64]


@inlined
def column(axis: ContextAxis | None, token: int, offset: int) -> int:
    """Return the number of the context that a token is at an offset.

    Without an axis contexts are words. Numba compiles that apart, so that the plain case costs nothing.
    """
    if axis is None:
        return token
    return token * axis.stride + axis.places[offset]
