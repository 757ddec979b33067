"""Word similarity: the cosines of pairs of words, compared with people's ratings by Spearman's correlation."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from ...progress import ProgressLike
from ...uncertainty import Array, bootstrap_p, resampled_spearman, spearman
from ...vectors import WordVectors
from .task import Item, Paired, Task


def rating_from(field: str) -> float:
    """Return a rating, which must be a finite number."""
    try:
        rating = float(field)
    except ValueError:
        rating = math.nan
    if not math.isfinite(rating):
        raise ValueError(f"{field[:60]!r} is not a rating: write a number")
    return rating


class Similarity(Task):
    """Pairs of words with a rating."""

    line = "two words and a rating"
    fields = 3
    measures: tuple[str, ...] = ("Spearman",)
    separator = "\t"
    averaged = True
    bounds = (-1.0, 1.0)

    def item(self, fields: list[str]) -> Item:
        """Return a pair and its rating, which must be a finite number."""
        return Item((fields[0], fields[1]), rating_from(fields[2]))

    def composable(self, item: Item) -> tuple[str, ...]:
        """Return both words."""
        return item.words

    def outcomes(
        self, vectors: WordVectors, items: Sequence[Item], *, threads: int = 1, progress: ProgressLike = None
    ) -> Mapping[str, Array]:
        """Return the cosine of each pair."""
        del threads, progress
        cosines = vectors.similarities([(item.words[0], item.words[1]) for item in items])
        # Every word has cosine 1 with itself (SCWS has many such pairs): rounding must not rank them.
        return {"Spearman": np.round(cosines, 12)}

    def value(self, outcomes: Array, ratings: Array) -> float:
        """Return Spearman's correlation."""
        return spearman(outcomes, ratings)

    def resampled(self, outcomes: Array, ratings: Array, *, resamples: int, random: np.random.Generator) -> Array:
        """Return the correlations of resampled pairs."""
        samples: Array = resampled_spearman(ratings, outcomes, resamples=resamples, random=random)[0]
        return samples

    def resampled_together(
        self, outcomes: Array, ratings: Array, *, resamples: int, random: np.random.Generator
    ) -> Array:
        """Return the correlations of several models on the same resamples of the pairs."""
        return resampled_spearman(ratings, *outcomes, resamples=resamples, random=random)

    def paired(
        self, first: Array, second: Array, *, ratings: Array, resamples: int, random: np.random.Generator
    ) -> Paired:
        """Compare both correlations on the same resamples (paired bootstrap)."""
        resampled = resampled_spearman(ratings, first, second, resamples=resamples, random=random)
        differences = resampled[1] - resampled[0]
        return Paired(
            first=spearman(first, ratings),
            second=spearman(second, ratings),
            differences=differences,
            p=bootstrap_p(differences),
        )
