"""Speed and memory against tokens, vocabulary, dimensions and threads.

python benchmarks/scaling.py TEXT [--megabytes 6 36 …] [--words 10000 …] [--dims 50 …] [--balance]

One thing changes at a time, from a middle: the whole text, 40,000 words, 100 dimensions. Each run is a process of its
own that trains for a few seconds, with 1 thread and with 2: as many units of work as fit, after one to warm up. Words
per second say what a user waits for; nanoseconds per pair and thread show where the caches end.

``--balance`` only counts: it takes the blocks of one unit of work, their measured cost, and what the executor would do
with them on up to 64 threads. It shows how much time threads would wait for one another; it knows nothing of memory
bandwidth, which cores share, and counts a fixed time for each call from Python.
"""

import argparse
import contextlib
import heapq
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from texts import cut_text

from lexvec import SGNS, Corpus, CorpusBuilder, LexVec
from lexvec.engine import ThreadExecutor
from lexvec.engine.executors import Step, chains
from lexvec.engine.rows import Rows
from lexvec.engine.schedule import Tally
from lexvec.engine.sources import Unit
from lexvec.engine.sources.windows import WindowUnit

CHOSEN: dict[str, type[LexVec] | type[SGNS]] = {"lexvec": LexVec, "sgns": SGNS}
WORDS, DIM = 40_000, 100  # of the middle
_WARM, _LEAST, _SECONDS = 1, 2, 2.0  # units before the clock starts, and what has to pass until it stops
_CALL = 15e-6  # seconds that a block takes from the interpreter's lock; measured with empty blocks


class EnoughError(Exception):
    """Ends a training that has been measured."""


class Stopwatch(ThreadExecutor):
    """Trains for some seconds, and counts tokens and pairs."""

    def __init__(self, threads: int) -> None:
        super().__init__(threads)
        self.tokens, self.pairs, self.seconds = 0.0, 0, 0.0
        self._units, self._started = 0, 0.0

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        """Run a unit, or stop."""
        done = super().run(unit, step, words, contexts, rate)
        now = time.perf_counter()
        self._units += 1
        if self._units == _WARM:
            self._started = now
        if self._units > _WARM:
            assert isinstance(unit, WindowUnit)
            source = unit.source
            self.tokens, self.pairs = self.tokens + source.size / source.units, self.pairs + done.pairs
            self.seconds = now - self._started
            if self.seconds > _SECONDS and self._units >= _WARM + _LEAST:
                raise EnoughError
        return done


class Measured(NamedTuple):
    """What a run measured."""

    words_per_second: float
    seconds_per_pair: float  # and thread
    memory: int


def trained(corpus: Path, model: str, dim: int, threads: int) -> Measured:
    """Train in this process, which should be a fresh one."""
    made = CHOSEN[model](dim=dim, epochs=1000, subsample=1e-4)
    with Stopwatch(threads) as watch, contextlib.suppress(EnoughError):
        made.fit(Corpus.load(corpus), executor=watch)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Measured(watch.tokens / watch.seconds, threads * watch.seconds / watch.pairs, memory)


def settings(arguments: argparse.Namespace) -> Iterator[tuple[int, int, int]]:
    """Change one thing at a time: megabytes, words, dimensions."""
    whole = arguments.megabytes[-1]
    yield from ((megabytes, WORDS, DIM) for megabytes in arguments.megabytes)
    yield from ((whole, words, DIM) for words in arguments.words)
    yield from ((whole, WORDS, dim) for dim in arguments.dims)


def encoded(arguments: argparse.Namespace, folder: Path, megabytes: int, words: int) -> Path:
    """Encode a part of the text with a vocabulary of this size, unless that was done before."""
    path = folder / f"{megabytes}-{words}"
    if not path.exists():
        cut_text(arguments.text, folder / "text.txt", megabytes)
        CorpusBuilder(min_count=2, max_vocab=words).build(folder / "text.txt", path)
    return path


def measure(arguments: argparse.Namespace, folder: Path) -> None:
    """Print a row per setting, as Markdown."""
    print("| tokens | words | dim | model | words/s, 1 thread | 2 threads | ns per pair and thread | memory |")
    print("|---|---|---|---|---|---|---|---|")
    for megabytes, words, dim in dict.fromkeys(settings(arguments)):
        path = encoded(arguments, folder, megabytes, words)
        corpus = Corpus.load(path)
        for model in arguments.models:
            runs = []
            for threads in (1, 2):
                with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
                    runs.append(process.submit(trained, path, model, dim, threads).result())
            one, two = runs
            print(
                f"| {corpus.tokens / 1e6:.1f} M | {len(corpus.vocabulary):,} | {dim} | {model} | "
                f"{one.words_per_second / 1e3:,.0f} k | {two.words_per_second / 1e3:,.0f} k | "
                f"{one.seconds_per_pair * 1e9:.0f}, {two.seconds_per_pair * 1e9:.0f} | {two.memory / 1e6:,.0f} MB |",
                flush=True,
            )


class Timed(Stopwatch):
    """Keeps how long each block of the last unit took, on one thread."""

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        """Run a unit and time its blocks."""

        def timed(*arguments: Any) -> None:
            begun = time.thread_time()  # so that other work on the machine counts little
            step(*arguments)
            self.costs.append(time.thread_time() - begun)

        self.costs: list[float] = []
        before = self.pairs
        try:
            return super().run(unit, timed, words, contexts, rate)
        finally:
            self.unit_pairs = self.pairs - before


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
    for model in CHOSEN:
        for parts in (16, 64):
            with Timed(1) as executor, contextlib.suppress(EnoughError):
                CHOSEN[model](dim=dim, epochs=1000, subsample=1e-4, parts=parts).fit(corpus, executor=executor)
            order = [block for chain in chains(parts, range(parts), 1) for block in chain]
            costs = dict(zip(order, executor.costs, strict=True))
            one = scheduled(costs, parts, 1)
            gains = [f"{one / scheduled(costs, parts, threads):.1f}" for threads in (2, 8, 16, 32, 64)]
            spread = np.max(executor.costs) / np.mean(executor.costs)
            pairs = executor.unit_pairs / parts**2
            print(f"| {model} | {parts} | {pairs:,.0f} | {spread:.2f} | {' | '.join(gains)} |", flush=True)


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path)
    parser.add_argument("--megabytes", type=int, nargs="+", default=[6, 36, 101, 408], help="the last one is the whole")
    parser.add_argument("--words", type=int, nargs="+", default=[10_000, 40_000, 150_000, 300_000])
    parser.add_argument("--dims", type=int, nargs="+", default=[50, 100, 300, 600])
    parser.add_argument("--models", nargs="+", default=["lexvec", "sgns"])
    parser.add_argument("--balance", action="store_true", help="count what more threads would do, and nothing else")
    parser.add_argument("--folder", type=Path, help="encode the text here and keep it, or use what is encoded here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="lexvec-benchmark-") as name:
        folder = arguments.folder or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        if not arguments.balance:
            measure(arguments, folder)
            return
        cut_text(arguments.text, folder / "text.txt", arguments.megabytes[-1])
        corpus = CorpusBuilder(min_count=5).build(folder / "text.txt")
        print(corpus, file=sys.stderr)
        balance(corpus, 300)


if __name__ == "__main__":
    main()
