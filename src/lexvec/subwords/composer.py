"""Vectors of words from the rows of their n-grams: their mean, as fastText and the authors' program compute it.

Rows come from an array, which may be a mapped file, or are made when they are asked for. They are added one after the
other, in the precision of the table, so that results agree with those of the program that made the table to the last
bit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from .hashing import Integers
from .schemes import NgramScheme, Scheme

Matrix = npt.NDArray[np.float32]
Rows = npt.NDArray[Any]
_WORDS = 1 << 13  # words whose n-grams are cut at once
_BLOCK_BYTES = 1 << 20  # of rows that are added at once: they stay in the cache


class RowSource(Protocol):
    """Rows of numbers, by number."""

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows, and of dimensions."""

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The type of the numbers."""

    def take(self, rows: Integers, out: Rows) -> None:
        """Copy some rows."""


class ArrayRows:
    """The rows of an array. In a mapped file of another program it need not be aligned.

    >>> rows = np.empty((2, 3))
    >>> ArrayRows(np.arange(12.0).reshape(4, 3)).take(np.array([3, 0]), rows)
    >>> rows.tolist()
    [[9.0, 10.0, 11.0], [0.0, 1.0, 2.0]]
    """

    def __init__(self, array: Rows) -> None:
        self.array = np.ascontiguousarray(array) if not array.flags.c_contiguous else array
        self.shape: tuple[int, int] = array.shape
        self.dtype = array.dtype
        # As rows of bytes, numpy copies them as they are; of an array that is not aligned it would copy all first.
        self._row = np.dtype((np.void, max(1, array.shape[1] * array.dtype.itemsize)))
        self._rows = self.array.view(self._row).reshape(-1) if array.size else None

    def take(self, rows: Integers, out: Rows) -> None:
        """Copy some rows."""
        if self._rows is not None and len(rows):
            # Any mode other than "raise" lets numpy write to ``out`` directly, without a copy of its own.
            self._rows.take(rows, out=out.view(self._row).reshape(-1), mode="clip")


@dataclass(frozen=True, eq=False)
class SubwordComposer:
    """Composes vectors of words from a table with one row per bucket, or with the rows of some buckets only."""

    scheme: Scheme
    table: RowSource
    #: The bucket of each row of the table, in ascending order; None if bucket b has row b.
    buckets: Integers | None = None
    #: Whether n-grams whose bucket has no row are left out of the mean; otherwise they count as zeros.
    skips_missing: bool = False

    @property
    def dim(self) -> int:
        """Number of dimensions of the vectors."""
        return self.table.shape[1]

    def composed(self, words: Sequence[str]) -> Matrix:
        """Return the mean of the rows of each word's n-grams; zeros for a word without any."""
        return self._means(words, None, np.zeros(len(words), np.int64))

    def composed_with(self, words: Sequence[str], own: RowSource, places: Integers) -> Matrix:
        """Return the mean of a row of each word's own and of the rows of its n-grams.

        ``places`` is where in ``own`` the rows of the words are.
        """
        return self._means(words, own, places)

    def sums(self, words: Sequence[str]) -> tuple[npt.NDArray[np.float64], Integers]:
        """Return the sum of the rows of each word's n-grams in double precision, and how many there are."""
        indptr, rows = self._rows(words)
        return self._sums(indptr, rows, None, indptr, np.dtype(np.float64)), np.diff(indptr)

    def full_rows(self) -> Iterator[Rows]:
        """Yield the rows of all buckets, some at a time, with zeros for buckets that have none."""
        for buckets in _stretches(self.scheme.buckets, self._height):
            places = self._places(buckets)
            rows = np.empty((len(places), self.dim), self.table.dtype)
            self._take(places, rows)
            yield rows

    def stored_rows(self) -> Iterator[Rows]:
        """Yield the rows of the table, some at a time."""
        for places in _stretches(self.table.shape[0], self._height):
            rows = np.empty((len(places), self.dim), self.table.dtype)
            self.table.take(places, rows)
            yield rows

    @property
    def _height(self) -> int:
        return max(1, _BLOCK_BYTES // (self.table.dtype.itemsize * self.dim))

    def _means(self, words: Sequence[str], own: RowSource | None, places: Integers) -> Matrix:
        vectors = np.zeros((len(words), self.dim), np.float32)
        for start in range(0, len(words), _WORDS):
            batch = slice(start, start + _WORDS)
            indptr, rows = self._rows(words[batch])
            counts = np.maximum(np.diff(indptr) + (own is not None), 1)
            with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused where it is used
                sums = self._sums(indptr, rows, own, places[batch], self.table.dtype)
                if sums.dtype == np.float32:  # as fastText does; the authors' program divides, in double precision
                    sums *= (1 / counts).astype(np.float32)[:, None]
                else:
                    sums /= counts[:, None]
                vectors[batch] = sums
        return vectors

    def _rows(self, words: Sequence[str]) -> tuple[Integers, Integers]:
        """Return the rows of the n-grams of words, as `Scheme.table` does; −1 stands for a row of zeros."""
        indptr, buckets = self.scheme.table(words)
        places = self._places(buckets)
        if self.skips_missing:
            there = places >= 0
            indptr = np.concatenate([[0], np.cumsum(there)])[indptr]
            places = places[there]
        return indptr, places

    def _places(self, buckets: Integers) -> Integers:
        if self.buckets is None:
            return buckets
        places = np.searchsorted(self.buckets, buckets)
        return np.where(np.append(self.buckets, -1)[places] == buckets, places, -1)

    def _take(self, places: Integers, out: Rows) -> None:
        self.table.take(places, out)
        if self.buckets is not None:
            out[places < 0] = 0

    def _sums(
        self, indptr: Integers, rows: Integers, own: RowSource | None, places: Integers, dtype: np.dtype[Any]
    ) -> Rows:
        """Return the sum of the rows of each word: first rows of all words, then second rows, and so on."""
        sums: Rows = np.zeros((len(indptr) - 1, self.dim), dtype)
        buffer = np.empty((min(self._height, len(sums)), self.dim), self.table.dtype)
        for start in range(0, len(sums), self._height):
            counts = np.diff(indptr[start : start + self._height + 1])
            order = np.argsort(-counts, kind="stable")  # words with another row come first
            firsts = indptr[start : start + self._height][order]
            block: Rows = np.zeros((len(counts), self.dim), dtype)
            if own is not None:
                own.take(places[start : start + self._height][order], block)
            longer = np.searchsorted(-counts[order], -np.arange(counts.max(initial=0)))  # words with more rows
            for number, more in enumerate(longer.tolist()):
                self._take(rows[firsts[:more] + number], buffer[:more])
                block[:more] += buffer[:more]
            sums[start + order] = block
        return sums


@dataclass(frozen=True, eq=False)
class NgramComposer(SubwordComposer):
    """Composes vectors of words from their n-grams, so that files of other programs can have them.

    >>> from lexvec.subwords import ArrayRows, FastTextScheme
    >>> scheme = FastTextScheme(3, 3, buckets=4)
    >>> composer = NgramComposer(scheme, ArrayRows(np.arange(8, dtype=np.float32).reshape(4, 2)))
    >>> scheme.rows("dog").tolist(), composer.composed(["dog", ""]).tolist()
    ([2, 1, 3], [[4.0, 5.0], [0.0, 0.0]])
    """

    scheme: NgramScheme


def _stretches(length: int, step: int) -> Iterator[Integers]:
    for start in range(0, length, step):
        yield np.arange(start, min(start + step, length))
