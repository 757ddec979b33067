"""Lines of text files, for commands that turn each line into a vector."""

import codecs
import logging
from collections.abc import Iterator
from pathlib import Path

from ..progress import Progress
from ..storage.files import opened


class TextLines:
    """Lines of a file without their ends; bytes that are not UTF-8 separate words, as they do in training."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._replaced = 0
        self._first = 0

    def __iter__(self) -> Iterator[str]:
        with opened(self._path) as reader:
            for number, line in enumerate(reader.stream, 1):
                raw = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
                try:
                    text = raw.decode()
                except UnicodeDecodeError:
                    text = raw.decode(errors="replace")
                    self._replaced += 1
                    self._first = self._first or number
                yield text.rstrip("\r\n")

    def note(self, progress: Progress) -> None:
        """Report, as a warning, lines that are not UTF-8."""
        if self._replaced:
            progress.note(
                f"{self._replaced:,} lines are not UTF-8, the first is line {self._first:,}: their invalid bytes are "
                "read as spaces",
                logging.WARNING,
            )
