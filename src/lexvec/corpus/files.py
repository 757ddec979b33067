"""Files → blocks of text: plain or compressed (gz, bz2, xz, zst), from names, folders, patterns or standard input.

A block is some megabytes of UTF-8 that ends where a sentence may be cut: after a line break or, in a line without
end, before a blank that follows a letter. No line is too long, and memory does not grow with the file (but a text
without any blank or line break is held as a whole).
"""

import bz2
import codecs
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
from typing import Any, BinaryIO, NamedTuple, cast

from ..errors import InputError, ParameterError

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
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b\x1c\x1d\x1e\x1f"))
_BYTE_ORDER_MARKS = {  # the longer ones first: they begin like the shorter
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_REPLACED = "\ufffd"
_LETTER_BLANK = re.compile(rb"[0-9A-Za-z\x80-\xff](?=[ \t\n\r\f\v])")


class Block(NamedTuple):
    """A piece of text, as UTF-8, and what it took to read it."""

    text: bytes
    read: int  # bytes of the file since the block before, as they lie on disk
    replaced: int = 0  # bytes (or runs of them) that were no text and were replaced


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


def text_encoding(encoding: str) -> str:
    """The name of an encoding that turns bytes into text, as Python has it."""
    try:
        found = codecs.lookup(encoding)
        if not found._is_text_encoding:
            raise LookupError
        codecs.getincrementaldecoder(encoding)("replace").decode(b"a")
    except (LookupError, UnicodeError):
        raise ParameterError(f"encoding={encoding!r}: Python knows no encoding of text by that name") from None
    return found.name


def text_blocks(reader: Reader, *, encoding: str, wrapped: bool) -> Iterator[Block]:
    """The text of a file. ``wrapped``: lines are hard-wrapped, so a line break is no place to cut."""
    utf8 = text_encoding(encoding) == "utf-8"
    pieces: Iterable[bytes] = iter(lambda: reader.stream.read(BLOCK), b"")
    if not utf8:
        pieces = _recoded(pieces, encoding, reader.name)
    position = 0
    for number, text in enumerate(_cut(pieces, wrapped=wrapped)):
        if number == 0:
            _refuse_binary(reader.name, text, recoded=not utf8)
        block = valid(text.removeprefix(codecs.BOM_UTF8) if number == 0 else text)
        replaced = block.replaced if utf8 else text.count(_REPLACED.encode())
        yield block._replace(read=reader.position - position, replaced=replaced)
        position = reader.position


def valid(text: bytes) -> Block:
    """Text with whatever is not UTF-8 replaced, and counted."""
    try:
        text.decode()
    except UnicodeDecodeError:
        repaired = text.decode(errors="replace")
        before = text.count(_REPLACED.encode())
        return Block(repaired.encode(), 0, repaired.count(_REPLACED) - before)
    return Block(text, 0)


def string_blocks(strings: Iterable[str], *, wrapped: bool) -> Iterator[Block]:
    """The text of strings, each of which ends its last sentence."""

    def pieces() -> Iterator[bytes]:
        held: list[str] = []
        size = 0
        for string in strings:
            held.append(string)
            size += len(string)
            if size >= BLOCK:
                yield encoded(held)
                held, size = [], 0
        yield encoded(held)

    def encoded(held: list[str]) -> bytes:
        # Half a surrogate pair has no UTF-8: let it through, to be replaced and counted with other bad bytes.
        return "".join(f"{string}\n\n" for string in held).encode("utf-8", "surrogatepass")

    for text in _cut(pieces(), wrapped=wrapped):
        yield valid(text)._replace(read=len(text))


def _cut(pieces: Iterable[bytes], *, wrapped: bool) -> Iterator[bytes]:
    """Join pieces and cut them again where a sentence may be cut. The end of all is the end of a sentence."""
    held = bytearray()
    for piece in pieces:
        searched = len(held)
        held += piece
        at = 0 if wrapped else held.rfind(b"\n", searched) + 1
        if at == 0:
            at = _blank_after_letter(held, searched)
        if at:
            yield bytes(held[:at])
            del held[:at]
    yield bytes(held) + b"\n\n"


def _blank_after_letter(text: bytearray, start: int) -> int:
    """The last blank from ``start`` on that follows a letter or digit (so that no full stop waits for it), or 0."""
    width = 4096
    while True:
        low = max(start, len(text) - width)
        for match in reversed(list(_LETTER_BLANK.finditer(text, low))):
            if text[max(0, match.end() - 4) : match.end()].decode(errors="ignore")[-1:].isalnum():
                return match.end()
        if low == start:
            return 0
        width *= 8


def _recoded(pieces: Iterable[bytes], encoding: str, name: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    try:
        for piece in pieces:
            yield decoder.decode(piece).encode("utf-8", "surrogatepass")
        yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")
    except UnicodeError as error:
        raise InputError(f"{name} cannot be read as {encoding} ({error}): name another --encoding") from error


def _refuse_binary(name: str, text: bytes, *, recoded: bool) -> None:
    start = text[:65536]
    for mark, encoding in {} if recoded else _BYTE_ORDER_MARKS.items():
        if start.startswith(mark):
            raise InputError(f"{name} is {encoding} text: read it with --encoding {encoding}")
    odd = len(start) - len(start.translate(None, _CONTROLS))
    odd += start.decode(errors="replace").count(_REPLACED)
    if odd > max(16, len(start) / 10):
        raise InputError(
            f"{name} looks like a binary file, not text: extract its text first (or name its --encoding, if it has one)"
        )
