"""Whether two models differ: a paired test per set, on the items that both cover.

Each kind of task brings its own test (see `lexvec.evaluation.tasks`): a paired bootstrap of correlations for similarity
sets, an exact McNemar test for analogies. p is also shown after Holm's correction for testing all sets at once, and
the verdict follows the corrected p.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import Given, InputError, ParameterError
from ..parameters import Parameters, parameter
from ..presentation import cards
from ..presentation.table import MISSING, Cell, Column, Table, percent
from ..vectors.arguments import instance
from .bootstrap import generator, interval
from .datasets import Dataset
from .results import Evaluation, Score, not_found
from .significance import holm
from .tasks import TASKS


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Two models on one set, scored on the items that both cover."""

    #: The key of the set, or the path of a user's own file.
    key: str
    #: The name in the columns of the paper's tables, or the name of the file without its suffix.
    name: str
    #: The measure, such as Spearman, 3CosAdd or 3CosMul.
    measure: str
    #: The score of the first model.
    first: float
    #: The score of the second model.
    second: float
    #: The second score minus the first.
    difference: float
    #: The lower bound of the confidence interval of the difference.
    low: float
    #: The upper bound of the confidence interval of the difference.
    high: float
    #: The number of items that both cover.
    shared: int
    #: The number of all items.
    total: int
    #: The two-sided p-value of the paired test.
    p: float
    #: The p-value after Holm's correction.
    p_corrected: float
    #: Which model is better, or that there is no clear difference.
    verdict: str

    def as_dict(self) -> dict[str, Any]:
        """Return the figures, with None for NaN."""
        return {name: None if value != value else value for name, value in vars(self).items()}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All differences between two models, as `lexvec.compare` returns them. It prints as a table."""

    #: The names of the two models.
    names: tuple[str, str]
    #: One difference for each set and measure.
    differences: tuple[Difference, ...]
    #: Sets that were not found.
    missing: tuple[Dataset, ...]
    #: The parameters of the comparison (confidence, resamples, seed).
    parameters: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        return {
            "names": list(self.names),
            "parameters": self.parameters,
            "differences": self.records(),
            "missing": [dataset.key for dataset in self.missing],
        }

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each difference, for CSV."""
        return [difference.as_dict() for difference in self.differences]

    def table(self) -> Table:
        """Return a table for people to read."""
        columns = [
            Column("set", "left"),
            Column("measure", "left"),
            Column(self.names[0]),
            Column(self.names[1]),
            Column("difference"),
            Column(f"{percent(self.parameters['confidence'])} interval"),
            Column("items"),
            Column("p"),
            Column("p (Holm)"),
            Column("verdict", "left"),
        ]
        rows = [
            [
                Cell(each.name),
                Cell(each.measure),
                Cell.figure(each.first, bold=each.verdict == _better(self.names[0])),
                Cell.figure(each.second, bold=each.verdict == _better(self.names[1])),
                Cell.figure(each.difference, signed=True),
                Cell.interval(each.low, each.high, signed=True),
                Cell(f"{each.shared:,} of {each.total:,}"),
                Cell(_p(each.p)),
                Cell(_p(each.p_corrected)),
                Cell(each.verdict),
            ]
            for each in self.differences
        ]
        notes = ["Scores cover the items that both models have, and may differ from those of either model alone."]
        return Table("", columns, rows, notes + not_found(self.missing))

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{each.name} {each.measure}: {each.verdict}" for each in self.differences)
        return f"<Comparison: {verdicts}>"

    def _repr_html_(self) -> str:
        from ..presentation.render import html_table

        return cards.card(f"Comparison of {self.names[0]} and {self.names[1]}", html_table(self.table()))

    def __str__(self) -> str:
        from ..presentation.render import render

        return render(self, "table")


