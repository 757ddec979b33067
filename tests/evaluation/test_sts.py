"""Pairs of sentences: how files are read, what is covered, and scores beside gensim's plain means."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from lexvec import InputError, Normalizer, WordVectors, compare, evaluate
from lexvec.evaluation import TASKS
from lexvec.evaluation.sets import parse

PAIRS = """A cat sat.,"The dog, it sat",4.5
the cat,the car,1
A bus!,a car,3.8
"a ""big"" dog",cat,4
unicorn,the cat,2
"""


def some() -> WordVectors:
    matrix = np.random.default_rng(0).normal(size=(7, 6))
    words = ["the", "cat", "dog", "car", "bus", "a", "sat"]
    return WordVectors(words, matrix, counts=[90, 5, 4, 3, 2, 70, 1], normalisation=Normalizer().record())


def test_lines() -> None:
    kind, items = parse(PAIRS, "x")
    assert kind == "sts" and len(items) == 5
    assert ("A cat sat.", "The dog, it sat") in [item.words for item in items]
    assert parse("A man ran\tA woman sat\t2.5\n", "x")[0] == "sts"
    assert parse("# task: sts\n: one,two,3\n", "x")[1][0].words == (": one", "two")
    for text, expected in (("cat\tdog\t5\n", "similarity"), ("cat dog 5\n", "similarity"), ("a b c d\n", "analogy")):
        assert parse(text, "x")[0] == expected
    for line, message in (
        ("a b,c d\n", "is not two sentences and a rating"),
        ('"a b,c d,3\n', "is not two sentences and a rating"),
        ("a,b,high\n", "'high' is not a rating"),
        ("a,b,nan\n", "'nan' is not a rating"),
    ):
        with pytest.raises(InputError, match=f"x, line 2: .*{message}"):
            parse(f"# task: sts\n{line}", "x")


def test_scores_and_coverage(tmp_path: Path) -> None:
    (tmp_path / "pairs.csv").write_text(PAIRS)
    vectors = some()
    scores = evaluate(vectors, sets=[tmp_path / "pairs.csv"])
    assert [(each.kind, each.measure, each.covered, each.total) for each in scores.scores] == [
        ("sts", "SIF", 4, 5),
        ("sts", "mean", 4, 5),
    ]
    kind, items = parse(PAIRS, "x")
    for measure in TASKS[kind].measures:
        weights = "sif" if measure == "SIF" else "mean"
        sides = [[item.words[side] for item in items] for side in (0, 1)]
        ones, others = (vectors.sentences(texts, weights=weights) for texts in sides)
        cosines, ratings = (ones * others).sum(axis=1), [item.rating for item in items]
        kept = ones.any(axis=1) & others.any(axis=1)
        expected = spearmanr(cosines[kept], np.array(ratings)[kept]).statistic
        score = scores["pairs", measure]
        assert score.value == pytest.approx(expected) and score.low <= score.value <= score.high
    zero = evaluate(vectors, sets=[tmp_path / "pairs.csv"], oov="zero")["pairs"]
    assert (zero.covered, np.isnan(zero.outcomes).sum()) == (4, 0)
    with pytest.raises(InputError, match=r"\('unicorn', 'the cat'\) have no known word: set oov to skip or zero"):
        evaluate(vectors, sets=[tmp_path / "pairs.csv"], oov="error")
    assert "Sentences are scored by their words with vectors." in str(scores)
    found = compare(scores, evaluate(vectors, sets=[tmp_path / "pairs.csv"]))
    assert [each.shared for each in found.differences] == [4, 4]


def random_vectors(texts: list[str]) -> WordVectors:
    """A random vector per word: the cosine of two sentences then counts the words that they share."""
    words = sorted({word for text in texts for sentence in Normalizer().sentences(text) for word in sentence})
    matrix = np.random.default_rng(0).normal(size=(len(words), 200))
    return WordVectors(words, matrix, normalisation=Normalizer().record())


@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_the_benchmark_in_three_languages(language: str, real_sts: Path, tmp_path: Path) -> None:
    path = real_sts / f"stsb-{language}-dev.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if language == "zh":  # Chinese is written without spaces: cut it first, here into characters
        rows = [[" ".join(one), " ".join(other), rating] for one, other, rating in rows]
        path = tmp_path / "cut.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
    scores = evaluate(random_vectors([text for row in rows for text in row[:2]]), sets=[path], resamples=20)
    assert [(each.measure, each.covered) for each in scores.scores] == [("SIF", 1500), ("mean", 1500)]
    assert all(each.value > 0.4 for each in scores.scores)
