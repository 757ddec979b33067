"""Scores over known words, and apart from them scores with composed words."""

import json
from pathlib import Path

import numpy as np
import pytest

from lexvec import InputError, WordVectors, evaluate
from lexvec.evaluation import average, render
from lexvec.subwords import ArrayRows, FastTextScheme, NgramComposer

RANDOM = np.random.default_rng(4)
WORDS = ["cat", "dog", "car", "bus", "man", "king"]
MATRIX = RANDOM.normal(size=(6, 4)).astype(np.float32)
COMPOSER = NgramComposer(FastTextScheme(4, 5, 20), ArrayRows(RANDOM.normal(size=(20, 4)).astype(np.float32)))
VECTORS = WordVectors(WORDS, MATRIX, composer=COMPOSER)
PLAIN = WordVectors(WORDS, MATRIX)
EVERYTHING = WordVectors([*WORDS, "cats", "dogs"], np.concatenate([MATRIX, VECTORS[["cats", "dogs"]]]))


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.txt"
    path.write_text("cat dog 9\ncat car 1\ndog bus 5\nman king 7\ncats dogs 8\ncats car 2\ncat x 3\nCats dog 4\n")
    return path


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    path = tmp_path / "questions.txt"
    path.write_text("man king cat dog\nman king dog car\ncats cat dogs dog\ncat cats dog dogs\nx king cat dog\n")
    return path


def test_known_words_score_as_without_a_composer(pairs: Path, questions: Path) -> None:
    with_composer, without = (evaluate(vectors, sets=[pairs, questions]) for vectors in (VECTORS, PLAIN))
    assert with_composer.scores == without.scores
    assert without.with_composed is None
    assert "with_composed" not in without.as_dict()
    assert "with_composed" not in without.records()[0]
    assert without.table().columns == with_composer.table().columns[:5]


def test_composed_words_score_as_if_they_had_rows(pairs: Path, questions: Path) -> None:
    evaluation = evaluate(VECTORS, sets=[pairs, questions])
    both = evaluation.with_composed
    assert both is not None
    everything = evaluate(EVERYTHING, sets=[pairs])
    assert both["pairs"].value == pytest.approx(everything["pairs"].value)
    assert (evaluation["pairs"].covered, both["pairs"].covered, both["pairs"].total) == (4, 7, 8)
    # "cat cats dog dogs" has its answer out of the vocabulary, where nothing is searched for
    assert (evaluation["questions"].covered, both["questions"].covered, both["questions"].total) == (2, 3, 5)
    assert evaluation.composed is not None
    assert evaluation.composed.words == {"cats", "dogs"}
    assert evaluation.composed.without_ngrams == {"x"}


def test_an_average_has_both_scores(pairs: Path) -> None:
    other = WordVectors(WORDS, RANDOM.normal(size=(6, 4)), composer=COMPOSER)
    alone = [evaluate(vectors, sets=[pairs], resamples=20) for vectors in (VECTORS, other)]
    found = average(alone)
    assert found.with_composed and found.composed and found.composed.words == {"cats", "dogs"}
    assert found.with_composed.models == 2 and found.with_composed["pairs"].covered == 7
    each = [one.with_composed["pairs"].value for one in alone if one.with_composed]
    assert found.with_composed["pairs"].values == pytest.approx(tuple(each))
    assert found.as_dict()["with_composed"]["composed_words"] == 2
    mixed = average([alone[0], evaluate(PLAIN, sets=[pairs], resamples=20)])
    assert mixed.with_composed is None and mixed.composed is None


def test_answers_to_questions_with_composed_words(tmp_path: Path) -> None:
    words = ["cats", "cat", "dogs", "dog"]
    composed = WordVectors(["cat", "dog", "bus"], np.eye(3, 4), composer=COMPOSER)
    answer = composed.analogy("cats", "cat", "dogs", count=1)[0][0]
    path = tmp_path / "questions.txt"
    path.write_text(f"{' '.join(words[:3])} {answer}\n{' '.join(words[:3])} cat\n")
    both = evaluate(composed, sets=[path]).with_composed
    assert both is not None
    assert sorted(both["questions", "3CosAdd"].outcomes.tolist()) == [0, 1]


def test_what_to_do_with_words_that_do_not_compose(pairs: Path) -> None:
    zero = evaluate(VECTORS, sets=[pairs], oov="zero")
    assert zero.with_composed is not None
    assert np.sum(zero["pairs"].outcomes == 0) == 4
    assert np.sum(zero.with_composed["pairs"].outcomes == 0) == 1
    with pytest.raises(InputError, match=r"words that are not in the vocabulary: x; set oov"):
        evaluate(VECTORS, sets=[pairs], oov="error")
    pairs.write_text("cat dog 9\ncats car 1\ndogs bus 5\n")
    assert evaluate(VECTORS, sets=[pairs], oov="error").with_composed is not None


def test_outputs_have_both(pairs: Path, questions: Path) -> None:
    evaluation = evaluate(VECTORS, sets=[pairs, questions])
    record = json.loads(render(evaluation, "json"))
    assert record["scores"][0]["covered"] == 4
    both = record["with_composed"]
    assert both["scores"][0]["covered"] == 7
    assert both["composed_words"] == 2
    assert both["words_without_ngrams"] == ["x"]
    assert both["mean_similarity"] == both["scores"][0]["value"]
    lines = render(evaluation, "csv").splitlines()
    assert len(lines) == 1 + 2 * 3
    assert lines[0].endswith(",with_composed")
    assert [line.rsplit(",", 1)[1] for line in lines[1:]] == ["False"] * 3 + ["True"] * 3
    shown = str(evaluation)
    assert "with composed" in shown
    assert "4 of 8" in shown and "7 of 8" in shown
    assert "vectors of 2 out-of-vocabulary words are composed from n-grams; 1 have none." in shown
