"""Do the engine's liberties cost anything? ``python benchmarks/fidelity.py TEXT [--megabytes 36] [--dim 100]``.

The engine moves rows block by block, in the order of the words, and lets words share noise. word2vec, and the paper's
minibatch variant, walk the text and move the row of a word once by the sum over a pair and its noise, while the context
rows move against the old row. Here is that walk, exact to the letter (threads race, as theirs do); the sweep with
independent noise and with shared noise; and gensim's SGNS on the same text, with one worker and with two. In gensim's
``corpus_file`` mode each worker counts only its own sentences, so with two the learning rate falls half as far within
an epoch; a row trains ours with such a rate. Each is trained with several seeds and
scored on the tests that `lexvec data list` finds: the mean over seeds and its standard deviation. The loss is that of
the finished rows on a fresh draw of pairs with independent noise.
"""

import argparse
import itertools
import math
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

from lexvec import SGNS, Corpus, CorpusBuilder, Evaluation, LexVec, Model, WordVectors, evaluate
from lexvec.engine import ThreadExecutor
from lexvec.engine.executors import Step
from lexvec.engine.rows import Rows
from lexvec.engine.schedule import Schedule, Tally
from lexvec.engine.sources import Unit
from lexvec.engine.sources.targets import MatrixInMemory
from lexvec.engine.sources.windows import WindowUnit
from lexvec.kernels.jit import kernel
from lexvec.kernels.losses import logistic_loss, squared_loss
from lexvec.kernels.pairs import NoiseDraws, Stretch, Targets, cell, draw_contexts
from lexvec.kernels.windows import ContextAxis

Matrix = npt.NDArray[np.float32]
Trained = tuple[WordVectors, float]


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


NO_TARGETS = Targets(
    0, np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.float32), np.float32(0)
)


class Frozen(ThreadExecutor):
    """Measures the loss of finished rows, which it does not move."""

    def __init__(self, threads: int, model: Model) -> None:
        super().__init__(threads)
        self._finished: Any = {"words": model.W_, "contexts": model.C_}

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        for side, rows in (("words", words), ("contexts", contexts)):
            if side in self._finished:
                place(rows, self._finished.pop(side))
        return super().run(unit, step, words, contexts, 0.0 * rate)


def place(rows: Rows, values: Matrix) -> None:
    """Replace all rows."""
    for number, part in rows.arrays["rows"].parts.items():
        part[:, : values.shape[1]] = values[number :: rows.parts]


def finished_loss(model: Any, corpus: Corpus) -> float:
    """The mean loss of a pair, with the rows that a model has in the end."""
    fresh = type(model)(**{**model.get_params(), "epochs": 1, "noise": "independent"})
    with Frozen(2, model) as executor:
        loss: float = fresh.fit(corpus, executor=executor).losses_[-1]["loss"]
    return loss


class TextOrder(ThreadExecutor):
    """Walks the text instead of sweeping over blocks; threads race."""

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        del step
        assert isinstance(unit, WindowUnit)
        sampling, stretch, threads = unit.source.sampling, unit.stretch, self.threads.count
        shares = np.array_split(np.sort(stretch.places), threads)
        losses = np.zeros(threads)
        W, C = words.arrays["rows"].whole(), contexts.arrays["rows"].whole()
        matrix = sampling.targets
        targets, logistic = matrix.whole() if isinstance(matrix, MatrixInMemory) else NO_TARGETS, matrix is None

        def share(_: int, i: int) -> None:
            losses[i] = walk(shares[i], stretch, unit.source.axis, unit.draws, targets, W, C, rate, logistic)

        self.threads.each(share, threads)
        place(words, W)
        place(contexts, C)
        return Tally(float(losses.sum()), 0.0, len(stretch.places), 0)


def walked(model: Any, corpus: Corpus) -> Trained:
    """Train a model in the order of the text."""
    with TextOrder(2) as executor:
        return swept(model.set_params(noise="independent"), corpus, executor)


def swept(model: Any, corpus: Corpus, executor: ThreadExecutor | None = None) -> Trained:
    """Train a model as it is."""
    model.fit(corpus, executor=executor)
    return model.vectors(), finished_loss(model, corpus)


