"""SGNS: skip-gram with negative sampling (section 2.3 of the paper)."""

from dataclasses import dataclass
from typing import ClassVar

from ..kernels import steps
from ..parameters import parameter
from ..sampling import KEEP_RULES, keep_probabilities, noise_table, stream_key
from .base import Model
from .engine import Schedule
from .job import Job
from .windows import Sampling, WindowTrainer, buffer_bytes, no_targets


@dataclass(kw_only=True, eq=False)
class SGNS(Model):
    """word2vec's skip-gram with negative sampling; the defaults are the paper's.

    >>> model = SGNS(dim=8, epochs=2, subsample=0).fit([["a", "b", "a", "c"]] * 200)
    >>> model.vectors(), sorted(model.losses_[0])
    (<WordVectors: 3 words × 8 dimensions: 'a', 'b', 'c'>, ['loss', 'noise', 'pairs', 'seen'])
    """

    name: ClassVar[str] = "sgns"

    epochs: int = parameter(5, "passes over the corpus", minimum=1)
    learning_rate: float = parameter(0.025, "at the start; it falls linearly", minimum=1e-9)
    window: int = parameter(
        10, "the largest window; its size is drawn from 1..window for each token", minimum=1, maximum=2**31 - 1
    )
    negative: int = parameter(5, "noise words for each pair", minimum=0, maximum=10_000)
    subsample: float | None = parameter(1e-5, "threshold t of subsampling; 0 drops no token", minimum=0, maximum=1)
    keep_rule: str = parameter(
        "word2vec",
        "a token is kept with probability √(t/f) + t/f, as word2vec's program has it, or √(t/f), as the paper says",
        choices=tuple(KEEP_RULES),
    )
    noise_power: float = parameter(0.75, "noise is drawn from word counts raised to this power", minimum=0, maximum=5)

    def _learn(self, job: Job) -> None:
        words = len(job.corpus.vocabulary)
        self._require(8 * words * self.dim + buffer_bytes(), "rows and pairs", job.progress)
        W, C = self._rows(words), self._rows(words)
        steps.fill_uniform(
            W, self.dim, 1 / self.dim, stream_key(self.seed, "word rows")
        )  # C begins at 0, as in word2vec
        sampling = Sampling(
            window=self.window,
            random_sizes=True,
            keep=keep_probabilities(job.corpus.vocabulary.counts, self.subsample, self.keep_rule),
            negative=self.negative,
            per_pair=True,
            noise=noise_table(job.corpus.vocabulary.counts, self.noise_power),
            targets=no_targets(),
            logistic=True,
            seed=self.seed,
        )
        trainer = WindowTrainer(job.corpus, sampling, W, C, job.team)
        self._train(trainer, Schedule(self.epochs, self.learning_rate, True), job)
        self._keep(W, C)
