"""Training within a hard limit of memory: ``python benchmarks/memory.py CORPUS --model lexvec --limits none 300MB``.

Each run is a process of its own, which may not allocate more than the limit and 300 MB for the program (RLIMIT_DATA, on
Linux). A row has what the formula says, the peak of the memory of the process, the bytes that the last epoch read, its
time and processor time, and the first digits of a hash of W and C. ``--matrix`` takes a folder that was made
beforehand, as ``lexvec train`` does. It ends with an error if rows have different bits, or if a row does not agree with
its formula.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lexvec import Corpus

PROGRAM = 2 * 10**8  # bytes of Python, NumPy and kernels that were compiled before
KERNELS = 2 * 10**7  # bytes of compiled kernels, which are read when they are first used

TRAIN = """
import hashlib, json, re, resource, sys, tempfile, time
from pathlib import Path
options = json.loads(sys.argv[1])
import numpy as np, scipy.linalg
from lexvec import MODELS, Corpus
from lexvec.models.memory import Memory
from lexvec.parameters import bytes_of

def status(name):
    return int(re.search(rf"{name}:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

def read():
    return int(re.search(r"rchar: (\\d+)", Path("/proc/self/io").read_text())[1])

memory = options["parameters"].get("memory")
if memory:
    hard = bytes_of("memory", memory) + 300 * 10**6
    resource.setrlimit(resource.RLIMIT_DATA, (hard, hard))
chosen, plain = [], Memory.choose
def choose(self, *given):
    chosen.append(plain(self, *given))
    global prepared
    prepared = read()  # the matrix was checked
    return chosen[0]
Memory.choose = choose
start, stamps = status("VmRSS"), []
model = MODELS[options["model"]](**options["parameters"])
begun, used = time.perf_counter(), time.process_time()
from lexvec.engine.training import Training
epoch = Training._epoch
def timed(self, state):
    before = time.perf_counter(), read(), time.process_time()
    epoch(self, state)
    stamps.append((time.perf_counter() - before[0], read() - before[1], time.process_time() - before[2]))
Training._epoch = timed
model.fit(Corpus.load(options["corpus"]), options["output"], matrix=options["matrix"], force=True)
whole = time.perf_counter() - begun, read() - prepared, time.process_time() - used
last = stamps[-1] if stamps else whole
way, digest = chosen[0], hashlib.sha256()
for rows in (model.W_, model.C_):
    digest.update(np.ascontiguousarray(rows))  # which needs no copy: the limit still holds
print(json.dumps({
    "on_disk": way.on_disk, "formula": way.total, "formula_read": way.read, "start": start,
    "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    "result": model.W_.nbytes + model.C_.nbytes, "reads_per": way.reads_per,
    "seconds": last[0], "read": last[1], "processor": last[2],
    "hash": digest.hexdigest()[:12],
}))
"""


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--model", default="lexvec")
    parser.add_argument("--matrix", type=Path)
    parser.add_argument("--limits", nargs="+", default=["none"])
    parser.add_argument("--parameters", type=json.loads, default={"dim": 100, "epochs": 2, "threads": 2})
    arguments = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {}
    columns = "model, limit, on disk, formula, peak, formula of reads, read, seconds, of processor time, W and C"
    print(f"| {columns.replace(', ', ' | ')} |\n|{'---|' * len(columns.split(', '))}", flush=True)
    for limit in arguments.limits:
        parameters = {**arguments.parameters, **({} if limit == "none" else {"memory": limit})}
        with tempfile.TemporaryDirectory(prefix="lexvec-benchmark-", dir=arguments.corpus.parent) as folder:
            options = {
                "corpus": str(arguments.corpus), "model": arguments.model, "parameters": parameters,
                "matrix": str(arguments.matrix) if arguments.matrix else None, "output": f"{folder}/model",
            }  # fmt: skip
            command = [sys.executable, "-c", TRAIN, json.dumps(options)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"| {arguments.model} | {limit} | {done.stderr.strip().splitlines()[-1]} |", flush=True)
            continue
        found = rows[limit] = json.loads(done.stdout)
        gigabytes = {name: f"{found[name] / 1e9:.2f} GB" for name in ("formula", "peak", "formula_read", "read")}
        print(
            f"| {arguments.model} | {limit} | {found['on_disk'] or '–'} | {gigabytes['formula']} | {gigabytes['peak']} "
            f"({found['start'] / 1e9:.2f} at the start) | {gigabytes['formula_read']} | {gigabytes['read']} | "
            f"{found['seconds']:.1f} | {found['processor']:.1f} | `{found['hash']}` |",
            flush=True,
        )
    wrong = [*wrong_figures(rows, Corpus.load(arguments.corpus))]
    if wrong or len(rows) < len(arguments.limits):
        sys.exit("\n".join(wrong) or "a run failed")


def wrong_figures(rows: dict[str, dict[str, Any]], corpus: Corpus) -> Iterator[str]:
    """Yield what does not agree: bits, memory beyond the formula and the program, and bytes beyond formula and text."""
    if len({found["hash"] for found in rows.values()}) > 1:
        yield "the bits differ"
    text = 4 * corpus.tokens + 8 * len(corpus)
    for limit, found in rows.items():
        # A result on disk is mapped, and counts as memory of the process while it is copied to the output.
        most = found["formula"] + PROGRAM + (found["result"] if "rows" in found["on_disk"] else 0)
        if found["peak"] > most:
            yield f"{limit}: a peak of {found['peak']:,} bytes is more than the {most:,} of the formula and the program"
        # Windows at the end of a unit reach into the next one, so some text is read twice.
        beside = KERNELS + (2 * text if found["reads_per"] == "epoch" else found["formula_read"] // 20 + text)
        # Parts that are in memory at the end of a round are not read again in the next one, and a thread may want one
        # that another has just given up.
        if not 0.98 * found["formula_read"] <= found["read"] <= 1.02 * found["formula_read"] + beside:
            yield f"{limit}: {found['read']:,} bytes were read, {found['formula_read']:,} by the formula"


if __name__ == "__main__":
    main()
