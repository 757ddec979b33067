"""What file formats of vectors know and share: how to recognise, read and write words with one row each."""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import Given, InputError, ResourceError
from ...machine import free_memory
from ...progress import Progress, Stage
from ...storage.outputs import check_file_output
from ...trained import LabelledRows as LabelledRows
from ..geometry import check_numbers, row_blocks

Matrix = npt.NDArray[np.float32]

LONGEST_WORD = 1 << 16  # bytes
MOST_DIMENSIONS = 1 << 18
#: Numbers beyond this are signs of damage: a flipped bit in the exponent makes 3e37 of 0.1.
LARGEST = 2.0**100
_CHECKED_BYTES = 1 << 26  # a matrix larger than this is compared with the memory that is free


def check_counts(name: str, count: int, dim: int, left: int | None, least: int) -> None:
    """Refuse impossible counts, and counts that ``left`` bytes cannot hold at ``least`` bytes per vector."""
    if count < 0 or not 0 < dim <= MOST_DIMENSIONS:
        raise InputError(f"{name} promises {count:,} vectors of {dim:,} dimensions: its first line is damaged")
    if count == 0:
        raise InputError(f"{name} has no words: give a file with vectors")
    if left is not None and count * least > left:
        raise InputError(
            f"{name} promises {count:,} vectors of {dim:,} dimensions and is too short to hold them: it is truncated, "
            "or its first line is damaged; get it again"
        )


def check_memory(name: str, size: int) -> None:
    """Refuse to make an array of so many bytes if memory is not enough."""
    if size > _CHECKED_BYTES and size > (free := free_memory()):
        raise ResourceError(
            f"{name} needs {size / 1e9:,.1f} GB of memory and {free / 1e9:,.1f} GB are free: read fewer words with ",
            Given("limit"),
        )


def note_repeated(name: str, number: int, first: str, progress: Progress) -> None:
    """Report, as a warning, how many vectors of words that had one already were skipped."""
    progress.note(f"{name}: {number:,} vectors of repeated words are skipped, the first for {first}", logging.WARNING)


