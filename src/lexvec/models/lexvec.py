"""LexVec: squared error against PPMI*, on pairs from windows and noise (section 3 of the paper)."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ..association import Association
from ..contexts import PositionalContexts, WordContexts
from ..corpus import Corpus
from ..draws import noise_weights, stream_key
from ..engine.losses import LOSSES, check_loss, sgd
from ..engine.rows import plain_rows, uniform
from ..engine.sources import WindowSampling, WindowSizes, WindowSource
from ..engine.sources.targets import MatrixByPart, MatrixInMemory, TargetStore
from ..engine.training import Learner
from ..errors import Given, ParameterError
from ..parameters import Search, parameter, redeclared
from .footprint import Footprint, Sizes, window_footprints
from .matrix_model import MatrixModel
from .training import Task
from .window_model import WindowModel


@dataclass(kw_only=True, eq=False)
class LexVec(MatrixModel, WindowModel):
    """LexVec in all variants of the paper; the defaults are the paper's, stochastic with WS_PPMI.

    >>> model = LexVec(dim=8, epochs=2, subsample=0).fit([["a", "b", "a", "c"]] * 200)
    >>> model.vectors("sum")
    <WordVectors: 3 words × 8 dimensions: 'a', 'b', 'c'>
    """

    name: ClassVar[str] = "lexvec"

    negative: int = redeclared(WindowModel, "negative", 5, help="Number of noise contexts (the paper's k).")
    variant: str = parameter(
        "stochastic",
        "minibatch: draw noise for each pair, as SGNS does; stochastic: draw it once per window.",
        choices=("minibatch", "stochastic"),
        search=Search(values=("minibatch", "stochastic")),
    )
    window_sampling: str = parameter(
        "ppmi",
        "Windows to learn from: ppmi: those of the matrix; sgns: windows of random size, up to sampling_window.",
        choices=("ppmi", "sgns"),
        search=Search(values=("ppmi", "sgns")),
    )
    sampling_window: int = parameter(
        10,
        "Largest window with window_sampling sgns.",
        minimum=1,
        maximum=2**31 - 1,
        search=Search(2, 15, when={"window_sampling": ("sgns",)}),
    )
    contexts: str = redeclared(
        MatrixModel,
        "contexts",
        WordContexts.kind,
        # Windows of SGNS may be wider than those of the matrix, which has no positions beyond its own.
        search=Search(
            values=(WordContexts.kind, PositionalContexts.kind),
            when={"window": (1, 2, 3), "window_sampling": ("ppmi",)},
        ),
    )
    noise_counts: str = parameter(
        "subsampled",
        "Counts behind the noise distribution: subsampled: tokens of the subsampled corpus; raw: tokens of the corpus; "
        "pairs: how often each context was seen with any word.",
        choices=("subsampled", "raw", "pairs"),
    )
    cells: str = parameter(
        "all",
        "Cells of the matrix to learn from: all; above: those above the threshold; up_to: those up to the threshold. "
        "Pairs with other cells are drawn and skipped.",
        choices=("all", "above", "up_to"),
    )
    threshold: float = parameter(
        0.0, "Value that cells are compared with, unless all are learned from.", minimum=-1000, maximum=1000
    )
    loss: str = parameter("squared", "Loss of a pair's score against its cell of the matrix.", choices=LOSSES)

    def _check(self) -> None:
        super()._check()
        check_loss(self.loss, labels=False)
        if self.contexts != WordContexts.kind and self.window_sampling == "sgns" and self.sampling_window > self.window:
            raise ParameterError(
                Given("sampling_window", self.sampling_window),
                f" is wider than the matrix, which has contexts at offsets up to {self.window} only: use at most that",
            )

    def _noise(self, matrix: Association, corpus: Corpus) -> npt.NDArray[np.float64]:
        """Return how likely each context is as noise."""
        if self.noise_counts == "pairs":
            return noise_weights(matrix.column_totals, self.noise_power)
        counts = matrix.kept if self.noise_counts == "subsampled" else corpus.vocabulary.counts
        return noise_weights(matrix.contexts.token_counts(counts), self.noise_power)

    def _targets(self, task: Task) -> TargetStore:
        """Return what pairs should score: NaN for the cells that are not learned from."""
        matrix, parts = task.matrix, task.parts
        unseen = np.float32(matrix.unseen)
        if self.cells != "all":
            self._check_threshold(matrix, unseen)
            unseen = unseen if self._learns_from(unseen) else np.float32(np.nan)
        if "matrix" in task.way.on_disk:
            return MatrixByPart(matrix, task.folder, unseen, parts, task.own, task.threads, self._learned_values)
        return MatrixInMemory(matrix, self._learned_values(matrix.data), unseen, parts)

    def _check_threshold(self, matrix: Association, unseen: np.float32) -> None:
        cells = matrix.file("data", dtype=np.float32)
        if not any(map(self._learns_from, (unseen, *(cells.extremes() if len(cells) else ())))):
            where = "above" if self.cells == "above" else "up to"
            raise ParameterError(
                f"no cell of the matrix is {where} ", Given("threshold", self.threshold), ": use another"
            )

    def _learned_values(self, values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Return values with NaN for those that are not learned from."""
        return values if self.cells == "all" else np.where(self._learns_from(values), values, np.float32(np.nan))

    def _learns_from(self, values: Any) -> Any:
        """Return which cells are on the right side of the threshold."""
        threshold = np.float32(self.threshold)
        return values > threshold if self.cells == "above" else values <= threshold

    def _window_sizes(self, words: int, longest_sentence: int) -> WindowSizes:
        ws_sgns = self.window_sampling == "sgns"
        return WindowSizes(
            window=self.sampling_window if ws_sgns else self.window,
            random_sizes=ws_sgns or self.window_kind == "random",
            negative=self.negative,
            per_pair=self.variant == "minibatch",
            shared=self._shares_noise,
            unit_pairs=self._pairs_at_once(words),
            longest_sentence=longest_sentence,
        )

    def footprints(self, sizes: Sizes) -> list[Footprint]:
        """Return the ways to train, with the matrix in memory or on disk."""
        windows, keep = self._window_sizes(sizes.words, sizes.longest_sentence), self.keep_probabilities(sizes.counts)
        parts, copied = self._parts_for(sizes.words), self.cells != "all"
        return window_footprints(sizes, self._side_rows(sizes), windows, keep, parts, has_targets=True, copied=copied)

    def _learner(self, task: Task) -> Learner:
        """Return windows and noise, squared loss against the matrix, and rows that begin at random."""
        corpus, parts = task.corpus, task.parts
        sampling = WindowSampling(
            windows=self,
            sizes=self._window_sizes(len(corpus.vocabulary), corpus.longest_sentence),
            contexts=task.contexts,
            noise=self._noise(task.matrix, corpus),
            targets=self._targets(task),
            seed=self.seed,
        )
        own, begin = task.own, uniform(stream_key(self.seed, "context rows"), self.dim)
        words = self._word_rows(task, uniform(stream_key(self.seed, "word rows"), self.dim), LOSSES[self.loss])
        return Learner(
            source=WindowSource(corpus, sampling, parts, task.threads),
            step=sgd(self.loss, skips=self.cells != "all", factored=words.factors is not None),
            words=words,
            contexts=plain_rows(parts, len(task.contexts), self.dim, begin, own, task.files("contexts")),
        )
