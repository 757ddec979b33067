"""numpy's ``.npz``: an array ``words`` of strings and an array ``vectors`` with a row for each."""

import math
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...progress import Progress
from ...storage.files import replacing
from .table import Collected, Matrix, Table, check_words, written_rows

_PIECE = 1 << 24
_PACKED = 1100  # no more bytes come out of one: what the zip format's packing can do at most
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
    (3, 0): np.lib.format.read_array_header_2_0,
}
_DAMAGED = (
    zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, TypeError, SyntaxError, tokenize.TokenError,
    NotImplementedError, RuntimeError, OverflowError, OSError,
    SystemError,  # numpy, of characters that there are not
)  # fmt: skip


def read_npz(path: Path, limit: int | None, progress: Progress) -> Table:
    """Read it; sizes are checked before anything is allocated, and contents by the archive's own checksums."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            if not {"words.npy", "vectors.npy"} <= set(names):
                raise InputError(
                    f"{path} has {', '.join(names)[:80] or 'nothing'}, not words and vectors: save both in it"
                )
            size = path.stat().st_size
            with _member(archive, "words.npy", size) as words, _member(archive, "vectors.npy", size) as vectors:
                if words.dtype.kind != "U" or len(words.shape) != 1:
                    raise InputError(f"{path} has words that are no list of strings: save them as numpy.array(words)")
                if vectors.dtype.kind not in "fiu" or len(vectors.shape) != 2 or not vectors.shape[1]:
                    raise InputError(f"{path} has vectors that are no matrix of numbers: save them as one")
                if words.shape[0] != vectors.shape[0]:
                    raise InputError(
                        f"{path} has {words.shape[0]} words and {vectors.shape[0]} vectors: save one for each"
                    )
                encoded = [word.encode("utf-8", "surrogatepass") for some in words.rows() for word in some.tolist()]
                return _collect(str(path), encoded, vectors, limit, progress)
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.errno:
            raise InputError(f"cannot read {path} ({error.strerror}): check the file and its permissions") from error
        raise InputError(f"{path} is truncated or damaged ({error}): get it again") from error


def _collect(name: str, words: list[bytes], vectors: "_Member", limit: int | None, progress: Progress) -> Table:
    collected = Collected(name, "row", vectors.shape[1], room=len(words), limit=limit)
    place = 0
    with progress.stage("reading", len(words), "words") as stage:
        for rows in vectors.rows():
            with np.errstate(over="ignore"):  # becomes infinite, and is refused
                matrix: Matrix = rows.astype(np.float32, copy=False)
            collected.extend(words[place : place + len(rows)], matrix, place)
            place += len(rows)
            stage.advance(len(rows))
            if collected.full:
                break
    return collected.finish(progress)


@contextmanager
def _member(archive: zipfile.ZipFile, name: str, size: int) -> "Iterator[_Member]":
    """One array of an archive of that size."""
    with archive.open(name) as file:
        yield _Member(file, archive.getinfo(name), size)


class _Member:
    """An array being read, whose shape must agree with its size, and its size with that of the archive."""

    def __init__(self, file: IO[bytes], member: zipfile.ZipInfo, size: int) -> None:
        self._file = file
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # numpy tells of headers that Python 2 wrote
            version = np.lib.format.read_magic(cast(BinaryIO, file))
            if version not in _HEADERS:
                raise ValueError(f"version {version} of numpy's format")
            self.shape, self._fortran, self.dtype = _HEADERS[version](cast(BinaryIO, file))
        length = math.prod(self.shape) * self.dtype.itemsize
        if self.dtype.hasobject or not self.dtype.itemsize or min(self.shape, default=0) < 0:
            raise ValueError(f"{member.filename} does not hold numbers or strings")
        if length != member.file_size - file.tell():
            raise ValueError(f"{member.filename} is not as long as it says")
        if member.compress_size > size or length > _PACKED * member.compress_size:
            raise ValueError(f"{member.filename} cannot be as long as it says")

    def rows(self) -> Iterator[npt.NDArray[Any]]:
        """The array along its first axis, piece by piece, and at the end its checksum."""
        width = math.prod(self.shape[1:]) * self.dtype.itemsize
        height = max(1, self.shape[0] if self._fortran else _PIECE // max(1, width))
        for start in range(0, self.shape[0], height):
            shape = (min(height, self.shape[0] - start), *self.shape[1:])
            data = self._file.read(shape[0] * width)
            if len(data) != shape[0] * width:
                raise EOFError("it ends too early")
            yield np.frombuffer(data, self.dtype).reshape(shape, order="F" if self._fortran else "C")
        self._file.read(1)


def write_npz(path: Path, table: Table, force: bool, progress: Progress) -> None:
    """Write it, not compressed, so that numpy can read it fast."""
    check_words(table, "numpy", "")
    cut = next((word for word in table.words if word.endswith("\0")), None)
    if cut is not None:
        raise InputError(f"numpy files cannot hold the word {cut!r}, since numpy drops zeros at the end: leave it out")
    with (
        replacing(path, force=force) as file,
        zipfile.ZipFile(file, "w") as archive,
        progress.stage("writing", len(table.words), "words") as stage,
    ):
        with archive.open("words.npy", "w", force_zip64=True) as member:
            np.lib.format.write_array(cast(BinaryIO, member), np.array(table.words), allow_pickle=False)
        with archive.open("vectors.npy", "w", force_zip64=True) as member:
            header = {"descr": "<f4", "fortran_order": False, "shape": table.matrix.shape}
            np.lib.format.write_array_header_1_0(cast(BinaryIO, member), header)
            for _, rows in written_rows(table, stage):
                member.write(rows.astype("<f4", copy=False).tobytes())
