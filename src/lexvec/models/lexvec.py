"""LexVec: squared error against PPMI*, on pairs from windows and noise (section 3 of the paper)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..association import MEASURES, Associator
from ..cooccurrence import CooccurrenceCounter
from ..errors import ParameterError
from ..kernels import steps
from ..kernels.pairs import Targets
from ..parameters import parameter
from ..sampling import keep_probabilities, noise_table, stream_key
from .base import Model
from .engine import Schedule
from .job import Job
from .recipe import Recipe
from .windows import Sampling, WindowTrainer, buffer_bytes


@dataclass(kw_only=True, eq=False)
class MatrixModel(Model):
    """Base of the models that factorise a matrix of association: LexVec and PPMI-SVD."""

    window: int = parameter(
        2, "of the matrix: words on each side that are a word's contexts", minimum=1, maximum=2**31 - 1
    )
    subsample: float | None = parameter(1e-5, "threshold t of subsampling; 0 drops no token", minimum=0, maximum=1)
    measure: str = parameter("ppmi", "the matrix to factorise", choices=tuple(MEASURES))
    smoothing: float = parameter(0.75, "power that context counts are raised to", minimum=0, maximum=1)

    @property
    def recipe(self) -> Recipe:
        """Counts of one draw of the subsampled corpus, and their association."""
        if self.measure == "pmi":
            raise ParameterError("measure='pmi' says nothing of unseen pairs: take clipped_pmi, or ppmi")
        return Recipe(
            CooccurrenceCounter(
                window=self.window, subsample=self.subsample, seed=self.seed, memory=self.memory, threads=self.threads
            ),
            Associator(measure=self.measure, smoothing=self.smoothing, threads=self.threads),
        )


@dataclass(kw_only=True, eq=False)
class LexVec(MatrixModel):
    """LexVec in all variants of the paper; the defaults are the paper's, stochastic with WS_PPMI.

    >>> model = LexVec(dim=8, epochs=2, subsample=0).fit([["a", "b", "a", "c"]] * 200)
    >>> model.vectors("sum")
    <WordVectors: 3 words × 8 dimensions: 'a', 'b', 'c'>
    """

    name: ClassVar[str] = "lexvec"

    epochs: int = parameter(5, "passes over the corpus", minimum=1)
    learning_rate: float = parameter(0.025, "at the start; it falls linearly", minimum=1e-9)
    negative: int = parameter(5, "noise words (the paper's k)", minimum=0, maximum=10_000)
    variant: str = parameter(
        "stochastic",
        "minibatch: noise words for each pair, as SGNS has it; stochastic: for each window",
        choices=("minibatch", "stochastic"),
    )
    window_sampling: str = parameter(
        "ppmi",
        "windows to learn from: ppmi (fixed, the matrix's own), sgns (sampling_window, its size drawn)",
        choices=("ppmi", "sgns"),
    )
    sampling_window: int = parameter(10, "for window_sampling sgns: the largest window", minimum=1, maximum=2**31 - 1)
    noise_counts: str = parameter(
        "subsampled",
        "the noise distribution comes from the counts of the subsampled corpus (as in the authors' program) or the raw",
        choices=("subsampled", "raw"),
    )
    noise_power: float = parameter(0.75, "power that those counts are raised to", minimum=0, maximum=5)

    def _learn(self, job: Job) -> None:
        matrix = job.matrix(self.recipe)
        words = len(job.corpus.vocabulary)
        self._require(8 * words * self.dim + matrix.bytes + buffer_bytes(), "rows, matrix and pairs", job.progress)
        W, C = self._rows(words), self._rows(words)
        steps.fill_uniform(W, self.dim, 1 / self.dim, stream_key(self.seed, "word rows"))
        steps.fill_uniform(C, self.dim, 1 / self.dim, stream_key(self.seed, "context rows"))
        noise_counts = matrix.kept if self.noise_counts == "subsampled" else job.corpus.vocabulary.counts
        ws_sgns = self.window_sampling == "sgns"
        sampling = Sampling(
            window=self.sampling_window if ws_sgns else self.window,
            random_sizes=ws_sgns,
            keep=keep_probabilities(job.corpus.vocabulary.counts, self.subsample),
            negative=self.negative,
            per_pair=self.variant == "minibatch",
            noise=noise_table(noise_counts, self.noise_power),
            targets=Targets(matrix.indptr, matrix.indices, matrix.data, np.float32(matrix.unseen)),
            logistic=False,
            seed=self.seed,
        )
        trainer = WindowTrainer(job.corpus, sampling, W, C, job.team)
        self._train(trainer, Schedule(self.epochs, self.learning_rate, True), job)
        self._keep(W, C)
