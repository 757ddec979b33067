"""Files to read: by name, folder or pattern, from standard input or inside zip archives, plain or compressed.

Compressed files (gz, bz2, xz, zst) and members of archives are unpacked as they are read: nothing of them is written to
disk or held as a whole.
"""

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
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

import platformdirs

from ..errors import InputError
from ..parameters import path_from
from .atomic import is_there

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_log = logging.getLogger(__name__)

STDIN = "-"  # stands for standard input
BLOCK = 1 << 20
Span = tuple[int, int]  # of bytes in a file, from one up to another
#: How a zip archive begins.
ZIP = b"PK\x03\x04"
#: What zipfile raises on damaged or unsupported archives.
DAMAGED_ZIP = (zipfile.BadZipFile, NotImplementedError)
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
_ENCRYPTED = 0x1
_SHOWN = 4  # names in an error


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


def cache_folder(name: str) -> Path:
    """Return a folder in the user's cache, for what can be fetched or computed again."""
    return Path(platformdirs.user_cache_dir("lexvec", appauthor=False)) / name


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


def is_zip(path: Path) -> bool:
    """Return whether a file begins as a zip archive."""
    try:
        with path.open("rb") as file:
            return file.read(len(ZIP)) == ZIP
    except OSError:
        return False


def split_member(path: Path) -> tuple[Path, str] | None:
    """Return the archive and the member that a path such as ``glove.zip/glove.50d.txt`` names; None for any other."""
    for archive in path.parents:
        if archive.is_file():
            return (archive, path.relative_to(archive).as_posix()) if is_zip(archive) else None
    return None


def file_of(path: Path) -> Path | None:
    """Return the file on disk that a path names: itself, or the archive of a member; None if there is none."""
    if path.is_file():
        return path
    member = split_member(path)
    return member[0] if member else None


def only_member(archive: Path) -> Path:
    """Return the path of the one file in an archive; if there are several, the error says how to choose."""
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = [entry for entry in opened.infolist() if not entry.is_dir()]
    except (*DAMAGED_ZIP, OSError, ValueError, EOFError) as error:
        raise InputError(f"{archive} is truncated or damaged ({error}): get it again") from error
    entries = [entry for entry in entries if not entry.filename.startswith("__MACOSX/")]
    if not entries:
        raise InputError(f"{archive} has no files in it: give an archive with vectors")
    if len(entries) > 1:
        names = [_inside(entry) for entry in sorted(entries, key=lambda entry: -entry.file_size)]
        shown = ", ".join(name[:80] for name in names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        raise InputError(f"{archive} has {len(names):,} files ({shown}): name one, such as {archive}/{names[0][:200]}")
    return archive / _inside(entries[0])


def open_member(archive: Path, name: str) -> IO[bytes]:
    """Open one file of an archive; its checksum is compared when it is read to the end."""
    with zipfile.ZipFile(archive) as opened:
        entries = {_inside(entry): entry for entry in opened.infolist()}
        entry = entries.get(name)
        if entry is None or entry.is_dir():
            raise InputError(f"{archive} has no file {name!r:.80}: check the name")
        if entry.flag_bits & _ENCRYPTED:
            raise InputError(f"{archive}/{name[:80]} is encrypted: unpack it with its password, and give the file")
        return opened.open(entry)  # the archive stays open as long as its member


def _inside(entry: zipfile.ZipInfo) -> str:
    """Return the name of a member as a path can express it: without "./" and "//", and never an absolute one."""
    return Path(entry.filename).as_posix().lstrip("/")
