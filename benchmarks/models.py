"""The models against their peers, in one run, as ratios: ``python benchmarks/models.py TEXT [--megabytes 101]``.

Settings: dim 300, min_count 5, t = 10⁻⁴, k = 5, 2 threads. gensim trains SGNS on the same sentences in the same run,
and scipy factorises the same matrix; the programs that are not Python packages are for peers.py.
"""

import argparse
import math
import shutil
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import Word2Vec
from scipy.sparse.linalg import svds
from texts import cut_text

from lexvec import PPMISVD, SGNS, Associator, CooccurrenceCounter, Corpus, CorpusBuilder, GloVe, LexVec

SHARED: dict[str, Any] = {"dim": 300, "subsample": 1e-4, "threads": 2}


def epoch_seconds(model: Any, corpus: Corpus) -> tuple[float, float]:
    """Seconds of the fastest epoch, and pairs in it; what comes before the first epoch does not count."""
    times = []
    started = [0.0]

    def callback(*_: object) -> None:
        times.append(time.perf_counter() - started[0])
        started[0] = time.perf_counter()

    model.fit(corpus, callbacks=[callback])
    return min(times[1:]), model.losses_[-1]["pairs"]


def copy_speed(threads: int = 2) -> float:
    """Bytes a second that all threads together read and write when they copy arrays larger than any cache."""
    arrays = [(np.ones(1 << 26, np.float32), np.empty(1 << 26, np.float32)) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        best = math.inf
        for _ in range(5):
            started = time.perf_counter()
            list(pool.map(lambda pair: np.copyto(pair[1], pair[0]), arrays))
            best = min(best, time.perf_counter() - started)
    return threads * 2 * arrays[0][0].nbytes / best


def row_speed(pairs: float, seconds: float, dim: int = 304) -> float:
    """Bytes a second of the rows that steps read and write: two rows a pair, padded to whole cache lines."""
    return pairs * 2 * 2 * 4 * dim / seconds


def gensim_seconds(corpus: Corpus, folder: Path, epochs: int) -> float:
    """Per epoch of gensim's SGNS, in its fastest mode."""
    path = folder / "sentences.txt"
    with path.open("w", encoding="utf-8") as file:
        file.writelines(" ".join(sentence) + "\n" for sentence in corpus)
    model = Word2Vec(
        sg=1, vector_size=300, window=10, negative=5, sample=1e-4, min_count=5, workers=2, hs=0, seed=1, alpha=0.025
    )
    model.build_vocab(corpus_file=str(path))
    started = time.perf_counter()
    total = {"total_examples": model.corpus_count, "total_words": model.corpus_total_words}
    model.train(corpus_file=str(path), epochs=epochs, **total)
    return (time.perf_counter() - started) / epochs


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path)
    parser.add_argument("--megabytes", type=int, help="use only so much of the text")
    parser.add_argument("--skip-svds", action="store_true", help="leave out scipy's svds, which takes minutes")
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="lexvec-benchmark-"))
    try:
        cut_text(arguments.text, folder / "text.txt", arguments.megabytes)
        corpus = CorpusBuilder(min_count=5).build(folder / "text.txt")
        print(corpus)
        million = corpus.tokens / 1e6
        peer = gensim_seconds(corpus, folder, 2)
        print(f"gensim SGNS           {peer:6.1f} s an epoch   {million / peer:6.3f} M words/s")
        seconds, pairs = epoch_seconds(SGNS(epochs=3, **SHARED), corpus)
        print(f"SGNS                  {seconds:6.1f} s an epoch   {million / seconds:6.3f} M words/s, "
              f"{2 * seconds / pairs * 1e9:.0f} ns a pair and thread: {peer / seconds:.2f} x gensim")  # fmt: skip
        copying, rows = copy_speed(), row_speed(pairs, seconds)
        print(f"  its rows: {rows / 1e9:.1f} GB/s read and written, drawing and cutting included; "
              f"copying large arrays: {copying / 1e9:.1f} GB/s: {rows / copying:.1f} x that")  # fmt: skip
        seconds, pairs = epoch_seconds(LexVec(epochs=3, **SHARED), corpus)
        print(f"LexVec St, WS_PPMI    {seconds:6.1f} s an epoch   {million / seconds:6.3f} M words/s, "
              f"{2 * seconds / pairs * 1e9:.0f} ns a pair and thread: {peer / seconds:.2f} x gensim")  # fmt: skip
        seconds, pairs = epoch_seconds(GloVe(epochs=3, dim=300, threads=2), corpus)
        print(f"GloVe                 {seconds:6.1f} s an epoch   {pairs / 1e6:6.1f} M cells, "
              f"{seconds / pairs * 1e9:.0f} ns a cell: {peer / seconds:.2f} x gensim")  # fmt: skip
        factorising(corpus, skip_peer=arguments.skip_svds)
    finally:
        shutil.rmtree(folder)


def factorising(corpus: Corpus, *, skip_peer: bool) -> None:
    """PPMI-SVD against scipy's ARPACK on the same matrix."""
    model = PPMISVD(**SHARED)
    counter = CooccurrenceCounter(subsample=1e-4, threads=2)
    matrix = Associator(threads=2).associate(counter.count(corpus)).matrix
    before = time.perf_counter()
    Associator(threads=2).associate(counter.count(corpus))
    preparing = time.perf_counter() - before
    started = time.perf_counter()
    model.fit(corpus)
    ours = time.perf_counter() - started - preparing
    print(f"PPMI-SVD              {ours:6.1f} s           {matrix.nnz / 1e6:6.1f} M cells")
    if skip_peer:
        return
    started = time.perf_counter()
    values = np.sort(svds(matrix, 300)[1])[::-1]
    peer = time.perf_counter() - started
    error = np.abs(model.singular_values_ / values - 1)
    print(f"scipy svds (ARPACK)   {peer:6.1f} s           {peer / ours:.1f} x the time; singular values differ by "
          f"{error[:200].max():.1e} (first 200), {error.max():.1e} (all)")  # fmt: skip


if __name__ == "__main__":
    main()
