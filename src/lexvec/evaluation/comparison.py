"""Whether two models differ: a paired test per set, on the items that both cover.

Each kind of task brings its own test (see `lexvec.evaluation.tasks`): a paired bootstrap of correlations for similarity
sets, an exact McNemar test for analogies. p is also shown after Holm's correction for testing all sets at once, and
the verdict follows the corrected p.

Either side may be several models of one method, trained with different seeds. Then the test adds the noise of training,
and a difference that is clear for these models, but not for others with other seeds, is within seed noise.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import Given, InputError, ParameterError
from ..parameters import Parameters, parameter
from ..presentation.table import MISSING
from ..uncertainty import Array, bootstrap_p, deviation, differences_with_seed_noise, generator, holm, interval
from ..vectors.arguments import instance
from .differences import WITHIN, Comparison, Difference, better
from .results import Evaluation, Score

#: One evaluation, or those of several models of one method that differ in their seeds.
Evaluations = Evaluation | Sequence[Evaluation]


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
            clear = better(names[0] if a > b else names[1])
            unclear = WITHIN if fixed < limit else "no clear difference"
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
                    verdict=MISSING if math.isnan(test.p) else clear if after < limit else unclear,
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
        one, task = models[0], models[0].task
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
        differences = differences_with_seed_noise(samples[sides[0]], samples[sides[1]], random)
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
    checked = [instance(name, each, Evaluation, "make one with evaluate") for each in listed]
    if any(each.models > 1 for each in checked):
        raise ParameterError(f"{name} is an average: give the evaluations of its models as a list")
    return checked


def _shared_sets(first: list[Evaluation], second: list[Evaluation]) -> list[tuple[list[Score], list[Score]]]:
    """Return the scores of both sides on each set and measure that all have."""
    found = [{(score.key, score.measure): score for score in each.scores} for each in (*first, *second)]
    common = [key for key in found[0] if all(key in scores for scores in found)]
    if not common:
        raise InputError("the two evaluations have no set in common: evaluate both on the same sets")
    count = len(first)
    return [([scores[key] for scores in found[:count]], [scores[key] for scores in found[count:]]) for key in common]
