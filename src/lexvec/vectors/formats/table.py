"""What every format reads and writes: words with a row each, and the rules that hold for all of them."""

import logging
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...progress import Progress, Stage
from ..rows import blocks, check_finite

Matrix = npt.NDArray[np.float32]


class Table(NamedTuple):
    """Distinct words, and a row for each."""

    words: list[str]
    matrix: Matrix


def check_counts(name: str, count: int, dim: int, left: int | None, least: int) -> None:
    """Refuse counts that cannot be, or that a file with ``left`` bytes for vectors of ``least`` bytes cannot hold."""
    if count < 0 or dim < 1:
        raise InputError(
            f"{name} promises {count} vectors of {dim} dimensions: its first line is damaged; get it again"
        )
    if count == 0:
        raise InputError(f"{name} has no words: give a file with vectors")
    if left is not None and count * least > left:
        raise InputError(
            f"{name} promises {count:,} vectors of {dim:,} dimensions and is too short to hold them: it is truncated, "
            "or its first line is damaged; get it again"
        )


class Collected:
    """Words and rows as they are read; of a word that comes twice the first vector counts.

    ``room`` is the number of rows if it is sure; otherwise the matrix grows with what is really there.
    """

    def __init__(self, name: str, unit: str, dim: int, *, room: int | None, limit: int | None) -> None:
        self._name, self._unit, self._limit, self._dim = name, unit, limit, dim
        self._room = 0 if room is None else room if limit is None else min(room, limit)
        self._matrix = np.empty((0, 0), np.float32)  # until a vector of that dimension was really there
        self._words: list[str] = []
        self._seen: set[str] = set()
        self._repeated: list[str] = []

    @property
    def full(self) -> bool:
        """Whether there are as many words as were asked for."""
        return self._limit is not None and len(self._words) >= self._limit

    def extend(self, words: Sequence[bytes], rows: Matrix, place: int) -> None:
        """Add words and their rows; the first one stands at this line, or whatever the unit is."""
        kept: list[int] = []
        before = len(self._words)
        for offset, raw in enumerate(words):
            if self.full:
                break
            word = self._decoded(raw, place + offset)
            if word in self._seen:
                self._repeated.append(f"{word!r} ({self._unit} {place + offset})")
                continue
            self._seen.add(word)
            self._words.append(word)
            kept.append(offset)
        rows = rows if len(kept) == len(rows) else rows[kept]
        check_finite(
            rows, lambda row: f"{self._words[before + row]!r} ({self._name}, {self._unit} {place + kept[row]})"
        )
        if len(self._words) > len(self._matrix):
            self._matrix.resize((max(self._room, len(self._words) * 5 // 4), self._dim), refcheck=False)
        self._matrix[before : len(self._words)] = rows

    def _decoded(self, raw: bytes, place: int) -> str:
        try:
            word = raw.decode()
        except UnicodeDecodeError:
            raise InputError(
                f"{self._name}, {self._unit} {place}: the word {raw[:40]!r} is not UTF-8: convert the file first"
            ) from None
        if not word:
            raise InputError(f"{self._name}, {self._unit} {place}: no word stands before the vector: mend or remove it")
        return word

    def finish(self, progress: Progress) -> Table:
        """All that was read."""
        if not self._words:
            raise InputError(f"{self._name} has no words: give a file with vectors")
        if self._repeated:
            progress.note(
                f"{self._name}: {len(self._repeated):,} vectors of words that were there before are left out, the "
                f"first of them that of {self._repeated[0]}",
                logging.WARNING,
            )
        self._matrix.resize((len(self._words), self._dim), refcheck=False)
        return Table(self._words, self._matrix)


def check_words(table: Table, format_name: str, forbidden: str) -> None:
    """Refuse words that a format cannot hold, before anything is written."""
    if not table.words or not table.matrix.shape[1]:
        raise InputError("there are no vectors to write: give at least one word with one dimension")
    for word in table.words:
        held = bool(word) and not any(character in word for character in forbidden)
        try:
            word.encode()
        except UnicodeEncodeError:
            held = False
        if not held:
            raise InputError(
                f"{format_name} files cannot hold the word {word!r}: leave it out or choose another format"
            )


def written_rows(table: Table, stage: Stage) -> Iterator[tuple[list[str], Matrix]]:
    """Words and rows to write, some at a time, all of them finite."""
    for start, rows in blocks(table.matrix):
        words = table.words[start : start + len(rows)]
        check_finite(rows, lambda row: repr(words[row]))  # noqa: B023 (called at once)
        yield words, rows
        stage.advance(len(rows))
