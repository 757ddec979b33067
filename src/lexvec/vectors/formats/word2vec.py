"""word2vec's files, with text or bytes after a first line of two counts."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...progress import Progress
from ...storage.files import Reader, opened, size_of
from ...storage.outputs import compressing
from .format import LONGEST_WORD, Format, LabelledRows, RowCollector, check_counts, check_words, rows_to_write

HEADER = re.compile(rb"(?:\xef\xbb\xbf)?([+-]?\d{1,30}) ([+-]?\d{1,30}) ?\r?\n")
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(nan|inf(inity)?)", re.IGNORECASE)
_IN_NUMBERS = b"0123456789+-.eE \r\n"


def has_binary_body(start: bytes) -> bool | None:
    """Return whether the vectors after the header are bytes rather than text; None if there is no header."""
    header = HEADER.match(start)
    if not header:
        return None
    body, dim = start[header.end() :], int(header[2])
    line, end, _ = body.partition(b"\n")
    fields = line.removesuffix(b"\r").removesuffix(b" ").split(b" ")
    if end and len(fields) == dim + 1 and all(map(NUMBER.fullmatch, fields[1:])):
        return False
    # A damaged line of numbers still consists of digits for the most part; bytes of floats do not.
    vector = body.partition(b" ")[2][: max(0, 4 * dim)]
    return 2 * sum(map(_IN_NUMBERS.__contains__, vector)) < len(vector)


_LONGEST_HEADER = 100
_READ = 1 << 22
_BATCH_BYTES = 1 << 24  # of vectors that are collected at once


def read_binary(path: Path, limit: int | None, progress: Progress) -> LabelledRows:
    """Read a file; every byte must belong to a vector."""
    with opened(path) as reader:
        first = reader.stream.readline(_LONGEST_HEADER)
        match = HEADER.fullmatch(first)
        if not match:
            raise InputError(f"{path} does not begin with two whole numbers: it is not in word2vec's binary format")
        count, dim = int(match[1]), int(match[2])
        left = None if reader.size is None else reader.size - len(first)
        check_counts(str(path), count, dim, left, 4 * dim + 2)  # a letter, a space and the numbers
        collected = RowCollector(str(path), "word", dim, room=None if left is None else count, limit=limit)
        records = _records(reader, count, 4 * dim)
        place, done, batch = 1, 0, max(1, min(1024, _BATCH_BYTES // (4 * dim)))
        with progress.stage("reading", size_of(path), "B") as stage:
            while not collected.full and (some := list(islice(records, batch))):
                rows = np.frombuffer(b"".join(vector for _, vector in some), "<f4").reshape(-1, dim)
                collected.extend([word for word, _ in some], rows, place)
                place += len(some)
                stage.advance(reader.position - done)
                done = reader.position
        return collected.finish(progress)


def _records(reader: Reader, count: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield words and the bytes of their vectors."""
    data, start = b"", 0
    line_feeds = False  # whether one follows each vector, as the second word tells
    for place in range(1, count + 1):
        while (end := data.find(b" ", start, start + LONGEST_WORD)) < 0 or len(data) < end + 1 + size:
            more = reader.stream.read(_READ)
            if (end < 0 and len(data) - start >= LONGEST_WORD) or not more:
                what = "is not followed by a space" if end < 0 and more else "is cut off"
                raise _damage(reader, f"word {place} of {count:,} {what}")
            data, start = data[start:] + more, 0
        word = data[start:end]
        if place == 2:
            line_feeds = word.startswith(b"\n")
        if place > 1 and line_feeds:
            if not word.startswith(b"\n"):
                raise _damage(reader, f"word {place} does not follow a line feed, as those before it do")
            word = word[1:]
        if b"\n" in word:
            raise _damage(reader, f"word {place} contains a line feed")
        yield word, data[end + 1 : end + 1 + size]
        start = end + 1 + size
    rest = data[start:] + reader.stream.read(2)
    if rest not in (b"", b"\n"):
        raise InputError(f"{reader.name} goes on after {count:,} vectors: its first line is damaged; get it again")


def _damage(reader: Reader, what: str) -> InputError:
    return InputError(f"{reader.name}, {what}: the file is truncated or damaged; get it again")


def write_binary(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write a file as gensim does."""
    check_words(vectors, "word2vec-binary", " \n\0")
    with compressing(path, force=force) as file, progress.stage("writing", len(vectors.words), "words") as stage:
        file.write(f"{len(vectors.words)} {vectors.matrix.shape[1]}\n".encode())
        for words, rows in rows_to_write(vectors, stage):
            for word, row in zip(words, rows.astype("<f4", copy=False), strict=True):
                file.write(word.encode() + b" " + row.tobytes())


WORD2VEC_BINARY = Format(
    help="binary, as word2vec and gensim read and write it",
    suffixes=(".bin",),
    recognise=lambda _, start: has_binary_body(start) is True,
    read=read_binary,
    write=write_binary,
    compressible=True,
    by_rows=True,
)
