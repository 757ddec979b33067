"""Files → blocks of text: plain or compressed (gz, bz2, xz, zst), from names, folders, patterns or standard input.

A block is some megabytes of UTF-8 that ends where a sentence may be cut: after a line break or, in a line without
end, before a blank that follows a letter. No line is too long, and memory does not grow with the file.
"""

import bz2
import codecs
import glob
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, cast

from ..errors import InputError, ParameterError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BLOCK = 1 << 20
STDIN = "-"

_OPENERS: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
    b"\x28\xb5\x2f\xfd": zstd.open,
}
_DAMAGED = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError, zstd.ZstdError)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b\x1c\x1d\x1e\x1f"))
_BYTE_ORDER_MARKS = {codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_REPLACED = "\ufffd"


class Block(NamedTuple):
    """A piece of text, as UTF-8, and what it took to read it."""

    text: bytes
    read: int  # bytes of the file since the block before, as they lie on disk
    replaced: int = 0  # bytes (or runs of them) that were no text and were replaced


def expand(inputs: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """All files that names, folders (walked, hidden files left out) and patterns stand for, sorted within each."""
    files: list[Path] = []
    for given in inputs:
        path = Path(given)
        if str(given) == STDIN or path.is_file() or path.is_fifo():
            found = [path]
        elif path.is_dir():
            found = sorted(file for file in path.rglob("*") if file.is_file() and not _hidden(file.relative_to(path)))
            if not found:
                raise InputError(f"{given} is a folder without files: give one with text in it")
        else:
            found = sorted(Path(match) for match in glob.glob(str(given), recursive=True) if Path(match).is_file())
            if not found:
                what = "matches no file" if glob.has_magic(str(given)) else "does not exist"
                raise InputError(f"{given} {what}: check the name")
        files += found
    if not files:
        raise InputError("there is nothing to read: name at least one file")
    return files


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def size_of(path: Path) -> int | None:
    """Bytes on disk, None where that says nothing (a pipe)."""
    return path.stat().st_size if path.is_file() else None


class Reader:
    """A file being read, decompressed on the way; ``position`` counts the bytes as they lie on disk."""

    def __init__(self, path: Path) -> None:
        self.name = "standard input" if str(path) == STDIN else str(path)
        raw = sys.stdin.buffer if str(path) == STDIN else path.open("rb")
        self._raw = _Counting(cast(BinaryIO, raw))
        self._buffered = io.BufferedReader(self._raw, BLOCK)
        start = self._buffered.peek(8)
        opener = next((opener for magic, opener in _OPENERS.items() if start.startswith(magic)), None)
        self.stream: IO[bytes] = opener(self._buffered) if opener else self._buffered

    @property
    def position(self) -> int:
        """Bytes read from disk so far."""
        return self._raw.position

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self.stream is not self._buffered:
            self.stream.close()
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
        reason = error.strerror or str(error)  # bz2 reports damage as an OSError without a number
        raise InputError(f"cannot read {name} ({reason}): check the file and its permissions") from error


def text_blocks(path: Path, *, encoding: str, wrapped: bool) -> Iterator[Block]:
    """The text of a file. ``wrapped``: lines are hard-wrapped, so a line break is no place to cut."""
    try:
        utf8 = codecs.lookup(encoding).name == "utf-8"
    except LookupError:
        raise ParameterError(f"encoding={encoding!r}: Python knows no encoding of that name") from None
    with opened(path) as reader:
        pieces = iter(lambda: reader.stream.read(BLOCK), b"")
        if not utf8:
            pieces = _recoded(pieces, encoding)
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
    at = len(text)
    while (at := text.rfind(b" ", start, at)) > 0:
        if text[max(0, at - 4) : at].decode(errors="ignore")[-1:].isalnum():
            return at
    return 0


def _recoded(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    for piece in pieces:
        yield decoder.decode(piece).encode()
    yield decoder.decode(b"", final=True).encode()


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
