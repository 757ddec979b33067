"""Tasks whose items are answered right or wrong."""

import math

import numpy as np

from ...uncertainty import Array, mcnemar, resampled_shares
from .task import Paired, Task


class AccuracyTask(Task):
    """The base of tasks whose outcomes are 1 (right) or 0 (wrong): the score is the share of right answers.

    Two models are compared by an exact McNemar test.
    """

    bounds = (0.0, 1.0)

    def value(self, outcomes: Array, ratings: Array) -> float:
        """Return the share of right answers."""
        del ratings
        return float(outcomes.sum() / len(outcomes)) if len(outcomes) else math.nan

    def resampled(self, outcomes: Array, ratings: Array, *, resamples: int, random: np.random.Generator) -> Array:
        """Return resampled shares. Drawing n of n outcomes and counting the right ones is a binomial draw."""
        if not len(outcomes):
            return np.empty(0)
        return random.binomial(len(outcomes), self.value(outcomes, ratings), resamples) / len(outcomes)

    def resampled_together(
        self, outcomes: Array, ratings: Array, *, resamples: int, random: np.random.Generator
    ) -> Array:
        """Return the shares of several models on the same resamples of the questions."""
        del ratings
        return resampled_shares(outcomes, resamples=resamples, random=random)

    def paired(
        self, first: Array, second: Array, *, ratings: Array, resamples: int, random: np.random.Generator
    ) -> Paired:
        """Test whether the items that only one of the two models answers right favour either model."""
        if not len(first):
            return Paired(first=math.nan, second=math.nan, differences=np.empty(0), p=math.nan)
        gained, lost = int(np.sum(second > first)), int(np.sum(first > second))
        shares = np.array([gained, lost, len(first) - gained - lost]) / len(first)
        drawn = random.multinomial(len(first), shares, resamples)
        return Paired(
            first=self.value(first, ratings),
            second=self.value(second, ratings),
            differences=(drawn[:, 0] - drawn[:, 1]) / len(first),
            p=mcnemar(gained, lost),
        )
