"""fastText's binary models (.bin): the header, the entries, plain and compressed matrices."""

import struct
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...progress import Progress
from ...storage.outputs import replacing
from ...subwords import ArrayRows, FastTextScheme, FloretScheme, NgramComposer, NgramScheme
from .binary_files import LOSSLESS, Cursor, distinct
from .format import LONGEST_WORD, Format, LabelledRows, check_words
from .subword_rows import composed_words, composer_for, ngram_rows, own_rows

MAGIC = (793712314).to_bytes(4, "little")
VERSION = 12
VERSIONS = (11, VERSION)
SKIPGRAM, SUPERVISED = 2, 3
FLORET_MODE = 2

_FORMS = {"fasttext": "12id", "floret": "14id"}
_COUNTS = "iiiqq"
_START = 100  # bytes, more than the numbers before the words take
_TAIL = struct.Struct("<qb")  # of an entry, after its zero byte: count and type
_ENTRY = 2 + _TAIL.size  # bytes of an entry at least: one letter, a zero byte and its tail
_LABEL = 1
_LONGEST_NGRAM = 1 << 10
_MOST_HASHES = 4


class Header(NamedTuple):
    """Parameters that decide what the matrices mean, and how many words there are."""

    program: str
    version: int
    dim: int
    model: int
    buckets: int
    min_n: int
    max_n: int
    #: In floret's files: whether words share the rows of their n-grams.
    shares_rows: bool
    hash_count: int
    words: int
    labels: int
    #: How many n-grams are left in a model that was pruned; −1 if it was not.
    pruned: int


class Entries(NamedTuple):
    """The words with their counts, and where n-grams went when the model was pruned."""

    words: list[bytes]
    counts: npt.NDArray[np.int64]
    #: Pairs of a bucket and its row.
    kept: npt.NDArray[np.int32]


def program_of(start: bytes) -> str | None:
    """Return the program whose layout the first bytes of a file have; None if they are not such a file."""
    if not start.startswith(MAGIC):
        return None
    return next((program for program in _FORMS if _makes_sense(program, start)), "fasttext")


def _makes_sense(program: str, start: bytes) -> bool:
    """Whether the words and labels add up, read in one of the two ways."""
    place = 8 + np.dtype("<i4").itemsize * int(_FORMS[program][:2]) + 8
    size, words, labels = np.frombuffer(start[place : place + 12].ljust(12, b"\0"), "<i4").tolist()
    return bool(size == words + labels and words > 0 and labels >= 0)


def read_header(cursor: Cursor) -> Header:
    """Read the parameters, and refuse what no model has."""
    program = program_of(cursor.content[:_START]) or "fasttext"
    magic, version = cursor.numbers("4si")
    if magic != MAGIC:
        raise InputError(f"{cursor.name} does not begin as fastText's .bin files do: omit the format")
    if version not in VERSIONS:
        raise InputError(
            f"{cursor.name} has version {version} of fastText's format, and lexvec reads 11 and 12: save it with a "
            "current fastText"
        )
    fields = cursor.numbers(_FORMS[program])
    size, words, labels, _, pruned = cursor.numbers(_COUNTS)
    mode, hashes = fields[11:13] if program == "floret" else (0, 1)
    header = Header(
        program=program, version=version, dim=fields[0], model=fields[7], buckets=fields[8], min_n=fields[9],
        max_n=fields[10], shares_rows=mode == FLORET_MODE, hash_count=hashes, words=words, labels=labels, pruned=pruned,
    )  # fmt: skip
    if version == VERSIONS[0] and header.model == SUPERVISED:
        header = header._replace(max_n=0)  # as fastText reads them: such old models have no n-grams of characters
    _check(cursor, header, size, mode)
    return header


def _check(cursor: Cursor, header: Header, size: int, mode: int) -> None:
    cursor.check_dimensions(header.dim)
    if size != header.words + header.labels or header.words < 0 or header.labels < 0:
        raise cursor.damaged(f"{header.words:,} words and {header.labels:,} labels among {size:,} entries")
    if not header.words:
        raise InputError(f"{cursor.name} has no words: give a file with vectors")
    cursor.check_room(size, _ENTRY, "words and labels")
    if header.model not in (1, SKIPGRAM, SUPERVISED):
        raise cursor.damaged(f"its kind of model is {header.model}")
    if header.buckets < 0 or not 0 <= header.max_n <= _LONGEST_NGRAM or header.min_n < 0:
        raise cursor.damaged(f"n-grams of {header.min_n:,} to {header.max_n:,} characters, {header.buckets:,} buckets")
    if not -1 <= header.pruned <= header.buckets:
        raise cursor.damaged(f"{header.pruned:,} n-grams left of {header.buckets:,}")
    if header.program == "floret" and (mode not in (1, FLORET_MODE) or not 1 <= header.hash_count <= _MOST_HASHES):
        raise cursor.damaged(f"floret's mode {mode} with {header.hash_count} hashes")


