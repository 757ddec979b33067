"""A shorter start of Numba: it looks for a BLAS by importing SciPy's linear algebra, which no kernel of ours uses.

That import takes a fifth of the time until the first kernel runs. Numba asks again when somebody compiles a function
that does need the BLAS, so code of other packages in the same process works as ever.
"""

import importlib
import sys
from importlib.util import find_spec


def skip_blas_import() -> None:
    """Load the module of Numba that looks for a BLAS, and let it take for granted that SciPy has one."""
    if "numba.np.arraymath" in sys.modules or find_spec("scipy") is None:
        return
    linalg = importlib.import_module("numba.np.linalg")
    checked = getattr(linalg, "ensure_blas", None)
    if checked is None:  # another version of Numba, which may do without
        return
    linalg.ensure_blas = lambda: None  # type: ignore[attr-defined]
    try:
        arraymath = importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = checked  # type: ignore[attr-defined]
    if hasattr(arraymath, "ensure_blas"):
        arraymath.ensure_blas = checked  # type: ignore[attr-defined]
