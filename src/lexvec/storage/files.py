"""Files to read, plain or compressed (gz, bz2, xz, zst): by name, folder or pattern, or from standard input."""

import bz2
import glob
import gzip
import io
import logging
import lzma
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, cast

import platformdirs

from ..errors import InputError
from .arguments import STDIN, is_there, path_from
from .outputs import check_file_output as check_output
from .replacing import COMPRESSED, compressing, replacing, write_json, write_text
from .zip_members import DAMAGED_ZIP, open_member, split_member

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

__all__ = [
    "BLOCK",
    "COMPRESSED",
    "DAMAGED",
    "STDIN",
    "Reader",
    "cache_folder",
    "check_output",
    "compressing",
    "expand",
    "opened",
    "replacing",
    "size_of",
    "write_json",
    "write_text",
]

_log = logging.getLogger(__name__)

BLOCK = 1 << 20
Span = tuple[int, int]  # of bytes in a file, from one up to another

_XZ_MEMORY = 1 << 30  # a header may ask for 4 GB; what xz writes at its best asks for 65 MB
_DECOMPRESSORS: dict[bytes, Callable[[], Any]] = {
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": partial(lzma.LZMADecompressor, memlimit=_XZ_MEMORY),
    b"\x28\xb5\x2f\xfd": zstd.ZstdDecompressor,
}
_GZIP = b"\x1f\x8b"
# "BZh" may begin a text, so bzip2 is known by more; by less only where the file ends too early.
_BZIP2 = re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")
_CUT_SHORT = re.compile(rb"BZh([1-9](1(A(Y(&(SY?)?)?)?)?|\x17(r(E(8P?)?)?)?)?)?|\xfd(7(z(XZ?)?)?)?|\x28\xb5\x2f?|\x1f")
#: What decompressors raise on damaged input.
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zstd.ZstdError, *DAMAGED_ZIP)


def expand(inputs: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """Return all files that names, folders (searched, without hidden files) and patterns stand for, each sorted."""
    files: list[Path] = []
    for given in inputs:
        path_from(given, "inputs")
        name = os.fspath(given)  # a path forgets the "./" that tells a file named "-" from standard input
        if name == STDIN:
            files.append(Path(STDIN))
        elif is_there(name):
            files += _found(name)
        else:
            matches = sorted(glob.glob(name, recursive=True))
            if not matches:
                what = "matches no file" if glob.has_magic(name) else "does not exist"
                raise InputError(f"{name[:200]} {what}: check the name")
            files += [file for match in matches for file in _found(match)]
    if not files:
        raise InputError("there is nothing to read: name at least one file")
    return files


def _found(name: str) -> list[Path]:
    """Return a file, or all files in a folder; a folder that cannot be read is an error."""
    if not os.path.isdir(name):
        return [Path(name) if name != f".{os.sep}{STDIN}" else Path(name).absolute()]

    def refuse(error: OSError) -> None:
        raise InputError(
            f"cannot read the folder {error.filename} ({error.strerror}): check its permissions"
        ) from error

    files = []
    for folder, folders, names in os.walk(name, onerror=refuse):
        folders[:] = [inner for inner in folders if not inner.startswith(".")]
        files += [Path(folder, file) for file in names if not file.startswith(".")]
    if not files:
        raise InputError(f"{name} is a folder without files: give one with text in it")
    return sorted(files)


def size_of(path: Path) -> int | None:
    """Return the bytes on disk; None for what has no size, such as a pipe."""
    return path.stat().st_size if path.is_file() else None


class Reader:
    """A file being read and decompressed; ``position`` counts the bytes as they are on disk.

    With a ``span`` only the bytes from one place up to another are read, of a file that is not compressed.
    """

    def __init__(self, path: Path, span: Span | None = None) -> None:
        self.path, self.span = path, span
        self.name = "standard input" if str(path) == STDIN else str(path)
        self._raw = _Counting(path, span)
        packed: io.BufferedReader[Any] = io.BufferedReader(self._raw, BLOCK)
        try:
            self.stream = packed if span else _decompressed(packed)
        except BaseException:
            self.close()
            raise
        self.is_compressed = self.stream is not packed

    @property
    def size(self) -> int | None:
        """Bytes to read in all; None where that is unknown (compressed, or a pipe)."""
        return None if self.is_compressed else size_of(self.path)  # a member of an archive has no size to rely on

    @property
    def position(self) -> int:
        """Bytes read from disk so far."""
        return self._raw.position

    def start(self) -> bytes:
        """Return the beginning of the text, without reading on."""
        return self.stream.peek(1024)

    def close(self) -> None:
        """Close the file; standard input stays open."""
        self._raw.finish()


def _decompressed(packed: "io.BufferedReader[Any]") -> "io.BufferedReader[Any]":
    """Return the content of a file by how it begins: decompressed, or itself."""
    start = packed.peek(16)
    magic = next((magic for magic in _DECOMPRESSORS if start.startswith(magic)), None)
    if start.startswith(_GZIP):
        return io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=packed)), BLOCK)
    if magic and (magic != b"BZh" or _BZIP2.match(start)):
        return io.BufferedReader(_Decompressed(packed, _DECOMPRESSORS[magic]), BLOCK)
    if _CUT_SHORT.fullmatch(start):
        raise EOFError("it ends too early")
    return packed