@dataclass(frozen=True, kw_only=True)
class Comparer(Parameters):
    """Compares two evaluations; `lexvec.compare` makes one and uses it.

    >>> Comparer(confidence=0.99).record()
    {'confidence': 0.99, 'resamples': 2000, 'seed': 1}
    """

    confidence: float = parameter(
        0.95,
        "Confidence of the intervals; a difference is clear if the corrected p is below 1 − confidence.",
        minimum=0.01,
        maximum=0.9999,
    )
    resamples: int = parameter(
        2000, "Number of bootstrap resamples behind each confidence interval.", minimum=1, maximum=10**6
    )
    seed: int = parameter(1, "Seed of the bootstrap resamples.", minimum=0)

    def compare(self, first: Evaluation, second: Evaluation, *, names: tuple[str, str] = ("A", "B")) -> Comparison:
        """Compare two evaluations of the same sets."""
        for name, given in (("first", first), ("second", second)):
            instance(name, given, Evaluation, "make one with evaluate")
        if not isinstance(names, tuple | list) or len(names) != 2 or not all(isinstance(name, str) for name in names):
            raise ParameterError(Given("names", names), ": it must be two names")
        others = {(score.key, score.measure): score for score in second.scores}
        pairs = [(score, others[score.key, score.measure]) for score in first.scores if _id(score) in others]
        if not pairs:
            raise InputError("the two evaluations have no set in common: evaluate both on the same sets")
        if names[0] == names[1]:
            names = (f"{names[0]} (A)", f"{names[1]} (B)")
        names = (names[0], names[1])
        tested = [self._tested(one, other) for one, other in pairs]
        corrected = holm([test[-1] for test in tested])
        differences = []
        for (one, _), (a, b, low, high, shared, p), after in zip(pairs, tested, corrected, strict=True):
            better = _better(names[0] if a > b else names[1])
            verdict = MISSING if math.isnan(p) else better if after < 1 - self.confidence else "no clear difference"
            differences.append(
                Difference(
                    key=one.key,
                    name=one.name,
                    measure=one.measure,
                    first=a,
                    second=b,
                    difference=b - a,
                    low=low,
                    high=high,
                    shared=shared,
                    total=one.total,
                    p=p,
                    p_corrected=after,
                    verdict=verdict,
                )
            )
        return Comparison(names=names, differences=tuple(differences), missing=first.missing, parameters=self.record())

    def _tested(self, one: Score, other: Score) -> tuple[float, float, float, float, int, float]:
        """Return both scores, the interval of their difference, the number of shared items, and p."""
        if one.sha256 != other.sha256:
            raise InputError(f"the two evaluations used different versions of {one.key}: evaluate both on the same")
        shared = ~(np.isnan(one.outcomes) | np.isnan(other.outcomes))
        found = TASKS[one.kind].paired(
            one.outcomes[shared],
            other.outcomes[shared],
            ratings=one.ratings[shared],
            resamples=self.resamples,
            random=generator(self.seed, one.name, one.measure),
        )
        count = int(np.sum(shared))
        if math.isnan(found.first + found.second):
            return found.first, found.second, math.nan, math.nan, count, math.nan
        return found.first, found.second, *interval(found.differences, self.confidence), count, found.p


def compare(
    first: Evaluation, second: Evaluation, *, names: tuple[str, str] = ("A", "B"), **parameters: Any
) -> Comparison:
    r"""Test, set by set, whether two models differ, on the items that both cover.

    The other parameters are those of `lexvec.evaluation.Comparer`: ``confidence``, ``resamples`` and ``seed``.

    >>> import pathlib, tempfile
    >>> from lexvec import WordVectors, evaluate
    >>> words = [f"word{n}" for n in range(30)]
    >>> good = WordVectors(words, [[np.cos(n / 20), np.sin(n / 20)] for n in range(30)])
    >>> bad = WordVectors(words, np.random.default_rng(0).normal(size=(30, 2)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ratings = pathlib.Path(folder, "ratings.txt")
    ...     size = ratings.write_text("".join(f"word0 word{n} {30 - n}\n" for n in range(1, 30)))
    ...     one, other = evaluate(bad, sets=[ratings]), evaluate(good, sets=[ratings])
    >>> compare(one, other, names=("bad", "good"))
    <Comparison: ratings Spearman: good better>
    """
    return Comparer.of(parameters).compare(first, second, names=names)


def _id(score: Score) -> tuple[str, str]:
    return score.key, score.measure


def _better(name: str) -> str:
    return f"{name} better"


def _p(value: float) -> str:
    if math.isnan(value):
        return MISSING
    return "< .001" if value < 0.001 else f"{value:.3f}".replace("0.", ".", 1)
