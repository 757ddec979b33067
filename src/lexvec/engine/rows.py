"""Where rows live: in parts, so that one part is one piece of memory that a block's step can be given alone.

With P parts, row n is row n div P of part n mod P. A part is an array here; it may as well be a mapped file or the
memory of another machine, because steps see nothing but parts.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels import steps
from ..kernels.steps import AdaptivePart, PlainPart
from ..threads import Threads

Array = npt.NDArray[Any]

_FEW_WORDS = 1 << 17


def default_parts(words: int) -> int:
    """Return how many parts words and contexts are dealt to, for so many words; a power of two.

    It decides the order of steps, and so the bits, and bounds the number of threads that work at once. Fewer parts are
    faster, because a block then has more pairs of each row.
    """
    return 16 if words <= _FEW_WORDS else 64


_LINE_BYTES = 64


def aligned(rows: int, columns: int) -> npt.NDArray[np.float32]:
    """Return zeros, each row beginning at a cache line; columns are padded to whole lines."""
    per_line = _LINE_BYTES // 4
    padded = -(-columns // per_line) * per_line
    raw = np.zeros(rows * padded * 4 + _LINE_BYTES, np.uint8)
    offset = -raw.ctypes.data % _LINE_BYTES
    return raw[offset : offset + rows * padded * 4].view(np.float32).reshape(rows, padded)


class PartedArray:
    """A float32 array in parts: a row of ``columns`` numbers for each of ``length`` entries, or one number."""

    def __init__(self, parts: int, length: int, columns: int | None = None, *, value: float = 0.0) -> None:
        self.length, self.columns = length, columns
        sizes = [len(range(part, length, parts)) for part in range(parts)]
        self.parts = [np.zeros(size, np.float32) if columns is None else aligned(size, columns) for size in sizes]
        if value:
            for part in self.parts:
                part[:] = value

    def fill_uniform(self, key: np.uint64) -> None:
        """Fill the rows with uniform numbers in ±1/(2 · columns)."""
        dim = self.columns or 1
        for number, part in enumerate(self.parts):
            steps.fill_uniform(part, dim, 1 / dim, key, number, len(self.parts))

    def whole(self) -> npt.NDArray[np.float32]:
        """Return all entries in order, without padding."""
        shape = (self.length,) if self.columns is None else (self.length, self.columns)
        whole = np.empty(shape, np.float32)
        for number, part in enumerate(self.parts):
            whole[number :: len(self.parts)] = part if self.columns is None else part[:, : self.columns]
        return whole

    @property
    def is_finite(self) -> bool:
        """Whether no number is infinite or NaN."""
        return all(bool(np.isfinite(part).all()) for part in self.parts)


class Rows:
    """One side of a model, words or contexts: its rows, and what the rule of update keeps beside them.

    ``arrays`` are named as the fields of the tuple that a sweep takes. Here a word's vector is one input row;
    `ComposedRows` composes it of several in `begin_unit`, and spreads its change over them in `finish_unit`.
    """

    def __init__(self, part_type: Callable[..., NamedTuple], arrays: dict[str, PartedArray]) -> None:
        self.arrays = arrays
        self.parts = len(arrays["rows"].parts)
        self._part_type = part_type

    def part(self, number: int) -> NamedTuple:
        """Return what a sweep needs of one part."""
        return self._part_type(*(array.parts[number] for array in self.arrays.values()))

    def begin_unit(self, occurrences: npt.NDArray[np.int64], threads: Threads) -> None:
        """Get ready for a unit of work; ``occurrences`` says how many tokens or cells of each word it has."""

    def finish_unit(self, threads: Threads) -> None:
        """Take over what a unit of work has changed."""


def plain_rows(parts: int, length: int, dim: int, key: np.uint64 | None) -> Rows:
    """Return rows for plain gradient descent, uniform random numbers at first, or 0 without a key."""
    rows = PartedArray(parts, length, dim)
    if key is not None:
        rows.fill_uniform(key)
    return Rows(PlainPart, {"rows": rows})


def adaptive_rows(parts: int, length: int, dim: int, key: np.uint64) -> Rows:
    """Return rows and biases for AdaGrad, with its sums of squares, which begin at 1."""
    rows = PartedArray(parts, length, dim)
    rows.fill_uniform(key)
    arrays = {
        "rows": rows,
        "bias": PartedArray(parts, length),
        "row_squares": PartedArray(parts, length, dim, value=1.0),
        "bias_squares": PartedArray(parts, length, value=1.0),
    }
    return Rows(AdaptivePart, arrays)
