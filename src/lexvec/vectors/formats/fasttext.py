"""fastText's ``.bin``, and floret's, which differs in two numbers: parameters, words, and the rows of both matrices.

A word's vector is the mean of its own row and the rows of its n-grams. In floret's own mode words have no row, and the
first word has one all the same, as floret has it.
"""

import struct
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...progress import Progress
from ...storage.files import replacing
from ...subwords import ArrayRows, FastTextScheme, FloretScheme, NgramComposer, NgramScheme
from .cursor import Cursor
from .fasttext_header import Entries, Header, entry_bytes, header_bytes, program_of, read_entries, read_header
from .format import Format
from .labelled_rows import LabelledRows, check_words
from .quantised import QuantisedRows
from .raw_words import LOSSLESS, distinct
from .subword_rows import composed_words, composer_for, ngram_rows, own_rows

_Rows = ArrayRows | QuantisedRows


def read_fasttext(path: Path, limit: int | None, progress: Progress) -> LabelledRows:
    """Read a model of fastText or floret; every byte must belong to it."""
    cursor = Cursor(path)
    header = read_header(cursor)
    entries = read_entries(cursor, header)
    matrix, quantised = _read_input(cursor, header)
    _skip_output(cursor, header, quantised)
    cursor.check_end()
    words, places = distinct(str(path), entries.words, limit, progress)
    composer = _composer(cursor, header, entries, matrix)
    rows = composed_words(str(path), words, _part(matrix, slice(None, header.words)), places, composer, progress)
    return rows._replace(counts=entries.counts[places])


def _read_input(cursor: Cursor, header: Header) -> tuple[_Rows, bool]:
    """Return the rows of words and n-grams, and whether they are quantised."""
    quantised = cursor.flag("its flag of quantised rows")
    if header.pruned >= 0 and not quantised:
        raise InputError(f"{cursor.name} is pruned but not quantised, which fastText refuses too: get a newer file")
    matrix = QuantisedRows.read(cursor, header.dim) if quantised else _dense(cursor, header.dim)
    expected = header.words + (header.buckets if header.pruned < 0 else header.pruned)
    if matrix.shape[0] != expected:
        raise cursor.damaged(f"{matrix.shape[0]:,} rows for {expected:,} words and n-grams")
    return matrix, quantised


def _dense(cursor: Cursor, dim: int) -> ArrayRows:
    rows, width = cursor.numbers("qq")
    if width != dim:
        raise cursor.damaged(f"rows of {width:,} and vectors of {dim:,} dimensions")
    return ArrayRows(cursor.array("<f4", rows, width))


def _skip_output(cursor: Cursor, header: Header, quantised: bool) -> None:
    """Pass over the output matrix, which vectors do not depend on."""
    if cursor.flag("its flag of quantised output") and quantised:
        QuantisedRows.read(cursor, header.dim)
    else:
        _dense(cursor, header.dim)


def _part(matrix: _Rows, rows: slice | npt.NDArray[np.int64]) -> _Rows:
    return matrix.part(rows) if isinstance(matrix, QuantisedRows) else ArrayRows(matrix.array[rows])


def _composer(cursor: Cursor, header: Header, entries: Entries, matrix: _Rows) -> NgramComposer | None:
    """Return what composes vectors from n-grams; None if the model has none."""
    ngrams = (header.min_n, header.max_n) if header.min_n <= header.max_n else (0, 0)
    if not header.buckets or not header.pruned or (not ngrams[1] and not header.shares_rows):
        return None
    if header.shares_rows:
        scheme: NgramScheme = FloretScheme(*ngrams, header.buckets, header.hash_count)
    else:
        scheme = FastTextScheme(*ngrams, header.buckets)
    table = _part(matrix, slice(header.words, None))
    if header.pruned < 0:
        return NgramComposer(scheme, table)
    kept = entries.kept[np.argsort(entries.kept[:, 0])].astype(np.int64)
    buckets, rows = kept.T
    if (
        len(set(buckets.tolist())) < len(buckets)
        or kept.min() < 0
        or (kept.max(axis=0) >= (header.buckets, len(kept))).any()
    ):
        raise cursor.damaged("its list of n-grams that are left is not one")
    return NgramComposer(scheme, _part(table, rows), buckets, skips_missing=True)


def write_fasttext(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write a skip-gram model. N-grams are kept if they are fastText's; the output matrix, unknown here, is zeros."""
    check_words(vectors, "fasttext", "\0", errors=LOSSLESS)
    composer = composer_for(vectors, FastTextScheme, "fasttext", progress)
    count, dim = vectors.matrix.shape
    ngrams = (0, 0, 0) if composer is None else (composer.scheme.buckets, composer.scheme.min_n, composer.scheme.max_n)
    counts = [1] * count if vectors.counts is None else vectors.counts.tolist()
    with replacing(path, force=force) as file, progress.stage("writing", count, "words") as stage:
        file.write(header_bytes(dim, ngrams, count, sum(counts)))
        for word, often in zip(vectors.words, counts, strict=True):
            file.write(entry_bytes(word.encode(errors=LOSSLESS), often))
        file.write(_matrix_header(count + ngrams[0], dim))
        for rows in own_rows(vectors, composer, "<f4", stage):
            file.write(rows.tobytes())
        for rows in ngram_rows(composer, "<f4"):
            file.write(rows.tobytes())
        file.write(_matrix_header(count, dim))
        zeros = bytes(4 * dim)
        for _ in range(count):
            file.write(zeros)


def _matrix_header(rows: int, dim: int) -> bytes:
    """Return what stands before the numbers of a matrix that is not quantised."""
    return struct.pack("<?qq", False, rows, dim)


FASTTEXT = Format(
    help="binary model of fastText, with n-grams; quantised ones are read",
    suffixes=(),
    recognise=lambda _, start: program_of(start) == "fasttext",
    read=read_fasttext,
    write=write_fasttext,
    keeps_ngrams=True,
)
