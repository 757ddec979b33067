"""Files, plain or compressed (gz, bz2, xz, zst): to read, from names, folders, patterns or standard input; to write.

A file is written under a temporary name beside its final one, synced, and renamed: whatever bears the final name is
complete.
"""

import bz2
import errno
import glob
import gzip
import io
import json
import logging
import lzma
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, cast

import platformdirs

from ..errors import ArtefactError, InputError, ResourceError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

try:
    import fcntl
except ImportError:  # pragma: no cover (Windows: what killed processes leave is then left alone)
    fcntl = None  # type: ignore[assignment]

_log = logging.getLogger(__name__)

BLOCK = 1 << 20
STDIN = "-"

_BZIP2 = re.compile(rb"BZh[1-9](1AY&SY|\x17rE8P\x90)")
_DECOMPRESSORS: dict[bytes, Callable[[], Any]] = {
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ\x00": lzma.LZMADecompressor,
    b"\x28\xb5\x2f\xfd": zstd.ZstdDecompressor,
}
_GZIP = b"\x1f\x8b"
_COMPRESSORS: dict[str, Callable[[BinaryIO], Any]] = {
    # Without the clock: equal content gives equal bytes.
    ".gz": lambda file: gzip.GzipFile("", "wb", fileobj=file, mtime=0),
    ".bz2": lambda file: bz2.BZ2File(file, "wb"),
    ".xz": lambda file: lzma.LZMAFile(file, "wb"),  # noqa: SIM115 (the caller closes it)
    ".zst": lambda file: zstd.ZstdFile(file, "wb"),
}
COMPRESSED = tuple(_COMPRESSORS)
DISK_ERRORS = {errno.ENOSPC: "no space is left there", errno.EDQUOT: "your disk quota is used up"}
#: What unpackers raise of bytes that they did not make.
DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zstd.ZstdError)


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
        self._compressed = self.stream is not packed

    @property
    def size(self) -> int | None:
        """Bytes that there are to read in all, None where nobody knows (compressed, or a pipe)."""
        return None if self._compressed else size_of(self.path)

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
    """A folder in the user's cache, for what can be had again."""
    return Path(platformdirs.user_cache_dir("lexvec", appauthor=False)) / name


def check_output(path: str | os.PathLike[str], *, force: bool) -> Path:
    """Where a file is to go: what a link leads to; one that exists is refused without ``force``, a folder always."""
    place = Path(os.path.realpath(path))
    if place.exists() and not place.is_file():
        raise ArtefactError(f"{place} is a folder or a device, not a file: choose another output")
    if place.exists() and not force:
        raise ArtefactError(f"{place} exists: choose another output, or replace it with --force (force=True)")
    return place


@contextmanager
def replacing(path: str | os.PathLike[str], *, force: bool = True) -> Iterator[BinaryIO]:
    """Write a file that is complete or not there."""
    place = check_output(path, force=force)
    partial = place.with_name(f".{place.name}.{os.getpid()}-{os.urandom(4).hex()}.partial")
    _remove_abandoned(place)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("wb") as file:
            if fcntl:
                fcntl.flock(file, fcntl.LOCK_EX)
            yield file
            file.flush()
            os.fsync(file.fileno())
        partial.replace(check_output(path, force=force))
        _log.debug("wrote %s", place)
    except OSError as error:
        if error.errno in DISK_ERRORS:
            reason = DISK_ERRORS[error.errno]
            raise ResourceError(f"cannot write {place}: {reason}; make room or choose another output") from error
        raise
    finally:
        partial.unlink(missing_ok=True)


def _remove_abandoned(place: Path) -> None:
    """Clear away what killed processes left."""
    for partial in place.parent.glob(f".{glob.escape(place.name)}.*.partial") if fcntl else ():
        with suppress(OSError), partial.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its writer lives
            partial.unlink()


@contextmanager
def compressing(path: str | os.PathLike[str], *, force: bool) -> Iterator[BinaryIO]:
    """The same, compressed if the name says so (``.gz``, ``.bz2``, ``.xz``, ``.zst``)."""
    compressor = _COMPRESSORS.get(Path(path).suffix.lower())
    with replacing(path, force=force) as file:
        if compressor is None:
            yield file
        else:
            with compressor(file) as packed, io.BufferedWriter(packed, BLOCK) as buffered:
                yield cast(BinaryIO, buffered)


def write_text(path: Path, text: str) -> None:
    """Write a file of text, replacing what is there."""
    with replacing(path) as file:
        file.write(text.encode())


def write_json(path: Path, record: Any) -> None:
    """Write a record, replacing what is there."""
    write_text(path, json.dumps(record, indent=2, ensure_ascii=False) + "\n")
