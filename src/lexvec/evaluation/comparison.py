"""Whether two models differ: a paired test per set, on the items that both cover.

Each kind of task brings its own test (see `lexvec.evaluation.tasks`): a paired bootstrap of correlations for similarity
sets, an exact McNemar test for analogies. p is also shown after Holm's correction for testing all sets at once, and
the verdict follows the corrected p.

Either side may be several models of one method, trained with different seeds. Then both items and models are resampled,
and a difference that is clear for these models, but not for others with other seeds, is within seed noise.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import Given, InputError, ParameterError
from ..parameters import Parameters, parameter
from ..presentation import cards
from ..presentation.table import MISSING, Cell, Column, Table, percent
from ..vectors.arguments import instance
from .bootstrap import Array, generator, interval
from .datasets import Dataset
from .results import Evaluation, Score, not_found
from .seeds import deviation, resampled_seeds
from .significance import bootstrap_p, holm
from .tasks import TASKS

#: One evaluation, or those of several models of one method that differ in their seeds.
Evaluations = Evaluation | Sequence[Evaluation]

_ONE_RUN = (
    'Training noise is not tested: by this test, two seeds of one method can differ "significantly". Train both '
    "methods with several seeds and compare all models at once."
)
_WITHIN = "within seed noise"


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Two models on one set, scored on the items that both cover."""

    #: The key of the set, or the path of a user's own file.
    key: str
    #: The name in the columns of the paper's tables, or the name of the file without its suffix.
    name: str
    #: The measure, such as Spearman, 3CosAdd or 3CosMul.
    measure: str
    #: The score of the first model; the mean, if there are several seeds.
    first: float
    #: The score of the second model; the mean, if there are several seeds.
    second: float
    #: The standard deviation between the seeds of the first model; NaN for a single one.
    first_deviation: float = math.nan
    #: The standard deviation between the seeds of the second model; NaN for a single one.
    second_deviation: float = math.nan
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
    #: Which model is better, that there is no clear difference, or that it is within seed noise.
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
    #: The number of models (seeds) on each side.
    models: tuple[int, int] = (1, 1)

    def as_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        return {
            "names": list(self.names),
            "models": list(self.models),
            "parameters": self.parameters,
            "differences": self.records(),
            "missing": [dataset.key for dataset in self.missing],
            "warnings": self.warnings,
        }

    @property
    def warnings(self) -> list[str]:
        """What the tests leave out, which is training noise on a side with a single model."""
        if max(self.models) == 1:
            return [_ONE_RUN]
        single = [name for name, count in zip(self.names, self.models, strict=True) if count == 1]
        return [f"{name} is a single model: its training noise is not in the tests." for name in single]

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
                Cell.figure(each.first, bold=each.verdict == _better(self.names[0]), deviation=each.first_deviation),
                Cell.figure(each.second, bold=each.verdict == _better(self.names[1]), deviation=each.second_deviation),
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
        if max(self.models) > 1:
            notes.append(
                f"Means ± standard deviations of {self.models[0]} and {self.models[1]} models. Tests resample items "
                f'and models; "{_WITHIN}": clear between these models, but not between the methods.'
            )
        return Table("", columns, rows, [*notes, *self.warnings, *not_found(self.missing)], labels=2)

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

    def compare(self, first: Evaluations, second: Evaluations, *, names: tuple[str, str] = ("A", "B")) -> Comparison:
        """Compare two evaluations of the same sets, or two lists of them, one for each seed of a method."""
        sides = [_listed(name, given) for name, given in (("first", first), ("second", second))]
        if not isinstance(names, tuple | list) or len(names) != 2 or not all(isinstance(name, str) for name in names):
            raise ParameterError(Given("names", names), ": it must be two names")
        pairs = _shared_sets(*sides)
        if names[0] == names[1]:
            names = (f"{names[0]} (A)", f"{names[1]} (B)")
        names = (names[0], names[1])
        tested = [self._tested(*pair) for pair in pairs]
        corrected = holm([test.p for test in tested])
        items_only = holm([test.p_items for test in tested])
        differences = []
        for ((one, *_), _), test, after, fixed in zip(pairs, tested, corrected, items_only, strict=True):
            (a, b), limit = test.scores, 1 - self.confidence
            better = _better(names[0] if a > b else names[1])
            unclear = _WITHIN if fixed < limit else "no clear difference"
            differences.append(
                Difference(
                    key=one.key,
                    name=one.name,
                    measure=one.measure,
                    first=a,
                    second=b,
                    first_deviation=test.deviations[0],
                    second_deviation=test.deviations[1],
                    difference=b - a,
                    low=test.interval[0],
                    high=test.interval[1],
                    shared=test.shared,
                    total=one.total,
                    p=test.p,
                    p_corrected=after,
                    verdict=MISSING if math.isnan(test.p) else better if after < limit else unclear,
                )
            )
        return Comparison(
            names=names,
            differences=tuple(differences),
            missing=sides[0][0].missing,
            parameters=self.record(),
            models=(len(sides[0]), len(sides[1])),
        )

    def _tested(self, first: list[Score], second: list[Score]) -> "_Tested":
        """Test one set: a paired test of two models, or of items and seeds where there are more."""
        models = [*first, *second]
        one, task = models[0], TASKS[models[0].kind]
        if any(other.sha256 != one.sha256 for other in models):
            raise InputError(f"the two evaluations used different versions of {one.key}: evaluate both on the same")
        outcomes = np.array([model.outcomes for model in models])
        shared = ~np.isnan(outcomes).any(axis=0)
        outcomes, ratings, count = outcomes[:, shared], one.ratings[shared], int(np.sum(shared))
        resamples, random = self.resamples, generator(self.seed, one.name, one.measure)
        if len(models) == 2:
            found = task.paired(outcomes[0], outcomes[1], ratings=ratings, resamples=resamples, random=random)
            scores, nothing = (found.first, found.second), (math.nan, math.nan)
            if math.isnan(sum(scores)):
                return _Tested(scores, nothing, nothing, count, math.nan, math.nan)
            return _Tested(scores, nothing, interval(found.differences, self.confidence), count, found.p, found.p)
        values = [task.value(given, ratings) for given in outcomes]
        sides = slice(0, len(first)), slice(len(first), None)
        scores = (float(np.mean(values[sides[0]])), float(np.mean(values[sides[1]])))
        deviations = (deviation(values[sides[0]]), deviation(values[sides[1]]))
        if math.isnan(sum(scores)):
            return _Tested(scores, deviations, (math.nan, math.nan), count, math.nan, math.nan)
        samples: Array = task.resampled_together(outcomes, ratings, resamples=resamples, random=random)
        of_first, of_second = (resampled_seeds(samples[side], random) for side in sides)
        differences = of_second - of_first
        fixed = samples[sides[1]].mean(axis=0) - samples[sides[0]].mean(axis=0)
        bounds = interval(differences, self.confidence)
        return _Tested(scores, deviations, bounds, count, bootstrap_p(differences), bootstrap_p(fixed))


