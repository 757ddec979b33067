"""Schemes: which n-grams or listed parts a word has, and which row of a table of buckets each is hashed to.

The programs of the field differ in both, and a file of theirs means nothing without its scheme. Parts that a file lists
(``word part part …``, such as morphemes) are hashed as another scheme hashes n-grams.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from ..errors import ArtefactError, Given, InputError, ParameterError
from ..registry import Registry
from ..storage.artefact import Artefact
from ..storage.bounded import numbered_lines
from ..storage.files import opened
from .hashing import (
    Bytes,
    Hashes,
    Integers,
    Spans,
    encoded,
    fnv1,
    fnv1a_signed,
    joined,
    marked_words,
    murmur3,
    ngram_spans,
    select,
)

FILE = "subwords.txt"
LONGEST_NGRAM = 100  # units; a number in a damaged file must not decide how many n-grams are made
MOST_BUCKETS = 2**31 - 1
_BATCH = 1 << 16  # bytes of words whose n-grams are cut at once: enough to be fast, and small in memory
_END_OF_LINE = "</s>"  # a word of fastText's that has no n-grams
_CONTINUATION, _TOP_BITS = 0x80, 0xC0  # of the bytes of a character in UTF-8 after its first


class Scheme(ABC):
    """Which rows of a table of buckets the parts of a word are hashed to."""

    name: ClassVar[str]
    #: Whether a word has a row of its own beside those of its parts.
    has_word_rows: ClassVar[bool] = True

    @property
    @abstractmethod
    def buckets(self) -> int:
        """The number of rows of the table."""

    @abstractmethod
    def table(self, words: Sequence[str]) -> tuple[Integers, Integers]:
        """Return the rows of many words: those of word i are ``rows[indptr[i]:indptr[i + 1]]``."""

    def rows(self, word: str) -> Integers:
        """Return the rows of a word's parts in the table of buckets, in order, with repeats."""
        return self.table([word])[1]

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """Return what an artefact's facts say of the scheme."""


