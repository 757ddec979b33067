"""floret's table of hashed words and n-grams: as text, and as a ``.bin``, which has words beside.

The text begins with the line ``buckets dim min_n max_n hashes seed < >``. After it comes a line for each bucket, with
its number first. It has no words: every vector is composed.
"""

import re
from pathlib import Path

import numpy as np

from ...errors import InputError, ParameterError
from ...progress import Progress
from ...storage.files import Reader, opened, size_of
from ...storage.outputs import compressing
from ...subwords import ArrayRows, FloretScheme, NgramComposer
from ..geometry import check_numbers
from .fasttext import program_of, read_fasttext
from .format import LARGEST, Format, LabelledRows, Matrix, RowCollector, check_counts
from .word2vec import NUMBER

_HEADER = re.compile(rb"(\d{1,12}) (\d{1,12}) (\d{1,9}) (\d{1,9}) (\d{1,9}) (\d{1,20}) (\S{1,40}) (\S{1,40}) ?\r?\n")
_FIXED = (b"2166136261", b"<", b">")  # the seed of the hash, and the marks of where a word begins and ends
_LINES = 512  # read at once
_LONGEST_NUMBER = 64  # characters


def read_floret(path: Path, limit: int | None, progress: Progress) -> LabelledRows:
    """Read a table as text, or a model."""
    with opened(path) as reader:
        first = reader.stream.readline(200)
        if program_of(first.ljust(200, b"\0")) is not None:
            return read_fasttext(path, limit, progress)
        match = _HEADER.fullmatch(first)
        if not match:
            raise InputError(f"{path} does not begin with floret's line of parameters: omit the format")
        if match.groups()[5:] != _FIXED:
            raise InputError(f"{path} has another seed or other marks than floret's, {_FIXED}: lexvec cannot use it")
        buckets, dim, min_n, max_n, hashes = map(int, match.groups()[:5])
        left = None if reader.size is None else reader.size - len(first)
        check_counts(str(path), buckets, dim, left, 2 * dim + 2)  # a digit, spaces, digits and a line feed
        try:
            scheme = FloretScheme(min_n, max_n, buckets, hashes)
        except ParameterError as error:
            raise InputError(f"{path}, line 1: {error}; get the file again") from None
        table = _read_table(reader, scheme, dim, None if left is None else buckets, progress)
    return LabelledRows([], np.empty((0, dim), np.float32), composer=NgramComposer(scheme, ArrayRows(table)))


def _read_table(reader: Reader, scheme: FloretScheme, dim: int, room: int | None, progress: Progress) -> Matrix:
    """Return the rows, whose numbers must be 0, 1, 2 …"""
    collected = RowCollector(reader.name, "line", dim, room=room, limit=None)
    longest = _LONGEST_NUMBER * (dim + 1)
    number, done = 0, 0
    with progress.stage("reading", size_of(reader.path), "B") as stage:
        while lines := [line for line in (reader.stream.readline(longest) for _ in range(_LINES)) if line]:
            rows = np.empty((len(lines), dim), np.float32)
            for offset, line in enumerate(lines):
                label, _, numbers = line.removesuffix(b"\n").removesuffix(b"\r").removesuffix(b" ").partition(b" ")
                fields = numbers.split(b" ")
                right = line.endswith(b"\n") and label == str(number + offset).encode() and len(fields) == dim
                if not right or not all(map(NUMBER.fullmatch, fields)):
                    raise InputError(
                        f"{reader.name}, line {number + offset + 2}: there are no {dim:,} numbers of row "
                        f"{number + offset:,}: the file is truncated or damaged; get it again"
                    )
                rows[offset] = np.array(fields, "S").astype(np.float32)
            collected.extend([str(number + offset).encode() for offset in range(len(lines))], rows, number + 2)
            number += len(lines)
            stage.advance(reader.position - done)
            done = reader.position
    if number != scheme.buckets:
        raise InputError(f"{reader.name} promises {scheme.buckets:,} rows and has {number:,}: get it again")
    return collected.finish(progress).matrix


def write_floret(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write the table as text, each number as the shortest that reads back as the same float32."""
    composer = vectors.composer
    if not isinstance(composer, NgramComposer) or not isinstance(composer.scheme, FloretScheme):
        raise InputError(
            "floret files hold only a table of hashed words and n-grams, which these vectors do not have: choose "
            "another format"
        )
    scheme = composer.scheme
    fields = (scheme.buckets, composer.dim, scheme.min_n, scheme.max_n, scheme.hash_count)
    with compressing(path, force=force) as file, progress.stage("writing", scheme.buckets, "rows") as stage:
        file.write(b" ".join([*(str(field).encode() for field in fields), *_FIXED]) + b"\n")
        number = 0
        for rows in composer.full_rows():
            check_numbers(rows, lambda row: f"row {number + row}", LARGEST)  # noqa: B023 (called at once)
            for row in rows.astype(np.float32, copy=False):
                file.write(f"{number} {' '.join(map(str, row))}\n".encode())
                number += 1
            stage.advance(len(rows))


FLORET = Format(
    help="floret's table of n-grams as text; its .bin is read too",
    suffixes=(".floret",),
    recognise=lambda _, start: _HEADER.match(start) is not None or program_of(start) == "floret",
    read=read_floret,
    write=write_floret,
    keeps_ngrams=True,
    compressible=True,
)
