"""Rows by number: from an array, which may be a mapped file, or made when they are asked for."""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .spans import Integers

Rows = npt.NDArray[Any]


class RowSource(Protocol):
    """Rows of numbers, by number."""

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, and of dimensions."""

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The type of the numbers."""

    def take(self, rows: Integers, out: Rows) -> None:
        """Copy some rows."""


class ArrayRows:
    """The rows of an array. In a mapped file of another program it need not be aligned.

    >>> rows = np.empty((2, 3))
    >>> ArrayRows(np.arange(12.0).reshape(4, 3)).take(np.array([3, 0]), rows)
    >>> rows.tolist()
    [[9.0, 10.0, 11.0], [0.0, 1.0, 2.0]]
    """

    def __init__(self, array: Rows) -> None:
        self.array = np.ascontiguousarray(array) if not array.flags.c_contiguous else array
        self.shape: tuple[int, int] = array.shape
        self.dtype = array.dtype
        # As rows of bytes, numpy copies them as they are; of an array that is not aligned it would copy all first.
        self._row = np.dtype((np.void, max(1, array.shape[1] * array.dtype.itemsize)))
        self._rows = self.array.view(self._row).reshape(-1) if array.size else None

    def take(self, rows: Integers, out: Rows) -> None:
        """Copy some rows."""
        if self._rows is not None and len(rows):
            # Any mode other than "raise" lets numpy write to ``out`` directly, without a copy of its own.
            self._rows.take(rows, out=out.view(self._row).reshape(-1), mode="clip")
