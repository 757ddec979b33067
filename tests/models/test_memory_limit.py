"""Within a hard limit that is smaller than the matrix, training gives the same bits, and keeps to its formula."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexvec import Associator, CooccurrenceCounter, CorpusBuilder

#: Trains without a limit and with one, in one process, so that kernels are compiled and loaded before.
TRAIN = """
import gc, hashlib, json, re, resource, sys
from pathlib import Path
from lexvec import MODELS
from lexvec.models.fit import Fit
name, corpus, matrix, parameters, limit = json.loads(sys.argv[1])

def status(name):
    return int(re.search(rf"{name}:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

def read():
    return int(re.search(r"rchar: (\\d+)", Path("/proc/self/io").read_text())[1])

ways, choose = [], Fit.choose
def choosing(self, *given):
    ways.append(choose(self, *given))
    return ways[-1]
Fit.choose = choosing

def trained(**more):
    model = MODELS[name](**parameters, **more).fit(corpus, matrix=matrix)
    return hashlib.sha256(model.W_.tobytes() + model.C_.tobytes()).hexdigest()

free = trained()
gc.collect()
Path("/proc/self/clear_refs").write_text("5")  # begin a new peak of resident memory
data, resident, begun = status("VmData"), status("VmRSS"), read()
hard = data + limit + 30 * 10**6  # for the threads, and for what the allocator keeps
resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
limited = trained(memory=limit)
print(json.dumps({
    "equal": free == limited, "on_disk": [way.on_disk for way in ways], "formula": ways[1].total,
    "peak": status("VmHWM") - resident, "read": read() - begun, "formula_read": ways[1].read,
}))
"""

WORDS, TOKENS = 4000, 6_000_000
COMMON: dict[str, Any] = {"dim": 8, "threads": 2, "window": 5}
CASES: dict[str, tuple[dict[str, Any], int, str]] = {
    "lexvec": ({**COMMON, "epochs": 2, "subsample": 0, "measure": "log_count"}, 100 * 10**6, "matrix"),
    "glove": ({**COMMON, "epochs": 2}, 90 * 10**6, "cells"),
    "ppmi-svd": ({**COMMON, "subsample": 0, "measure": "log_count"}, 60 * 10**6, "matrix"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("limit")
    draw = np.random.default_rng(1)
    names = np.array([f"w{number}" for number in range(WORDS)])
    text = (names[line].tolist() for line in draw.integers(0, WORDS, (TOKENS // 100, 100)))
    corpus = CorpusBuilder(min_count=1).build(text, folder / "corpus")
    counts = CooccurrenceCounter(window=5, subsample=0).count(corpus)
    Associator(measure="log_count").associate(counts, folder / "matrix")  # which leaves no cell out
    CooccurrenceCounter(window=5, subsample=0, window_kind="harmonic").count(corpus, folder / "counts")
    return folder


@pytest.mark.slow
@pytest.mark.xdist_group("memory limit")
@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
@pytest.mark.parametrize("name", CASES)
def test_the_limit_holds(name: str, folder: Path) -> None:
    parameters, limit, on_disk = CASES[name]
    matrix = folder / ("counts" if name == "glove" else "matrix")
    size = sum((matrix / f"{array}.npy").stat().st_size for array in ("indices", "data"))
    assert size > limit + 5 * 10**6
    options = json.dumps([name, str(folder / "corpus"), str(matrix), parameters, limit])
    done = subprocess.run([sys.executable, "-c", TRAIN, options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["equal"]
    assert found["on_disk"] == ["", on_disk]
    assert found["formula"] <= limit
    assert found["peak"] < found["formula"] + 30 * 10**6
    epochs = parameters.get("epochs", 1)
    # Beside what the formula counts, files are checked, laid out and read once, and each epoch reads the text.
    assert epochs * found["formula_read"] <= found["read"] < epochs * found["formula_read"] + 8 * size
