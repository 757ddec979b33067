import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lexvec import InputError, WordVectors, compare, evaluate

PAIRS = 150


@pytest.fixture
def own(tmp_path: Path, no_sets: Path) -> Path:
    rng = np.random.default_rng(1)
    ratings = rng.random(PAIRS)
    path = tmp_path / "own.txt"
    path.write_text("".join(f"a{i}\tb{i}\t{rating}\n" for i, rating in enumerate(ratings)))
    return path


def noisy(path: Path, noise: float, seed: int, left_out: int = 0) -> WordVectors:
    """Vectors whose cosines are the ratings of a set, and noise."""
    rng = np.random.default_rng(seed)
    words, rows = [], []
    for line in path.read_text().splitlines()[left_out:]:
        a, b, rating = line.split()
        angle = np.pi * (1 - float(rating) / 2) + noise * rng.standard_normal()
        words += [a, b]
        rows += [[1, 0], [np.cos(angle), np.sin(angle)]]
    return WordVectors(words, np.array(rows))


def test_clear_and_unclear_differences(own: Path) -> None:
    good, poor, as_good = (noisy(own, *how) for how in ((0.2, 1), (1.5, 2), (0.2, 3)))
    scores = [evaluate(each, sets=[own]) for each in (good, poor, as_good)]
    (clear,) = compare(scores[0], scores[1], names=("good", "poor")).differences
    assert clear.verdict == "good better"
    assert clear.high < 0 and clear.p == pytest.approx(2 / 2001) == clear.p_corrected
    assert (clear.first, clear.second) == (scores[0]["own"].value, scores[1]["own"].value)
    assert clear.difference == clear.second - clear.first
    (turned,) = compare(scores[1], scores[0]).differences
    assert turned.verdict == "B better" and turned.low > 0
    (unclear,) = compare(scores[0], scores[2]).differences
    assert unclear.verdict == "no clear difference" and unclear.low < 0 < unclear.high
    (same,) = compare(scores[0], scores[0]).differences
    assert (same.difference, same.p, same.verdict) == (0, 1, "no clear difference")


def test_only_items_that_both_cover(own: Path) -> None:
    one, other = evaluate(noisy(own, 0.5, 1), sets=[own]), evaluate(noisy(own, 0.5, 1, left_out=40), sets=[own])
    (found,) = compare(one, other).differences
    assert (found.shared, found.total) == (PAIRS - 40, PAIRS)
    assert found.second == other[str(own)].value != found.first
    nothing = evaluate(WordVectors(["x"], np.ones((1, 2))), sets=[own])
    (found,) = compare(one, nothing).differences
    assert (found.shared, found.verdict) == (0, "–") and math.isnan(found.p)
    assert found.as_dict()["p"] is None


def test_analogies(tmp_path: Path, no_sets: Path) -> None:
    path = tmp_path / "asked.txt"
    path.write_text("".join(f"a{i} b{i} c{i} d{i}\n" for i in range(40)))
    rng = np.random.default_rng(1)
    words = [f"{letter}{i}" for i in range(40) for letter in "abcd"]
    bad = rng.standard_normal((160, 30))
    good = bad.copy()
    good[3::4] = good[1::4] - good[0::4] + good[2::4]
    scores = [evaluate(WordVectors(words, matrix), sets=[path]) for matrix in (bad, good)]
    comparison = compare(*scores)
    for found in comparison.differences:
        assert found.second == 1 and found.first < 0.3
        assert found.verdict == "B better"
        lost_by_a = round(40 * (1 - found.first))
        assert found.p == pytest.approx(2 * 0.5**lost_by_a)
        assert 0.5 < found.low <= found.difference <= found.high <= 1
    assert "B better" in str(comparison) and "asked 3CosAdd: B better" in repr(comparison)
    empty = evaluate(WordVectors(["x"], np.ones((1, 2))), sets=[path])
    assert all(math.isnan(found.p) for found in compare(scores[0], empty).differences)


def test_what_cannot_be_compared(own: Path, tmp_path: Path) -> None:
    score = evaluate(noisy(own, 0.2, 1), sets=[own])
    other = replace(score, scores=tuple(replace(each, sha256="other") for each in score.scores))
    with pytest.raises(InputError, match="different versions of"):
        compare(score, other)
    with pytest.raises(InputError, match="no set in common"):
        compare(score, replace(score, scores=()))


def test_too_few_resamples_for_so_many_tests(own: Path) -> None:
    """The least p of a bootstrap, times the number of tests, may be above the limit: then nothing can be clear."""
    sets = [own]
    for number in range(9):
        sets.append(own.with_name(f"own-{number}.txt"))
        sets[-1].write_text(own.read_text())
    good, poor = (evaluate(noisy(own, *how), sets=sets) for how in ((0.2, 1), (1.5, 2)))
    few = compare(good, poor, resamples=200)
    assert {each.verdict for each in few.differences} == {"no clear difference"}
    assert few.warnings[0].startswith("200 resamples are too few for 10 tests: no difference on own, own-0, ")
    assert few.warnings[0].endswith("can be clear. Use at least 400.")
    enough = compare(good, poor, resamples=400)
    assert {each.verdict for each in enough.differences} == {"A better"} and len(enough.warnings) == 1
