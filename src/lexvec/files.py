"""Files to read: plain or compressed (gz, bz2, xz, zst), from names, folders, patterns or standard input."""

import bz2
import glob
import gzip
import io
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from .errors import InputError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BLOCK = 1 << 20
STDIN = "-"

_BZIP2 = re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")
_DECOMPRESSORS: dict[bytes, Callable[[], Any]] = {
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lzma.LZMADecompressor,
    b"\x28\xb5\x2f\xfd": zstd.ZstdDecompressor,
}
_GZIP = b"\x1f\x8b"
_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zstd.ZstdError)


def expand(inputs: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """All files that names, folders (walked, hidden files left out) and patterns stand for, sorted within each."""
    files: list[Path] = []
    for given in inputs:
        name = os.fspath(given)
        if name == STDIN:
            files.append(Path(STDIN))
        elif os.path.exists(name):
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
    """A file, or all files in a folder; one that cannot be looked into is an error, not an empty one."""
    if not os.path.isdir(name):
        return [Path(name) if name != f".{os.sep}{STDIN}" else Path(name).absolute()]

    def refuse(error: OSError) -> None:
        raise InputError(f"cannot look into {error.filename} ({error.strerror}): check its permissions") from error

    files = []
    for folder, folders, names in os.walk(name, onerror=refuse):
        folders[:] = [inner for inner in folders if not inner.startswith(".")]
        files += [Path(folder, file) for file in names if not file.startswith(".")]
    if not files:
        raise InputError(f"{name} is a folder without files: give one with text in it")
    return sorted(files)


def size_of(path: Path) -> int | None:
    """Bytes on disk, None where that says nothing (a pipe)."""
    return path.stat().st_size if path.is_file() else None


class Reader:
    """A file being read, decompressed on the way; ``position`` counts the bytes as they lie on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = "standard input" if str(path) == STDIN else str(path)
        raw = sys.stdin.buffer if str(path) == STDIN else path.open("rb")
        self._raw = _Counting(cast(BinaryIO, raw))
        packed: io.BufferedReader[Any] = io.BufferedReader(self._raw, BLOCK)
        self.stream: io.BufferedReader[Any] = packed
        start = packed.peek(16)
        magic = next((magic for magic in _DECOMPRESSORS if start.startswith(magic)), None)
        if start.startswith(_GZIP):
            self.stream = io.BufferedReader(cast(io.RawIOBase, gzip.GzipFile(fileobj=packed)), BLOCK)
        elif magic and (magic != b"BZh" or _BZIP2.match(start)):
            self.stream = io.BufferedReader(_Decompressed(packed, _DECOMPRESSORS[magic]), BLOCK)

    @property
    def position(self) -> int:
        """Bytes read from disk so far."""
        return self._raw.position

    def start(self) -> bytes:
        """How the text begins, without reading on."""
        return self.stream.peek(1024)

    def close(self) -> None:
        """Close the file; standard input stays open."""
        self._raw.finish()


class _Counting(io.RawIOBase):
    """Passes bytes on and counts them."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.position = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self.position += len(data)
        return len(data)

    def finish(self) -> None:
        if self._file is not sys.stdin.buffer:
            self._file.close()


class _Decompressed(io.RawIOBase):
    """One compressed stream after another. Unlike Python's own readers it takes nothing that follows for rubbish."""

    def __init__(self, packed: "io.BufferedReader[Any]", new: Callable[[], Any]) -> None:
        self._packed, self._new = packed, new
        self._current: Any = new()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        while True:
            given = b""
            if self._current.eof:
                # Between streams .xz files may have zeros, and nothing else may stand there.
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
def opened(path: Path) -> Iterator[Reader]:
    """Open a file; what goes wrong while it is read becomes an `InputError`."""
    name = "standard input" if str(path) == STDIN else str(path)
    try:
        reader = Reader(path)
        try:
            yield reader
        finally:
            reader.close()
    except _DAMAGED as error:
        raise InputError(f"{name} is truncated or damaged ({error}): get it again") from error
    except OSError as error:
        if error.filename not in (None, str(path)):
            raise
        if error.errno is None:  # bz2 reports damage so
            raise InputError(f"{name} is truncated or damaged ({error}): get it again") from error
        raise InputError(f"cannot read {name} ({error.strerror}): check the file and its permissions") from error
