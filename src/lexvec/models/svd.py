"""PPMI-SVD: truncated SVD of the matrix, W = U Σ^p (section 2.1 of the paper)."""

import logging
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from ..association import MEASURES
from ..corpus import Corpus
from ..draws import stream_key
from ..errors import Given, ParameterError
from ..kernels import products
from ..kernels.steps import fill_uniform
from ..parameters import Search, parameter
from ..progress import Stage
from ..sparse import row_spans
from ..threads import Threads
from .fit import Fit
from .matrix_model import MatrixModel

_log = logging.getLogger(__name__)

Columns = npt.NDArray[np.float32]  # a row per word or context

_TASK_CELLS = 1 << 18
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

    def _learn(self, fit: Fit, corpus: Corpus) -> None:
        matrix = fit.matrix(self.recipe, corpus)
        self.contexts_ = matrix.contexts
        words, contexts = len(corpus.vocabulary), len(matrix.contexts)
        kept = min(self.dim, words)
        fit.require(32 * words * self.dim + 2 * matrix.bytes, "the solver's basis and the matrix")
        with fit.progress.stage("factorising", self.iterations + 1, "products") as stage:
            _log.debug("%d words: the %s solver", words, "dense" if words <= _DENSE else "block Krylov")
            if words <= _DENSE:
                factors = dense_svd(matrix.matrix, kept)
            else:
                solver = Krylov(matrix.matrix, fit.executor.threads)
                factors = solver.solve(kept, self.iterations, stream_key(self.seed, "projection"), stage)
        self.singular_values_ = factors.values
        # Dimensions beyond the rank of the matrix, or beyond the number of words, are 0.
        positive = factors.values > factors.values.max(initial=0) * 1e-6
        scale = np.where(positive, factors.values, 1.0) ** self.power * positive
        found = len(scale)
        self.W_, self.C_ = np.zeros((words, self.dim), np.float32), np.zeros((contexts, self.dim), np.float32)
        self.W_[:, :found], self.C_[:, :found] = factors.left * scale, factors.right * scale
        self.losses_ = []


class Factors(NamedTuple):
    """U, the singular values from the largest on, and V."""

    left: npt.NDArray[np.floating]
    values: npt.NDArray[np.float64]
    right: npt.NDArray[np.floating]


def dense_svd(matrix: csr_array, kept: int) -> Factors:
    """For small matrices."""
    left, values, right = np.linalg.svd(matrix.toarray().astype(np.float64), full_matrices=False)
    return Factors(left[:, :kept], values[:kept], right[:kept].T)


class Krylov:
    """Randomised block Krylov iteration (Musco and Musco 2015): U from the space of (A Aᵀ)^i A Ω, i = 0, 1, ….

    The basis is three times as wide as the result, and the only large thing in memory beside the matrix and its
    transpose. Each step is one product with either, by all threads; sums are in the order of the matrix, so that the
    result does not depend on how many.
    """

    def __init__(self, matrix: csr_array, threads: Threads) -> None:
        transposed = matrix.T.tocsr()
        self._matrix, self._transposed, self._threads = matrix, transposed, threads
        self._words = matrix.shape[0]

    def solve(self, kept: int, iterations: int, key: np.uint64, stage: Stage) -> Factors:
        """The ``kept`` largest singular values and their vectors, or fewer if the matrix has no more."""
        width = -(-3 * kept // (iterations + 1) // 16) * 16
        random = np.zeros((self._matrix.shape[1], width), np.float32)
        fill_uniform(random, width, 2.0, key, 0, 1)
        basis = np.empty((self._words, min(self._words, width * (iterations + 1))), np.float32)
        gram = np.zeros((basis.shape[1],) * 2)
        block, scale, used = self._product(self._matrix, random), 0.0, 0
        for _ in range(iterations + 1):
            block = _orthonormal(block, basis[:, :used], scale)[:, : basis.shape[1] - used]
            if not block.shape[1]:
                break  # the space is exhausted: nothing is left that is not in it already
            here = slice(used, used + block.shape[1])
            used = here.stop
            basis[:, here] = block
            block = self._product(self._matrix, self._product(self._transposed, np.ascontiguousarray(block)))
            shares = basis[:, :used].T @ block
            gram[:used, here] = shares
            block -= basis[:, :used] @ shares
            scale = max(scale, float(np.abs(gram[here, here]).max()))
            stage.advance(1)
        gram = gram[:used, :used]
        return self._ritz(basis[:, :used], np.triu(gram) + np.triu(gram, 1).T, kept)

    def _ritz(self, basis: Columns, gram: npt.NDArray[np.float64], kept: int) -> Factors:
        squares, directions = np.linalg.eigh(gram)
        largest = np.argsort(-squares)[:kept]
        values = np.sqrt(np.maximum(squares[largest], 0))
        left = basis @ directions[:, largest].astype(np.float32)
        right = self._product(self._transposed, left) / np.where(values > 0, values, 1)
        return Factors(left, values, right)

    def _product(self, matrix: csr_array, block: Columns) -> Columns:
        out = np.empty((matrix.shape[0], block.shape[1]), np.float32)
        indptr, indices = matrix.indptr.astype(np.int64, copy=False), matrix.indices.astype(np.int32, copy=False)
        spans = list(row_spans(np.diff(indptr), _TASK_CELLS))

        def rows(_: int, task: int) -> None:
            products.multiply_rows(indptr, indices, matrix.data, block, out, *spans[task])

        self._threads.each(rows, len(spans))
        return out


def _orthonormal(block: Columns, known: Columns, scale: float) -> Columns:
    """An orthonormal basis of a block from which ``known`` was taken out; what is round-off at this scale goes."""
    block = _whitened(block, 1e-5 * scale)
    # In single precision once is not enough: what was small is no longer orthogonal once it is scaled up.
    block -= known @ (known.T @ block)
    return _whitened(block, 0.5)


def _whitened(block: Columns, least: float) -> Columns:
    """Orthonormal columns for the directions in which a block is longer than ``least``.

    By way of its small Gram matrix: numpy's QR, which works in double precision, took more than half of all the time.
    """
    squares, directions = np.linalg.eigh((block.T @ block).astype(np.float64))
    kept = squares > max(least**2, 1e-7 * squares.max(initial=0.0))
    return np.asarray(block @ (directions[:, kept] / np.sqrt(squares[kept])).astype(np.float32))
