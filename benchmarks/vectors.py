"""Search, small folders and text files, compared with gensim on the same matrix.

python benchmarks/vectors.py [--words 1000000] [--text-words 300000] [--small-words 60000]

Processor time is printed beside the wall clock: if it is far below what the threads could use, the machine was busy.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from data import best
from gensim.models import KeyedVectors

from lexvec import WordVectors
from lexvec.vectors import ENCODINGS

DIM = 300


def folder_of_random_vectors(path: Path, words: int) -> WordVectors:
    matrix = np.random.default_rng(0).standard_normal((words, DIM), np.float32)
    WordVectors([f"word{row}" for row in range(words)], matrix).save(path)
    return WordVectors.load(path)


def beside(what: str, ours: float, theirs: float) -> None:
    """Print our time and gensim's."""
    print(f"{what:37} {1e3 * ours:7.1f} ms; gensim {1e3 * theirs:.1f}: {theirs / ours:.2f} x")


def searching(vectors: WordVectors, peer: KeyedVectors) -> None:
    """Time single queries and batches."""
    started = time.perf_counter()
    first = vectors.most_similar("word7")
    print(f"first query, with the norms           {time.perf_counter() - started:7.2f} s")
    assert [word for word, _ in first] == [word for word, _ in peer.most_similar("word7")]
    # By turns, because the speed of memory varies from second to second.
    turns = [[best(1, lambda: each.most_similar("word7")) for each in (vectors, peer)] for _ in range(20)]  # noqa: B023
    beside("one query, best of 20", *np.min(turns, axis=0))
    beside("one query, median of 20", *np.median(turns, axis=0))
    many = [f"word{row * 7919 % len(vectors)}" for row in range(100)]
    ours = best(3, lambda: vectors.neighbors(many)) / 100
    theirs = best(1, lambda: [peer.most_similar(word) for word in many[:10]]) / 10
    beside("a batch of 100, each", ours, theirs)
    questions = list(zip(many, many[1:] + many[:1], many[2:] + many[:2], strict=True))
    for method in ("add", "mul"):
        ours = best(2, lambda: vectors.analogies(questions, method=method)) / 100  # noqa: B023
        print(f"100 analogies, {method}, each              {1e3 * ours:7.1f} ms")


def small(words: int) -> None:
    """Time queries of encoded vectors."""
    matrix = np.random.default_rng(0).standard_normal((words, DIM), np.float32)
    vectors = WordVectors([f"word{row}" for row in range(words)], matrix)
    for encoding in ("float32", *ENCODINGS):
        started = time.perf_counter()
        encoded = vectors.encoded(encoding)
        encoding_time = time.perf_counter() - started
        encoded.most_similar("word7")
        ours = best(5, lambda: encoded.most_similar("word7"))  # noqa: B023
        print(
            f"{words:,} words as {encoding:8} {encoded.matrix.nbytes / 1e6:9.1f} MB, encoded in {encoding_time:.1f} s, "
            f"one query {1e3 * ours:.1f} ms"
        )


def timed(work: Callable[[], object]) -> str:
    """Return the wall and the processor time of some work."""
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return f"{time.perf_counter() - wall:7.1f} s (processor {time.process_time() - processor:.1f} s)"


def text(folder: Path, words: int) -> None:
    """Time writing and reading word2vec text."""
    path = folder / "vectors.txt"
    matrix = np.random.default_rng(0).standard_normal((words, DIM), np.float32)
    vectors = WordVectors([f"word{row}" for row in range(words)], matrix)
    WordVectors(vectors.words[:1000], matrix[:1000]).save(path)  # compiles, or finds what is compiled
    WordVectors.load(path)
    written = timed(lambda: vectors.save(path, force=True))
    print(f"write {words:,} x {DIM} as text        {written}, {path.stat().st_size / 1e6:.0f} MB")
    print(f"read it                               {timed(lambda: WordVectors.load(path))}")
    ours = best(2, lambda: WordVectors.load(path))
    theirs = best(1, lambda: KeyedVectors.load_word2vec_format(str(path)))
    print(f"read it again, best of two            {ours:7.1f} s; gensim {theirs:.1f}: {theirs / ours:.2f} x")


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--text-words", type=int, default=300_000)
    parser.add_argument("--small-words", type=int, default=60_000)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="lexvec-benchmark-"))
    try:
        vectors = folder_of_random_vectors(folder / "vectors", arguments.words)
        print(f"{len(vectors):,} words, {vectors.dim} dimensions")
        opening = best(3, lambda: WordVectors.load(folder / "vectors"))
        print(f"opening the folder                    {opening:7.2f} s")
        peer = KeyedVectors(DIM)
        peer.key_to_index, peer.index_to_key, peer.vectors = vectors.index, vectors.words, np.array(vectors.matrix)
        peer.fill_norms()
        searching(vectors, peer)
        del peer
        small(arguments.small_words)
        text(folder, arguments.text_words)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
