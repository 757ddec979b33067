from typing import Any

import numpy as np
import planted
import pytest
from scipy.sparse import csr_array

from lexvec import PPMISVD
from lexvec.models.svd import BasisInMemory, Factors, Krylov, MatrixProducts, dense_svd
from lexvec.progress import Silent
from lexvec.threads import Threads


class Stored:
    """A matrix that looks as if it were in a folder."""

    def __init__(self, matrix: Any) -> None:
        self.indptr, self.contexts = matrix.indptr.astype(np.int64), range(matrix.shape[1])
        self.indices, self.data = matrix.indices.astype(np.int32), matrix.data


def solved(matrix: Any, threads: Threads, kept: int, iterations: int) -> Factors:
    products = MatrixProducts(Stored(matrix), threads, on_disk=False)  # type: ignore[arg-type]
    with Silent().stage("", None, "") as stage:
        return Krylov(products, BasisInMemory()).solve(kept, iterations, np.uint64(1), stage)


@pytest.mark.parametrize("contexts", [400, 300, 500])
def test_the_solver_agrees_with_numpy(contexts: int) -> None:
    draw = np.random.default_rng(1)
    low = draw.normal(size=(400, 30)) * 0.8 ** np.arange(30) @ draw.normal(size=(30, contexts))
    sparse = csr_array((low * (draw.random((400, contexts)) < 0.3)).astype(np.float32))
    exact = dense_svd(sparse, 20)
    with Threads(2) as threads:
        found = solved(sparse, threads, 20, 8)
    assert np.allclose(found.values, exact.values, rtol=2e-3)
    # The spaces agree: projecting one basis onto the other keeps its length, but for the last directions.
    kept = np.linalg.norm(exact.left[:, :10].T @ found.left, axis=1)
    assert np.all(kept > 0.999)
    approximation = found.left * found.values @ found.right.T
    best = exact.left * exact.values @ exact.right.T
    error, least = (np.linalg.norm(sparse.toarray() - product) for product in (approximation, best))
    assert error < 1.001 * least


@pytest.mark.slow
def test_exhausted_spaces() -> None:
    """Equal singular values, few of them, and more iterations than there are dimensions."""
    draw = np.random.default_rng(3)
    pairs = csr_array(np.kron(np.eye(200), np.array([[0, 2.5], [2.5, 0]])).astype(np.float32))
    low = csr_array((draw.normal(size=(400, 5)) @ draw.normal(size=(5, 400))).astype(np.float32))
    full = csr_array((draw.random((400, 400)) * (draw.random((400, 400)) < 0.2)).astype(np.float32))
    for matrix, kept, iterations in ((pairs, 30, 8), (low, 30, 8), (full, 20, 100), (full, 300, 40)):
        with Threads(1) as threads:
            found = solved(matrix, threads, kept, iterations)
        exact = dense_svd(matrix, len(found.values))
        assert np.allclose(found.values, exact.values, rtol=1e-2, atol=1e-2 * exact.values[0])
        assert np.allclose(found.left.T @ found.left, np.eye(len(found.values)), atol=1e-2)


def test_the_power_of_singular_values() -> None:
    corpus = planted.corpus(500)
    plain, half = (PPMISVD(dim=10, power=power, subsample=0).fit(corpus) for power in (0.0, 0.5))
    assert np.allclose(plain.W_ * np.sqrt(half.singular_values_), half.W_, atol=1e-4)
    assert np.allclose(plain.W_.T @ plain.W_, np.eye(10), atol=1e-4)
    assert np.all(np.diff(half.singular_values_) <= 0)


def test_products_with_a_sparse_matrix() -> None:
    draw = np.random.default_rng(5)
    dense = (draw.random((50, 70)) * (draw.random((50, 70)) < 0.3)).astype(np.float32)
    left, right = draw.random((50, 16), np.float32), draw.random((70, 16), np.float32)
    for count in (1, 3):
        with Threads(count) as threads:
            products = MatrixProducts(Stored(csr_array(dense)), threads, on_disk=False)  # type: ignore[arg-type]
            assert np.allclose(products.times(right), dense @ right, rtol=1e-5)
            assert np.allclose(products.transposed_times(left), dense.T @ left, rtol=1e-5)
