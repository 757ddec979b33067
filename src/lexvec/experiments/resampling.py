"""Figures of an experiment with their noise: means over seeds, deviations, intervals, and tests between vectors.

All vectors of an experiment are scored on the same resamples of the items, and vectors of one run come from the same
models. So differences are paired where they can be, and an interval holds the noise of the items and that of training.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..evaluation import TASKS
from ..trained import Combine
from ..uncertainty import (
    Array,
    bootstrap_p,
    deviation,
    differences_with_seed_noise,
    generator,
    interval,
    with_seed_noise,
)
from .scores import Scores

CONFIDENCE = 0.95
_RESAMPLES, _SEED = 1000, 1
# The least p is 2 / (resamples + 1), and Holm's correction multiplies it by the number of tests, which is at most that
# of vectors: with fewer resamples than this for each, no difference between many could be clear.
_RESAMPLES_EACH = 60

Column = tuple[str, str]  # a test set and a measure


class Vectors(NamedTuple):
    """Which vectors of which run."""

    run: str
    combine: Combine


class Figure(NamedTuple):
    """A score: its mean over seeds, their standard deviation, and the interval that holds items and seeds."""

    mean: float
    deviation: float
    low: float
    high: float
    values: tuple[float, ...]  # one for each seed


class Sampled:
    """The scores of vectors, by seed, with resamples behind their intervals."""

    def __init__(self, scores: Mapping[Vectors, Sequence[Scores]]) -> None:
        self._scores = scores
        self._resamples = max(_RESAMPLES, _RESAMPLES_EACH * len(scores))
        self._drawn: dict[Column, dict[Vectors, Array]] = {}

    @cached_property
    def columns(self) -> list[Column]:
        """The sets and measures that all vectors have a score for."""
        every = [each for seeds in self._scores.values() for each in seeds]
        return [which for which in every[0].columns() if all(which in each for each in every)] if every else []

    def figure(self, vectors: Vectors, columns: Sequence[Column]) -> Figure:
        """Return the mean of the columns that have a score; NaN if none has."""
        known = self.scored(columns, vectors)
        if not known:
            return Figure(math.nan, math.nan, math.nan, math.nan, ())
        values = [float(np.mean([scores[which]["value"] for which in known])) for scores in self._scores[vectors]]
        samples = with_seed_noise(self._samples(vectors, known), generator(_SEED, vectors.run))
        task = TASKS[self._scores[vectors][0].kind(known[0])]
        low, high = interval(np.clip(samples, *task.bounds), CONFIDENCE)
        return Figure(float(np.mean(values)), deviation(values), low, high, tuple(values))

    def p(self, one: Vectors, other: Vectors, columns: Sequence[Column]) -> float:
        """Return the two-sided p-value of the difference between two means of columns."""
        known = self.scored(columns, one, other)
        if not known:
            return math.nan
        first, second = self._samples(one, known), self._samples(other, known)
        random = generator(_SEED, one.run, other.run)
        if one.run == other.run:  # the same models
            return bootstrap_p(with_seed_noise(second - first, random))
        return bootstrap_p(differences_with_seed_noise(first, second, random))

    def scored(self, columns: Sequence[Column], *some: Vectors) -> list[Column]:
        """Return the columns that have a score for some vectors: a set with hardly any covered items has none."""
        scores = [each for vectors in some for each in self._scores[vectors]]
        known = (which for which in columns if which in self.columns)
        return [which for which in known if not any(math.isnan(each[which]["value"]) for each in scores)]

    def _samples(self, vectors: Vectors, columns: Sequence[Column]) -> Array:
        """Return the mean of columns on resampled items, with a row for each seed."""
        samples: Array = np.mean([self._of_column(which)[vectors] for which in columns], axis=0)
        return samples

    def _of_column(self, which: Column) -> dict[Vectors, Array]:
        if which not in self._drawn:
            self._drawn[which] = self._resampled(which)
        return self._drawn[which]

    def _resampled(self, which: Column) -> dict[Vectors, Array]:
        """Return the scores of all vectors and seeds on one set, on resamples of the items that all cover."""
        models = [scores for seeds in self._scores.values() for scores in seeds]
        outcomes = np.array([scores.items(which)[0] for scores in models])
        covered = ~np.isnan(outcomes).any(axis=0)
        ratings = models[0].items(which)[1]
        task = TASKS[models[0].kind(which)]
        samples = task.resampled_together(
            outcomes[:, covered], ratings[covered], resamples=self._resamples, random=generator(_SEED, which[0])
        )
        ends = np.cumsum([len(seeds) for seeds in self._scores.values()])[:-1]
        return dict(zip(self._scores, np.split(samples, ends), strict=True))
