"""SGNS: skip-gram with negative sampling (section 2.3 of the paper)."""

from dataclasses import dataclass
from typing import ClassVar

from ..contexts import WordContexts
from ..corpus import Corpus
from ..draws import WindowParameters, noise_weights, stream_key
from ..engine.footprint import Footprint, Sizes, window_footprints
from ..engine.losses import LOSSES, check_loss
from ..engine.rows import plain_rows
from ..engine.sources import WindowSampling, WindowSizes, WindowSource
from ..engine.steps import sgd
from ..engine.training import Learner
from ..parameters import parameter, redeclared
from .fit import Fit
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
        parts = self._parts(sizes.words)
        return window_footprints(sizes, self._side_rows(sizes), windows, keep, parts, has_targets=False)

    def _learner(self, fit: Fit, corpus: Corpus) -> Learner:
        contexts = self.contexts_ = WordContexts(corpus.vocabulary, self.window)
        composition = self._compose(fit, corpus.vocabulary)
        way = fit.choose(self.footprints, fit.sizes(corpus, input_rows=composition.rows))
        sampling = WindowSampling(
            windows=self,
            sizes=self._window_sizes(len(corpus.vocabulary), corpus.longest_sentence),
            contexts=contexts,
            noise=noise_weights(contexts.token_counts(corpus.vocabulary.counts), self.noise_power),
            targets=None,
            seed=self.seed,
        )
        parts = self._parts(len(corpus.vocabulary))
        own, files = fit.own(parts), fit.row_files(way)
        return Learner(
            source=WindowSource(corpus, sampling, parts, fit.executor.threads.count),
            step=sgd(self.loss),
            words=self._word_rows(
                parts, composition, self.dim, stream_key(self.seed, "word rows"), own, files[0], LOSSES[self.loss]
            ),
            contexts=plain_rows(parts, len(contexts), self.dim, None, own, files[1]),  # C begins at 0, as in word2vec
        )
