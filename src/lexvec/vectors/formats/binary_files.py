"""Binary files, memory-mapped and read from start to end, and words in them whose bytes need not be valid UTF-8."""

import logging
import math
import mmap
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...progress import Progress
from ...storage.files import opened
from ...storage.mapping import map_bytes
from .format import MOST_DIMENSIONS


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


#: How bytes that are not UTF-8 become part of a word, and bytes again.
LOSSLESS = "surrogateescape"


class DistinctWords(NamedTuple):
    """Words, each once, and the number of the entry that each was read from."""

    words: list[str]
    places: npt.NDArray[np.int64]


def distinct(name: str, raw: Sequence[bytes], limit: int | None, progress: Progress) -> DistinctWords:
    """Decode words. Of a word that occurs twice the first entry counts."""
    first: dict[bytes, int] = {}
    repeated = [place for place, word in enumerate(raw) if first.setdefault(word, place) != place]
    for word in (b"", *(word for word in raw if b"\0" in word)):
        if word in first:
            raise InputError(f"{name} is damaged (word {first[word] + 1:,} is {word[:40]!r}): get it again")
    if repeated:
        example = raw[repeated[0]].decode(errors=LOSSLESS)
        progress.note(
            f"{name}: {len(repeated):,} vectors of repeated words are skipped, the first for {example!r} "
            f"(word {repeated[0] + 1})",
            logging.WARNING,
        )
    places = np.fromiter(first.values(), np.int64, len(first))[:limit]
    return DistinctWords([raw[place].decode(errors=LOSSLESS) for place in places], places)
