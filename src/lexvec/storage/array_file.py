"""Arrays on disk that are read and written piece by piece, with explicit reads: only the pieces are in memory.

A memory-mapped array looks as if it were in memory, and what was touched counts as memory of the process until the
system takes it back. Here memory is what the caller holds, and nothing else.
"""

import errno
import os
import weakref
from collections.abc import Iterator
from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..errors import InputError, ResourceError
from .disk import disk_errors

Array = npt.NDArray[Any]

#: Numbers in a piece of `ArrayFile.pieces`.
PIECE = 1 << 20
_MOVING = Lock()  # of the place that a file is read from


class ArrayFile:
    """The numbers of a file from byte ``start`` on, as an array of one dimension that is not in memory."""

    def __init__(
        self, path: Path, dtype: npt.DTypeLike, length: int, start: int = 0, *, writable: bool = False
    ) -> None:
        self.path, self.dtype, self.length = path, np.dtype(dtype), length
        self._start = start
        flags = os.O_RDWR | os.O_CREAT if writable else os.O_RDONLY
        self._file = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o666)
        self._close = weakref.finalize(self, os.close, self._file)
        self.bytes_read = 0

    @classmethod
    def scratch(cls, path: Path, dtype: npt.DTypeLike, length: int) -> Self:
        """Make a file of zeros; its space is reserved at once, so that a full disk is noticed here."""
        try:
            made = cls(path, dtype, length, writable=True)
        except FileNotFoundError as error:
            raise ResourceError(
                f"cannot write {path}: another program removed its folder; start or resume the work again"
            ) from error
        with disk_errors(path):
            reserve(made._file, length * made.dtype.itemsize)
        return made

    def __len__(self) -> int:
        return self.length

    def read(self, start: int, stop: int, out: Array | None = None) -> Array:
        """Return the numbers from ``start`` to ``stop``, in the beginning of ``out`` if it is given."""
        values = np.empty(stop - start, self.dtype) if out is None else out[: stop - start]
        if not 0 <= start <= stop <= self.length or len(values) < stop - start or values.dtype != self.dtype:
            raise ValueError(f"cannot read {start}..{stop} of {self.length} numbers into {len(values)}")
        left, at = values.view(np.uint8).data, self._place(start)
        self.bytes_read += len(left)
        while len(left):
            done = read_at(self._file, left, at)
            if not done:
                raise InputError(f"{self.path} became shorter while it was read: rebuild it")
            left, at = left[done:], at + done
        return values

    def write(self, start: int, values: Array) -> None:
        """Replace the numbers from ``start`` on."""
        left, at = np.ascontiguousarray(values, self.dtype).view(np.uint8).data, self._place(start)
        with disk_errors(self.path):
            while len(left):
                done = _write_at(self._file, left, at)
                left, at = left[done:], at + done

    def expect(self, start: int, stop: int) -> None:
        """Let the system read ahead: these numbers are wanted soon."""
        if hasattr(os, "posix_fadvise") and stop > start:
            length = (stop - start) * self.dtype.itemsize
            os.posix_fadvise(self._file, self._place(start), length, os.POSIX_FADV_WILLNEED)

    def pieces(self, size: int = PIECE) -> Iterator[Array]:
        """Yield all numbers, piece by piece; a piece is overwritten by the next one."""
        buffer = np.empty(min(size, self.length), self.dtype)
        for start in range(0, self.length, size):
            yield self.read(start, min(start + size, self.length), buffer)

    def extremes(self) -> tuple[Any, Any]:
        """Return the least and the largest number; NaN if there is one. There must be a number."""
        bounds = [(piece.min(), piece.max()) for piece in self.pieces()]
        return np.min([low for low, _ in bounds]), np.max([high for _, high in bounds])

    def close(self) -> None:
        """Close the file."""
        self._close()

    def _place(self, number: int) -> int:
        return self._start + number * self.dtype.itemsize


def read_at(file: int, into: memoryview, place: int) -> int:
    """Read from a place of an open file, whatever other threads do with it; returns the number of bytes."""
    if hasattr(os, "preadv"):
        return os.preadv(file, [into], place)
    with _MOVING:  # no Windows has it
        os.lseek(file, place, os.SEEK_SET)
        found = os.read(file, len(into))
    into[: len(found)] = found
    return len(found)


def _write_at(file: int, data: memoryview, place: int) -> int:
    if hasattr(os, "pwrite"):
        return os.pwrite(file, data, place)
    with _MOVING:
        os.lseek(file, place, os.SEEK_SET)
        return os.write(file, data)


def reserve(file: int, size: int) -> None:
    """Make a file as long as ``size``, with room on the disk for all of it where the system can promise that."""
    if hasattr(os, "posix_fallocate") and size:
        try:
            os.posix_fallocate(file, 0, size)
            return
        except OSError as error:
            if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS):
                raise
    os.ftruncate(file, size)