@dataclass(frozen=True)
class NgramScheme(Scheme):
    """N-grams of ``min_n`` to ``max_n`` units of ``<word>``, hashed to ``buckets`` rows.

    >>> scheme = FastTextScheme(3, 6, buckets=2_000_000)
    >>> scheme.rows("the").tolist()
    [1151151, 409726, 1648960, 861980, 60934, 816280]
    >>> indptr, rows = scheme.table(["a", "the"])
    >>> indptr.tolist(), len(rows)
    ([0, 1, 7], 7)
    """

    min_n: int = 3
    max_n: int = 6
    buckets: int = 2_000_000

    def __post_init__(self) -> None:
        for name, maximum in (("min_n", LONGEST_NGRAM), ("max_n", LONGEST_NGRAM), ("buckets", MOST_BUCKETS)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= maximum:
                raise ParameterError(Given(name, value), f": it must be a whole number from 0 to {maximum}")

    def table(self, words: Sequence[str]) -> tuple[Integers, Integers]:
        """Return the rows of many words: those of word i are ``rows[indptr[i]:indptr[i + 1]]``."""
        indptr = np.zeros(len(words) + 1, np.int64)
        if not self.buckets:
            return indptr, np.empty(0, np.int64)
        pieces = [np.empty(0, np.int64)]
        for first, batch in _batches(words):
            data, bounds = marked_words(batch)
            spans = self._spans(batch, data, bounds)
            hashes = self._hashes(data, spans)
            pieces.append((hashes % np.uint32(self.buckets)).astype(np.int64).reshape(-1))
            lengths = np.bincount(spans.words, minlength=len(batch)) * (hashes.size // max(1, len(hashes)))
            indptr[first + 1 : first + 1 + len(batch)] = lengths
        return np.cumsum(indptr, out=indptr), np.concatenate(pieces)

    def part_rows(self, parts: Sequence[str]) -> Integers:
        """Return the rows that parts of words, such as morphemes, are hashed to as they are; one row each."""
        data, bounds = joined([encoded(part) for part in parts])
        spans = Spans(bounds[:-1], bounds[1:], np.arange(len(parts)))
        hashes = self._hashes(data, spans)
        first = hashes if hashes.ndim == 1 else hashes[:, 0]
        return (first % np.uint32(self.buckets)).astype(np.int64)

    def record(self) -> dict[str, Any]:
        """Return what an artefact's facts say of the scheme."""
        return {"name": self.name, **asdict(self)}

    @abstractmethod
    def _spans(self, words: Sequence[str], data: Bytes, bounds: Integers) -> Spans:
        """Return the n-grams of words, which are ``data[bounds[i]:bounds[i + 1]]`` with their marks."""

    @abstractmethod
    def _hashes(self, data: Bytes, spans: Spans) -> Hashes:
        """Return a hash per span, or several."""

    def _character_spans(self, words: Sequence[str], data: Bytes, bounds: Integers) -> Spans:
        """Return n-grams of characters, without marks alone, and none of the word that ends a line."""
        edges = np.append(np.flatnonzero((data[: bounds[-1]] & _TOP_BITS) != _CONTINUATION), bounds[-1])
        spans = ngram_spans(edges, bounds, self.min_n, self.max_n)
        alone = (spans.starts == bounds[spans.words]) | (spans.stops == bounds[1:][spans.words])
        alone &= spans.stops == edges[np.searchsorted(edges, spans.starts) + 1]
        ends_line = np.array([word == _END_OF_LINE for word in words], bool)
        return select(spans, ~(alone | ends_line[spans.words]))


@dataclass(frozen=True)
class FastTextScheme(NgramScheme):
    """fastText's: n-grams of characters, and the whole of ``<word>`` if it is short enough; FNV-1a of signed bytes."""

    name = "fasttext"

    def _spans(self, words: Sequence[str], data: Bytes, bounds: Integers) -> Spans:
        return self._character_spans(words, data, bounds)

    def _hashes(self, data: Bytes, spans: Spans) -> Hashes:
        return fnv1a_signed(data, spans.starts, spans.stops)


@dataclass(frozen=True)
class LexVecScheme(NgramScheme):
    """That of the authors of LexVec: n-grams of bytes, never the whole of ``<word>``; FNV-1."""

    name = "lexvec"

    def _spans(self, words: Sequence[str], data: Bytes, bounds: Integers) -> Spans:
        del words, data  # a byte is a byte
        spans = ngram_spans(np.arange(bounds[-1] + 1), bounds, self.min_n, self.max_n)
        whole = (spans.starts == bounds[spans.words]) & (spans.stops == bounds[1:][spans.words])
        return select(spans, ~whole)

    def _hashes(self, data: Bytes, spans: Spans) -> Hashes:
        return fnv1(data, spans.starts, spans.stops)


@dataclass(frozen=True)
class FloretScheme(NgramScheme):
    """floret's: fastText's n-grams and ``<word>`` itself in one table, ``hash_count`` rows for each; MurmurHash3."""

    name = "floret"
    has_word_rows = False

    buckets: int = 50_000
    hash_count: int = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.hash_count, int) or not 1 <= self.hash_count <= 4:
            raise ParameterError(Given("hash_count", self.hash_count), ": it must be 1, 2, 3 or 4")

    def _spans(self, words: Sequence[str], data: Bytes, bounds: Integers) -> Spans:
        ngrams = self._character_spans(words, data, bounds)
        whole = np.array([number for number, word in enumerate(words) if word != _END_OF_LINE], np.int64)
        both = Spans(*map(np.concatenate, zip((bounds[whole], bounds[whole + 1], whole), ngrams, strict=True)))
        order = np.argsort(both.words, kind="stable")  # the word itself comes before its n-grams
        return Spans(*(array[order] for array in both))

    def _hashes(self, data: Bytes, spans: Spans) -> Hashes:
        return murmur3(data, spans.starts, spans.stops)[:, : self.hash_count]


#: Schemes of n-grams by name.
SCHEMES: Registry[type[NgramScheme]] = Registry(
    "subword scheme", {scheme.name: scheme for scheme in (FastTextScheme, LexVecScheme, FloretScheme)}
)


def recorded_scheme(record: Any, path: object) -> NgramScheme:
    """Return the scheme that an artefact was made with, from what `NgramScheme.record` returned."""
    if not isinstance(record, dict) or record.get("name") not in SCHEMES:
        raise ArtefactError(f"{path} has subwords of an unknown scheme: use the version that made it")
    values = {name: value for name, value in record.items() if name != "name"}
    try:
        return SCHEMES[record["name"]](**values)
    except (TypeError, ParameterError):
        raise ArtefactError(f"{path} is damaged (its scheme of subwords is not valid): rebuild it") from None


@dataclass(frozen=True)
class ListedParts(Scheme):
    """The parts of words in a file, hashed as another scheme hashes n-grams; words that are not in it have none.

    >>> from lexvec.subwords import FastTextScheme
    >>> scheme = ListedParts({"walks": ["walk", "s"]}, FastTextScheme())
    >>> scheme.rows("walks").tolist() == FastTextScheme().part_rows(["walk", "s"]).tolist()
    True
    >>> len(scheme.rows("walked"))
    0
    """

    name = "listed"

    parts: Mapping[str, Sequence[str]] = field(compare=False)
    hashed_as: NgramScheme

    @property
    def buckets(self) -> int:
        """As many as those of the scheme that hashes parts."""
        return self.hashed_as.buckets

    def table(self, words: Sequence[str]) -> tuple[Integers, Integers]:
        """Return the rows of the parts of many words."""
        listed = [self.parts.get(word, ()) for word in words]
        indptr = np.zeros(len(words) + 1, np.int64)
        np.cumsum([len(parts) for parts in listed], out=indptr[1:])
        return indptr, self.hashed_as.part_rows([part for parts in listed for part in parts])

    def record(self) -> dict[str, Any]:
        """Return what an artefact's facts say of the scheme; the parts are in a file beside them."""
        return {"name": self.name, "hashed_as": self.hashed_as.record()}

    def save(self, folder: Path) -> None:
        """Write the parts of words."""
        with (folder / FILE).open("wb") as file:
            # A word without parts is listed with its mark, which `read_parts` skips.
            lines = (f"{word} {' '.join(parts) or f'<{word}>'}\n" for word, parts in self.parts.items())
            file.writelines(line.encode() for line in lines)
            file.flush()
            os.fsync(file.fileno())

    @classmethod
    def recorded(cls, record: Mapping[str, Any], folder: Artefact) -> Self:
        """Return the scheme of a saved model."""
        scheme = recorded_scheme(record.get("hashed_as"), folder.path)
        try:
            return cls(read_parts(folder.check_file(FILE)), scheme)
        except InputError as error:
            raise ArtefactError(f"{folder.path} is damaged ({error}): rebuild it") from error


def read_parts(path: str | os.PathLike[str]) -> dict[str, list[str]]:
    r"""Read ``word part part …`` lines; empty lines and the word itself between marks (``<word>``) are skipped.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("walks walk s\n\nunkindness <unkindness> un kind ness\n")
    ...     file.flush()
    ...     read_parts(file.name)
    {'walks': ['walk', 's'], 'unkindness': ['un', 'kind', 'ness']}
    """
    found: dict[str, list[str]] = {}
    with opened(Path(path)) as reader:
        for number, line in numbered_lines(reader.stream, reader.name):
            word, *parts = _text(line, number, path).split() or [""]
            if not word:
                continue
            if not parts:
                raise InputError(f"{path}, line {number}: expected word part part …, found {word[:40]!r}")
            if word in found:
                raise InputError(f"{path}, line {number}: the word {word[:40]!r} is listed twice: remove one of them")
            found[word] = [part for part in parts if part != f"<{word}>"]
    return found


def _text(line: bytes, number: int, path: object) -> str:
    if b"\0" in line:
        raise InputError(f"{path}, line {number}: it has a NUL byte, so this is no text file; give one")
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")  # some editors write a byte order mark
    except UnicodeDecodeError:
        raise InputError(f"{path}, line {number}: it is not UTF-8; convert the file first") from None


def _batches(words: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield stretches of words that are about as long, and the number of the first word of each."""
    first, size = 0, 0
    for number, word in enumerate(words):
        size += len(word) + 2
        if size >= _BATCH:
            yield first, words[first : number + 1]
            first, size = number + 1, 0
    if first < len(words):
        yield first, words[first:]
