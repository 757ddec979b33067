"""Arrays on disk: ``.npy`` files, arrays read and written piece by piece, and tuples of arrays in scratch files.

A memory-mapped array looks as if it were in memory, and the pages that were touched count as memory of the process
until the system takes them back. An `ArrayFile` reads explicitly: its memory is what the caller holds, and no more.
"""

import contextlib
import errno
import math
import os
import re
import weakref
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..errors import ArtefactError, InputError, ResourceError
from .atomic import disk_errors, sync
from .mapping import map_file

Array = npt.NDArray[Any]
#: Numbers in a piece of `ArrayFile.pieces`.
PIECE = 1 << 20
_LONGEST_HEADER = 4096
# As numpy writes it, for numbers in C order. numpy's own parser evaluates the header, and its errors give bad advice.
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?s:..)"
    rb"\{'descr': '([<|][biuf][0-9]{1,2})', 'fortran_order': False, "
    rb"'shape': \(([0-9]{1,18}(?:, [0-9]{1,18})*),?\), \} *\n"
)
_MOVING = Lock()  # of the place that a file is read from


class ArrayWriter:
    """Writes a ``.npy`` file whose length is not known beforehand; ``row`` is the shape of an element."""

    def __init__(self, path: Path, dtype: npt.DTypeLike, row: tuple[int, ...] = ()) -> None:
        self.dtype = np.dtype(dtype)
        self.length = 0
        self._row = row
        self._file = path.open("wb")
        self._write_header()

    def _write_header(self) -> None:
        # numpy pads headers so that a longer shape fits in the same place.
        header = {"descr": self.dtype.str, "fortran_order": False, "shape": (self.length, *self._row)}
        np.lib.format.write_array_header_1_0(self._file, header)

    def append(self, values: Array) -> None:
        """Write more values."""
        self._file.write(np.ascontiguousarray(values, self.dtype).data)
        self.length += len(values)

    def close(self) -> None:
        """Complete the header, sync and close."""
        self._file.seek(0)
        self._write_header()
        sync(self._file)
        self._file.close()

    def discard(self) -> None:
        """Close the file as it is, if it is still open."""
        with contextlib.suppress(OSError):  # a full disk fails again here; the first error is the one to report
            self._file.close()


class Layout(NamedTuple):
    """What the header of a file says."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int  # byte that the first number begins at


def read_layout(path: Path) -> Layout:
    """Return what the header of a file says, once it is sure that the file is as long as that."""
    try:
        with path.open("rb") as file:
            match = _HEADER.match(file.read(_LONGEST_HEADER))
        if match is None:
            raise ValueError("its header is not one of plain numbers")
        dtype = np.dtype(match[1].decode())
        shape = tuple(map(int, match[2].split(b", ")))
        if match.end() + math.prod(shape) * dtype.itemsize != path.stat().st_size or (0 in shape and shape[0] > 0):
            raise ValueError(f"it is not as long as its shape {shape} says")
    except OSError as error:
        raise ArtefactError(f"cannot read {path} ({error.strerror}): check its permissions") from error
    except (ValueError, TypeError) as error:
        raise ArtefactError(f"{path} is damaged ({error}): rebuild {path.parent}") from None
    return Layout(dtype, shape, match.end())


def mapped(path: Path, layout: Layout) -> Array:
    """Memory-map a file; changes to the array stay in memory."""
    if not math.prod(layout.shape):
        return np.empty(layout.shape, layout.dtype)
    return map_file(path, layout.dtype, layout.start, layout.shape)


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


def write_blocks(path: Path, blocks: Iterable[tuple[Array, ...]]) -> None:
    """Write tuples of arrays of one dimension."""
    with path.open("wb") as file:
        for block in blocks:
            for array in block:
                np.lib.format.write_array(file, array, (1, 0), allow_pickle=False)


def read_blocks(path: Path, width: int) -> Iterator[tuple[Array, ...]]:
    """Yield the tuples that were written, of ``width`` arrays each; one is in memory at a time."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        while file.tell() < size:
            yield tuple(_read_array(file, size, path) for _ in range(width))


def _read_array(file: BinaryIO, size: int, path: Path) -> Array:
    try:
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    except ValueError as error:
        raise ArtefactError(f"{path} is damaged ({error}): start again") from None
    if len(shape) != 1 or dtype.hasobject or shape[0] * dtype.itemsize > size - file.tell():
        raise ArtefactError(f"{path} is damaged (it is shorter than it says): start again")
    found: Array = np.fromfile(file, dtype, shape[0])
    return found


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
