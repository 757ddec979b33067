"""What decides the bits of a training beside its input: versions, and a digest of a very small training."""

import hashlib
from typing import Any

import numpy as np

from ..corpus import CorpusBuilder
from ..models import Model

_TEXT = [[f"w{(7 * i + j * j) % 40}" for j in range(12)] for i in range(300)]


def probe(model: type[Model]) -> dict[str, str]:
    """Return what must be equal on all machines that train a model of this kind together.

    >>> from lexvec import SGNS
    >>> sorted(probe(SGNS))
    ['bits', 'lexvec', 'llvmlite', 'numba', 'numpy', 'processor']
    """
    import llvmlite.binding
    import numba
    from numba.core import config

    from .. import _version

    made = model.of({"dim": 20, "epochs": 1, "threads": 1, "parts": 4, "subsample": 0})
    made.fit(_TEXT, builder=CorpusBuilder(min_count=1), progress=False)
    digest = hashlib.sha256(made.W_.tobytes() + made.C_.tobytes() + repr(made.losses_).encode())
    # NumPy picks other code for other processors, too.
    for dtype in (np.float32, np.float64):
        values: Any = np.linspace(1e-3, 1e3, 5000, dtype=dtype)
        for function in (np.log, np.exp2, np.sqrt):
            digest.update(function(values / 100).tobytes())
        digest.update(np.power(values, dtype(0.75)).tobytes())
    return {
        "lexvec": _version.__version__,
        "numpy": np.__version__,
        "numba": numba.__version__,
        "llvmlite": llvmlite.__version__,
        "processor": getattr(config, "CPU_NAME", None) or llvmlite.binding.get_host_cpu_name(),
        "bits": digest.hexdigest()[:16],
    }


def difference(here: dict[str, str], there: dict[str, str]) -> str:
    """Return how another machine differs, or an empty text if it computes the same bits.

    >>> difference({"numba": "0.60", "processor": "a", "bits": "1"}, {"numba": "0.61", "processor": "a", "bits": "1"})
    'numba 0.61 instead of 0.60'
    >>> difference({"processor": "a", "bits": "1"}, {"processor": "b", "bits": "1"})
    ''
    """
    names = [name for name in here if here[name] != there.get(name)]
    if names in ([], ["processor"]):  # another processor that computes the same bits
        return ""
    return ", ".join(f"{name} {there.get(name)} instead of {here[name]}" for name in names)
