"""PPMI-SVD: truncated SVD of the matrix, W = U Σ^p (section 2.1 of the paper)."""

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from ..association import MEASURES
from ..draws import stream_key
from ..errors import Given, ParameterError
from ..kernels import matrices
from ..kernels.steps import fill_uniform
from ..parameters import Search, parameter
from ..progress import Stage
from ..sparse import SparseArtefact, row_spans, stretch_cells
from ..storage.arrays import ArrayFile
from ..threads import Threads
from ..trained import Trained
from .footprint import SOLVER_ROWS, Footprint, Sizes, dense_footprint, solver_footprints
from .matrix_model import MatrixModel
from .training import Data, Workplace

Columns = npt.NDArray[np.float32]  # a row per word or context

_TASK_CELLS = 1 << 18


class Factors(NamedTuple):
    """U, the singular values from the largest on, and V."""

    left: npt.NDArray[np.floating]
    values: npt.NDArray[np.float64]
    right: npt.NDArray[np.floating]


class _Cells(NamedTuple):
    """Some rows of a matrix, one behind another."""

    ends: npt.NDArray[np.int64]  # where rows begin and end
    indices: npt.NDArray[np.int32]
    data: Columns


class MatrixProducts:
    """Products with a sparse matrix, which is mapped or read stretch by stretch."""

    def __init__(self, matrix: SparseArtefact, threads: Threads, *, on_disk: bool) -> None:
        self._indptr, self._threads = matrix.indptr, threads
        self.shape = len(self._indptr) - 1, len(matrix.contexts)
        lengths = np.diff(self._indptr)
        longest = stretch_cells(int(lengths.max(initial=0)))
        task = min(max(_TASK_CELLS, int(lengths.max(initial=0))), longest)
        self._tasks = list(row_spans(lengths, task))
        self._stretches = list(row_spans(lengths, longest))
        self._files = None
        if on_disk:
            self._files = matrix.file("indices", dtype=np.int32), matrix.file("data", dtype=np.float32)
            buffers = [np.empty(longest, np.int32), np.empty(longest, np.float32)]
            own = [[np.empty(task, np.int32), np.empty(task, np.float32)] for _ in range(threads.count - 1)]
            self._buffers = [buffers, *own]
        else:
            self._arrays = matrix.indices, matrix.data
        self._shares = self._context_shares()

    def _cells(self, thread: int, span: tuple[int, int]) -> _Cells:
        first, last = span
        ends = self._indptr[first : last + 1]
        begin, end = int(ends[0]), int(ends[-1])
        if self._files is None:
            return _Cells(ends - begin, self._arrays[0][begin:end], self._arrays[1][begin:end])
        (columns, values), (indices, data) = self._files, self._buffers[thread]
        return _Cells(ends - begin, columns.read(begin, end, indices), values.read(begin, end, data))

    def _context_shares(self) -> list[tuple[int, int]]:
        """Return stretches of contexts that have about as many cells each, one per thread."""
        cells = np.zeros(self.shape[1], np.int64)
        for span in self._stretches:
            cells += np.bincount(self._cells(0, span).indices, minlength=self.shape[1])
        return list(row_spans(cells, max(1, -(-int(cells.sum()) // self._threads.count))))

    def times(self, block: Columns) -> Columns:
        """Return A · block."""
        out = np.empty((self.shape[0], block.shape[1]), np.float32)

        def rows(thread: int, task: int) -> None:
            first, last = self._tasks[task]
            matrices.multiply_rows(*self._cells(thread, (first, last)), block, out[first:last])

        self._threads.each(rows, len(self._tasks))
        return out

    def transposed_times(self, block: Columns) -> Columns:
        """Return Aᵀ · block; each thread adds up some of the contexts, over the words in their order."""
        out = np.zeros((self.shape[1], block.shape[1]), np.float32)
        for first, last in self._stretches:
            cells = self._cells(0, (first, last))
            rows = block[first:last]

            def share(_: int, task: int, cells: _Cells = cells, rows: Columns = rows) -> None:
                matrices.add_transposed(*cells, rows, out, *self._shares[task])

            self._threads.each(share, len(self._shares))
        return out


class Basis(Protocol):
    """Blocks of columns, side by side."""

    width: int

    def append(self, block: Columns) -> None:
        """Add a block."""

    def rows(self, first: int, last: int) -> Columns:
        """Return some rows of all blocks."""


class BasisInMemory:
    """A basis in arrays."""

    def __init__(self) -> None:
        self.width, self._blocks = 0, list[Columns]()

    def append(self, block: Columns) -> None:
        """Keep a block."""
        self._blocks.append(block)
        self.width += block.shape[1]

    def rows(self, first: int, last: int) -> Columns:
        """Return some rows of all blocks."""
        return np.concatenate([block[first:last] for block in self._blocks], axis=1)


class BasisOnDisk:
    """A basis in files in a scratch folder."""

    def __init__(self, folder: Path) -> None:
        self.width, self._folder, self._files = 0, folder, list[tuple[ArrayFile, int]]()

    def append(self, block: Columns) -> None:
        """Write a block."""
        file = ArrayFile.scratch(self._folder / f"basis-{len(self._files)}", np.float32, block.size)
        file.write(0, block.reshape(-1))
        self._files.append((file, block.shape[1]))
        self.width += block.shape[1]

    def rows(self, first: int, last: int) -> Columns:
        """Read some rows of all blocks."""
        out, at = np.empty((last - first, self.width), np.float32), 0
        for file, width in self._files:  # one after another, so that they are in memory once
            out[:, at : at + width] = file.read(first * width, last * width).reshape(-1, width)
            at += width
        return out


class Krylov:
    """Randomised block Krylov iteration (Musco and Musco 2015): U from the space of (A Aᵀ)^i A Ω, i = 0, 1, ….

    The basis is three times as wide as the result. Each step is one product with A and one with Aᵀ, by all threads.
    """

    def __init__(self, matrix: MatrixProducts, basis: Basis) -> None:
        self._matrix, self._basis = matrix, basis

    def solve(self, kept: int, iterations: int, key: np.uint64, stage: Stage) -> Factors:
        """Return the ``kept`` largest singular values and their vectors, or fewer if the matrix has no more."""
        width, basis = block_width(kept, iterations), self._basis
        words, contexts = self._matrix.shape
        random = np.zeros((contexts, width), np.float32)
        fill_uniform(random, width, 2.0, key, 0, 1)
        widest = min(words, width * (iterations + 1))
        gram = np.zeros((widest, widest))
        block, scale = self._matrix.times(random), 0.0
        del random
        for _ in range(iterations + 1):
            block = np.ascontiguousarray(self._orthonormal(block, scale)[:, : widest - basis.width])
            if not block.shape[1]:
                break  # the space is exhausted: nothing is left that is not in it already
            here = slice(basis.width, basis.width + block.shape[1])
            basis.append(block)
            block = self._matrix.transposed_times(block)
            block = self._matrix.times(block)
            shares = self._coordinates(block)
            gram[: here.stop, here] = shares
            self._take_out(block, shares)
            scale = max(scale, float(np.abs(gram[here, here]).max()))
            stage.advance(1)
        gram = gram[: basis.width, : basis.width]
        return self._ritz(np.triu(gram) + np.triu(gram, 1).T, kept)

    def _ritz(self, gram: npt.NDArray[np.float64], kept: int) -> Factors:
        squares, directions = np.linalg.eigh(gram)
        largest = np.argsort(-squares)[:kept]
        values = np.sqrt(np.maximum(squares[largest], 0))
        chosen = directions[:, largest].astype(np.float32)
        left = np.empty((self._matrix.shape[0], len(largest)), np.float32)
        for first, last in self._row_blocks():
            left[first:last] = self._basis.rows(first, last) @ chosen
        right = self._matrix.transposed_times(left)
        right /= np.where(values > 0, values, 1)
        return Factors(left, values, right)

    def _coordinates(self, block: Columns) -> Columns:
        """Return the products of the columns of the basis with those of a block."""
        sums = np.zeros((self._basis.width, block.shape[1]))
        for first, last in self._row_blocks():
            sums += self._basis.rows(first, last).T @ block[first:last]
        return sums.astype(np.float32)

    def _take_out(self, block: Columns, shares: Columns) -> None:
        """Subtract what a block has of the basis."""
        for first, last in self._row_blocks():
            block[first:last] -= self._basis.rows(first, last) @ shares

    def _orthonormal(self, block: Columns, scale: float) -> Columns:
        """Return an orthonormal basis of a block without the basis so far; what is round-off at this scale goes."""
        block = self._whitened(block, 1e-5 * scale)
        # In single precision once is not enough: what was small is no longer orthogonal once it is scaled up.
        if self._basis.width:
            self._take_out(block, self._coordinates(block))
        return self._whitened(block, 0.5)

    def _whitened(self, block: Columns, least: float) -> Columns:
        """Return orthonormal columns for the directions in which a block is longer than ``least``.

        By way of its small Gram matrix: numpy's QR, which works in double precision, took more than half of all the
        time.
        """
        products_ = np.zeros((block.shape[1],) * 2)
        for first, last in self._row_blocks():
            products_ += block[first:last].T @ block[first:last]
        squares, directions = np.linalg.eigh(products_)
        kept = squares > max(least**2, 1e-7 * squares.max(initial=0.0))
        turned = (directions[:, kept] / np.sqrt(squares[kept])).astype(np.float32)
        out = np.empty((len(block), turned.shape[1]), np.float32)
        for first, last in self._row_blocks():
            out[first:last] = block[first:last] @ turned
        return out

    def _row_blocks(self) -> Iterator[tuple[int, int]]:
        words = self._matrix.shape[0]
        return ((first, min(first + SOLVER_ROWS, words)) for first in range(0, words, SOLVER_ROWS))


def block_width(kept: int, iterations: int) -> int:
    """Return how many columns a block of the basis has: all of them three times as many as the result."""
    return -(-3 * kept // (iterations + 1) // 16) * 16


_log = logging.getLogger(__name__)

_DENSE = 1500  # words up to which a plain dense SVD takes no time


@dataclass(kw_only=True, eq=False)
class PPMISVD(MatrixModel):
    """Truncated singular value decomposition of PPMI*; the defaults are the paper's.

    The singular values, from the largest on, are in ``singular_values_``.

    >>> model = PPMISVD(dim=2, subsample=0).fit([["a", "b", "a", "c"]] * 200)
    >>> model.W_.shape, len(model.singular_values_)
    ((3, 2), 2)
    """

    name: ClassVar[str] = "ppmi-svd"
    also: ClassVar[tuple[str, ...]] = ("singular_values",)

    power: float = parameter(
        0.5,
        "Power of the singular values: W = U Σ^power, C = V Σ^power.",
        minimum=-2,
        maximum=2,
        search=Search(0.0, 1.0, step=0.1),
    )
    iterations: int = parameter(
        8, "Iterations of the solver; more make the smallest singular values more exact.", minimum=1, maximum=1000
    )

    def _check(self) -> None:
        super()._check()
        if MEASURES[self.measure].unseen(self) != 0:
            raise ParameterError(
                Given("measure", self.measure), " gives unseen pairs a value, so the matrix is dense: use ppmi"
            )

    def _learn(self, data: Data, place: Workplace) -> Trained:
        corpus, composition, matrix = data
        words, contexts, vocabulary = len(corpus.vocabulary), len(matrix.contexts), corpus.vocabulary
        kept = min(self.dim, words)
        way = place.memory.choose(self.footprints, Sizes.of(corpus, place.executor, matrix))
        with place.progress.stage("factorising", self.iterations + 1, "products") as stage:
            _log.debug("%d words: the %s solver", words, "dense" if words <= _DENSE else "block Krylov")
            if words <= _DENSE:
                factors = dense_svd(matrix.matrix, kept)
            else:
                cells = MatrixProducts(matrix, place.executor.threads, on_disk="matrix" in way.on_disk)
                basis = BasisOnDisk(place.scratch.folder) if "basis" in way.on_disk else BasisInMemory()
                factors = Krylov(cells, basis).solve(kept, self.iterations, stream_key(self.seed, "projection"), stage)
        # Dimensions beyond the rank of the matrix, or beyond the number of words, are 0.
        positive = factors.values > factors.values.max(initial=0) * 1e-6
        scale = np.where(positive, factors.values, 1.0) ** self.power * positive
        W, C = self._scaled(factors.left, scale, words), self._scaled(factors.right, scale, contexts)
        more = {"singular_values": factors.values}
        return Trained(W, C, vocabulary, matrix.contexts, composition, corpus.normalisation, more=more)

    @property
    def singular_values_(self) -> npt.NDArray[np.float64]:
        """The singular values, from the largest on."""
        return self.trained_.more["singular_values"]

    def _scaled(self, vectors: npt.NDArray[Any], scale: npt.NDArray[np.float64], rows: int) -> Columns:
        """Multiply vectors in place, without a second array if there are as many dimensions as were asked for."""
        np.multiply(vectors, scale, out=vectors, casting="same_kind")
        if vectors.shape[1] == self.dim and vectors.dtype == np.float32:
            return vectors
        padded = np.zeros((rows, self.dim), np.float32)
        padded[:, : vectors.shape[1]] = vectors
        return padded

    def footprints(self, sizes: Sizes) -> list[Footprint]:
        """Return the ways to factorise the matrix, the fastest first."""
        if sizes.words <= _DENSE:
            return [dense_footprint(sizes, self.dim)]
        kept = min(self.dim, sizes.words)
        return solver_footprints(sizes, self.dim, block_width(kept, self.iterations), self.iterations + 1)


def dense_svd(matrix: csr_array, kept: int) -> Factors:
    """For small matrices."""
    left, values, right = np.linalg.svd(matrix.toarray().astype(np.float64), full_matrices=False)
    return Factors(left[:, :kept], values[:kept], right[:kept].T)
