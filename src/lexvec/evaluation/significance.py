"""Whether a difference means anything: p-values, and their correction for several tests."""

import math

import numpy as np

from .bootstrap import Array


def bootstrap_p(differences: Array) -> float:
    """Return the two-sided p-value of resampled differences: how often resampling reverses the sign."""
    differences = differences[~np.isnan(differences)]
    if not len(differences):
        return math.nan
    tail = min(int(np.sum(differences <= 0)), int(np.sum(differences >= 0)))
    return min(1.0, (tail + 1) * least_p(len(differences)))


def least_p(resamples: int) -> float:
    """Return the least p-value of a bootstrap test: it is never 0, since the number of resamples is finite."""
    return 2 / (resamples + 1)


def mcnemar(gained: int, lost: int) -> float:
    """Return the p-value of the exact McNemar test: each item that only one model gets right is a fair coin toss."""
    from scipy.stats import binomtest  # takes half a second to import, which only comparisons should wait for

    return float(binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0


def holm(values: list[float]) -> list[float]:
    """Return p-values after Holm's correction; NaN stays NaN and does not count as a test."""
    corrected = list(values)
    order = sorted((i for i, p in enumerate(values) if not math.isnan(p)), key=lambda i: values[i])
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * values[place]))
        corrected[place] = largest
    return corrected
