"""Vectors as text: a word and its numbers on each line, after a line of counts (word2vec, fastText) or not (GloVe).

Fields are separated by spaces and nothing else, since words may contain any other whitespace. A space at the end of a
line, as word2vec and fastText write it, is dropped. The last line must end with a line feed, because otherwise a number
that is cut off would go unnoticed.
"""

import codecs
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...machine import available_threads
from ...progress import Progress
from ...storage.files import ZIP, Reader, opened, size_of
from ...storage.outputs import compressing
from ...threads import Threads
from .format import (
    LONGEST_WORD,
    MOST_DIMENSIONS,
    Format,
    LabelledRows,
    Matrix,
    RowCollector,
    check_counts,
    check_words,
    rows_to_write,
)
from .text_numbers import FEW_BYTES, lines_of_rows, parse_block
from .word2vec import HEADER, NUMBER, has_binary_body

_HEADER_START = re.compile(rb"[+-]?\d+ ")
_LONGEST_NUMBER = 64  # characters
_LINES = 512  # read at once
_BATCH_BYTES = 1 << 25  # read at once, at most
_BLOCK_BYTES = 1 << 22  # read at once by compiled code
_SAMPLE = 100  # lines that decide the dimension if there is no header
_SAMPLE_BYTES = 1 << 24


def read_word2vec(path: Path, limit: int | None, progress: Progress) -> LabelledRows:
    """Read text with a header."""
    with opened(path) as reader:
        first = reader.stream.readline(_longest_line(1))
        match = HEADER.fullmatch(first)
        if not match:
            raise InputError(f"{path} does not begin with two whole numbers: if it has no header, use the format glove")
        count, dim = int(match[1]), int(match[2])
        left = None if reader.size is None else reader.size - len(first)
        check_counts(str(path), count, dim, left, 2 * dim + 2)  # a letter, spaces, digits and a line feed
        body = _Body(reader, dim, limit, 2, room=None if left is None else count, spaced=False)
        lines = body.read(progress)
        if not body.collected.full and lines != count:
            raise InputError(f"{path} promises {count:,} vectors and has {lines:,}: it is damaged; get it again")
        return body.collected.finish(progress)


def read_glove(path: Path, limit: int | None, progress: Progress) -> LabelledRows:
    """Read text without a header; words may contain spaces."""
    with opened(path) as reader:
        if reader.start().startswith(codecs.BOM_UTF8):
            reader.stream.read(len(codecs.BOM_UTF8))
        sample = _sampled(_lines(reader, 1, MOST_DIMENSIONS))
        dim = dimension([line.count(b" ") for line in sample if line])
        if dim < 1:
            raise InputError(f"{path}, line 1: there is no word with numbers behind it: give a file with vectors")
        if sample[0].count(b" ") > dim and _HEADER_START.match(sample[0]):
            raise InputError(f"{path}, line 1 looks like a damaged header: mend it, or remove the line")
        body = _Body(reader, dim, limit, 1, room=None, spaced=True)
        body.read(progress, sample)
        return body.collected.finish(progress)


def _sampled(lines: Iterator[bytes]) -> list[bytes]:
    """Return the first lines, as many as decide the dimension."""
    sample: list[bytes] = []
    size = 0
    for line in islice(lines, _SAMPLE):
        sample.append(line)
        size += len(line)
        if size > _SAMPLE_BYTES:
            break
    return sample


def dimension(spaces: Sequence[int]) -> int:
    """Return how many numbers a line has: what most lines agree on, since few words contain spaces."""
    often = Counter(spaces)
    return max(often, key=lambda number: (often[number], -number), default=0)


def _longest_line(dim: int) -> int:
    return LONGEST_WORD + _LONGEST_NUMBER * dim


def _lines(reader: Reader, number: int, dim: int) -> Iterator[bytes]:
    """Yield lines without their ends; ``number`` is that of the first, ``dim`` bounds their length."""
    longest = _longest_line(dim)
    while line := reader.stream.readline(longest):
        if not line.endswith(b"\n"):
            raise _unended(reader, number, too_long=len(line) == longest)
        yield _content(line)
        number += 1


