"""Kernels start without SciPy's linear algebra, and functions of other packages that need it still work."""

from children import run_code

CODE = """
import sys
import numpy as np
import lexvec.kernels.jit
assert "numba.np.arraymath" in sys.modules
assert "scipy.linalg" not in sys.modules
import numba
product = numba.njit(lambda a: a @ a)(np.full((2, 2), 2.0))
assert product.tolist() == [[8.0, 8.0], [8.0, 8.0]]
assert "scipy.linalg.cython_blas" in sys.modules
assert numba.njit(lambda a: np.linalg.inv(a))(np.eye(2)).tolist() == [[1.0, 0.0], [0.0, 1.0]]
"""


def test_the_blas_is_imported_when_it_is_needed() -> None:
    done = run_code(CODE)
    assert done.returncode == 0, done.stderr
