"""Vectors as text: a word and its numbers on each line, behind a line of counts (word2vec, fastText) or not (GloVe).

Fields are separated by blanks and nothing else, since words may contain every other kind of space. A blank at the end
of a line, as word2vec and fastText write it, is dropped. The last line must end: otherwise nobody could tell a number
that was cut off.
"""

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...progress import Progress
from ...storage.files import Reader, compressing, opened, size_of
from .table import Collected, Matrix, Table, check_counts, check_words, written_rows

HEADER = re.compile(rb"(?:\xef\xbb\xbf)?([+-]?\d{1,30}) ([+-]?\d{1,30}) ?\r?\n")
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf(inity)?)", re.IGNORECASE)
_HEADER_START = re.compile(rb"[+-]?\d+ ")
_LONGEST_LINE = 1 << 26
#: The one float32 whose shortest decimal becomes its neighbour if it is read as a double first, as Python and numpy do.
_MISREAD = ("7.038531e-26", "7.03853069e-26")
_LINES = 512  # read at once
_SAMPLE = 100  # lines that tell the dimension where no header does


def read_word2vec(path: Path, limit: int | None, progress: Progress) -> Table:
    """Read text with a header."""
    with opened(path) as reader:
        first = reader.stream.readline(_LONGEST_LINE)
        match = HEADER.fullmatch(first)
        if not match:
            raise InputError(
                f"{path} does not begin with two whole numbers: if it has no header, it is of format glove"
            )
        count, dim = int(match[1]), int(match[2])
        left = None if reader.size is None else reader.size - len(first)
        check_counts(str(path), count, dim, left, 2 * dim + 2)  # a letter, blanks, digits and a line feed
        body = _Body(reader, dim, limit, 2, _lines(reader, 2), spaced=False)
        lines = body.read(progress, None if left is None else count)
        if not body.collected.full and lines != count:
            raise InputError(f"{path} promises {count:,} vectors and has {lines:,}: it is damaged; get it again")
        return body.collected.finish(progress)


def read_glove(path: Path, limit: int | None, progress: Progress) -> Table:
    """Read text without a header; words may contain blanks."""
    with opened(path) as reader:
        if reader.start().startswith(codecs.BOM_UTF8):
            reader.stream.read(len(codecs.BOM_UTF8))
        lines = _lines(reader, 1)
        sample = list(islice(lines, _SAMPLE))
        dim = dimension([line.count(b" ") for line in sample if line])
        if dim < 1:
            raise InputError(f"{path}, line 1: there is no word with numbers behind it: give a file with vectors")
        if sample[0].count(b" ") > dim and _HEADER_START.match(sample[0]):
            raise InputError(f"{path}, line 1 looks like a damaged header: mend it, or remove the line")
        body = _Body(reader, dim, limit, 1, chain(sample, lines), spaced=True)
        body.read(progress, None)
        return body.collected.finish(progress)


def dimension(blanks: Sequence[int]) -> int:
    """How many numbers a line has: what most lines agree on, since few words contain blanks."""
    often = Counter(blanks)
    return max(often, key=lambda number: (often[number], -number), default=0)


def _lines(reader: Reader, number: int) -> Iterator[bytes]:
    """Lines without their ends; ``number`` is that of the first."""
    while line := reader.stream.readline(_LONGEST_LINE):
        if not line.endswith(b"\n"):
            what = "is longer than any vector" if len(line) == _LONGEST_LINE else "does not end"
            raise InputError(
                f"{reader.name}, line {number} {what}: the file is truncated or damaged; get it again (if it is whole, "
                "add a line feed at its end)"
            )
        yield line[:-1].removesuffix(b"\r").removesuffix(b" ")
        number += 1


