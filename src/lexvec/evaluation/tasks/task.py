"""What a kind of evaluation task knows: how its items are written, scored and compared."""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...progress import ProgressLike
from ...uncertainty import Array
from ...vectors import WordVectors


@dataclass(frozen=True, order=True)
class Item:
    """Words, in order, and what people said about them (0 if the words say it all)."""

    words: tuple[str, ...]
    rating: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Paired:
    """A paired test of two models on the same items."""

    #: The score of the first model.
    first: float
    #: The score of the second model.
    second: float
    #: Resampled differences, second minus first.
    differences: Array
    #: The two-sided p-value, or NaN if nothing can be tested.
    p: float


class Task(ABC):
    """One kind of evaluation task. Register an instance in `lexvec.evaluation.TASKS` to add a kind.

    `AccuracyTask` is the base for items that are answered right or wrong; it leaves only `outcomes` to define.
    """

    #: What one line of a file holds, for error messages, such as "two words and a rating".
    line: str
    #: The number of fields on a line, or None if it varies.
    fields: int | None
    #: The names of its measures; each gets a score of its own.
    measures: tuple[str, ...]
    #: What separates the fields in files that lexvec writes.
    separator: str = " "
    #: Whether the mean over all sets of this kind is reported.
    averaged: bool = False
    #: The lowest and the highest score that there can be.
    bounds: tuple[float, float] = (-math.inf, math.inf)
    #: Whether items hold words, which are looked up before `outcomes` is called. Otherwise the outcome of an item that
    #: the vocabulary does not cover is NaN.
    looked_up: bool = True

    def split(self, line: str) -> list[str]:
        """Return the fields of a line, which are separated by whitespace."""
        return line.split()

    def recognises(self, line: str) -> bool:
        """Whether a line looks like an item, in a file that does not name its kind of task."""
        return len(self.split(line)) == self.fields

    def item(self, fields: list[str]) -> Item:
        """Return the item that the fields of a line stand for; raise a ValueError that says what is wrong."""
        return Item(tuple(fields))

    def text(self, item: Item) -> str:
        """Return a line of a file that stands for an item."""
        rated = (self.fields or 0) > len(item.words)
        line = self.separator.join([*item.words, repr(item.rating)] if rated else item.words)
        return f" {line}" if line.startswith("#") else line  # which would be a comment

    def composable(self, item: Item) -> tuple[str, ...]:
        """Return the words of an item that need not be in the vocabulary if their vectors can be composed."""
        del item
        return ()

    @abstractmethod
    def outcomes(
        self, vectors: WordVectors, items: Sequence[Item], *, threads: int = 1, progress: ProgressLike = None
    ) -> Mapping[str, Array]:
        """Return, for each measure, one number per item.

        All words of the items are in the vocabulary, except those that `composable` returns: ``vectors`` has vectors
        for these too.
        """

    @abstractmethod
    def value(self, outcomes: Array, ratings: Array) -> float:
        """Return the score of these outcomes, or NaN if there are too few."""

    @abstractmethod
    def resampled(self, outcomes: Array, ratings: Array, *, resamples: int, random: np.random.Generator) -> Array:
        """Return scores of resampled items, for a confidence interval."""

    def resampled_together(
        self, outcomes: Array, ratings: Array, *, resamples: int, random: np.random.Generator
    ) -> Array:
        """Return scores of several models (a row of outcomes each) on the same resamples of the items."""
        items = len(ratings)
        if not items:
            return np.full((len(outcomes), resamples), np.nan)
        drawn = [random.integers(items, size=items) for _ in range(resamples)]
        return np.array([[self.value(given[chosen], ratings[chosen]) for chosen in drawn] for given in outcomes])

    @abstractmethod
    def paired(
        self, first: Array, second: Array, *, ratings: Array, resamples: int, random: np.random.Generator
    ) -> Paired:
        """Test whether the outcomes of two models on the same items differ."""
