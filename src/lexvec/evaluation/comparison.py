"""Whether a difference between two models means anything: a paired test per set.

Both models are held against each other on the items that both cover. For similarity sets the same resamples of pairs
give both correlations, and their difference an interval and a two-sided p; for analogies an exact McNemar test asks
whether the questions that only one of the two answers right could have fallen to either by chance. p is also shown
after Holm's correction for testing all sets at once, and it is that one which decides.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from ..parameters import Parameters, parameter
from ..presentation import cards
from ..presentation.table import MISSING, Cell, Column, Table, percent
from .bootstrap import Array, generator, interval, resampled_spearman, spearman
from .registry import Dataset
from .results import Evaluation, Score, not_found


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Two models on one set, on the items that both cover."""

    #: The set's key, or the path of a file of one's own.
    key: str
    #: As in the columns of the paper's tables.
    name: str
    #: Spearman, 3CosAdd or 3CosMul.
    measure: str
    #: The score of the first model.
    first: float
    #: The score of the second.
    second: float
    #: The second less the first.
    difference: float
    #: Where the interval of the difference begins.
    low: float
    #: Where it ends.
    high: float
    #: Items that both cover.
    shared: int
    #: All items.
    total: int
    #: Two-sided, of the paired test.
    p: float
    #: After Holm's correction.
    p_corrected: float
    #: Which is better, or that nothing can be told.
    verdict: str

    def as_dict(self) -> dict[str, Any]:
        """Figures only; None where there is none."""
        return {name: None if value != value else value for name, value in vars(self).items()}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All differences between two models: what `lexvec.compare` gives. Printed, it is a table."""

    #: What the two are called.
    names: tuple[str, str]
    #: One for each set and measure.
    differences: tuple[Difference, ...]
    #: Sets that were not found.
    missing: tuple[Dataset, ...]
    #: The parameters of the comparison (confidence, resamples, seed).
    parameters: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "names": list(self.names),
            "parameters": self.parameters,
            "differences": self.records(),
            "missing": [dataset.key for dataset in self.missing],
        }

    def records(self) -> list[dict[str, Any]]:
        """A record for each difference, for CSV."""
        return [difference.as_dict() for difference in self.differences]

    def table(self) -> Table:
        """For people."""
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
        notes = ["Scores are over the items that both models cover, and may differ from those of either one alone."]
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
    """How two evaluations are compared; `lexvec.compare` makes one and uses it.

    >>> Comparer(confidence=0.99).record()
    {'confidence': 0.99, 'resamples': 2000, 'seed': 1}
    """

    confidence: float = parameter(
        0.95, "of the intervals; a difference is clear if p is below the rest", minimum=0.01, maximum=0.9999
    )
    resamples: int = parameter(2000, "that an interval is made from", minimum=1, maximum=10**6)
    seed: int = parameter(1, "of the resamples", minimum=0)

    def compare(self, first: Evaluation, second: Evaluation, *, names: tuple[str, str] = ("A", "B")) -> Comparison:
        """Hold two evaluations of the same sets against each other."""
        others = {(score.key, score.measure): score for score in second.scores}
        pairs = [(score, others[score.key, score.measure]) for score in first.scores if _id(score) in others]
        if not pairs:
            raise InputError("the two evaluations have no set in common: evaluate both on the same sets")
        if names[0] == names[1]:
            names = (f"{names[0]} (A)", f"{names[1]} (B)")
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
        """Both figures, the interval of their difference, shared items, p."""
        if one.sha256 != other.sha256:
            raise InputError(f"the two evaluations used different versions of {one.key}: evaluate both on the same")
        shared = ~(np.isnan(one.outcomes) | np.isnan(other.outcomes))
        a, b = one.outcomes[shared], other.outcomes[shared]
        random = generator(self.seed, one.name, one.measure)
        if one.kind == "similarity":
            ratings = one.ratings[shared]
            resampled = resampled_spearman(ratings, a, b, resamples=self.resamples, random=random)
            samples = resampled[1] - resampled[0]
            figures, p = (spearman(a, ratings), spearman(b, ratings)), bootstrap_p(samples)
        elif len(a):
            gained, lost = int(np.sum(b > a)), int(np.sum(a > b))
            shares = np.array([gained, lost, len(a) - gained - lost]) / len(a)
            drawn = random.multinomial(len(a), shares, self.resamples)
            samples = (drawn[:, 0] - drawn[:, 1]) / len(a)
            figures, p = (float(a.mean()), float(b.mean())), mcnemar(gained, lost)
        else:
            samples, figures, p = np.empty(0), (math.nan, math.nan), math.nan
        if math.isnan(sum(figures)):
            return *figures, math.nan, math.nan, len(a), math.nan
        return *figures, *interval(samples, self.confidence), len(a), p


def compare(
    first: Evaluation, second: Evaluation, *, names: tuple[str, str] = ("A", "B"), **parameters: Any
) -> Comparison:
    r"""Test, set by set, whether two models differ, on the items that both cover.

    Other parameters are those of `lexvec.evaluation.Comparer`: ``confidence``, ``resamples`` and ``seed``.

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


def bootstrap_p(samples: Array) -> float:
    """Two-sided: how often resampling turns the difference round. Never 0, since resamples are finite."""
    samples = samples[~np.isnan(samples)]
    if not len(samples):
        return math.nan
    tail = min(int(np.sum(samples <= 0)), int(np.sum(samples >= 0)))
    return min(1.0, 2 * (tail + 1) / (len(samples) + 1))


def mcnemar(gained: int, lost: int) -> float:
    """The exact test: each question that only one model answers right is a toss of a fair coin."""
    from scipy.stats import binomtest  # half a second that only a comparison is to wait for

    return float(binomtest(gained, gained + lost).pvalue) if gained + lost else 1.0


def holm(values: list[float]) -> list[float]:
    """Holm's correction of several p; NaN stays out of it."""
    corrected = list(values)
    order = sorted((i for i, p in enumerate(values) if not math.isnan(p)), key=lambda i: values[i])
    largest = 0.0
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - rank) * values[place]))
        corrected[place] = largest
    return corrected


def _id(score: Score) -> tuple[str, str]:
    return score.key, score.measure


def _better(name: str) -> str:
    return f"{name} better"


def _p(value: float) -> str:
    if math.isnan(value):
        return MISSING
    return "< .001" if value < 0.001 else f"{value:.3f}".replace("0.", ".", 1)