def _content(line: bytes) -> bytes:
    return line[:-1].removesuffix(b"\r").removesuffix(b" ")


def _unended(reader: Reader, number: int, *, too_long: bool) -> InputError:
    what = "is longer than any vector" if too_long else "does not end"
    return InputError(
        f"{reader.name}, line {number} {what}: the file is truncated or damaged; get it again (if it is "
        "complete, add a line feed at its end)"
    )


class _Body:
    """The lines with vectors: the first ones are read in Python, the others by compiled code on all threads."""

    def __init__(
        self, reader: Reader, dim: int, limit: int | None, first: int, *, room: int | None, spaced: bool
    ) -> None:
        self._reader, self._dim, self._number, self._first = reader, dim, first, first
        self._spaced = spaced  # whether words may contain spaces
        self._batch = max(1, min(_LINES, _BATCH_BYTES // _longest_line(dim)))
        self._ended: int | None = None  # the first empty line, after which there are no vectors
        self.collected = RowCollector(reader.name, "line", dim, room=room, limit=limit)

    def read(self, progress: Progress, sample: Sequence[bytes] = ()) -> int:
        """Collect everything, beginning with lines that are read already, and return the number of lines."""
        done = 0
        with progress.stage("reading", size_of(self._reader.path), "B") as stage:
            for _ in chain(self._few(sample), self._many()):
                stage.advance(self._reader.position - done)
                done = self._reader.position
        return self._number - self._first

    def _few(self, sample: Sequence[bytes]) -> Iterator[None]:
        lines = chain(sample, _lines(self._reader, self._first + len(sample), self._dim))
        size, taken = 0, 0
        while taken < len(sample) or size < FEW_BYTES:
            if self.collected.full or not (some := list(islice(lines, self._batch))):
                return
            taken += len(some)
            size += sum(map(len, some))
            self._take(*self._rows(some, self._number))
            yield

    def _many(self) -> Iterator[None]:
        if self.collected.full or not self._reader.stream.peek(1):
            return
        with Threads(available_threads()) as threads:
            for words, rows, ended in threads.map(self._parse, self._blocks()):
                self._take(words, rows, ended)
                yield
                if self.collected.full:
                    return

    def _take(self, words: Sequence[bytes], rows: Matrix, ended: int | None) -> None:
        if words and self._ended is not None:
            raise self._empty(self._ended)
        self._ended = ended if self._ended is None else self._ended
        if words:
            self.collected.extend(words, rows, self._number)
        self._number += len(words)

    def _blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield whole lines, some megabytes at a time, with the number of the first."""
        number, longest = self._number, _longest_line(self._dim)
        while block := self._reader.stream.read(_BLOCK_BYTES):
            block += b"" if block.endswith(b"\n") else self._reader.stream.readline(longest)
            whole = block.rfind(b"\n") + 1
            if whole:
                yield number, block[:whole]
            number += block.count(b"\n")
            if whole < len(block):
                raise _unended(self._reader, number, too_long=len(block) - whole >= longest)

    def _parse(self, _: None, task: tuple[int, bytes]) -> tuple[list[bytes], Matrix, int | None]:
        """Return the words and rows of a block, and the number of its first empty line."""
        number, block = task
        longest = _longest_line(self._dim)
        ended: list[int] = []

        def odd(place: int) -> tuple[bytes, Matrix] | None:
            at = number + block.count(b"\n", 0, place)
            line = block[place : block.index(b"\n", place) + 1]
            if len(line) >= longest:
                raise _unended(self._reader, at, too_long=True)
            if _content(line):
                words, rows, _ = self._rows([_content(line)], at)
                return words[0], rows[0]
            if any(_content(line) for line in io.BytesIO(block[place:])):
                raise self._empty(at)
            ended.append(at)
            return None

        words, rows = parse_block(block, self._dim, longest, odd)
        return words, rows, ended[0] if ended else None

    def _rows(self, lines: list[bytes], number: int) -> tuple[list[bytes], Matrix, int | None]:
        """Return the words and numbers of some lines, and the number of the first empty one, which must end them."""
        ended = None
        if b"" in lines:
            end = lines.index(b"")
            ended = number + end
            if any(lines[end:]):
                raise self._empty(ended)
            lines = lines[:end]
        split = [self._split(line, number + offset) for offset, line in enumerate(lines)]
        words, numbers = [word for word, _ in split], [rest for _, rest in split]
        return words, self._parsed(numbers, number), ended

    def _empty(self, number: int) -> InputError:
        return InputError(f"{self._reader.name}, line {number} is empty: the file is damaged; get it again")

    def _split(self, line: bytes, number: int) -> tuple[bytes, bytes]:
        """Return the word and the text of its numbers."""
        spaces = line.count(b" ")
        if spaces == self._dim:
            word, _, rest = line.partition(b" ")
            return word, rest
        if spaces > self._dim and self._spaced:
            word = line.rsplit(b" ", self._dim)[0]
            # A word that ends with a number is rather a line with too many numbers.
            if not NUMBER.fullmatch(word.rpartition(b" ")[2]):
                return word, line[len(word) + 1 :]
        raise InputError(
            f"{self._reader.name}, line {number}: {spaces:,} numbers where {self._dim:,} are expected: the file is "
            "damaged, or not a file of vectors"
        )

    def _parsed(self, numbers: list[bytes], number: int) -> Matrix:
        """Return the numbers of some lines; what numpy's parser refuses is parsed one by one."""
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


def write_word2vec(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write text with a header."""
    check_words(vectors, "word2vec", " \n\0")
    _write(path, vectors, f"{len(vectors.words)} {vectors.matrix.shape[1]}\n", force, progress)


def write_glove(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write text without a header; words may contain spaces as long as a reader can tell where they end."""
    check_words(vectors, "glove", "\n\0")
    for word in vectors.words:
        if " " in word and NUMBER.fullmatch(word.rpartition(" ")[2].encode()):
            raise InputError(f"glove files cannot hold the word {word!r}, which ends with a number: leave it out")
    if _HEADER_START.match(vectors.words[0].encode()):
        raise InputError(
            f"glove files cannot begin with the word {vectors.words[0]!r}, which looks like a header: move it"
        )
    dim = vectors.matrix.shape[1]
    if dimension([word.count(" ") + dim for word in vectors.words[:_SAMPLE]]) != dim:
        raise InputError("glove files cannot hold these words, since most contain spaces: choose another format")
    # Readers drop one byte order mark, so a first word that begins with one gets another before it.
    mark = "\ufeff" if vectors.words[0].startswith("\ufeff") else ""
    _write(path, vectors, mark, force, progress)


def _write(path: Path, vectors: LabelledRows, header: str, force: bool, progress: Progress) -> None:
    """Write the shortest numbers that read back as the same float32, so that nothing is lost."""
    count, dim = vectors.matrix.shape
    with compressing(path, force=force) as file, progress.stage("writing", count, "words") as stage:
        file.write(header.encode())
        for lines in lines_of_rows(rows_to_write(vectors, stage), count * dim, available_threads()):
            file.write(lines)


def _begins_like_glove(_: Path, start: bytes) -> bool:
    """Whether the first line is no header and ends with a number, and the file is no archive of such text."""
    if start.startswith(ZIP):
        return False
    first = start.partition(b"\n")[0].removesuffix(b"\r").removesuffix(b" ")
    return not HEADER.match(start) and NUMBER.fullmatch(first.rpartition(b" ")[2]) is not None


WORD2VEC = Format(
    help="text with a header, as word2vec, fastText (.vec) and gensim read and write it",
    suffixes=(".txt", ".vec"),
    recognise=lambda _, start: has_binary_body(start) is False,
    read=read_word2vec,
    write=write_word2vec,
    compressible=True,
    by_rows=True,
)
GLOVE = Format(
    help="text without a header",
    suffixes=(".glove",),
    recognise=_begins_like_glove,
    read=read_glove,
    write=write_glove,
    compressible=True,
    by_rows=True,
)
