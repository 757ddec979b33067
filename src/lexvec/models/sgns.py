"""SGNS: skip-gram with negative sampling (section 2.3 of the paper)."""

from dataclasses import dataclass
from typing import ClassVar

from ..contexts import Contexts, WordContexts
from ..draws import WindowParameters, noise_weights, stream_key
from ..engine.losses import LOSSES, check_loss, sgd
from ..engine.rows import plain_rows, uniform, zeros
from ..engine.sources import WindowSampling, WindowSizes, WindowSource
from ..engine.training import Learner
from ..parameters import parameter, redeclared
from .footprint import Footprint, Sizes, window_footprints
from .training import Data, Task
from .window_model import WindowModel


@dataclass(kw_only=True, eq=False)
class SGNS(WindowParameters, WindowModel):
    """word2vec's skip-gram with negative sampling; the defaults are the paper's.

    >>> model = SGNS(dim=8, epochs=2, subsample=0).fit([["a", "b", "a", "c"]] * 200)
    >>> model.vectors(), sorted(model.losses_[0])
    (<WordVectors: 3 words × 8 dimensions: 'a', 'b', 'c'>, ['loss', 'noise', 'pairs', 'seen'])
    """

    name: ClassVar[str] = "sgns"

    window: int = redeclared(
        WindowParameters, "window", 10, help="Largest window; its size is drawn from 1..window for each token."
    )  # fmt: skip
    keep_rule: str = redeclared(WindowParameters, "keep_rule", "word2vec")
    loss: str = parameter("logistic", "Loss of a pair's score against 1 (seen) or 0 (noise).", choices=LOSSES)

    def _check(self) -> None:
        super()._check()
        check_loss(self.loss, labels=True)

    def _window_sizes(self, words: int, longest_sentence: int) -> WindowSizes:
        return WindowSizes(
            window=self.window,
            random_sizes=True,
            negative=self.negative,
            per_pair=True,
            shared=self._shares_noise,
            unit_pairs=self._pairs_at_once(words),
            longest_sentence=longest_sentence,
        )

    def footprints(self, sizes: Sizes) -> list[Footprint]:
        """Return the ways to train."""
        windows, keep = self._window_sizes(sizes.words, sizes.longest_sentence), self.keep_probabilities(sizes.counts)
        parts = self._parts_for(sizes.words)
        return window_footprints(sizes, self._side_rows(sizes), windows, keep, parts, has_targets=False)

    def _contexts_of(self, data: Data) -> Contexts:
        """Return the words of the corpus."""
        return WordContexts(data.corpus.vocabulary, self.window)

    def _learner(self, task: Task) -> Learner:
        """Return windows and noise, logistic loss, words that begin at random and contexts that begin at 0."""
        corpus, contexts, parts = task.corpus, task.contexts, task.parts
        sampling = WindowSampling(
            windows=self,
            sizes=self._window_sizes(len(corpus.vocabulary), corpus.longest_sentence),
            contexts=contexts,
            noise=noise_weights(contexts.token_counts(corpus.vocabulary.counts), self.noise_power),
            targets=None,
            seed=self.seed,
        )
        words = self._word_rows(task, uniform(stream_key(self.seed, "word rows"), self.dim), LOSSES[self.loss])
        return Learner(
            source=WindowSource(corpus, sampling, parts, task.threads),
            step=sgd(self.loss, factored=words.factors is not None),
            words=words,
            contexts=plain_rows(parts, len(contexts), self.dim, zeros, task.own, task.files("contexts")),
        )
