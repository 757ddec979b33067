"""Lines of text files, for commands that turn each line into a vector."""

import codecs
import logging
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..corpus.blocks import looks_binary
from ..errors import InputError
from ..progress import Progress
from ..storage.files import Reader, opened
from ..vectors.long_text import AT_ONCE, LongText

_START = 1 << 16
_REPLACED = "\ufffd"


class TextLines:
    """Lines of a file without their ends; bytes that are not UTF-8 separate words, as they do in training.

    A line of more than half a million bytes is a `LongText`, which has to be read before the next line. If the lines
    are ``tokenized``, each is a list of words.
    """

    def __init__(self, path: Path, *, tokenized: bool = False) -> None:
        self._path, self._tokenized = path, tokenized
        self._replaced = 0
        self._first = 0

    def __iter__(self) -> Iterator[str | Sequence[str] | LongText]:
        with opened(self._path) as reader:
            self._check(reader)
            number = 0
            while line := reader.stream.readline(AT_ONCE):
                number += 1
                raw = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
                if len(line) < AT_ONCE or line.endswith(b"\n"):
                    text = self._decoded(raw, number)
                    yield text.split() if self._tokenized else text
                    continue
                pieces = self._pieces(raw, reader, number)
                yield LongText(pieces, f"{reader.name}, line {number:,}", self._tokenized)
                for _ in pieces:  # what the reader of the long text has left
                    pass

    def _check(self, reader: Reader) -> None:
        if looks_binary(reader.stream.peek(_START)[:_START]):
            raise InputError(f"{reader.name} looks like a binary file, not text: give a text file in UTF-8")

    def _decoded(self, raw: bytes, number: int) -> str:
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            text = raw.decode(errors="replace")
            self._note_replaced(number)
        return text.rstrip("\r\n")

    def _pieces(self, raw: bytes, reader: Reader, number: int) -> Iterator[str]:
        """Yield the text of a long line that begins with ``raw``; it ends with the line."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        is_sound, pending = True, b""
        while True:
            is_end = len(raw) == 0 or raw.endswith(b"\n")
            text = decoder.decode(raw, final=is_end)
            read, pending = pending + raw, decoder.getstate()[0]
            read = read[: len(read) - len(pending)]
            is_sound = is_sound and text.count(_REPLACED) == read.count(_REPLACED.encode())
            yield text
            if is_end:
                break
            raw = reader.stream.readline(AT_ONCE)
        if not is_sound:
            self._note_replaced(number)

    def _note_replaced(self, number: int) -> None:
        self._replaced += 1
        self._first = self._first or number

    def note(self, progress: Progress) -> None:
        """Report, as a warning, lines that are not UTF-8."""
        if self._replaced:
            progress.note(
                f"{self._replaced:,} lines are not UTF-8, the first is line {self._first:,}: their invalid bytes are "
                "read as spaces",
                logging.WARNING,
            )
