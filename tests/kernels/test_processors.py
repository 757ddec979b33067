"""Kernels work on processors with narrower registers, or none that multiply and add at once."""

import json
import os
import platform
from functools import cache

import llvmlite.binding
import pytest

from children import run_code

#: All kernels in lanes, on random rows: pairs and tiles of plain descent, AdaGrad, and means of rows. A whole training
#: would compile twice as many kernels for each processor.
STEPS = """
import json
import numpy as np
from lexvec.engine.rows import aligned
from lexvec.kernels import steps, subwords
from lexvec.kernels.losses import logistic_loss, squared_loss
from lexvec.kernels.pairs import Pairs
from lexvec.kernels.tiles import Tiles

draw, n, dim = np.random.default_rng(0), 40, 37
def rows():
    made = aligned(n, dim)
    made[:, :dim] = draw.normal(size=(n, dim)) / 4
    return made
def drawn(*shape):
    return draw.integers(0, n, shape).astype(np.int32)
W, C, losses = rows(), rows(), np.zeros(2)
pairs = Pairs(drawn(600), drawn(600), np.ones(600, np.float32))
tiles = Tiles(drawn(50, 4), drawn(50, 4), np.empty((0, 16), np.float32))
part = steps.PlainPart
steps.sgd_sweep(logistic_loss)(part(W), part(C), steps.Block(pairs, tiles), 0.05, losses)
found = {"descent": [float(x) for x in (*W.std(axis=1), *C.std(axis=1), *losses)]}
ones, zeros = np.ones(n, np.float32), np.zeros(n, np.float32)
W, C = (steps.AdaptivePart(rows(), zeros.copy(), np.ones_like(W), ones.copy()) for _ in range(2))
weights, losses = steps.CellWeights(2.0, 0.75, 0.05), np.zeros(2)
steps.adagrad_sweep(squared_loss)(W, C, pairs, 0.05, losses, weights)
found["AdaGrad"] = [float(x) for x in (*W.rows.std(axis=1), *C.row_squares.std(axis=1), *W.bias, *losses)]
table, places = subwords.InputRows(np.arange(0, 3 * n + 1, 3), drawn(3 * n)), np.arange(n)
means = aligned(n, dim)
subwords.compose(table, places, 0, n, C.rows, places, means, aligned(n, dim))
found["means"] = means.std(axis=1).tolist()
print(json.dumps(found))
"""
_FEATURES: dict[str, set[str]] = {
    "generic": set(),
    "haswell": {"avx2", "fma", "bmi2"},
    "skylake-avx512": {"avx512f", "avx512vl"},
}


@cache
def _stepped(processor: str | None) -> dict[str, list[float]]:
    # The cache of compiled kernels tells processors apart: only the first run after a change of kernels compiles.
    environment = dict(os.environ)
    if processor:
        environment |= {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": ""}
    done = run_code(STEPS, env=environment, check=True)
    found: dict[str, list[float]] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.xdist_group("processors")
@pytest.mark.parametrize("processor", _FEATURES)
def test_other_processors_step_the_same(processor: str) -> None:
    if platform.machine() not in ("x86_64", "AMD64") and processor != "generic":
        pytest.skip(f"{processor} is another architecture")
    here = llvmlite.binding.get_host_cpu_features()
    if missing := [feature for feature in _FEATURES[processor] if not here.get(feature)]:
        pytest.skip(f"this machine has no {missing[0]}")
    expected, found = _stepped(None), _stepped(processor)
    for name, figures in expected.items():
        assert min(map(abs, figures)) < max(map(abs, figures)) < float("inf")
        assert found[name] == pytest.approx(figures, rel=1e-4, abs=1e-6)
