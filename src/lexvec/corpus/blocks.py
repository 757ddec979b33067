"""Files and strings → blocks of text.

A block is some megabytes of UTF-8 that ends where a sentence may be cut: after a line break or, in a line without
end, before a blank that follows a letter. No line is too long, and memory does not grow with the file (but a text
without any blank or line break is held as a whole).
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..errors import InputError, ParameterError
from ..storage.files import BLOCK, Reader

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
