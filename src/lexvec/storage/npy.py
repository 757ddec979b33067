"""Arrays on disk: ``.npy`` files, written piece by piece, and memory-mapped once their header has been checked."""

import contextlib
import math
import re
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ArtefactError
from .atomic import sync
from .mapping import map_file

Array = npt.NDArray[Any]

_LONGEST_HEADER = 4096
# As numpy writes it, for numbers in C order. numpy's own parser evaluates the header, and its errors give bad advice.
_HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(?s:..)"
    rb"\{'descr': '([<|][biuf][0-9]{1,2})', 'fortran_order': False, "
    rb"'shape': \(([0-9]{1,18}(?:, [0-9]{1,18})*),?\), \} *\n"
)


class Layout(NamedTuple):
    """What the header of a file says."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    start: int  # byte that the first number begins at


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
