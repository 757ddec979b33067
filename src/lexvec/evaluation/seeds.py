"""Noise of training: several models of one method that differ in nothing but the seed.

A bootstrap that resamples only the items treats vectors as fixed. Here each resample also draws as many models as there
are, with replacement, and averages their scores. So its spread holds both the noise of the items and that of training.
"""

import math
from collections.abc import Sequence

import numpy as np

from .bootstrap import Array


def deviation(values: Sequence[float]) -> float:
    """Return the standard deviation between the scores of several seeds; NaN for a single one."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else math.nan


def resampled_seeds(samples: Array, random: np.random.Generator) -> Array:
    """Return means over drawn models; ``samples`` has a row per model, with its scores on the same resampled items.

    Drawing n of n models spreads the mean too little, by the factor that divides a variance by n instead of n − 1. With
    two or three seeds this matters, so the deviations are widened by it.
    """
    models, resamples = samples.shape
    means: Array = samples.mean(axis=0)
    if models == 1:
        return means
    drawn = random.integers(models, size=(models, resamples))
    chosen: Array = np.take_along_axis(samples, drawn, axis=0).mean(axis=0)
    return means + (chosen - means) * math.sqrt(models / (models - 1))
