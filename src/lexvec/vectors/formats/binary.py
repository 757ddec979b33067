"""word2vec's binary format: a first line of counts, then each word, a blank, and its numbers as little-endian float32.

word2vec itself writes a line feed after each vector and gensim does not: both are read, and the latter is written.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from ...errors import InputError
from ...progress import Progress
from ...storage.files import Reader, compressing, opened, size_of
from .table import Collected, Table, check_counts, check_words, written_rows
from .text import HEADER

_LONGEST_WORD = 1 << 16
_LONGEST_HEADER = 100
_READ = 1 << 22
_WORDS = 1024  # collected at once


def read_binary(path: Path, limit: int | None, progress: Progress) -> Table:
    """Read it; all bytes must belong to a vector."""
    with opened(path) as reader:
        first = reader.stream.readline(_LONGEST_HEADER)
        match = HEADER.fullmatch(first)
        if not match:
            raise InputError(f"{path} does not begin with two whole numbers: it is not in word2vec's binary format")
        count, dim = int(match[1]), int(match[2])
        left = None if reader.size is None else reader.size - len(first)
        check_counts(str(path), count, dim, left, 4 * dim + 2)  # a letter, a blank and the numbers
        collected = Collected(str(path), "word", dim, room=None if left is None else count, limit=limit)
        records = _records(reader, count, 4 * dim)
        place, done = 1, 0
        with progress.stage("reading", size_of(path), "B") as stage:
            while not collected.full and (some := list(islice(records, _WORDS))):
                rows = np.frombuffer(b"".join(vector for _, vector in some), "<f4").reshape(-1, dim)
                collected.extend([word for word, _ in some], rows, place)
                place += len(some)
                stage.advance(reader.position - done)
                done = reader.position
        return collected.finish(progress)


def _records(reader: Reader, count: int, size: int) -> Iterator[tuple[bytes, bytes]]:
    """Words and the bytes of their vectors."""
    data, start = b"", 0
    for place in range(1, count + 1):
        while (end := data.find(b" ", start, start + _LONGEST_WORD)) < 0 or len(data) < end + 1 + size:
            more = reader.stream.read(_READ)
            if (end < 0 and len(data) - start >= _LONGEST_WORD) or not more:
                what = "is not followed by a blank" if end < 0 and more else "is cut off"
                raise InputError(
                    f"{reader.name}, word {place} of {count:,} {what}: the file is truncated or damaged; get it again"
                )
            data, start = data[start:] + more, 0
        word = data[start:end].removeprefix(b"\n" if place > 1 else b"")
        if b"\n" in word:
            raise InputError(f"{reader.name}, word {place} contains a line feed: the file is damaged; get it again")
        yield word, data[end + 1 : end + 1 + size]
        start = end + 1 + size
    rest = data[start:] + reader.stream.read(2)
    if rest not in (b"", b"\n"):
        raise InputError(f"{reader.name} goes on after {count:,} vectors: its first line is damaged; get it again")


def write_binary(path: Path, table: Table, force: bool, progress: Progress) -> None:
    """Write it as gensim does."""
    check_words(table, "word2vec-binary", " \n")
    with compressing(path, force=force) as file, progress.stage("writing", len(table.words), "words") as stage:
        file.write(f"{len(table.words)} {table.matrix.shape[1]}\n".encode())
        for words, rows in written_rows(table, stage):
            for word, row in zip(words, rows.astype("<f4", copy=False), strict=True):
                file.write(word.encode() + b" " + row.tobytes())
