"""What a fresh installation compiles, and how long later starts take: ``python benchmarks/start.py``.

Every command that has kernels is run on a tiny text, first with an empty cache and then again; the difference is what
Numba compiles, once per installation. Time is that of the processor, so that other work does not count.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

TEXT = "The cat sat on the mat. The dog ran to the cat. A cat and a dog met on the mat.\n" * 50
TRAIN = ["--dim", "8", "--epochs", "1", "--subsample", "0"]


def seconds(cache: Path, *arguments: str) -> float:
    """Of one command, on the processor."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    subprocess.run([sys.executable, "-m", "lexvec", *arguments], check=True, env=environment, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


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
        "--help": ["--help"],
    }


def main() -> None:
    """Run all, twice."""
    with tempfile.TemporaryDirectory(prefix="lexvec-benchmark-") as temporary:
        folder = Path(temporary)
        (folder / "text.txt").write_text(TEXT, encoding="utf-8")
        first = {name: seconds(folder / "cache", *run) for name, run in commands(folder, "first").items()}
        again = {name: seconds(folder / "cache", *run) for name, run in commands(folder, "again").items()}
    for name in first:
        print(f"{name:<24} first {first[name]:6.2f} s   again {again[name]:5.2f} s")
    print(f"compiling in all         {sum(first.values()) - sum(again.values()):.1f} s")


if __name__ == "__main__":
    main()