class RowCollector:
    """Collects words and rows as they are read. Of a word that occurs twice the first vector counts.

    ``entry`` is what the format counts ("line", "word" or "row"), for errors. ``room`` is the number of rows if the
    size of the file vouches for it; otherwise the matrix grows with the rows that are really there.
    """

    def __init__(self, name: str, entry: str, dim: int, *, room: int | None, limit: int | None) -> None:
        self._name, self._entry, self._limit, self._dim = name, entry, limit, dim
        self._room = 0 if room is None else room if limit is None else min(room, limit)
        self._matrix = np.empty((0, 0), np.float32)  # until there really is a vector of that dimension
        self._words: list[str] = []
        self._seen: set[str] = set()
        self._repeated = 0
        self._first_repeated = ""

    @property
    def full(self) -> bool:
        """Whether there are as many words as the limit allows."""
        return self._limit is not None and len(self._words) >= self._limit

    def extend(self, words: Sequence[bytes], rows: Matrix, place: int) -> None:
        """Add words and their rows; ``place`` is the number of the first entry."""
        kept: list[int] = []
        before = len(self._words)
        for offset, raw in enumerate(words):
            if self.full:
                break
            word = self._decoded(raw, place + offset)
            if word in self._seen:
                self._repeated += 1
                self._first_repeated = self._first_repeated or f"{word!r} ({self._entry} {place + offset})"
                continue
            self._seen.add(word)
            self._words.append(word)
            kept.append(offset)
        rows = rows if len(kept) == len(rows) else rows[kept]
        check_numbers(
            rows,
            lambda row: f"{self._words[before + row]!r} ({self._name}, {self._entry} {place + kept[row]})",
            LARGEST,
        )
        if len(self._words) > len(self._matrix):
            self._resize(max(self._room, len(self._words) * 5 // 4))
        self._matrix[before : len(self._words)] = rows

    def _resize(self, rows: int) -> None:
        check_memory(self._name, 4 * (rows - len(self._matrix)) * self._dim)
        self._matrix.resize((rows, self._dim), refcheck=False)

    def _decoded(self, raw: bytes, place: int) -> str:
        try:
            word = raw.decode()
        except UnicodeDecodeError:
            raise InputError(
                f"{self._name}, {self._entry} {place}: the word {raw[:40]!r} is not UTF-8: convert the file first"
            ) from None
        if not word:
            raise InputError(f"{self._name}, {self._entry} {place}: there is no word before the vector: add one")
        if "\0" in word:  # no program that writes these formats can have such a word
            raise InputError(f"{self._name}, {self._entry} {place}: the word {word[:40]!r} contains NUL: it is damaged")
        return word

    def finish(self, progress: Progress) -> LabelledRows:
        """Return everything that was read."""
        if not self._words:
            raise InputError(f"{self._name} has no words: give a file with vectors")
        if self._repeated:
            note_repeated(self._name, self._repeated, self._first_repeated, progress)
        self._matrix.resize((len(self._words), self._dim), refcheck=False)
        return LabelledRows(self._words, self._matrix)


def check_words(vectors: LabelledRows, format_name: str, forbidden: str, errors: str = "strict") -> None:
    """Refuse words that a format cannot hold, before anything is written; ``errors`` is how they are encoded."""
    if not vectors.words or not vectors.matrix.shape[1]:
        raise InputError("there are no vectors to write: give at least one word with one dimension")
    if vectors.matrix.shape[1] > MOST_DIMENSIONS:
        raise InputError(f"vectors of {vectors.matrix.shape[1]:,} dimensions cannot be written: reduce them first")
    for word in vectors.words:
        held = bool(word) and not any(character in word for character in forbidden)
        try:
            held = held and len(word.encode(errors=errors)) < LONGEST_WORD
        except UnicodeEncodeError:
            held = False
        if not held:
            raise InputError(
                f"{format_name} files cannot hold the word {word!r:.80}: leave it out or choose another format"
            )


def rows_to_write(vectors: LabelledRows, stage: Stage) -> Iterator[tuple[list[str], Matrix]]:
    """Yield words and rows to write, some at a time, and refuse numbers that no reader would accept."""
    for start, rows in row_blocks(vectors.matrix):
        words = vectors.words[start : start + len(rows)]
        check_numbers(rows, lambda row: repr(words[row]), LARGEST)  # noqa: B023 (called at once)
        yield words, rows
        stage.advance(len(rows))


@dataclass(frozen=True, kw_only=True)
class Format:
    """One file format for vectors. Register an instance in `lexvec.vectors.FORMATS` to add a format."""

    #: What the format is, in a few words, for help texts.
    help: str
    #: Outputs with one of these suffixes are written in this format; "" means a name without a suffix.
    suffixes: tuple[str, ...]
    #: Whether a path holds this format, given the path and its first 64 KB, decompressed (b"" for a folder).
    recognise: Callable[[Path, bytes], bool] = lambda path, start: False  # noqa: ARG005
    #: Read a path, and stop after so many words unless the number is None. Without it, the format is only written.
    read: Callable[[Path, int | None, Progress], LabelledRows] | None = None
    #: Write to a path; replace what exists if the flag is True.
    write: Callable[[Path, LabelledRows, bool, Progress], None]
    #: Whether it may be compressed, so that a suffix such as .gz may follow.
    compressible: bool = False
    #: Whether it writes rows some at a time, so that an encoded matrix need not be decoded as a whole.
    by_rows: bool = False
    #: Whether it has room for the n-grams that vectors of other words are composed from, or reports that it has not.
    keeps_ngrams: bool = False
    #: Raise if an output cannot be written, before anything is read; takes a path and ``force``.
    check_output: Callable[..., Any] = check_file_output


_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_WEB_PAGE = re.compile(rb"\s*<(!doctype|html|head|body|\?xml)\b", re.IGNORECASE)
#: How other programs' files begin, what they look like, and what to do.
_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"\x80", "looks like an object that Python or gensim saved: load it there and use save_word2vec_format"),
    (b"\x93NUMPY", "looks like one numpy array, without words: save words and vectors together, as .npz"),
    (b"\x89HDF", "looks like HDF5: convert it to text first"),
    (b"%PDF", "looks like a PDF: give a file with vectors"),
    (b"PK\x03\x04", "looks like a zip archive: unpack it and give the file with vectors"),
)
_TAR = slice(257, 262)


def unrecognised(path: Path, start: bytes, known: str) -> InputError:
    """Return the error for a file that begins so; ``known`` lists the formats."""
    if not start:
        return InputError(f"{path} is empty: give a file with vectors")
    for magic, what in _OTHERS:
        if start.startswith(magic):
            return InputError(f"{path} {what}")
    if start[_TAR] == b"ustar":
        return InputError(f"{path} looks like a tar archive: unpack it and give the file with vectors")
    if _WEB_PAGE.match(start):
        return InputError(f"{path} looks like a web page: the download failed; get it again")
    if _CONTROL.search(start):
        return InputError(f"{path} is in no known format of vectors: give one of {known}")
    return InputError(f"{path}, line 1: there is no word with numbers behind it: give a file with vectors")
