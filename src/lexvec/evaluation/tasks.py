"""Kinds of evaluation tasks: how their items are written, scored, compared and reported.

To add a kind, register an instance: ``TASKS["odd-one-out"] = OddOneOut()``. Installed packages add kinds through entry
points in the group ``lexvec.tasks``. An entry is an instance of `Task`.
"""

import csv
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np

from ..progress import Progress, ProgressLike, resolved
from ..progress.reports import Silent
from ..registry import Registry
from ..uncertainty import Array, bootstrap_p, mcnemar, resampled_shares, resampled_spearman, spearman
from ..vectors import SentenceRules, WordVectors
from ..vectors.analogies import SOLVERS, solve
from ..vectors.found_words import FoundWords
from ..vectors.sentences import encode


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
    #: What the score is, as model cards name it, such as "spearman" or "accuracy".
    metric: str = "score"
    #: The kind of task as Hugging Face's hub names it; "" for the name that it is registered by.
    hub_name: str = ""
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
        line = self.separator.join([*item.words, repr(item.rating)] if self.is_rated(item) else item.words)
        return f" {line}" if line.startswith("#") else line  # which would be a comment

    def is_rated(self, item: Item) -> bool:
        """Return whether an item has a rating behind its words."""
        return (self.fields or 0) > len(item.words)

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


class AccuracyTask(Task):
    """The base of tasks whose outcomes are 1 (right) or 0 (wrong): the score is the share of right answers.

    Two models are compared by an exact McNemar test.
    """

    bounds = (0.0, 1.0)
    metric = "accuracy"

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


class Analogy(AccuracyTask):
    """Questions of four words, the last of which is the answer."""

    line = "four words"
    fields = 4
    measures = SOLVERS
    hub_name = "word-analogy"

    def composable(self, item: Item) -> tuple[str, ...]:
        """Return the words of the question; the answer is searched for in the vocabulary."""
        return item.words[:3]

    def outcomes(
        self, vectors: WordVectors, items: Sequence[Item], *, threads: int = 1, progress: ProgressLike = None
    ) -> Mapping[str, Array]:
        """Return 1 for each question that is answered right, 0 for the others."""
        found = FoundWords(vectors, (word for item in items for word in item.words))
        numbers = np.array([[found.number(word) for word in item.words] for item in items], np.int64).reshape(-1, 4)
        answers = solve(found.unit_rows, len(vectors), numbers[:, :3], threads=threads, progress=progress)
        return {solver: (answers[solver] == numbers[:, 3]).astype(np.float64) for solver in SOLVERS}


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
    metric = "spearman"
    hub_name = "word-similarity"

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


_MEASURES = {"SIF": "sif", "mean": "mean"}


class Sts(Similarity):
    """Pairs of sentences with a rating: lines of CSV, or fields between tabs.

    Each measure is Spearman's correlation, once with vectors of SIF weights and once with plain means. A pair is
    covered if both sentences have a known word.
    """

    line = "two sentences and a rating, separated by commas or tabs"
    measures = tuple(_MEASURES)
    averaged = False
    hub_name = "sentence-similarity"
    looked_up = False

    def split(self, line: str) -> list[str]:
        """Return the fields of a line of CSV, or of one with tabs; none if its quotation marks are unbalanced."""
        if "\t" in line:
            return line.split("\t")
        try:
            return next(csv.reader([line], strict=True))
        except (csv.Error, StopIteration):
            return []

    def text(self, item: Item) -> str:
        """Return a line of CSV, all of it in quotation marks: a sentence may be empty, or begin with ``#``."""
        return ",".join('"' + field.replace('"', '""') + '"' for field in [*item.words, repr(item.rating)])

    def recognises(self, line: str) -> bool:
        """Whether a line has three fields, the last one a rating, that are not just words between whitespace."""
        fields = self.split(line)
        try:
            rating_from(fields[-1] if len(fields) == self.fields else "")
        except ValueError:
            return False
        return "\t" not in line or len(line.split()) > len(fields)

    def outcomes(
        self, vectors: WordVectors, items: Sequence[Item], *, threads: int = 1, progress: ProgressLike = None
    ) -> Mapping[str, Array]:
        """Return the cosine of each pair, or NaN if one of its sentences has no known word."""
        del threads
        texts = [sentence for item in items for sentence in item.words]
        reporters = chain([resolved(progress, __name__)], repeat(Silent()))  # once is enough
        return {
            name: self._cosines(vectors, texts, weights, reporter)
            for (name, weights), reporter in zip(_MEASURES.items(), reporters, strict=False)
        }

    @staticmethod
    def _cosines(vectors: WordVectors, texts: list[str], weights: str, progress: Progress) -> Array:
        found = encode(vectors, texts, SentenceRules(weights=weights), progress=progress)
        units = found.matrix.astype(np.float64)
        cosines = np.round((units[::2] * units[1::2]).sum(axis=1), 6)  # equal sentences must have equal cosines
        cosines[[number // 2 for number in found.report.empty]] = np.nan
        return np.asarray(cosines)


#: Kinds of tasks by name; installed packages add theirs through the entry points `lexvec.tasks`.
TASKS: Registry[Task] = Registry("task", {"similarity": Similarity(), "analogy": Analogy(), "sts": Sts()})
