"""Sparse matrices on disk: CSR as plain arrays, written row block by row block, memory-mapped when read."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from .contexts import Contexts, recorded_contexts
from .errors import ArtefactError
from .parameters import check_whole
from .storage.artefact import Artefact, ArtefactWriter
from .vocabulary import FILE, Vocabulary, folder_vocabulary

if TYPE_CHECKING:
    from scipy.sparse import csr_array

#: Cells that a thread has in memory at once (or one row, if it has more), where a matrix is read piece by piece.
STRETCH_CELLS = 1 << 20
_CELL_BYTES = 8


class SparseWriter:
    """Writes the rows of a matrix, from the first to the last."""

    def __init__(self, out: ArtefactWriter, dtype: npt.DTypeLike) -> None:
        self._indptr = out.array("indptr", np.int64)
        self._indices = out.array("indices", np.int32)
        self._data = out.array("data", dtype)
        self._indptr.append(np.zeros(1, np.int64))

    @property
    def cells(self) -> int:
        """Cells written so far."""
        return self._indices.length

    def append(self, ends: npt.NDArray[np.int64], columns: npt.NDArray[np.int32], values: npt.NDArray[Any]) -> None:
        """Add rows, each with its columns in order; ``ends`` says where in columns and values each one ends."""
        self._indptr.append(self.cells + ends)
        self._indices.append(columns)
        self._data.append(values)


class SparseArtefact(Artefact):
    """A matrix of words × contexts."""

    facts: ClassVar[Mapping[str, Any]] = {"words": int, "cells": int, "total": int | float}
    contents: ClassVar[tuple[str, ...]] = ("indptr.npy", "indices.npy", "data.npy", FILE)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words of the rows."""
        return folder_vocabulary(self)

    @cached_property
    def contexts(self) -> Contexts:
        """The contexts of the columns."""
        return recorded_contexts(self.meta["facts"], self.vocabulary, self.path)

    @property
    def indptr(self) -> npt.NDArray[np.int64]:
        """Where rows begin and end; row r is the cells from ``indptr[r]`` up to ``indptr[r + 1]``."""
        return self.array("indptr", dtype=np.int64, dimensions=1)

    @property
    def indices(self) -> npt.NDArray[np.int32]:
        """The column of each cell, in order within a row."""
        return self.array("indices", dtype=np.int32, dimensions=1)

    @property
    def data(self) -> npt.NDArray[Any]:
        """The value of each cell."""
        return self.array("data", dimensions=1)

    @cached_property
    def matrix(self) -> "csr_array":
        """The matrix for SciPy, memory-mapped (SciPy copies the columns where there are 2³¹ cells or more)."""
        from scipy.sparse import csr_array  # takes a tenth of a second, which counting need not wait for

        # SciPy wants both index arrays of one type, and would copy the larger to the type of the smaller.
        indptr = self.indptr.astype(np.int32) if len(self.indices) < 2**31 else self.indptr
        matrix = csr_array(
            (self.data, self.indices, indptr), shape=(len(self.vocabulary), len(self.contexts)), copy=False
        )
        matrix.has_canonical_format = True
        return matrix

    def top_contexts(self, word: str, *, count: int = 10) -> list[tuple[str, Any]]:
        """Return the contexts with the largest cells in the row of a word, each with its cell, the largest first.

        >>> from lexvec import CooccurrenceCounter, CorpusBuilder
        >>> corpus = CorpusBuilder(min_count=1).build([["the", "cat", "sat"], ["the", "cat", "ran"]])
        >>> counts = CooccurrenceCounter(window=1, contexts="positional", subsample=0).count(corpus)
        >>> counts.top_contexts("cat", count=2)
        [('the_-1', 2), ('ran_1', 1)]
        """
        count, row = check_whole(count, "count", 1), self.vocabulary[word]
        start, stop = self.indptr[row : row + 2].tolist() if row + 1 < len(self.indptr) else (-1, -1)
        values, places = self.data[start:stop], self.indices[start:stop]
        fine = 0 <= start <= stop and len(values) == len(places) == stop - start
        if not fine or (len(places) and (places.min() < 0 or places.max() >= len(self.contexts))):
            raise ArtefactError(f"{self.path} is damaged (its arrays do not fit together): rebuild it")
        return self.contexts.strongest(values, count, places)

    def check(self) -> Self:
        """Compare files with their checksums, and make sure of all that kernels rely on: they do not check."""
        super().check()
        indptr, indices = self.indptr, self.file("indices", dtype=np.int32)
        words, contexts = len(self.vocabulary), len(self.contexts)
        fine = len(indptr) == words + 1 and len(indices) == len(self.file("data")) == indptr[-1]
        fine = fine and indptr[0] == 0 and bool(np.all(indptr[1:] >= indptr[:-1]))
        low, high = indices.extremes() if fine and len(indices) else (0, -1)
        if not fine or low < 0 or high >= contexts:
            raise ArtefactError(f"{self.path} is damaged (its arrays do not fit together): rebuild it")
        self.check_facts(words=words, cells=len(indices))
        return self

    @property
    def bytes_per_cell(self) -> float:
        """Of the columns and values, which are all that grows with the number of cells."""
        return float(self.indices.itemsize + self.data.itemsize)


def row_spans(cost: npt.NDArray[np.int64], limit: int) -> Iterator[tuple[int, int]]:
    """Cut rows into spans whose costs add up to ``limit`` at most (or of one row, if it alone costs more)."""
    ends = np.cumsum(cost)
    start = 0
    while start < len(cost):
        before = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + limit, "right")))
        yield start, stop
        start = stop


def stretch_cells(longest_row: int) -> int:
    """Return the most cells of a stretch of rows that is in memory at once."""
    return max(STRETCH_CELLS, longest_row)


def stretch_bytes(longest_row: int, threads: int) -> int:
    """Return the memory of the stretches of all threads; laying out takes no more than three of them."""
    return max(threads, 3) * _CELL_BYTES * stretch_cells(longest_row)
