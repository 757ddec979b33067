"""The data half against its peers, in one run, as ratios: ``python benchmarks/data.py TEXT [--megabytes 101]``.

TEXT is a large English text, plain or compressed. Each figure is the best of several runs; each peer does the same
work on the same text, on the same machine, in the same process.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from gensim.utils import simple_preprocess
from texts import cut_text

from lexvec import Associator, Cooccurrence, CooccurrenceCounter, Corpus, CorpusBuilder
from lexvec.corpus.blocks import text_blocks
from lexvec.storage.files import opened

WINDOW = 10


def best(runs: int, work: Callable[[], Any]) -> float:
    """Seconds of the fastest of several runs."""
    times = []
    for _ in range(runs):
        started = time.perf_counter()
        work()
        times.append(time.perf_counter() - started)
    return min(times)


def read(path: Path) -> None:
    """Read a text, and do nothing with it."""
    with opened(path) as reader:
        for _ in text_blocks(reader, encoding="utf-8", wrapped=False):
            pass


def normalising(text: Path, packed: Path | None) -> None:
    """Raw text to ids, against gensim's tokeniser, per core."""
    size = text.stat().st_size / 1e6
    lines = text.read_bytes()[:20_000_000].decode(errors="ignore").split("\n")
    gensim = 20.0 / best(3, lambda: [simple_preprocess(line) for line in lines])
    builder = CorpusBuilder(min_count=5, threads=1)
    ours = size / best(3, lambda: builder.build(text))
    two = size / best(3, lambda: CorpusBuilder(min_count=5, threads=2).build(text))
    reading = size / best(3, lambda: read(text))
    print(f"normalise + encode, one thread   {ours:7.1f} MB/s   {ours / gensim:5.1f} x gensim's simple_preprocess")
    print(f"normalise + encode, two threads  {two:7.1f} MB/s   {two / gensim / 2:5.1f} x, per core")
    print(f"  of which reading alone         {reading:7.1f} MB/s   {ours / reading:5.0%} of the time on one thread")
    if packed:
        alone = size / best(1, lambda: read(packed))
        whole = size / best(1, lambda: CorpusBuilder(min_count=5, threads=2).build(packed))
        print(f"the same from {packed.suffix}, two threads  {whole:7.1f} MB/s   unpacking alone: {alone:.1f} MB/s")


def numpy_counts(corpus: Corpus) -> int:
    """Sort all pair keys and take run lengths: the plain way with numpy. Returns the number of cells."""
    ids = np.asarray(corpus.ids, np.int64)
    sentence = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    words = len(corpus.vocabulary)
    keys = []
    for distance in range(1, WINDOW + 1):
        together = sentence[distance:] == sentence[:-distance]
        left, right = ids[:-distance][together], ids[distance:][together]
        keys += [left * words + right, right * words + left]
    ordered = np.concatenate(keys)
    ordered.sort()
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
    counts = np.diff(np.append(starts, len(ordered)))
    return len(counts)


def counting(corpus: Corpus, folder: Path) -> None:
    """Window 10, no subsampling: in memory, on disk, and by numpy."""
    counter = CooccurrenceCounter(window=WINDOW, subsample=0, threads=2)
    made: list[Cooccurrence] = []
    memory = best(3, lambda: made.append(counter.count(corpus, folder / "counts", force=True)))
    small = f"{max(80, corpus.tokens // 500_000)}MB"
    disk_counter = CooccurrenceCounter(window=WINDOW, subsample=0, threads=2, memory=small)
    disk = best(2, lambda: made.append(disk_counter.count(corpus, folder / "counts-disk", force=True)))
    same = made[0].meta["files"] == made[-1].meta["files"]
    cells, pairs = made[0].meta["facts"]["cells"], made[0].meta["facts"]["total"]
    work = f"{pairs / 1e6:.0f} M pairs, {cells / 1e6:.1f} M cells"
    print(f"counting, window {WINDOW}, 2 threads     {memory:7.1f} s     {work}")
    print(f"  on disk, memory={small:<8}       {disk:7.1f} s     {disk / memory:5.2f} x the time; same bits: {same}")
    if pairs <= 400e6:
        plain = best(1, lambda: numpy_counts(corpus))
        print(f"  numpy sort and run lengths     {plain:7.1f} s     {plain / memory:5.1f} x the time")
    else:
        print("  numpy sort and run lengths     not run: its keys alone would need "
              f"{2 * pairs * 8 / 1e9:.0f} GB")  # fmt: skip
    peak = peak_memory(folder / "corpus", folder / "peak")
    print(f"  peak memory of the process     {peak / 1e6:7.0f} MB")


def peak_memory(corpus: Path, output: Path) -> int:
    """Of a process that does nothing but count (Linux: its own high-water mark, which a parent's cannot raise)."""
    script = (
        "import sys; from lexvec import *\n"
        f"CooccurrenceCounter(window={WINDOW}, subsample=0, threads=2).count(Corpus.load(sys.argv[1]), sys.argv[2])\n"
        "print(next(l for l in open('/proc/self/status') if l.startswith('VmHWM')).split()[1])"
    )
    command = [sys.executable, "-c", script, str(corpus), str(output)]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout) * 1024


def associating(corpus: Corpus) -> None:
    """The paper's PPMI*."""
    counter = CooccurrenceCounter(threads=2)
    seconds = best(2, lambda: counter.count(corpus))
    counts = counter.count(corpus)
    ppmi = Associator().associate(counts)
    took = best(2, lambda: Associator(threads=2).associate(counts))
    cells = ppmi.meta["facts"]["cells"]
    print(f"counting, the paper's settings   {seconds:7.1f} s     {counts.meta['facts']['cells'] / 1e6:.1f} M cells")
    print(f"PPMI*                            {took:7.1f} s     {cells / 1e6:.1f} M cells, "
          f"{ppmi.bytes_per_cell:g} bytes each ({ppmi.bytes / cells:.2f} with everything)")  # fmt: skip


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path)
    parser.add_argument("--megabytes", type=int, help="use only so much of the text")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="lexvec-benchmark-"))
    try:
        text = folder / "text.txt"
        cut_text(arguments.text, text, arguments.megabytes)
        CorpusBuilder(min_count=1).build(["compile everything before the clock starts"])
        normalising(text, arguments.text if not arguments.megabytes and arguments.text.suffix != ".txt" else None)
        corpus = CorpusBuilder(min_count=5).build(text, folder / "corpus")
        print(f"corpus: {corpus.tokens / 1e6:.1f} M tokens, {len(corpus) / 1e3:.0f} k sentences, "
              f"{len(corpus.vocabulary):,} words")  # fmt: skip
        CooccurrenceCounter(window=1).count(CorpusBuilder(min_count=1).build(["a b c"]))
        counting(corpus, folder)
        associating(corpus)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
