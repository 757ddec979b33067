"""PPMI-SVD: truncated SVD of the matrix, W = U Σ^p (section 2.1 of the paper)."""

import logging
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from ..association import MEASURES
from ..draws import stream_key
from ..errors import Given, ParameterError
from ..parameters import Search, parameter
from ..trained import Trained
from .footprint import Footprint, Sizes, dense_footprint, solver_footprints
from .krylov import BasisInMemory, BasisOnDisk, Columns, Factors, Krylov, MatrixProducts, block_width
from .matrix_model import MatrixModel
from .training import Data, Workplace

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
