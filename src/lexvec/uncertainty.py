"""How certain scores are: bootstrap intervals, noise between seeds, p-values and Holm's correction.

Spearman's correlation on a resample: a resample of n items is a count per item, and its ranks (ties share their mean
rank) follow from the counts summed in the order of the values. That order is found once, so nothing is sorted again,
and a thousand resamples of all the paper's sets take a second or two.

Noise of training: a bootstrap that resamples only the items treats vectors as fixed. With several seeds, each resample
also gets a deviation of the mean that other seeds might show: the standard error between the models, times a draw from
Student's t distribution. Drawing from the models themselves would spread far too little, since there are usually only
two or three.
"""

import math
import zlib
from collections.abc import Iterator, Sequence

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