class _Body:
    """The lines with vectors."""

    def __init__(
        self, reader: Reader, dim: int, limit: int | None, first: int, lines: Iterator[bytes], *, spaced: bool
    ) -> None:
        self._reader, self._dim, self._limit, self._first, self._lines = reader, dim, limit, first, lines
        self._spaced = spaced  # whether words may contain blanks

    def read(self, progress: Progress, room: int | None) -> int:
        """Collect everything; how many lines there were."""
        self.collected = Collected(self._reader.name, "line", self._dim, room=room, limit=self._limit)
        number = self._first
        done = 0
        with progress.stage("reading", size_of(self._reader.path), "B") as stage:
            while not self.collected.full and (lines := list(islice(self._lines, _LINES))):
                if b"" in lines:
                    lines = self._ended(lines, number)
                words, numbers = [], []
                for offset, line in enumerate(lines):
                    word, rest = self._split(line, number + offset)
                    words.append(word)
                    numbers.append(rest)
                if words:
                    self.collected.extend(words, self._parsed(numbers, number), number)
                number += len(lines)
                stage.advance(self._reader.position - done)
                done = self._reader.position
        return number - self._first

    def _ended(self, lines: list[bytes], number: int) -> list[bytes]:
        """What comes before the empty lines at the end of a file; nothing else may follow them."""
        end = lines.index(b"")
        if any(lines[end:]) or any(self._lines):
            raise InputError(f"{self._reader.name}, line {number + end} is empty: the file is damaged; get it again")
        return lines[:end]

    def _split(self, line: bytes, number: int) -> tuple[bytes, bytes]:
        """The word, and what is behind it."""
        blanks = line.count(b" ")
        if blanks == self._dim:
            word, _, rest = line.partition(b" ")
            return word, rest
        if blanks > self._dim and self._spaced:
            word = line.rsplit(b" ", self._dim)[0]
            # A word does not end with a number: then it is one of too many.
            if not NUMBER.fullmatch(word.rpartition(b" ")[2]):
                return word, line[len(word) + 1 :]
        raise InputError(
            f"{self._reader.name}, line {number}: {blanks:,} numbers where {self._dim:,} are expected: the file is "
            "damaged, or not a file of vectors"
        )

    def _parsed(self, numbers: list[bytes], number: int) -> Matrix:
        """The numbers of some lines; what numpy's parser will not have is looked at one by one."""
        try:
            if all(numbers):
                text = [line.decode("ascii") for line in numbers]
                rows = np.loadtxt(text, np.float32, comments=None, delimiter=" ", ndmin=2)
                if rows.shape == (len(numbers), self._dim):
                    return rows
        except ValueError:
            pass
        values = np.empty((len(numbers), self._dim))
        for offset, line in enumerate(numbers):
            fields = line.split(b" ")
            odd = next((field for field in fields if not NUMBER.fullmatch(field)), None)
            if odd is not None:
                raise InputError(
                    f"{self._reader.name}, line {number + offset}: {odd[:40]!r} is not a number: the file is damaged, "
                    "or not a file of vectors"
                )
            values[offset] = [float(field) for field in fields]
        with np.errstate(over="ignore"):
            return values.astype(np.float32)


def write_word2vec(path: Path, table: Table, force: bool, progress: Progress) -> None:
    """Write text with a header."""
    check_words(table, "word2vec", " \n")
    _write(path, table, f"{len(table.words)} {table.matrix.shape[1]}\n", force, progress)


def write_glove(path: Path, table: Table, force: bool, progress: Progress) -> None:
    """Write text without a header; it can hold blanks in words as long as they can be told from what follows."""
    check_words(table, "glove", "\n")
    for word in table.words:
        if " " in word and NUMBER.fullmatch(word.rpartition(" ")[2].encode()):
            raise InputError(f"glove files cannot hold the word {word!r}, which ends with a number: leave it out")
    if _HEADER_START.match(table.words[0].encode()):
        raise InputError(
            f"glove files cannot begin with the word {table.words[0]!r}, which looks like a header: move it"
        )
    dim = table.matrix.shape[1]
    if dimension([word.count(" ") + dim for word in table.words[:_SAMPLE]]) != dim:
        raise InputError("glove files cannot hold these words, since most contain blanks: choose another format")
    # Readers drop one byte order mark: a first word that begins with one gets another before it.
    mark = "\ufeff" if table.words[0].startswith("\ufeff") else ""
    _write(path, table, mark, force, progress)


def _write(path: Path, table: Table, header: str, force: bool, progress: Progress) -> None:
    """The shortest numbers that read back to the same float32, so that nothing is lost."""
    with compressing(path, force=force) as file, progress.stage("writing", len(table.words), "words") as stage:
        file.write(header.encode())
        for words, rows in written_rows(table, stage):
            for word, row in zip(words, rows, strict=True):
                numbers = " ".join(map(str, row)).replace(*_MISREAD)
                file.write(f"{word} {numbers}\n".encode())
