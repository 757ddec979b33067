"""Where rows live: in parts, so that one part is one piece of memory that a block's step can be given alone.

With P parts, row n is row n div P of part n mod P. A part is an array here; it may as well be a mapped file or the
memory of another machine, because steps see nothing but parts. On several machines, each holds some parts of an array.
"""

from collections.abc import Callable, Iterable
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


def padded(columns: int) -> int:
    """Return the columns of rows that fill whole cache lines."""
    per_line = _LINE_BYTES // 4
    return -(-columns // per_line) * per_line


def aligned(rows: int, columns: int) -> npt.NDArray[np.float32]:
    """Return zeros, each row beginning at a cache line; columns are padded to whole lines."""
    width = padded(columns)
    raw = np.zeros(rows * width * 4 + _LINE_BYTES, np.uint8)
    offset = -raw.ctypes.data % _LINE_BYTES
    return raw[offset : offset + rows * width * 4].view(np.float32).reshape(rows, width)


class PartedArray:
    """A float32 array in ``count`` parts: a row of ``columns`` numbers for each of ``length`` entries, or one number.

    ``parts`` has the parts that are held here, by number: ``own``, or all of them. Parts may come and go.
    """

    parts: dict[int, npt.NDArray[np.float32]]

    def __init__(
        self,
        count: int,
        length: int,
        columns: int | None = None,
        *,
        value: float = 0.0,
        own: Iterable[int] | None = None,
    ) -> None:
        self.count, self.length, self.columns = count, length, columns
        self.parts = {number: self.room(number) for number in (range(count) if own is None else own)}
        if value:
            for part in self.parts.values():
                part[:] = value

    def room(self, number: int) -> npt.NDArray[np.float32]:
        """Return zeros in the shape of one part."""
        size = len(range(number, self.length, self.count))
        return np.zeros(size, np.float32) if self.columns is None else aligned(size, self.columns)

    def size(self, number: int) -> int:
        """Return how many numbers one part has, with padding, whether it is held here or not."""
        return len(range(number, self.length, self.count)) * (1 if self.columns is None else padded(self.columns))

    def fill_uniform(self, key: np.uint64) -> None:
        """Fill the rows with uniform numbers in ±1/(2 · columns)."""
        dim = self.columns or 1
        for number, part in self.parts.items():
            steps.fill_uniform(part, dim, 1 / dim, key, number, self.count)

    def whole(self) -> npt.NDArray[np.float32]:
        """Return all entries in order, without padding; all parts must be held here."""
        shape = (self.length,) if self.columns is None else (self.length, self.columns)
        whole = np.empty(shape, np.float32)
        for number in range(self.count):
            part = self.parts[number]
            whole[number :: self.count] = part if self.columns is None else part[:, : self.columns]
        return whole

    @property
    def is_finite(self) -> bool:
        """Whether no number held here is infinite or NaN."""
        return all(bool(np.isfinite(part).all()) for part in self.parts.values())


class Rows:
    """One side of a model, words or contexts: its rows, and what the rule of update keeps beside them.

    ``arrays`` are named as the fields of the tuple that a sweep takes. Here a word's vector is one input row;
    `ComposedRows` composes it of several in `begin_unit`, and spreads its change over them in `finish_unit`.
    """

    def __init__(self, part_type: Callable[..., NamedTuple], arrays: dict[str, PartedArray]) -> None:
        self.arrays = arrays
        self.parts = arrays["rows"].count
        self._part_type = part_type

    def part(self, number: int) -> NamedTuple:
        """Return what a sweep needs of one part."""
        return self._part_type(*(array.parts[number] for array in self.arrays.values()))

    def begin_unit(self, occurrences: npt.NDArray[np.int64], threads: Threads) -> None:
        """Get ready for a unit of work; ``occurrences`` says how many tokens or cells of each word it has."""

    def finish_unit(self, threads: Threads) -> None:
        """Take over what a unit of work has changed."""


def plain_rows(
    parts: int, length: int, dim: int, key: np.uint64 | None, own: Iterable[int] | None = None
) -> Rows:  # fmt: skip
    """Return rows for plain gradient descent, uniform random numbers at first, or 0 without a key.

    ``own`` are the parts to hold here, by default all. What a part is filled with does not depend on the others.
    """
    rows = PartedArray(parts, length, dim, own=own)
    if key is not None:
        rows.fill_uniform(key)
    return Rows(PlainPart, {"rows": rows})


def adaptive_rows(parts: int, length: int, dim: int, key: np.uint64, own: Iterable[int] | None = None) -> Rows:
    """Return rows and biases for AdaGrad, with its sums of squares, which begin at 1; ``own`` as in `plain_rows`."""
    own = range(parts) if own is None else list(own)
    rows = PartedArray(parts, length, dim, own=own)
    rows.fill_uniform(key)
    arrays = {
        "rows": rows,
        "bias": PartedArray(parts, length, own=own),
        "row_squares": PartedArray(parts, length, dim, value=1.0, own=own),
        "bias_squares": PartedArray(parts, length, value=1.0, own=own),
    }
    return Rows(AdaptivePart, arrays)