def read_entries(cursor: Cursor, header: Header) -> Entries:
    """Read the words, which come before the labels, and pass over the labels."""
    content, place = cursor.content, cursor.place
    words: list[bytes] = []
    counts: list[int] = []
    for number in range(header.words + header.labels):
        end = content.find(b"\0", place, place + LONGEST_WORD)
        if end < 0 or end + 1 + _TAIL.size > len(content):
            raise cursor.damaged(f"entry {number + 1:,} has no end")
        count, kind = _TAIL.unpack_from(content, end + 1)
        if kind != (_LABEL if number >= header.words else 0):
            raise cursor.damaged(f"entry {number + 1:,} has the type {kind}")
        if number < header.words:
            words.append(content[place:end])
            counts.append(count)
        place = end + 1 + _TAIL.size
    cursor.place = place
    kept = cursor.array("<i4", max(0, header.pruned), 2)
    return Entries(words, np.array(counts, np.int64), kept)


def header_bytes(dim: int, ngrams: tuple[int, int, int], words: int, tokens: int) -> bytes:
    """Return how the file of a skip-gram model begins, with fastText's defaults where lexvec has no such parameter.

    ``ngrams`` is the number of buckets, and the shortest and the longest n-grams.
    """
    window, epochs, min_count, negative, word_ngrams, loss, rate_every, subsample = 5, 5, 1, 5, 1, 2, 100, 1e-4
    fields = (dim, window, epochs, min_count, negative, word_ngrams, loss, SKIPGRAM, *ngrams, rate_every, subsample)
    counts = (words, words, 0, tokens, -1)
    return struct.pack(f"<4si{_FORMS['fasttext']}{_COUNTS}", MAGIC, VERSION, *fields, *counts)


def entry_bytes(word: bytes, count: int) -> bytes:
    """Return a word and its count."""
    return word + b"\0" + _TAIL.pack(count, 0)


_CENTROIDS = 256

Bytes = npt.NDArray[np.uint8]
Matrix = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]


class _Quantiser:
    """The centroids of a product quantiser."""

    def __init__(self, cursor: Cursor, dim: int) -> None:
        width, self.pieces, self.size, self.last = cursor.numbers("iiii")
        fits = width == dim and min(self.pieces, self.size, self.last) > 0 and self.last <= self.size
        if not fits or (self.pieces - 1) * self.size + self.last != dim:
            raise cursor.damaged(f"a quantiser with {self.pieces:,} pieces of {self.size:,} of {width:,} dimensions")
        self.dim = dim
        self._centroids: Matrix = cursor.array("<f4", dim * _CENTROIDS)

    def make(self, codes: Bytes, out: Matrix) -> None:
        """Make a row from each row of codes."""
        for piece in range(self.pieces):
            size = self.last if piece == self.pieces - 1 else self.size
            start = piece * self.size
            centroids = self._centroids[start * _CENTROIDS :][: size * _CENTROIDS].reshape(_CENTROIDS, size)
            out[:, start : start + size] = centroids[codes[:, piece]]


class QuantisedRows:
    """Rows that are made from codes when they are asked for."""

    def __init__(self, codes: Bytes, quantiser: _Quantiser, norm_codes: Bytes | None, norms: _Quantiser | None) -> None:
        self._codes, self._quantiser, self._norm_codes, self._norms = codes, quantiser, norm_codes, norms
        self.shape = (len(codes), quantiser.dim)
        self.dtype = np.dtype(np.float32)

    @classmethod
    def read(cls, cursor: Cursor, dim: int) -> Self:
        """Read a matrix."""
        with_norms = cursor.flag("its flag of quantised norms")
        rows, width, size = cursor.numbers("qqi")
        if rows < 0 or width != dim or size < 0:
            raise cursor.damaged(f"a matrix of {rows:,} × {width:,}, where rows have {dim:,} dimensions")
        codes: Bytes = cursor.array("u1", size)
        quantiser = _Quantiser(cursor, dim)
        if rows * quantiser.pieces != size:
            raise cursor.damaged(f"{size:,} codes for {rows:,} rows")
        norm_codes: Bytes | None = cursor.array("u1", rows) if with_norms else None
        norms = _Quantiser(cursor, 1) if with_norms else None
        return cls(codes.reshape(rows, quantiser.pieces), quantiser, norm_codes, norms)

    def part(self, rows: slice | Integers) -> Self:
        """Return some of the rows."""
        norm_codes = None if self._norm_codes is None else self._norm_codes[rows]
        return type(self)(self._codes[rows], self._quantiser, norm_codes, self._norms)

    def take(self, rows: Integers, out: Matrix) -> None:
        """Make some rows."""
        rows = np.clip(rows, 0, max(0, len(self._codes) - 1))
        self._quantiser.make(self._codes[rows], out)
        if self._norms is not None and self._norm_codes is not None:
            lengths = np.empty((len(rows), 1), np.float32)
            self._norms.make(self._norm_codes[rows][:, None], lengths)
            out *= lengths


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
