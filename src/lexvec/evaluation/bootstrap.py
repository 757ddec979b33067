"""Bootstrap confidence intervals: Spearman's correlation on resampled items, and percentile intervals.

A resample of n items is a count per item. The ranks of a resample (ties share their mean rank) follow from the counts
summed in the order of the values. That order is found once and nothing is sorted again, so that a thousand resamples of
all the paper's sets take a second or two.
"""

import zlib
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

FEWEST = 3  # items for a correlation
_BLOCK = 1 << 20  # counts held at once


def generator(seed: int, *what: str) -> np.random.Generator:
    """Return a generator that depends on the seed and the name of a set, not on which other sets are scored."""
    return np.random.default_rng([seed, *(zlib.crc32(name.encode()) for name in what)])


class Ranking:
    """Values of items, prepared for ranking in any resample."""

    def __init__(self, values: npt.ArrayLike) -> None:
        _, self._group, sizes = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
        self._order = np.argsort(self._group, kind="stable")
        self._starts = np.cumsum(sizes) - sizes

    def centred(self, counts: Array) -> Array:
        """Return, for each resample (a row of counts), the rank of each item minus the mean of all ranks."""
        grouped = np.add.reduceat(counts[:, self._order], self._starts, axis=1)
        middles = np.cumsum(grouped, axis=1)
        middles -= grouped / 2
        middles -= counts.sum(axis=1, keepdims=True) / 2
        return middles[:, self._group]


def spearman(one: Array, other: Array) -> float:
    """Return Spearman's correlation; NaN for fewer than three items, or if either side is constant."""
    if len(one) < FEWEST:
        return np.nan
    return float(_correlations(np.ones((1, len(one))), Ranking(one), Ranking(other))[0])


def resampled_spearman(gold: Array, *given: Array, resamples: int, random: np.random.Generator) -> Array:
    """Return Spearman's correlation of each given array with ``gold``, one row each, on the same resamples."""
    if len(gold) < FEWEST:
        return np.full((len(given), resamples), np.nan)
    ratings, rankings = Ranking(gold), [Ranking(values) for values in given]
    blocks = [
        [_correlations(counts, ratings, ranking) for ranking in rankings]
        for counts in _resamples(len(gold), resamples, random)
    ]
    return np.concatenate(blocks, axis=1)


def resampled_shares(given: Array, *, resamples: int, random: np.random.Generator) -> Array:
    """Return the mean of each row of ``given`` on resampled items, one row each, on the same resamples."""
    items = given.shape[1]
    if not items:
        return np.full((len(given), resamples), np.nan)
    return np.concatenate([given @ counts.T / items for counts in _resamples(items, resamples, random)], axis=1)


def _resamples(items: int, resamples: int, random: np.random.Generator) -> Iterator[Array]:
    """Yield the counts of each item in each resample, in blocks."""
    step = max(1, _BLOCK // items)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = random.integers(items, size=(rows, items))
        drawn += np.arange(rows)[:, None] * items
        yield np.bincount(drawn.reshape(-1), minlength=rows * items).reshape(rows, items).astype(np.float64)


def _correlations(counts: Array, one: Ranking, other: Ranking) -> Array:
    x, y = one.centred(counts), other.centred(counts)
    weighted = counts * x
    together = np.einsum("ij,ij->i", weighted, y)
    spread = np.einsum("ij,ij->i", weighted, x) * np.einsum("ij,ij,ij->i", counts, y, y)
    with np.errstate(invalid="ignore"):  # all values are equal, so there is no correlation
        correlations: Array = np.clip(together / np.sqrt(spread), -1, 1)
    return correlations


def interval(samples: Array, confidence: float) -> tuple[float, float]:
    """Return the bounds of the middle part of resampled scores, ignoring NaN."""
    samples = samples[~np.isnan(samples)]
    if not len(samples):
        return np.nan, np.nan
    low, high = np.quantile(samples, [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)