class _Tested(NamedTuple):
    """The test of one set."""

    scores: tuple[float, float]
    deviations: tuple[float, float]
    interval: tuple[float, float]
    shared: int
    p: float
    p_items: float  # as if these models were the only ones that the methods can learn


def compare(
    first: Evaluations, second: Evaluations, *, names: tuple[str, str] = ("A", "B"), **parameters: Any
) -> Comparison:
    r"""Test, set by set, whether two models differ, on the items that both cover.

    Either side can be a list of evaluations: those of models that were trained with different seeds. The other
    parameters are those of `lexvec.evaluation.Comparer`: ``confidence``, ``resamples`` and ``seed``.

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


def _listed(name: str, given: Evaluations) -> list[Evaluation]:
    listed = list(given) if isinstance(given, list | tuple) else [given]
    if not listed:
        raise ParameterError(Given(name, given), ": it must have an evaluation; make one with evaluate")
    return [instance(name, each, Evaluation, "make one with evaluate") for each in listed]


def _shared_sets(first: list[Evaluation], second: list[Evaluation]) -> list[tuple[list[Score], list[Score]]]:
    """Return the scores of both sides on each set and measure that all have."""
    found = [{(score.key, score.measure): score for score in each.scores} for each in (*first, *second)]
    common = [key for key in found[0] if all(key in scores for scores in found)]
    if not common:
        raise InputError("the two evaluations have no set in common: evaluate both on the same sets")
    count = len(first)
    return [([scores[key] for scores in found[:count]], [scores[key] for scores in found[count:]]) for key in common]


def _better(name: str) -> str:
    return f"{name} better"


def _p(value: float) -> str:
    if math.isnan(value):
        return MISSING
    return "< .001" if value < 0.001 else f"{value:.3f}".replace("0.", ".", 1)
