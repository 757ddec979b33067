"""Kernels work on processors with narrower registers, or none that multiply and add at once."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import llvmlite.binding
import pytest

TRAIN = """
import json
from lexvec import SGNS, GloVe
text = [[f"w{(7 * i + j * j) % 40}" for j in range(12)] for i in range(600)]
found = {}
for model in (SGNS, GloVe):
    runs = [model(dim=20, epochs=2, subsample=0, threads=threads, parts=4).fit(text) for threads in (1, 3)]
    assert runs[0].W_.tobytes() == runs[1].W_.tobytes()
    found[model.name] = [float(runs[0].W_.std()), *(epoch["loss"] for epoch in runs[0].losses_)]
print(json.dumps(found))
"""
_FEATURES: dict[str, set[str]] = {
    "generic": set(),
    "haswell": {"avx2", "fma", "bmi2"},
    "skylake-avx512": {"avx512f", "avx512vl"},
}


def _trained(processor: str | None, cache: Path) -> dict[str, list[float]]:
    environment = dict(os.environ)
    if processor:
        environment |= {"NUMBA_CPU_NAME": processor, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", TRAIN]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    found: dict[str, list[float]] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("processor", _FEATURES)
def test_other_processors_learn_the_same(processor: str, tmp_path: Path) -> None:
    if platform.machine() not in ("x86_64", "AMD64") and processor != "generic":
        pytest.skip(f"{processor} is another architecture")
    here = llvmlite.binding.get_host_cpu_features()
    if missing := [feature for feature in _FEATURES[processor] if not here.get(feature)]:
        pytest.skip(f"this machine has no {missing[0]}")
    expected, found = _trained(None, tmp_path), _trained(processor, tmp_path)
    for name, figures in expected.items():
        assert found[name] == pytest.approx(figures, rel=1e-3)