class _Counting(io.RawIOBase):
    """Passes the bytes of a file on, counts them, and notices if there are fewer than when it was opened."""

    def __init__(self, path: Path, span: Span | None = None) -> None:
        self.position = 0
        self._own = str(path) != STDIN
        self._least, self._most = 0, sys.maxsize
        if self._own and (member := split_member(path)):
            self._file: BinaryIO = cast(BinaryIO, open_member(*member))
        elif self._own:
            self._file = path.open("rb")
            now = os.fstat(self._file.fileno())
            self._least = now.st_size if stat.S_ISREG(now.st_mode) else 0
            if span:
                self._file.seek(span[0])
                self._least = self._most = span[1] - span[0]
        elif sys.stdin is None:
            raise InputError("standard input is closed: name a file, or pipe text into the command")
        else:
            self._file = cast(BinaryIO, sys.stdin.buffer)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._file.read(min(len(buffer), self._most - self.position))
        buffer[: len(data)] = data
        self.position += len(data)
        if not data and self.position < self._least:
            raise EOFError("it became shorter while it was read")
        return len(data)

    def finish(self) -> None:
        if self._own:
            self._file.close()


class _Decompressed(io.RawIOBase):
    """Decompresses one stream after another. Unlike Python's own readers it drops nothing that follows a stream."""

    def __init__(self, packed: "io.BufferedReader[Any]", new: Callable[[], Any]) -> None:
        self._packed, self._new = packed, new
        self._current: Any = new()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while True:
            given = b""
            if self._current.eof:
                # Between streams .xz files may have zeros, and nothing else may be there.
                given = self._current.unused_data.lstrip(b"\0") or self._packed.read(BLOCK).lstrip(b"\0")
                if not given:
                    return 0
                self._current = self._new()
            elif self._current.needs_input:
                given = self._packed.read(BLOCK)
                if not given:
                    raise EOFError("it ends too early")
            data = self._current.decompress(given, len(buffer))
            if data:
                buffer[: len(data)] = data
                return len(data)


@contextmanager
def opened(path: Path, span: Span | None = None) -> Iterator[Reader]:
    """Open a file, or a span of one; what goes wrong while it is read becomes an `InputError`."""
    name = "standard input" if str(path) == STDIN else str(path)
    try:
        reader = Reader(path, span)
        _log.debug("reading %s", name)
        try:
            yield reader
        finally:
            reader.close()
    except DAMAGED as error:
        raise InputError(f"{name} is truncated or damaged ({error}): get it again") from error
    except OSError as error:
        if error.filename not in (None, str(path)):
            raise
        if error.errno is None:  # bz2 reports damage so
            raise InputError(f"{name} is truncated or damaged ({error}): get it again") from error
        raise InputError(f"cannot read {name} ({error.strerror}): check the file and its permissions") from error


def cache_folder(name: str) -> Path:
    """Return a folder in the user's cache, for what can be fetched or computed again."""
    return Path(platformdirs.user_cache_dir("lexvec", appauthor=False)) / name
