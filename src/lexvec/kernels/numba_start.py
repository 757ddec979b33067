"""How Numba starts: without a library that no kernel uses, and whatever the environment says.

Numba looks for a BLAS by importing SciPy's linear algebra. That import takes a fifth of the time until the first kernel
runs. Numba asks again when somebody compiles a function that does need the BLAS, so code of other packages in the same
process works as ever.
"""

import importlib
import os
import re
import sys
import warnings
from importlib.util import find_spec

_THREADS = "NUMBA_NUM_THREADS"
_MISREAD = r"Environment variable '(\w+)' is defined"  # how a warning of Numba begins

#: What is wrong with the environment, so that no kernel can be compiled; empty if nothing is.
PROBLEMS: list[str] = []


def import_numba() -> None:
    """Import Numba, and note settings in the environment that it cannot read: only work with kernels fails by them.

    Numba itself fails to import if the number of threads is not above 0, and prints a traceback about other settings.
    """
    if "numba" in sys.modules:
        return
    given = os.environ.get(_THREADS)
    if wrong := given is not None and not re.fullmatch(r"\s*\+?0*[1-9]\d{0,8}\s*", given):
        del os.environ[_THREADS]
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.filterwarnings("always", _MISREAD, RuntimeWarning)
            importlib.import_module("numba")
    finally:
        if given is not None:
            os.environ[_THREADS] = given
    if wrong:
        PROBLEMS.append(f"{_THREADS}={given!r:.40} in the environment: set it to a whole number above 0, or unset it")
    for warning in caught:
        if found := re.match(_MISREAD, str(warning.message)):
            value = os.environ.get(found[1], "")
            PROBLEMS.append(f"{found[1]}={value!r:.40} in the environment: Numba cannot read it; unset it")
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)


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
