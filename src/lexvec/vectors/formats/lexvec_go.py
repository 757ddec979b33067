"""The ``.bin`` of the authors' program: words, then float64 rows of words and of hashed n-grams.

It begins with seven numbers: magic, version, words, rows, dimensions, and the shortest and longest n-grams. A word's
vector is the mean of its own row and the rows of its n-grams.
"""

import struct
from pathlib import Path

from ...errors import InputError
from ...progress import Progress
from ...storage.outputs import replacing
from ...subwords import ArrayRows, LexVecScheme, NgramComposer
from .binary_files import LOSSLESS, Cursor, distinct
from .format import LONGEST_WORD, Format, LabelledRows, check_words
from .subword_rows import composed_words, composer_for, ngram_rows, own_rows

MAGIC = (0xBEA25956).to_bytes(4, "little")
_VERSION = 1
_HEADER = "4s6I"


def read_lexvec_go(path: Path, limit: int | None, progress: Progress) -> LabelledRows:
    """Read a file; every byte must belong to it."""
    cursor = Cursor(path)
    magic, version, count, rows, dim, min_n, max_n = cursor.numbers(_HEADER)
    if magic != MAGIC:
        raise InputError(f"{path} does not begin as .bin files of the authors' program do: omit the format")
    if version != _VERSION:
        raise InputError(f"{path} has version {version} of its format, and lexvec reads {_VERSION}: write it again")
    cursor.check_dimensions(dim)
    if not 0 < count <= rows or max_n < min_n:
        raise cursor.damaged(f"{count:,} words, {rows:,} rows, n-grams of {min_n:,} to {max_n:,} bytes")
    cursor.check_room(rows, 8 * dim, f"vectors of {dim:,} dimensions")
    raw = _words(cursor, count)
    matrix = cursor.array("<f8", rows, dim)
    cursor.check_end()
    if rows > count and not min_n:
        raise InputError(
            f"{path} has subwords from a list that is not in the file: use the text that was written beside it"
        )
    words, places = distinct(str(path), raw, limit, progress)
    composer = None
    if rows > count:
        composer = NgramComposer(LexVecScheme(min_n, max_n, rows - count), ArrayRows(matrix[count:]))
    return composed_words(str(path), words, ArrayRows(matrix[:count]), places, composer, progress)


def _words(cursor: Cursor, count: int) -> list[bytes]:
    content, place = cursor.content, cursor.place
    words: list[bytes] = []
    for number in range(count):
        start = place + 4
        place = start + int.from_bytes(content[start - 4 : start], "little")
        if place > len(content) or place - start >= LONGEST_WORD:
            raise cursor.damaged(f"word {number + 1:,} is {place - start:,} bytes long")
        words.append(content[start:place])
    cursor.place = place
    return words


def write_lexvec_go(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write a file; n-grams are kept if they are those of the authors' program."""
    check_words(vectors, "lexvec-go", "\0", errors=LOSSLESS)
    composer = composer_for(vectors, LexVecScheme, "lexvec-go", progress)
    count, dim = vectors.matrix.shape
    scheme = LexVecScheme(0, 0, 0) if composer is None else composer.scheme
    with replacing(path, force=force) as file, progress.stage("writing", count, "words") as stage:
        fields = (count, count + scheme.buckets, dim, scheme.min_n, scheme.max_n)
        file.write(struct.pack(f"<{_HEADER}", MAGIC, _VERSION, *fields))
        for word in vectors.words:
            raw = word.encode(errors=LOSSLESS)
            file.write(len(raw).to_bytes(4, "little") + raw)
        for rows in own_rows(vectors, composer, "<f8", stage):
            file.write(rows.tobytes())
        for rows in ngram_rows(composer, "<f8"):
            file.write(rows.tobytes())


LEXVEC_GO = Format(
    help="binary, as the LexVec authors' program writes it, with n-grams",
    suffixes=(),
    recognise=lambda _, start: start.startswith(MAGIC),
    read=read_lexvec_go,
    write=write_lexvec_go,
    keeps_ngrams=True,
)
