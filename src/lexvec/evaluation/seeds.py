"""Noise of training: several models of one method that differ in nothing but the seed.

A bootstrap that resamples only the items treats vectors as fixed. Here each resample also gets a deviation of the mean
that other seeds might show: the standard error between the models, times a draw from Student's t distribution. Drawing
from the models themselves would spread far too little, since two or three of them are all that there usually are.
"""

import math
from collections.abc import Sequence

import numpy as np

from .bootstrap import Array


def deviation(values: Sequence[float]) -> float:
    """Return the standard deviation between the scores of several seeds; NaN for a single one."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def with_seed_noise(samples: Array, random: np.random.Generator) -> Array:
    """Return means over models with training noise; ``samples`` has a row per model, on the same resampled items.

    For the difference of two scores of the same models, give the differences.
    """
    models, resamples = samples.shape
    means: Array = samples.mean(axis=0)
    if models == 1:
        return means
    noise: Array = math.sqrt(_variance(samples) / models) * random.standard_t(models - 1, resamples)
    return means + noise


def differences_with_seed_noise(first: Array, second: Array, random: np.random.Generator) -> Array:
    """Return differences of two methods, second minus first, with the training noise of both (Welch's t).

    A single model is taken to vary as much as those of the other method.
    """
    differences: Array = second.mean(axis=0) - first.mean(axis=0)
    counts = len(first), len(second)
    if max(counts) == 1:
        return differences
    known = [_variance(samples) if len(samples) > 1 else None for samples in (first, second)]
    errors = [(known[place] or known[1 - place] or 0.0) / counts[place] for place in (0, 1)]
    if not sum(errors):
        return differences
    # The degrees of freedom by Welch and Satterthwaite; a single model adds none.
    parts = [error**2 / (count - 1) for error, count in zip(errors, counts, strict=True) if count > 1]
    freedom = sum(errors) ** 2 / sum(parts) if min(counts) > 1 else max(counts) - 1
    noise: Array = math.sqrt(sum(errors)) * random.standard_t(freedom, len(differences))
    return differences + noise


def _variance(samples: Array) -> float:
    """Return the variance between models, each with its mean over the resamples that have a score."""
    scored = samples[:, ~np.isnan(samples).any(axis=0)]
    return float(np.var(scored.mean(axis=1), ddof=1)) if scored.size else 0.0
