"""Evaluation on vectors of full size: ``python benchmarks/evaluation.py [--data DIR] [--words 300000] [--dim 300]``.

The vectors are random (the time does not depend on their values), and the words of the test sets are spread over the
whole vocabulary, so that every item is covered. gensim answers one question at a time, so it is timed on a sample.
"""

import argparse
import random
import resource
import tempfile
import time
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

from lexvec import WordVectors
from lexvec.evaluation.evaluator import Evaluator
from lexvec.evaluation.sets import TestSet, gather

SAMPLE = 100  # questions for gensim


def vocabulary(tests: list[TestSet], words: int, rng: np.random.Generator) -> list[str]:
    """Return all words of the sets, in lowercase, in random places among made-up ones."""
    known = sorted({word.lower() for test in tests for item in test.items for word in item.words})
    names = known + [f"word-{number}" for number in range(words - len(known))]
    return [names[place] for place in rng.permutation(len(names))]


def peak() -> float:
    """Return the peak memory of this process in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def gensim_seconds(vectors: WordVectors, tests: list[TestSet], folder: Path) -> float:
    """Return the seconds that gensim's 3CosAdd takes per question."""
    questions = [item for test in tests if test.kind == "analogy" for item in test.items]
    drawn = random.Random(1).sample(questions, SAMPLE)
    path = folder / "questions.txt"
    path.write_text(": sample\n" + "".join(f"{' '.join(item.words)}\n" for item in drawn))
    keyed = KeyedVectors(vectors.matrix.shape[1])
    keyed.add_vectors(vectors.words, vectors.matrix)
    keyed.fill_norms()
    keyed.most_similar("word-1")
    started = time.perf_counter()
    keyed.evaluate_word_analogies(str(path), restrict_vocab=len(vectors))
    return (time.perf_counter() - started) / SAMPLE


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder with the test sets")
    parser.add_argument("--words", type=int, default=300_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    tests, _ = gather(None, arguments.data)
    rng = np.random.default_rng(1)
    matrix = rng.standard_normal((arguments.words, arguments.dim), dtype=np.float32)
    vectors = WordVectors(vocabulary(tests, arguments.words, rng), matrix)
    evaluator = Evaluator(threads=arguments.threads, oov="error")
    before = peak()
    for kind in ("similarity", "analogy"):
        started, busy = time.perf_counter(), time.process_time()
        done = evaluator.evaluate(vectors, sets=[kind], data=arguments.data)
        took = time.perf_counter() - started
        items = sum({score.key: score.total for score in done.scores}.values())
        busy = time.process_time() - busy
        work = f"{items:,} items, {len(done.scores)} scores with intervals"
        print(f"{kind:<12} {took:6.1f} s   {busy:.1f} s of CPU time; {work}")
    print(f"memory       {peak() - before:6.0f} MB above the vectors ({matrix.nbytes / 1e6:.0f} MB) and the sets")
    with tempfile.TemporaryDirectory() as folder:
        each = gensim_seconds(vectors, tests, Path(folder))
    print(f"gensim       {each * 1e3:6.1f} ms a question, 3CosAdd alone: {each * items / 60:.0f} minutes for all, "
          f"{2 * each * items / took:.0f} x as long for both solvers")  # fmt: skip


if __name__ == "__main__":
    main()
