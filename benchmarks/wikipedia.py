"""A dump of Wikipedia, from its file to scored vectors: ``python benchmarks/wikipedia.py DUMP [--data DIR]``.

Runs the commands of the tutorial, one after the other, and prints for each how long it took by the clock and on all
processors, the most memory that it and its workers held (pages of mapped files included), the most disk that it used
on the way, and what it left there. Figures for another dump follow from the rates in the last lines. Linux only.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

SMALL = ["--min-count", "5"], ["--subsample", "1e-4", "--dim", "100"]
PAPER: tuple[list[str], list[str]] = [], []
EVERY = 0.05  # seconds between two looks


class Cost(NamedTuple):
    """Of one command."""

    seconds: float
    processor: float
    memory: int
    disk: int  # at its peak, beyond what was there before
    kept: int

    def __str__(self) -> str:
        return (
            f"{self.seconds:7.1f} s   {self.processor:7.1f} s of processors   {self.memory / 1e6:7,.0f} MB of memory   "
            f"{self.disk / 1e6:7,.0f} MB of disk at most, {self.kept / 1e6:,.0f} MB kept"
        )


def family(process: int) -> list[int]:
    """A process and all below it."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
        threads = [Path(path) for path in Path(f"/proc/{process}/task").glob("*/children")]
        children += [child for path in threads for child in path.read_text(encoding="ascii").split()]
    except OSError:
        return []
    return [process, *(each for child in set(children) for each in family(int(child)))]


def resident(process: int) -> int:
    """Bytes of memory that a process holds."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def used(folder: Path) -> int:
    """Bytes on disk under a folder that is being written to."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):  # it is gone already
                total += Path(place, name).stat().st_blocks * 512
    return total


def measured(folder: Path, *arguments: str) -> Cost:
    """Run a command of lexvec in a folder."""
    before = used(folder)
    memory = disk = 0
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    with (folder.parent / "output").open("w") as output:
        process = subprocess.Popen([sys.executable, "-m", "lexvec", *arguments], cwd=folder, stdout=output)
        while process.poll() is None:
            memory = max(memory, sum(map(resident, family(process.pid))))
            disk = max(disk, used(folder) - before)
            time.sleep(EVERY)
    seconds = time.perf_counter() - started
    if process.returncode:
        sys.exit(f"lexvec {' '.join(arguments)} failed")
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = spent.ru_utime + spent.ru_stime - usage.ru_utime - usage.ru_stime
    return Cost(seconds, processor, memory, disk, used(folder) - before)


def main() -> None:
    """Measure all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dump", type=Path)
    parser.add_argument("--data", type=Path, help="a folder with test sets")
    given = parser.parse_args()
    dump, data = given.dump.resolve(), (["--data", str(given.data.resolve())] if given.data else [])
    size = dump.stat().st_size
    print(f"{dump.name}: {size / 1e6:,.1f} MB, {len(os.sched_getaffinity(0))} cores")
    with tempfile.TemporaryDirectory(prefix="lexvec-benchmark-") as temporary:
        folder = Path(temporary, "work")
        folder.mkdir()
        # Kernels are compiled, and the dump comes into the page cache, before anything counts.
        measured(folder, "corpus", str(dump), "-o", "warm", "-q", "--min-count", "5")
        measured(folder, "train", "warm", "-o", "warm-vectors", "-q", "--epochs", "1", "--dim", "16")
        for name, (reading, training) in {"small": SMALL, "paper": PAPER}.items():
            corpus = measured(folder, "corpus", str(dump), "-o", name, "-q", *reading)
            facts = json.loads((folder / name / "meta.json").read_text(encoding="utf-8"))["facts"]
            print(f"\n{name}: {facts['tokens_read']:,} tokens, {facts['tokens']:,} of {facts['words']:,} words kept")
            print(f"lexvec corpus {' '.join(reading):<32} {corpus}")
            model = measured(folder, "train", name, "-o", f"{name}-vectors", "-q", *training)
            print(f"lexvec train {' '.join(training):<33} {model}")
            scores = measured(folder, "evaluate", f"{name}-vectors", "--combine", "sum", "-q", *data)
            print(f"lexvec evaluate {'':<30} {scores}")
            print((folder.parent / "output").read_text(encoding="utf-8"))
            tokens, read, millions = facts["tokens"], facts["tokens_read"], size / 1e6
            print(f"a MB of dump: {corpus.seconds / millions:.3f} s to read, {read / millions:,.0f} tokens")
            print(f"a token: {corpus.kept / tokens:.1f} bytes of corpus, {corpus.disk / tokens:.1f} at most")
            print(f"a million tokens: {model.seconds / tokens * 1e6:.2f} s to train")


if __name__ == "__main__":
    main()
