"""Files and strings → blocks of text.

A block is some megabytes of UTF-8 that ends where a sentence may be cut: after a line break or, in a line without end,
before whitespace that follows a letter. Memory does not grow with the file: a line may have any length, but a token
longer than a megabyte, or 64 MB without a place to cut, is an error.
"""

import codecs
import re
import tarfile
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..errors import Given, InputError, ParameterError
from ..storage.files import BLOCK, Reader

_CONTROLS = bytes(set(range(32)) - set(b"\t\n\v\f\r\x1a\x1b\x1c\x1d\x1e\x1f"))
_BYTE_ORDER_MARKS = {  # the longer ones first: they begin like the shorter
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_REPLACED = "\ufffd"
_LETTER_SPACE = re.compile(rb"[0-9A-Za-z\x80-\xff](?=[ \t\n\r\f\v])")

LONGEST_TOKEN = 1 << 20
_LONGEST_BLOCK = 1 << 26
_ZIP = b"PK\x03\x04"
# What surely ends a token: whitespace and, where punctuation is removed, that too, with the marks of Chinese and
# Japanese, which write long texts without whitespace.
SPACES = re.compile(rb"[ \t\n\v\f\r]")
MARKS = re.compile(rb"[ \t\n\v\f\r!-,./:-@\[-`{-~]|\xe3\x80[\x80-\x82]|\xef\xbc[\x81\x8c\x8e\x9f]")


class TextBlock(NamedTuple):
    """A piece of text, as UTF-8, and what it took to read it."""

    text: bytes
    read: int  # bytes of the file since the block before, as they are on disk
    replaced: int = 0  # invalid bytes (or runs of them) that were replaced


def text_encoding(encoding: str) -> str:
    """Return Python's name of an encoding that turns bytes into text."""
    try:
        found = codecs.lookup(encoding)
        if not found._is_text_encoding:
            raise LookupError
        codecs.getincrementaldecoder(encoding)("replace").decode(b"a")
    except (LookupError, UnicodeError):
        raise ParameterError(Given("encoding", encoding), ": Python knows no text encoding of that name") from None
    return found.name


def text_blocks(
    reader: Reader, *, encoding: str, wrapped: bool, separators: re.Pattern[bytes] = SPACES
) -> Iterator[TextBlock]:
    """Yield the text of a file. ``wrapped``: lines are hard-wrapped, so a line break is no place to cut.

    The reader may have a span of the file that begins and ends where a sentence may be cut (see `place_to_cut`).
    """
    utf8 = text_encoding(encoding) == "utf-8"
    start, stop = reader.span or (0, None)
    pieces: Iterable[bytes] = iter(lambda: reader.stream.read(BLOCK), b"")
    if start == 0:
        pieces = _not_archived(pieces, reader.name)
    if not utf8:
        pieces = _recoded(pieces, encoding, reader.name)
    if start == 0:
        pieces = _not_binary(pieces, reader.name, recoded=not utf8)
    pieces = _with_short_tokens(pieces, reader.name, separators, start)
    position, is_end = 0, stop is None or stop == reader.path.stat().st_size
    for number, text in enumerate(_cut(pieces, reader.name, wrapped=wrapped, is_end=is_end)):
        block = valid(text.removeprefix(codecs.BOM_UTF8) if start == number == 0 else text)
        replaced = block.replaced if utf8 else text.count(_REPLACED.encode())
        yield block._replace(read=reader.position - position, replaced=replaced)
        position = reader.position


def place_to_cut(text: bytes, *, wrapped: bool) -> int:
    """Return a place in a piece of text where a sentence may be cut, or 0 if there is none."""
    return (0 if wrapped else text.find(b"\n") + 1) or _space_after_letter(bytearray(text), 0)


def valid(text: bytes) -> TextBlock:
    """Return text with everything replaced, and counted, that is not UTF-8."""
    try:
        text.decode()
    except UnicodeDecodeError:
        repaired = text.decode(errors="replace")
        before = text.count(_REPLACED.encode())
        return TextBlock(repaired.encode(), 0, repaired.count(_REPLACED) - before)
    return TextBlock(text, 0)


def string_blocks(strings: Iterable[str], *, wrapped: bool, separators: re.Pattern[bytes]) -> Iterator[TextBlock]:
    """Yield the text of strings; the end of a string ends its last sentence."""

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

    for text in _cut(_with_short_tokens(pieces(), "the text", separators), "the text", wrapped=wrapped):
        yield valid(text)._replace(read=len(text))


def _cut(pieces: Iterable[bytes], name: str, *, wrapped: bool, is_end: bool = True) -> Iterator[bytes]:
    """Join pieces and cut them again where a sentence may be cut. The end of all is the end of a sentence, if it is."""
    held = bytearray()
    done = 0
    for piece in pieces:
        searched = len(held)
        held += piece
        at = 0 if wrapped else held.rfind(b"\n", searched) + 1
        if at == 0:
            at = _space_after_letter(held, searched)
        if at:
            yield bytes(held[:at])
            del held[:at]
            done += at
        elif len(held) > max(len(piece), _LONGEST_BLOCK):
            raise InputError(
                f"{name} has no line break and no word for {len(held) >> 20} MB from byte {done:,} on: check it"
            )
    yield bytes(held) + (b"\n\n" if is_end else b"")


def _space_after_letter(text: bytearray, start: int) -> int:
    """Return the last place from ``start`` on where whitespace follows a letter or digit, or 0.

    After a letter, no full stop is waiting for the next word to tell whether it ends a sentence.
    """
    width = 4096
    while True:
        low = max(start, len(text) - width)
        for match in reversed(list(_LETTER_SPACE.finditer(text, low))):
            if text[max(0, match.end() - 4) : match.end()].decode(errors="ignore")[-1:].isalnum():
                return match.end()
        if low == start:
            return 0
        width *= 8


def _with_short_tokens(
    pieces: Iterable[bytes], name: str, separators: re.Pattern[bytes], start: int = 0
) -> Iterator[bytes]:
    """Pass pieces on; a token longer than a megabyte is an error before more of it is held in memory."""
    position = token = start  # where the piece begins, and the token that reaches into it
    for piece in pieces:
        for start in range(0, len(piece), LONGEST_TOKEN):
            stop = min(start + LONGEST_TOKEN, len(piece))
            first = separators.search(piece, start, stop)
            if position + (first.start() if first else stop) - token > LONGEST_TOKEN:
                raise InputError(f"{name} has a token longer than a megabyte at byte {token:,}: check that it is text")
            if first:
                token = position + _last_end(separators, piece, start, stop)
        position += len(piece)
        yield piece


def _last_end(separators: re.Pattern[bytes], piece: bytes, start: int, stop: int) -> int:
    """Return the end of the last separator in a part of a piece that has one."""
    width = 64
    while True:
        found = list(separators.finditer(piece, max(start, stop - width), stop))
        if found:
            return found[-1].end()
        width *= 16


def _not_archived(pieces: Iterable[bytes], name: str) -> Iterator[bytes]:
    """Pass pieces on; an archive of files is an error."""
    for number, piece in enumerate(pieces):
        if number == 0 and (piece.startswith(_ZIP) or _is_tar(piece)):
            raise InputError(f"{name} is an archive: unpack it, and give the files that are in it")
        yield piece


def _is_tar(start: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(start[: tarfile.BLOCKSIZE], "utf-8", "surrogateescape")
    except tarfile.HeaderError:  # among other things, its checksum is wrong
        return False
    return True


def _recoded(pieces: Iterable[bytes], encoding: str, name: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)(errors="replace")
    try:
        for piece in pieces:
            yield decoder.decode(piece).encode("utf-8", "surrogatepass")
        yield decoder.decode(b"", final=True).encode("utf-8", "surrogatepass")
    except UnicodeError as error:
        raise InputError(f"{name} cannot be read as {encoding} ({error}): give another ", Given("encoding")) from error


def _not_binary(pieces: Iterable[bytes], name: str, *, recoded: bool) -> Iterator[bytes]:
    """Pass pieces on; what does not begin like text is an error before any of it is."""
    for number, piece in enumerate(pieces):
        if number == 0:
            _refuse_binary(piece[:65536], name, recoded=recoded)
        yield piece


def looks_binary(start: bytes) -> bool:
    """Return whether a file that begins so is no text in UTF-8."""
    odd = len(start) - len(start.translate(None, _CONTROLS))
    odd += start.decode(errors="replace").count(_REPLACED)
    return odd > max(16, len(start) / 10)


def _refuse_binary(start: bytes, name: str, *, recoded: bool) -> None:
    for mark, encoding in {} if recoded else _BYTE_ORDER_MARKS.items():
        if start.startswith(mark):
            raise InputError(f"{name} is {encoding} text: read it with ", Given("encoding", encoding))
    if looks_binary(start):
        raise InputError(
            f"{name} looks like a binary file, not text: extract its text first (or give its ",
            Given("encoding"),
            ", if it has one)",
        )
