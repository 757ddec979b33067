"""What stands before the matrices in fastText's ``.bin``: parameters, and the words with their counts.

floret writes the same with two more numbers, the mode and the number of hashes. Nothing in a file says which of the two
programs wrote it, but only one of the two readings makes sense.
"""

import struct
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from .cursor import Cursor
from .labelled_rows import LONGEST_WORD

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
