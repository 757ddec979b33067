"""Binary files, memory-mapped and read from their start to their end; nothing beyond the end is believed in."""

import math
import mmap
import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...storage.files import opened
from ...storage.mapping import map_bytes
from .labelled_rows import MOST_DIMENSIONS


class Cursor:
    """A place in a mapped file. Arrays are views of the file, which need no memory and may be unaligned."""

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self.place = 0
        self.content = _mapped(path)

    @property
    def left(self) -> int:
        """Bytes from here to the end."""
        return len(self.content) - self.place

    def numbers(self, form: str) -> tuple[Any, ...]:
        """Return little-endian numbers in the notation of `struct`."""
        start = self._pass(struct.calcsize(f"<{form}"))
        return struct.unpack_from(f"<{form}", self.content, start)

    def flag(self, what: str) -> bool:
        """Return a byte that is 0 or 1."""
        (byte,) = self.numbers("B")
        if byte > 1:
            raise self.damaged(f"{what} is {byte}, not 0 or 1")
        return bool(byte)

    def array(self, dtype: str, *shape: int) -> npt.NDArray[Any]:
        """Return an array of the file, once it is sure that the file is long enough."""
        if min(shape) < 0 or max(shape) > len(self.content):
            raise self.damaged(f"an array of {' × '.join(f'{side:,}' for side in shape)} numbers")
        start = self._pass(math.prod(shape) * np.dtype(dtype).itemsize)
        return np.frombuffer(self.content, dtype, math.prod(shape), start).reshape(shape)

    def check_dimensions(self, dim: int) -> None:
        """Refuse a number of dimensions that no vectors have."""
        if not 0 < dim <= MOST_DIMENSIONS:
            raise self.damaged(f"vectors of {dim:,} dimensions")

    def check_room(self, count: int, least: int, what: str) -> None:
        """Refuse a number of things for which the rest of the file is too short, at ``least`` bytes each."""
        if count * least > self.left:
            raise InputError(f"{self.name} promises {count:,} {what} and is too short to hold them: get it again")

    def check_end(self) -> None:
        """Refuse a file that goes on."""
        if self.left:
            raise self.damaged(f"{self.left:,} bytes after its end")

    def damaged(self, what: str) -> InputError:
        """Return the error for a file that has ``what``."""
        return InputError(f"{self.name} is damaged ({what}): get it again")

    def _pass(self, size: int) -> int:
        """Go on by so many bytes, and return where they begin."""
        if size > self.left:
            raise InputError(f"{self.name} is truncated (it ends at byte {len(self.content):,}): get it again")
        self.place += size
        return self.place - size


def _mapped(path: Path) -> mmap.mmap:
    with opened(path) as reader:
        if reader.size is None:
            raise InputError(f"{path} is compressed and can only be read in place: decompress it first")
        if not reader.size:
            raise InputError(f"{path} is empty: give a file with vectors")
        return map_bytes(path)
