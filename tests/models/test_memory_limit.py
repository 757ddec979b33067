"""Within a hard limit that is smaller than the matrix, training gives the same bits, and keeps to its formula."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from children import run_code
from lexvec import Associator, CooccurrenceCounter, CorpusBuilder, LexVec
from notes import Notes

resource = pytest.importorskip("resource", reason="limits of memory are those of Unix")

#: Trains without a limit and with one, in one process, so that kernels are compiled and loaded before.
TRAIN = """
import gc, hashlib, json, re, resource, sys
from pathlib import Path
from lexvec import MODELS
from lexvec.models.memory import Memory
name, corpus, matrix, parameters, limit, slack = json.loads(sys.argv[1])

def status(name):
    return int(re.search(rf"{name}:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

def read():
    return int(re.search(r"rchar: (\\d+)", Path("/proc/self/io").read_text())[1])

ways, choose = [], Memory.choose
def choosing(self, *given):
    ways.append(choose(self, *given))
    return ways[-1]
Memory.choose = choosing

def trained(**more):
    global peak
    model = MODELS[name](**parameters, **more).fit(corpus, matrix=matrix)
    peak = status("VmHWM")  # before a result on disk is read, which is mapped
    digest = hashlib.sha256(model.W_)
    digest.update(model.C_)
    return digest.hexdigest()

free = trained()
gc.collect()
Path("/proc/self/clear_refs").write_text("5")  # begin a new peak of resident memory
data, resident, begun = status("VmData"), status("VmRSS"), read()
hard = data + limit + slack
resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
limited = trained(memory=limit)
print(json.dumps({
    "equal": free == limited, "on_disk": [way.kept for way in ways], "formula": ways[1].total,
    "peak": peak - resident, "read": read() - begun, "formula_read": ways[1].read,
}))
"""

WORDS, TOKENS = 4000, 6_000_000  # which meet so often that the matrix is large
MANY_WORDS, FEW_TOKENS = 60_000, 240_000  # which have more rows than anything else
SLACK = 30 * 10**6  # for the threads, and for what the allocator keeps
COMMON: dict[str, Any] = {"dim": 8, "threads": 2, "window": 5}
CASES: dict[str, tuple[dict[str, Any], int, str]] = {
    "lexvec": ({**COMMON, "epochs": 2, "subsample": 0, "measure": "log_count"}, 100 * 10**6, "matrix"),
    "glove": ({**COMMON, "epochs": 2}, 90 * 10**6, "cells"),
    "ppmi-svd": ({**COMMON, "subsample": 0, "measure": "log_count"}, 60 * 10**6, "matrix"),
}


def text_of(words: int, tokens: int) -> Iterator[list[str]]:
    draw = np.random.default_rng(1)
    names = np.array([f"w{number}" for number in range(words)])
    return (names[line].tolist() for line in draw.integers(0, words, (tokens // 100, 100)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("limit")
    corpus = CorpusBuilder(min_count=1).build(text_of(WORDS, TOKENS), folder / "corpus")
    counts = CooccurrenceCounter(window=5, subsample=0).count(corpus)
    Associator(measure="log_count").associate(counts, folder / "matrix")  # which leaves no cell out
    CooccurrenceCounter(window=5, subsample=0, window_kind="harmonic").count(corpus, folder / "counts")
    return folder


def trained(name: str, corpus: Path, matrix: Path | None, parameters: dict[str, Any], limit: int) -> dict[str, Any]:
    options = json.dumps([name, str(corpus), matrix and str(matrix), parameters, limit, SLACK])
    done = run_code(TRAIN, options)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def in_this_group(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a slow test that needs the limits of Linux, and the memory of nobody else."""
    for mark in (
        pytest.mark.slow,
        pytest.mark.xdist_group("memory limit"),
        pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux"),
    ):
        test = mark(test)
    return test


@in_this_group
@pytest.mark.parametrize("name", CASES)
def test_the_limit_holds(name: str, folder: Path) -> None:
    parameters, limit, on_disk = CASES[name]
    matrix = folder / ("counts" if name == "glove" else "matrix")
    size = sum((matrix / f"{array}.npy").stat().st_size for array in ("indices", "data"))
    assert size > limit + 5 * 10**6
    found = trained(name, folder / "corpus", matrix, parameters, limit)
    assert found["equal"]
    assert found["on_disk"] == ["", on_disk]
    assert found["formula"] <= limit
    assert found["peak"] < found["formula"] + SLACK
    epochs = parameters.get("epochs", 1)
    # Beside what the formula counts, files are checked, laid out and read once, and each epoch reads the text.
    assert epochs * found["formula_read"] <= found["read"] < epochs * found["formula_read"] + 8 * size


@in_this_group
def test_the_limit_holds_for_rows(tmp_path: Path) -> None:
    CorpusBuilder(min_count=1).build(text_of(MANY_WORDS, FEW_TOKENS), tmp_path / "corpus")
    parameters = {"dim": 100, "threads": 1, "window": 2, "subsample": 0, "epochs": 1}
    found = trained("sgns", tmp_path / "corpus", None, parameters, 60 * 10**6)
    rows = 2 * MANY_WORDS * 4 * 100
    assert found["equal"] and found["on_disk"] == ["", "rows"]
    assert found["peak"] < found["formula"] + SLACK
    # Parts that are needed again may still be in memory.
    assert 0.9 * found["formula_read"] <= found["read"] < found["formula_read"] + 4 * rows


@in_this_group
# Dask and Tornado leave sockets and loops to the garbage collector.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_limit_holds_for_each_worker(folder: Path) -> None:
    """Each may have only a part of its half of the matrix."""
    distributed = pytest.importorskip("distributed", reason="needs Dask: pip install 'lexvec[cluster]'")
    parameters, _, on_disk = CASES["lexvec"]
    matrix, limit = folder / "matrix", 70 * 10**6
    notes = Notes()

    def memory(name: str) -> int:  # of the worker that calls it; inner functions need no module there
        return int(re.search(rf"{name}:\s+(\d+)", Path("/proc/self/status").read_text())[1]) * 1024  # type: ignore[index]

    def begin() -> int:
        Path("/proc/self/clear_refs").write_text("5")
        hard = memory("VmData") + limit + SLACK
        resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
        return memory("VmRSS")

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0", memory_limit=0
        ) as cluster,
        distributed.Client(cluster, set_as_default=False) as client,
    ):

        def fit(**more: Any) -> LexVec:
            return LexVec(**parameters, **more).fit(folder / "corpus", matrix=matrix, engine=client, progress=notes)

        free = fit()
        resident = client.run(begin)
        limited = fit(memory=limit)
        peaks = client.run(lambda: memory("VmHWM"))
    assert any(f"({on_disk} on disk) on each of 2 workers" in text for text in notes.texts)
    assert limited.W_.tobytes() == free.W_.tobytes() and limited.C_.tobytes() == free.C_.tobytes()
    assert len(peaks) == 2
    for worker, peak in peaks.items():
        assert peak - resident[worker] < limit + SLACK
