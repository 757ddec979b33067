"""Several models of one method, trained with different seeds, as one evaluation: means, deviations and intervals."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..errors import Given, InputError, ParameterError
from ..uncertainty import deviation, generator, interval, with_seed_noise
from ..vectors.arguments import instance
from .results import Composed, Evaluation, Score
from .tasks import TASKS


def average(evaluations: Sequence[Evaluation]) -> Evaluation:
    r"""Average the evaluations of models that differ in nothing but the seed.

    Each score becomes the mean over models, on the items that all of them cover, with the standard deviation between
    models. Its interval resamples items and adds the noise of training.

    >>> import pathlib, tempfile
    >>> from lexvec import WordVectors, evaluate
    >>> words = [f"word{n}" for n in range(30)]
    >>> seeds = [WordVectors(words, np.random.default_rng(seed).normal(size=(30, 2))) for seed in range(3)]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ratings = pathlib.Path(folder, "ratings.txt")
    ...     size = ratings.write_text("".join(f"word0 word{n} {30 - n}\n" for n in range(1, 30)))
    ...     scores = average([evaluate(vectors, sets=[ratings]) for vectors in seeds])
    >>> scores.models, len(scores["ratings"].values)
    (3, 3)
    """
    checked = [instance("evaluations", each, Evaluation, "make one with evaluate") for each in evaluations]
    if not checked:
        raise ParameterError(Given("evaluations", evaluations), ": it must have an evaluation; make one with evaluate")
    first = checked[0]
    if any(each.models > 1 for each in checked):
        raise InputError("an evaluation is an average already: average those of single models")
    if any(each.parameters != first.parameters for each in checked):
        raise InputError("the evaluations have different parameters: evaluate all models with the same")
    return _averaged(checked) if len(checked) > 1 else first


def _averaged(evaluations: list[Evaluation]) -> Evaluation:
    first = evaluations[0]
    found = [{(score.key, score.measure): score for score in each.scores} for each in evaluations]
    if any(scores.keys() != found[0].keys() for scores in found):
        raise InputError("the evaluations have different sets: evaluate all models on the same")
    with_composed = [each.with_composed for each in evaluations if each.with_composed]
    composed = [each.composed for each in evaluations if each.composed]
    return replace(
        first,
        scores=tuple(_mean_score([scores[key] for scores in found], first) for key in found[0]),
        words=min(each.words for each in evaluations),
        dim=min(each.dim for each in evaluations),
        models=len(evaluations),
        with_composed=_averaged(with_composed) if len(with_composed) == len(evaluations) else None,
        composed=_common(composed) if len(composed) == len(evaluations) else None,
    )


def _mean_score(scores: list[Score], evaluation: Evaluation) -> Score:
    """Return the mean of one score over models, on the items that all cover."""
    one, task = scores[0], TASKS[scores[0].kind]
    if any(score.sha256 != one.sha256 for score in scores):
        raise InputError(f"the evaluations used different versions of {one.key}: evaluate all models on the same")
    parameters = evaluation.parameters
    outcomes = np.array([score.outcomes for score in scores])
    shared = ~np.isnan(outcomes).any(axis=0)
    ratings = one.ratings[shared]
    values = tuple(task.value(given, ratings) for given in outcomes[:, shared])
    low, high = math.nan, math.nan
    if not math.isnan(sum(values)):
        random = generator(parameters["seed"], one.name, one.measure)
        samples = task.resampled_together(
            outcomes[:, shared], ratings, resamples=parameters["resamples"], random=random
        )
        drawn = np.clip(with_seed_noise(samples, random), *task.bounds)
        low, high = interval(drawn, parameters["confidence"])
    return replace(
        one,
        value=float(np.mean(values)),
        deviation=deviation(values),
        values=values,
        low=low,
        high=high,
        covered=min(int(np.sum(shared)), *(score.covered for score in scores)),
        outcomes=outcomes.mean(axis=0),
    )


def _common(composed: list[Composed]) -> Composed:
    words = frozenset.intersection(*(each.words for each in composed))
    return Composed(words, frozenset.union(*(each.without_ngrams for each in composed)))
