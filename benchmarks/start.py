"""What a fresh installation compiles, and how long later starts take: ``python benchmarks/start.py``.

Every command that has kernels is run on a tiny text, first with an empty cache and then again; the difference is what
Numba compiles, once per installation. That is time of the processor, so that other work does not count. What a user
waits for is the wall clock: the last lines have the best of several runs.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from lexvec import WordVectors

TEXT = "The cat sat on the mat. The dog ran to the cat. A cat and a dog met on the mat.\n" * 50
TRAIN = ["--dim", "8", "--epochs", "1", "--subsample", "0"]
WORDS, DIM = 100_000, 300  # of the vectors that are searched


def run(cache: Path, *arguments: str) -> tuple[float, float]:
    """Return the seconds of one command, by the wall clock and on the processor."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    subprocess.run([sys.executable, "-m", "lexvec", *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def commands(folder: Path, name: str) -> dict[str, list[str]]:
    """All that is run, into folders of this name."""
    corpus, counts = str(folder / f"corpus-{name}"), str(folder / f"counts-{name}")
    models = {
        f"train --model {model}": ["train", corpus, "-o", str(folder / f"{model}-{name}"), "-q", "--model", model]
        + (TRAIN if model != "ppmi-svd" else ["--dim", "8", "--subsample", "0"])
        for model in ("lexvec", "sgns", "glove", "ppmi-svd")
    }
    return {
        "corpus": ["corpus", str(folder / "text.txt"), "-o", corpus, "--min-count", "1", "-q"],
        "count": ["count", corpus, "-o", counts, "-q", "--subsample", "0"],
        "associate": ["associate", counts, "-o", str(folder / f"matrix-{name}"), "-q"],
        **models,
    }


def waits(folder: Path) -> dict[str, list[str]]:
    """Commands that a user expects to answer at once."""
    vectors = str(folder / "vectors")
    matrix = np.random.default_rng(0).standard_normal((WORDS, DIM), np.float32)
    WordVectors([f"word{row}" for row in range(WORDS)], matrix).save(vectors)
    return {
        "--help": ["--help"],
        "train --help": ["train", "--help"],
        "info": ["info", vectors],
        f"neighbors, {WORDS:,} x {DIM}": ["neighbors", vectors, "word7"],
        f"analogy, {WORDS:,} x {DIM}": ["analogy", vectors, "word7", "word8", "word9"],
    }


def main() -> None:
    """Run all, twice or more."""
    with tempfile.TemporaryDirectory(prefix="lexvec-benchmark-") as temporary:
        folder = Path(temporary)
        cache = folder / "cache"
        (folder / "text.txt").write_text(TEXT, encoding="utf-8")
        first, again = (
            {name: run(cache, *line)[1] for name, line in commands(folder, when).items()} for when in ("first", "again")
        )
        for name in first:
            print(f"{name:<28} first {first[name]:6.2f} s   again {again[name]:5.2f} s of the processor")
        print(f"compiling in all             {sum(first.values()) - sum(again.values()):.1f} s of the processor")
        for name, line in waits(folder).items():
            wall, processor = np.min([run(cache, *line) for _ in range(5)], axis=0)
            print(f"{name:<28} {wall:.2f} s by the wall clock, {processor:.2f} s of the processor, best of five")


if __name__ == "__main__":
    main()