class SlowFall(Schedule):
    """The learning rate of gensim's ``corpus_file`` mode with two workers: each epoch falls half as far."""

    def rate(self, done: float) -> float:
        epoch = min(int(done * self.epochs), self.epochs - 1)
        fallen = (epoch + (done * self.epochs - epoch) / 2) / self.epochs
        return self.learning_rate * max(1.0 - fallen, 0.004)  # gensim's least rate is 0.0001


class SlowSGNS(SGNS):
    """Ours with that rate."""

    name = "sgns-slow"

    @property
    def schedule(self) -> Schedule:
        return SlowFall(self.epochs, self.learning_rate, decays=True)


def gensim_sgns(model: SGNS, corpus: Corpus, workers: int) -> Trained:
    """gensim's Word2Vec with the parameters of ours."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.writelines(" ".join(sentence) + "\n" for sentence in corpus)
        file.flush()
        peer = Word2Vec(
            corpus_file=file.name, sg=1, hs=0, vector_size=model.dim, window=model.window, negative=model.negative,
            sample=model.subsample or 0, min_count=1, workers=workers, seed=model.seed, epochs=model.epochs,
            alpha=0.025,
        )  # fmt: skip
    return WordVectors(peer.wv.index_to_key, peer.wv.vectors), math.nan


def figures(found: list[Evaluation], losses: list[float]) -> str:
    """Mean ± standard deviation over seeds: of the loss, of the mean of similarity sets, and of each set."""
    columns = {"loss": losses, "mean": [evaluation.mean_similarity for evaluation in found]}
    for scores in zip(*(evaluation.scores for evaluation in found), strict=True):
        if scores[0].measure != "3CosMul":
            columns[scores[0].name] = [score.value for score in scores]
    return "  ".join(
        f"{name} {statistics.mean(values):.4f}±{statistics.stdev(values):.4f}" for name, values in columns.items()
    )


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path)
    parser.add_argument("--megabytes", type=int, help="use only so much of the text")
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--data", type=Path, help="folder of evaluation sets")
    parser.add_argument("--only", default="", metavar="TEXT", help="train only rows whose names contain this")
    arguments = parser.parse_args()
    settings: dict[str, Any] = {"dim": arguments.dim, "subsample": 1e-4, "threads": 2}

    def models(seed: int) -> dict[str, SGNS | LexVec]:
        own = {**settings, "seed": seed}
        return {
            "SGNS": SGNS(**own),
            "LexVec St WS_PPMI": LexVec(**own),
            "LexVec MB WS_PPMI": LexVec(**own, variant="minibatch"),
            "LexVec MB WS_SGNS": LexVec(**own, variant="minibatch", window_sampling="sgns"),
        }

    ways: dict[str, Callable[[Any, Corpus], Trained]] = {
        "shared noise": swept,
        "independent noise": lambda model, corpus: swept(model.set_params(noise="independent"), corpus),
        "in text order": walked,
    }
    rows: dict[str, Callable[[Corpus, int], Trained]] = {
        "SGNS, gensim, one worker": lambda corpus, seed: gensim_sgns(SGNS(seed=seed, **settings), corpus, 1),
        "SGNS, gensim, two workers": lambda corpus, seed: gensim_sgns(SGNS(seed=seed, **settings), corpus, 2),
        "SGNS, rate of gensim's two workers": lambda corpus, seed: swept(SlowSGNS(seed=seed, **settings), corpus),
    }
    for model, way in itertools.product(models(1), ways):
        if (model, way) != ("LexVec St WS_PPMI", "in text order"):  # its noise belongs to tokens, not to pairs
            rows[f"{model}, {way}"] = lambda corpus, seed, model=model, way=way: ways[way](models(seed)[model], corpus)
    with tempfile.TemporaryDirectory(prefix="lexvec-benchmark-") as folder:
        text = Path(folder, "text.txt")
        cut_text(arguments.text, text, arguments.megabytes)
        corpus = CorpusBuilder(min_count=5).build(text)
        print(corpus)
        for name, train in rows.items():
            if arguments.only not in name:
                continue
            started = time.perf_counter()
            trained = [train(corpus, seed) for seed in range(1, arguments.seeds + 1)]
            seconds = (time.perf_counter() - started) / arguments.seeds
            found = [evaluate(vectors, data=arguments.data, resamples=1) for vectors, _ in trained]
            print(f"{name:<36} {figures(found, [loss for _, loss in trained])}   {seconds:.0f} s a run", flush=True)


if __name__ == "__main__":
    main()
