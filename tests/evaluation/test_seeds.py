"""Training noise in intervals and tests: several models of one method."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from lexvec import Evaluation, InputError, ParameterError, WordVectors, compare, evaluate
from lexvec.evaluation import TASKS, Item, Task, average
from lexvec.uncertainty import Array, bootstrap_p, deviation, differences_with_seed_noise, with_seed_noise

PAIRS = 400


@pytest.fixture
def ratings(tmp_path: Path, no_sets: Path) -> Path:
    values = np.random.default_rng(1).random(PAIRS)
    path = tmp_path / "own.txt"
    path.write_text("".join(f"a{i}\tb{i}\t{rating}\n" for i, rating in enumerate(values)))
    return path


def method(path: Path, noises: Sequence[float], resamples: int = 1) -> list[Evaluation]:
    """Evaluations of vectors whose cosines are the ratings and noise, one for each seed."""
    found = []
    for seed, noise in enumerate(noises):
        rng = np.random.default_rng(7)  # the same items are hard for all seeds
        angles = [
            np.pi * (1 - float(line.split()[2]) / 2) + noise * rng.standard_normal() + 0.05 * np.sin(seed + i)
            for i, line in enumerate(path.read_text().splitlines())
        ]
        words = [word for i in range(PAIRS) for word in (f"a{i}", f"b{i}")]
        rows = [row for angle in angles for row in ([1, 0], [np.cos(angle), np.sin(angle)])]
        found.append(evaluate(WordVectors(words, np.array(rows)), sets=[path], resamples=resamples))
    return found


def test_a_difference_within_seed_noise(ratings: Path) -> None:
    unsteady, other = method(ratings, (0.2, 0.6, 1.3)), method(ratings, (0.5, 0.9, 1.4))
    (alone,) = compare(unsteady[0], other[0]).differences
    assert alone.verdict == "A better"  # one seed of each differs clearly
    compared = compare(unsteady, other)
    (found,) = compared.differences
    assert found.verdict == "within seed noise" and found.low < 0 < found.high
    scores = [each["own"].value for each in unsteady]
    assert found.first == pytest.approx(np.mean(scores)) and found.first_deviation == pytest.approx(deviation(scores))
    assert compared.models == (3, 3) and compared.warnings == []
    assert "± " in str(compared) and "within seed noise" in str(compared)


def test_a_difference_beyond_seed_noise(ratings: Path) -> None:
    good, poor = method(ratings, (0.2, 0.21, 0.22)), method(ratings, (1.4, 1.41, 1.42))
    (found,) = compare(good, poor, names=("good", "poor")).differences
    assert found.verdict == "good better" and found.high < 0
    one_sided = compare(good, poor[0], names=("good", "poor"))
    assert one_sided.differences[0].verdict == "good better"
    assert one_sided.warnings == ["poor is a single model: its training noise is taken to be that of the other."]
    assert math.isnan(one_sided.differences[0].second_deviation)


def test_two_single_models_come_with_a_warning(ratings: Path) -> None:
    (one,) = method(ratings, (0.3,))
    compared = compare(one, one)
    assert "two seeds of one method can differ" in str(compared) and compared.as_dict()["warnings"]
    with pytest.raises(ParameterError, match="first=.*: it must have an evaluation"):
        compare([], one)
    with pytest.raises(ParameterError, match="second"):
        compare(one, [one, 3])  # type: ignore[list-item]


def fixed(*scores: float, resamples: int = 40_000) -> Array:
    """Scores of models on items without noise."""
    return np.repeat(np.array(scores)[:, None], resamples, axis=1)


def test_without_noise_of_items_the_interval_of_a_mean_is_that_of_students_t() -> None:
    scores = (0.1, 0.2, 0.6)
    drawn = with_seed_noise(fixed(*scores), np.random.default_rng(0))
    low, high = stats.t.interval(0.95, 2, np.mean(scores), deviation(scores) / math.sqrt(3))
    assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx([low, high], rel=0.05)
    assert np.array_equal(with_seed_noise(fixed(*scores)[:1], np.random.default_rng(0)), fixed(0.1)[0])
    assert math.isnan(deviation([0.3]))


@pytest.mark.parametrize(
    ("first", "second"),
    [((0.1, 0.2, 0.6), (0.5, 0.52, 0.6)), ((0.1, 0.2, 0.4, 0.6), (0.5, 0.9)), ((0.3, 0.5), (0.8, 0.9))],
)
def test_without_noise_of_items_the_test_of_a_difference_is_that_of_welch(
    first: tuple[float, ...], second: tuple[float, ...]
) -> None:
    drawn = differences_with_seed_noise(fixed(*first), fixed(*second), np.random.default_rng(0))
    found = stats.ttest_ind(second, first, equal_var=False)
    assert bootstrap_p(drawn) == pytest.approx(found.pvalue, abs=0.01)
    low, high = found.confidence_interval(0.95)
    assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx([low, high], abs=0.04 * (high - low))


def test_a_single_model_is_taken_to_vary_as_the_others() -> None:
    others = (0.1, 0.2, 0.6)
    drawn = differences_with_seed_noise(fixed(*others), fixed(0.9), np.random.default_rng(0))
    t = (0.9 - np.mean(others)) / (deviation(others) * math.sqrt(1 + 1 / 3))
    assert bootstrap_p(drawn) == pytest.approx(2 * stats.t.sf(t, 2), abs=0.01)
    turned = differences_with_seed_noise(fixed(0.9), fixed(*others), np.random.default_rng(0))
    assert bootstrap_p(turned) == pytest.approx(bootstrap_p(drawn), abs=0.01)
    alone = differences_with_seed_noise(fixed(0.3), fixed(0.9), np.random.default_rng(0))
    assert np.allclose(alone, 0.6)
    equal = differences_with_seed_noise(fixed(0.3, 0.3), fixed(0.5, 0.5), np.random.default_rng(0))
    assert np.allclose(equal, 0.2)


def test_resamples_without_a_score_have_none() -> None:
    samples = np.array([[0.1, np.nan, 0.3], [0.2, 0.4, 0.2]])
    assert np.isnan(with_seed_noise(samples, np.random.default_rng(0))).tolist() == [False, True, False]
    nothing = np.full((2, 3), np.nan)
    assert np.isnan(differences_with_seed_noise(nothing, samples, np.random.default_rng(0))).all()


@pytest.mark.parametrize("items", [0.0, 0.3, 1.0])
def test_false_alarms_are_rare(items: float) -> None:
    """Two methods with three seeds each that do not differ, and items that favour one of them by chance."""
    random = np.random.default_rng(1)
    found = []
    for _ in range(400):
        first, second = fixed(*random.normal(size=3), resamples=300), fixed(*random.normal(size=3), resamples=300)
        second = second + items * (random.normal() + random.normal(size=300))
        found.append(bootstrap_p(differences_with_seed_noise(first, second, random)))
    assert np.mean(np.array(found) < 0.05) < 0.07 and np.mean(np.array(found) < 0.5) > 0.3


@pytest.mark.parametrize("kind", ["similarity", "analogy"])
def test_models_are_scored_on_the_same_resamples(kind: str) -> None:
    rng = np.random.default_rng(3)
    outcomes, gold = rng.integers(0, 2, size=(2, 60)).astype(float), rng.random(60)
    twice = np.array([outcomes[0], outcomes[1], outcomes[0]])

    class Plain(type(TASKS[kind])):  # type: ignore[misc]
        resampled_together = Task.resampled_together

    fast = TASKS[kind].resampled_together(twice, gold, resamples=400, random=np.random.default_rng(5))
    slow = Plain().resampled_together(twice, gold, resamples=400, random=np.random.default_rng(5))
    for samples in (fast, slow):
        assert samples.shape == (3, 400) and np.array_equal(samples[0], samples[2])
    assert fast.mean(axis=1) == pytest.approx(slow.mean(axis=1), abs=0.03)
    assert fast.std(axis=1) == pytest.approx(slow.std(axis=1), rel=0.25)
    nothing = TASKS[kind].resampled_together(twice[:, :0], gold[:0], resamples=4, random=rng)
    assert nothing.shape == (3, 4) and np.isnan(nothing).all()


def test_a_task_of_ones_own_can_be_compared_by_seeds() -> None:
    class Longest(Task):
        line, fields, measures = "a word", 1, ("length",)

        def outcomes(self, vectors: WordVectors, items: Sequence[Item], **more: object) -> Mapping[str, Array]:
            return {"length": np.array([len(item.words[0]) for item in items], float)}

        def value(self, outcomes: Array, ratings: Array) -> float:
            return float(outcomes.mean()) if len(outcomes) else math.nan

        def resampled(self, outcomes: Array, ratings: Array, *, resamples: int, random: object) -> Array:
            return np.full(resamples, outcomes.mean())

        def paired(self, first: Array, second: Array, **more: object) -> object:  # type: ignore[override]
            raise NotImplementedError

    found = Longest().resampled_together(
        np.array([[1.0, 3.0], [5.0, 5.0]]), np.zeros(2), resamples=9, random=np.random.default_rng(0)
    )
    assert set(found[0]) <= {1.0, 2.0, 3.0} and set(found[1]) == {5.0}
    none = Longest().resampled_together(np.empty((2, 0)), np.empty(0), resamples=3, random=np.random.default_rng(0))
    assert np.isnan(none).all() and none.shape == (2, 3)


def test_an_average_has_means_deviations_and_a_wider_interval(ratings: Path) -> None:
    seeds = method(ratings, (0.4, 0.7, 1.0), resamples=500)
    found = average(seeds)
    score, values = found["own"], [each["own"].value for each in seeds]
    assert found.models == 3 and score.values == pytest.approx(tuple(values))
    assert score.value == pytest.approx(np.mean(values)) and score.deviation == pytest.approx(deviation(values))
    assert found.mean_similarity == pytest.approx(score.value)
    assert found.mean_deviation("similarity") == pytest.approx(score.deviation)
    widest = max(each["own"].high - each["own"].low for each in seeds)
    assert score.low < score.value < score.high and score.high - score.low > 2 * widest  # training noise is in it
    assert (score.covered, score.total) == (PAIRS, PAIRS)
    record = found.as_dict()
    assert record["models"] == 3 and record["scores"][0]["values"] == list(score.values)
    assert record["deviation_of_mean_similarity"] == pytest.approx(score.deviation)
    assert "values" not in found.records()[0] and found.records()[0]["deviation"] == score.deviation
    assert "Means ± standard deviations of 3 models" in str(found) and "3 models" in repr(found)
    assert "3 models" in found._repr_html_()


def test_an_average_of_equal_models_has_the_interval_of_one(ratings: Path) -> None:
    (one,) = method(ratings, (0.7,), resamples=2000)
    found = average([one, one, one])["own"]
    assert found.value == pytest.approx(one["own"].value) and found.deviation == pytest.approx(0, abs=1e-12)
    assert found.low == pytest.approx(one["own"].low, abs=0.02) and found.high == pytest.approx(
        one["own"].high, abs=0.02
    )
    assert average([one]).as_dict() == one.as_dict()  # a single one stays what it is


def test_an_average_takes_the_items_that_all_models_cover(ratings: Path) -> None:
    words = [word for i in range(PAIRS) for word in (f"a{i}", f"b{i}")]
    rng = np.random.default_rng(3)
    vectors = [WordVectors(words[cut:], rng.standard_normal((len(words) - cut, 4))) for cut in (0, 100)]
    score = average([evaluate(each, sets=[ratings], resamples=20) for each in vectors])["own"]
    assert (score.covered, score.total) == (PAIRS - 50, PAIRS) and int(np.isnan(score.outcomes).sum()) == 50
    zeros = average([evaluate(each, sets=[ratings], resamples=20, oov="zero") for each in vectors])["own"]
    assert zeros.covered == PAIRS - 50 and not np.isnan(zeros.outcomes).any()
    nothing = evaluate(WordVectors(["x", "y"], np.ones((2, 4))), sets=[ratings], resamples=20)
    empty = average([nothing, nothing])
    assert math.isnan(empty["own"].value) and empty.as_dict()["scores"][0]["values"] == [None, None]
    assert empty.as_dict()["scores"][0]["deviation"] is None and "–" in str(empty)


def test_what_cannot_be_averaged(ratings: Path, tmp_path: Path) -> None:
    one, two = method(ratings, (0.3, 0.4))
    both = average([one, two])
    with pytest.raises(ParameterError, match="evaluations=.*: it must have an evaluation"):
        average([])
    with pytest.raises(ParameterError, match="make one with evaluate"):
        average([one, 3])  # type: ignore[list-item]
    with pytest.raises(InputError, match="an evaluation is an average already"):
        average([one, both])
    with pytest.raises(ParameterError, match="first is an average: give the evaluations of its models as a list"):
        compare(both, one)
    with pytest.raises(InputError, match="different parameters: evaluate all models with the same"):
        average([one, replace(two, parameters={**two.parameters, "oov": "zero"})])
    with pytest.raises(InputError, match="different sets: evaluate all models on the same"):
        average([one, replace(two, scores=())])
    with pytest.raises(InputError, match="different versions of .*own.txt"):
        average([one, replace(two, scores=(replace(two.scores[0], sha256="0"),))])
