"""numpy's ``.npz``: an array ``words`` of strings and an array ``vectors`` with one row per word."""

import math
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...progress import Progress
from ...storage.outputs import replacing
from .format import (
    LONGEST_WORD,
    MOST_DIMENSIONS,
    Format,
    LabelledRows,
    Matrix,
    RowCollector,
    check_memory,
    check_words,
    rows_to_write,
)

_PIECE = 1 << 24
_MOST_UNPACKED = 1100  # bytes per packed byte: more than the zip format can do
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
    (3, 0): np.lib.format.read_array_header_2_0,
}
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, TypeError, SyntaxError, tokenize.TokenError,
    NotImplementedError, RuntimeError, OverflowError, OSError,
    SystemError,  # numpy, for characters that do not exist
)  # fmt: skip


def read_npz(path: Path, limit: int | None, progress: Progress) -> LabelledRows:
    """Read an archive. Sizes are checked before anything is allocated, and contents by the archive's own checksums."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if not {"words.npy", "vectors.npy"} <= set(names):
                raise InputError(
                    f"{path} has {', '.join(names)[:80] or 'nothing'}, not words and vectors: save both arrays in it"
                )
            size = path.stat().st_size
            with _member(archive, "words.npy", size) as words, _member(archive, "vectors.npy", size) as vectors:
                if words.dtype.kind != "U" or len(words.shape) != 1 or words.dtype.itemsize > 4 * LONGEST_WORD:
                    raise InputError(
                        f"{path} has words that are not a list of strings: save them as numpy.array(words)"
                    )
                if (
                    vectors.dtype.kind not in "fiu"
                    or len(vectors.shape) != 2
                    or not (0 < vectors.shape[1] <= MOST_DIMENSIONS)
                ):
                    raise InputError(f"{path} has vectors that are not a matrix of numbers: save them as one")
                if words.shape[0] != vectors.shape[0]:
                    raise InputError(
                        f"{path} has {words.shape[0]} words and {vectors.shape[0]} vectors: save one per word"
                    )
                return _collect(str(path), words, vectors, limit, progress)
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.errno:
            raise InputError(f"cannot read {path} ({error.strerror}): check the file and its permissions") from error
        raise InputError(f"{path} is truncated or damaged ({error}): get it again") from error


def _collect(name: str, words: "_Member", vectors: "_Member", limit: int | None, progress: Progress) -> LabelledRows:
    """Read words and vectors side by side, so that a bad word stops the reading before the vectors fill the memory."""
    encoded = (word.encode("utf-8", "surrogatepass") for some in words.rows() for word in some.tolist())
    room = vectors.shape[0] if vectors.stored else None
    collected = RowCollector(name, "row", vectors.shape[1], room=room, limit=limit)
    place = 0
    with progress.stage("reading", vectors.shape[0], "words") as stage:
        for rows in vectors.rows():
            with np.errstate(over="ignore"):  # becomes infinite, and is refused
                matrix: Matrix = rows.astype(np.float32, copy=False)
            collected.extend(list(islice(encoded, len(rows))), matrix, place)
            place += len(rows)
            stage.advance(len(rows))
            if collected.full:
                break
        else:
            next(encoded, None)  # reads on to the checksum of the words
    return collected.finish(progress)


@contextmanager
def _member(archive: zipfile.ZipFile, name: str, size: int) -> "Iterator[_Member]":
    """Open one array of an archive of so many bytes."""
    with archive.open(name) as file:
        yield _Member(file, archive.getinfo(name), size)


class _Member:
    """An array that is being read. Its shape must agree with its size, and its size with that of the archive."""

    def __init__(self, file: IO[bytes], member: zipfile.ZipInfo, size: int) -> None:
        self._file = file
        self.stored = member.compress_type == zipfile.ZIP_STORED
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numpy warns of headers that Python 2 wrote
            version = np.lib.format.read_magic(cast(BinaryIO, file))
            if version not in _HEADERS:
                raise ValueError(f"version {version} of numpy's format")
            self.shape, self._fortran, self.dtype = _HEADERS[version](cast(BinaryIO, file))
        length = math.prod(self.shape) * self.dtype.itemsize
        if self.dtype.hasobject or not self.dtype.itemsize or min(self.shape, default=0) < 0:
            raise ValueError(f"{member.filename} does not hold numbers or strings")
        if length != member.file_size - file.tell():
            raise ValueError(f"{member.filename} is not as long as it says")
        if member.compress_size > size or length > _MOST_UNPACKED * member.compress_size:
            raise ValueError(f"{member.filename} cannot be as long as it says")
        if self._fortran:
            check_memory(member.filename, length)  # only as a whole can it be turned into rows

    def rows(self) -> Iterator[npt.NDArray[Any]]:
        """Yield the array along its first axis, piece by piece; its checksum is verified at the end."""
        width = math.prod(self.shape[1:]) * self.dtype.itemsize
        height = max(1, self.shape[0] if self._fortran else _PIECE // max(1, width))
        for start in range(0, self.shape[0], height):
            shape = (min(height, self.shape[0] - start), *self.shape[1:])
            data = self._file.read(shape[0] * width)
            if len(data) != shape[0] * width:
                raise EOFError("it ends too early")
            yield np.frombuffer(data, self.dtype).reshape(shape, order="F" if self._fortran else "C")
        self._file.read(1)


def write_npz(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write an archive, not compressed, so that numpy can read it fast."""
    check_words(vectors, "numpy", "\0")
    with (
        replacing(path, force=force) as file,
        zipfile.ZipFile(file, "w") as archive,
        progress.stage("writing", len(vectors.words), "words") as stage,
    ):
        with archive.open("words.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array(cast(BinaryIO, member), np.array(vectors.words), allow_pickle=False)
        with archive.open("vectors.npy", "w", force_zip64=True) as member:
            header = {"descr": "<f4", "fortran_order": False, "shape": vectors.matrix.shape}
            np.lib.format.write_array_header_1_0(cast(BinaryIO, member), header)
            for _, rows in rows_to_write(vectors, stage):
                member.write(rows.astype("<f4", copy=False).tobytes())


def _begins_like_npz(_: Path, start: bytes) -> bool:
    """Whether this is a zip archive whose first member is an array, or one without any member."""
    name = start[30 : 30 + int.from_bytes(start[26:28], "little")]
    return start.startswith(b"PK\x05\x06") or (start.startswith(b"PK\x03\x04") and name.endswith(b".npy"))


def is_npz(path: Path) -> bool:
    """Return whether a zip archive holds arrays, and not files of vectors."""
    with path.open("rb") as file:
        return _begins_like_npz(path, file.read(1 << 10))


NUMPY = Format(
    help="an archive of the arrays words and vectors",
    suffixes=(".npz",),
    recognise=_begins_like_npz,
    read=read_npz,
    write=write_npz,
    by_rows=True,
)
