"""Do the engine's liberties cost anything? ``python benchmarks/fidelity.py TEXT [--megabytes 36] [--dim 100]``.

The engine moves rows pair by pair, block by block. word2vec, and the paper's minibatch variant, walk the text and move
the row of a word once by the sum over a pair and its noise, while the context rows move against the old row. Here is
that walk, exact to the letter (threads race, as theirs do), on the same draws; and gensim's SGNS on the same text.
Each is trained with several seeds, and scored on the tests that `lexvec data list` finds: the mean over seeds and its
standard deviation.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gensim.models import Word2Vec
from texts import cut_text

from lexvec import SGNS, Corpus, CorpusBuilder, Evaluation, LexVec, WordVectors, evaluate
from lexvec.engine import ThreadExecutor
from lexvec.engine.executors import Step
from lexvec.engine.rows import PARTS, Rows
from lexvec.engine.schedule import Tally
from lexvec.engine.sources import Unit
from lexvec.engine.sources.windows import WindowUnit
from lexvec.kernels import pairs as pair_kernels
from lexvec.kernels.contexts import ContextAxis
from lexvec.kernels.jit import kernel
from lexvec.kernels.losses import logistic_loss, squared_loss
from lexvec.kernels.pairs import NoiseDraws, Stretch, Targets, cell, draw_contexts

Matrix = npt.NDArray[np.float32]


@kernel
def walk(
    places: npt.NDArray[np.int32],
    stretch: Stretch,
    axis: ContextAxis | None,
    draws: NoiseDraws,
    targets: Targets,
    W: Matrix,
    C: Matrix,
    rate: float,
    logistic: bool,
) -> float:
    """Each pair with its noise is one step: W moves once, by the sum, and C against the old W."""
    dim = W.shape[1]
    contexts = np.empty(2 * stretch.window * (1 + draws.negative), np.int32)
    moves = np.empty(dim, np.float32)
    total = 0.0
    for place in places:
        word = stretch.stream[place]
        w = W[word]
        n = draw_contexts(stretch, axis, draws, np.int64(place), contexts, 0)
        for first in range(0, n, 1 + draws.negative):
            moves[:] = 0
            for k in range(first, first + 1 + draws.negative):
                seen = contexts[k] >= 0
                context = np.int64(contexts[k] if seen else ~contexts[k])
                c = C[context]
                score = np.float32(0.0)
                for d in range(dim):
                    score += w[d] * c[d]
                if logistic:
                    loss, slope = logistic_loss(np.float64(score), 1.0 if seen else 0.0)
                else:
                    target = cell(targets, np.int64(word), context)
                    loss, slope = squared_loss(np.float64(score), np.float64(target))
                total += loss
                step = np.float32(rate * slope)
                for d in range(dim):
                    moves[d] -= step * c[d]
                    c[d] -= step * w[d]
            for d in range(dim):
                w[d] += moves[d]
    return total


class TextOrder(ThreadExecutor):
    """Walks the text instead of sweeping over blocks; threads race."""

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        del step
        assert isinstance(unit, WindowUnit)
        sampling, stretch, threads = unit.source.sampling, unit.stretch, self.threads.count
        order, bounds = np.empty(len(stretch.places), np.int32), np.empty(2, np.int64)
        pair_kernels.deal(stretch, 1, order, bounds)
        shares = np.array_split(stretch.places[order], threads)
        losses = np.zeros(threads)
        W, C = words.arrays["rows"].whole(), contexts.arrays["rows"].whole()
        logistic = not sampling.targets.indptr.size

        def share(_: int, i: int) -> None:
            losses[i] = walk(shares[i], stretch, unit.source.axis, unit.draws, sampling.targets, W, C, rate, logistic)

        self.threads.each(share, threads)
        for rows, moved in ((words, W), (contexts, C)):
            for number, part in enumerate(rows.arrays["rows"].parts):
                part[:, : moved.shape[1]] = moved[number::PARTS]
        return Tally(float(losses.sum()), 0.0, len(stretch.places), 0)


def walked(model: Any, corpus: Corpus) -> WordVectors:
    """Train a model in the order of the text."""
    with TextOrder(2) as executor:
        vectors: WordVectors = model.fit(corpus, executor=executor).vectors()
    return vectors


def swept(model: Any, corpus: Corpus) -> WordVectors:
    """Train a model as it is."""
    vectors: WordVectors = model.fit(corpus).vectors()
    return vectors


def gensim_sgns(model: SGNS, corpus: Corpus) -> WordVectors:
    """gensim's Word2Vec with the parameters of ours."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.writelines(" ".join(sentence) + "\n" for sentence in corpus)
        file.flush()
        peer = Word2Vec(
            corpus_file=file.name, sg=1, hs=0, vector_size=model.dim, window=model.window, negative=model.negative,
            sample=model.subsample or 0, min_count=1, workers=2, seed=model.seed, epochs=model.epochs, alpha=0.025,
        )  # fmt: skip
    return WordVectors(peer.wv.index_to_key, peer.wv.vectors)


def figures(found: list[Evaluation]) -> str:
    """Mean ± standard deviation over seeds: of the mean of similarity sets, and of each set."""
    means = [evaluation.mean_similarity for evaluation in found]
    columns = {"mean": means}
    for scores in zip(*(evaluation.scores for evaluation in found), strict=True):
        if scores[0].measure != "3CosMul":
            columns[scores[0].name] = [score.value for score in scores]
    return "  ".join(
        f"{name} {statistics.mean(values):.3f}±{statistics.stdev(values):.3f}" for name, values in columns.items()
    )


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path)
    parser.add_argument("--megabytes", type=int, help="use only so much of the text")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--data", type=Path, help="folder of evaluation sets")
    arguments = parser.parse_args()
    settings: dict[str, Any] = {"dim": arguments.dim, "subsample": 1e-4, "threads": 2}

    def minibatch(sampling: str, seed: int) -> LexVec:
        return LexVec(variant="minibatch", window_sampling=sampling, seed=seed, **settings)

    rows: dict[str, Callable[[Corpus, int], WordVectors]] = {
        "SGNS, gensim": lambda corpus, seed: gensim_sgns(SGNS(seed=seed, **settings), corpus),
        "SGNS, swept": lambda corpus, seed: swept(SGNS(seed=seed, **settings), corpus),
        "SGNS, walked": lambda corpus, seed: walked(SGNS(seed=seed, **settings), corpus),
        "LexVec MB WS_PPMI, swept": lambda corpus, seed: swept(minibatch("ppmi", seed), corpus),
        "LexVec MB WS_PPMI, walked": lambda corpus, seed: walked(minibatch("ppmi", seed), corpus),
        "LexVec MB WS_SGNS, swept": lambda corpus, seed: swept(minibatch("sgns", seed), corpus),
        "LexVec MB WS_SGNS, walked": lambda corpus, seed: walked(minibatch("sgns", seed), corpus),
    }
    with tempfile.TemporaryDirectory(prefix="lexvec-benchmark-") as folder:
        text = Path(folder, "text.txt")
        cut_text(arguments.text, text, arguments.megabytes)
        corpus = CorpusBuilder(min_count=5).build(text)
        print(corpus)
        for name, train in rows.items():
            started = time.perf_counter()
            found = [
                evaluate(train(corpus, seed), data=arguments.data, resamples=1)
                for seed in range(1, arguments.seeds + 1)
            ]
            seconds = (time.perf_counter() - started) / arguments.seeds
            print(f"{name:<26} {figures(found)}   {seconds:.0f} s a run", flush=True)


if __name__ == "__main__":
    main()
