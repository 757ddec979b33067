"""How training scales: ``python benchmarks/scaling.py TEXT [--megabytes 6 36 …] [--words 10000 …] [--dims 50 …]``.

One thing changes at a time, from a middle: tokens, vocabulary, dimensions. Each run is a process of its own that trains
two epochs with 1 thread and with 2; the second epoch counts. Words per second say what a user waits for; nanoseconds
per pair and thread, against the size of the rows, show where the caches end.

``--balance`` only counts: it takes the blocks of one unit of work, their measured cost, and what the executor would do
with them on up to 64 threads. It shows how much time threads would wait for one another; it knows nothing of memory
bandwidth, which cores share, and counts a fixed time for each call from Python.
"""

import argparse
import heapq
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from texts import cut_text

from lexvec import SGNS, Corpus, CorpusBuilder, LexVec
from lexvec.engine import ThreadExecutor
from lexvec.engine.executors import Step, chains
from lexvec.engine.rows import Rows
from lexvec.engine.schedule import Tally
from lexvec.engine.sources import Unit

TRAIN = """
import json, resource, sys, time
from lexvec import Corpus, MODELS
corpus, model, dim, threads = sys.argv[1:]
stamps = []
made = MODELS[model](dim=int(dim), epochs=2, subsample=1e-4, threads=int(threads))
made.fit(Corpus.load(corpus), callbacks=[lambda *_: stamps.append(time.perf_counter())])
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps([stamps[1] - stamps[0], made.losses_[1]["pairs"], memory]))
"""
MIDDLE = {"megabytes": 36, "words": 40_000, "dim": 100}
_CALL = 15e-6  # seconds that a block takes from the interpreter's lock; measured with empty blocks


def trained(corpus: Path, model: str, dim: int, threads: int) -> tuple[float, float, int]:
    """Seconds of an epoch, its pairs, and the memory of the process."""
    command = [sys.executable, "-c", TRAIN, str(corpus), model, str(dim), str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, pairs, memory = json.loads(done.stdout)
    return seconds, pairs, memory


def settings(arguments: argparse.Namespace) -> Iterator[dict[str, int]]:
    """Change one thing at a time."""
    for name, values in (("megabytes", arguments.megabytes), ("words", arguments.words), ("dim", arguments.dims)):
        for value in values:
            yield {**MIDDLE, name: value}


def measure(arguments: argparse.Namespace, folder: Path) -> None:
    """Print a row per setting, as Markdown."""
    print("| tokens | words | dim | model | words/s, 1 thread | 2 threads | ns per pair and thread | memory |")
    print("|---|---|---|---|---|---|---|---|")
    for setting in {tuple(each.items()): each for each in settings(arguments)}.values():
        text, path = folder / "text.txt", folder / "corpus"
        cut_text(arguments.text, text, setting["megabytes"])
        corpus = CorpusBuilder(min_count=2, max_vocab=setting["words"]).build(text, path, force=True)
        for model in arguments.models:
            one, two = (trained(path, model, setting["dim"], threads) for threads in (1, 2))
            print(
                f"| {corpus.tokens / 1e6:.1f} M | {len(corpus.vocabulary):,} | {setting['dim']} | {model} | "
                f"{corpus.tokens / one[0] / 1e3:,.0f} k | {corpus.tokens / two[0] / 1e3:,.0f} k | "
                f"{one[0] / one[1] * 1e9:.0f}, {2 * two[0] / two[1] * 1e9:.0f} | {two[2] / 1e6:,.0f} MB |",
                flush=True,
            )


class Timed(ThreadExecutor):
    """Keeps how long each block of the last unit took, on one thread."""

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        started = time.perf_counter()

        def timed(*arguments: Any) -> None:
            begun = time.perf_counter()
            step(*arguments)
            self.costs.append(time.perf_counter() - begun)

        self.costs: list[float] = []
        done = super().run(unit, timed, words, contexts, rate)
        self.parts, self.seconds = words.parts, time.perf_counter() - started
        return done


def scheduled(costs: dict[tuple[int, int], float], parts: int, threads: int) -> float:
    """Seconds that the executor would need: threads take chains in order, and wait for the rounds of both parts."""
    free = [(0.0, thread) for thread in range(threads)]
    word_free, context_free = [0.0] * parts, [0.0] * parts
    for chain in chains(parts, range(parts), threads):
        now, thread = heapq.heappop(free)
        for i, j in chain:
            now = word_free[i] = context_free[j] = max(now, word_free[i], context_free[j]) + _CALL + costs[i, j]
        heapq.heappush(free, (now, thread))
    return max(*(now for now, _ in free), _CALL * len(costs))  # only one thread at a time has the interpreter


def balance(corpus: Corpus, dim: int) -> None:
    """Print what to expect of more threads."""
    print(
        "| model | parts | pairs per block | longest block by the mean | speed-up with 2 | 8 | 16 | 32 | 64 threads |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for model in (LexVec, SGNS):
        for parts in (16, 64):
            with Timed(1) as executor:
                made = model(dim=dim, epochs=1, subsample=1e-4, parts=parts).fit(corpus, executor=executor)
            order = [block for chain in chains(parts, range(parts), 1) for block in chain]
            costs = dict(zip(order, executor.costs, strict=True))
            one = scheduled(costs, parts, 1)
            gains = [f"{one / scheduled(costs, parts, threads):.1f}" for threads in (2, 8, 16, 32, 64)]
            spread = np.max(executor.costs) / np.mean(executor.costs)
            units = max(1, round(made.losses_[0]["pairs"] / 2**23))
            pairs = made.losses_[0]["pairs"] / max(24, units) / parts**2
            print(f"| {model.name} | {parts} | {pairs:,.0f} | {spread:.2f} | {' | '.join(gains)} |", flush=True)


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[6, 36, 101, 408])
    parser.add_argument("--words", type=int, nargs="+", default=[10_000, 40_000, 150_000, 300_000])
    parser.add_argument("--dims", type=int, nargs="+", default=[50, 100, 300, 600])
    parser.add_argument("--models", nargs="+", default=["lexvec", "sgns"])
    parser.add_argument("--balance", action="store_true", help="count what more threads would do, and nothing else")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lexvec-benchmark-") as name:
        folder = Path(name)
        if not arguments.balance:
            measure(arguments, folder)
            return
        cut_text(arguments.text, folder / "text.txt", arguments.megabytes[-1])
        corpus = CorpusBuilder(min_count=5).build(folder / "text.txt")
        print(corpus, file=sys.stderr)
        balance(corpus, 300)


if __name__ == "__main__":
    main()
