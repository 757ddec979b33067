import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from lexvec.uncertainty import Ranking, generator, interval, resampled_spearman, spearman

VALUES = st.lists(st.integers(-3, 3), min_size=3, max_size=12)


@given(st.data())
def test_spearman_with_ties_is_scipys(data: st.DataObject) -> None:
    one = data.draw(VALUES)
    other = data.draw(st.lists(st.integers(-3, 3), min_size=len(one), max_size=len(one)))
    ours = spearman(np.array(one, float), np.array(other, float))
    if len(set(one)) == 1 or len(set(other)) == 1:
        assert math.isnan(ours)
    else:
        assert ours == pytest.approx(spearmanr(one, other).statistic, abs=1e-12)


@given(st.data())
def test_ranks_of_a_resample(data: st.DataObject) -> None:
    values = data.draw(VALUES)
    drawn = data.draw(st.lists(st.integers(0, len(values) - 1), min_size=len(values), max_size=len(values)))
    counts = np.bincount(drawn, minlength=len(values)).astype(float)
    centred = Ranking(np.array(values)).centred(counts[None])[0]
    expected = rankdata([values[item] for item in drawn])
    assert [centred[item] for item in drawn] == pytest.approx(list(expected - expected.mean()))


def test_resamples_are_those_of_the_plain_bootstrap() -> None:
    rng = np.random.default_rng(3)
    gold = rng.integers(0, 8, 40).astype(float)
    given = gold + 3 * rng.standard_normal(40)
    ours = resampled_spearman(gold, given, given, resamples=300, random=generator(5, "x"))
    draws = generator(5, "x").integers(40, size=(300, 40))
    expected = [spearmanr(gold[drawn], given[drawn]).statistic for drawn in draws]
    assert ours[0] == pytest.approx(np.array(expected))
    assert np.array_equal(ours[0], ours[1])


def test_blocks_bound_memory_and_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, given = np.random.default_rng(3).standard_normal((2, 50))
    whole = resampled_spearman(gold, given, resamples=100, random=generator(1, "x"))
    monkeypatch.setattr("lexvec.uncertainty._BLOCK", 700)
    assert np.array_equal(whole, resampled_spearman(gold, given, resamples=100, random=generator(1, "x")))


def test_an_interval_covers_as_often_as_it_says() -> None:
    covered = 0
    rng = np.random.default_rng(1)
    truth = 6 / np.pi * np.arcsin(0.6 / 2)  # Spearman's of a normal pair with correlation .6
    for trial in range(200):
        x, noise = rng.standard_normal((2, 80))
        y = 0.6 * x + 0.8 * noise
        low, high = interval(resampled_spearman(x, y, resamples=300, random=generator(trial, "x"))[0], 0.9)
        covered += low <= truth <= high
    assert 165 <= covered <= 194  # 180 expected


def test_too_little_to_say_anything() -> None:
    assert math.isnan(spearman(np.array([1.0, 2.0]), np.array([1.0, 2.0])))
    assert np.isnan(resampled_spearman(np.ones(2), np.ones(2), resamples=3, random=generator(1))).all()
    assert all(map(math.isnan, interval(np.full(3, np.nan), 0.95)))
