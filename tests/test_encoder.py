"""Sentence vectors in scikit-learn: clones, pipelines, data frames, and an installation without it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from children import run_code
from lexvec import LexvecError, Normalizer, ParameterError, SentenceEncoder, WordVectors

sklearn = pytest.importorskip("sklearn", reason="scikit-learn is not installed")

TEXTS = ["the cat and the dog", "a car", "the bus and a car", "dog", "unicorn"]


def some() -> WordVectors:
    words = ["the", "cat", "dog", "car", "bus"]
    matrix = np.random.default_rng(0).normal(size=(5, 3))
    return WordVectors(words, matrix, counts=[90, 4, 3, 2, 1], normalisation=Normalizer().record())


def test_it_gives_our_vectors(tmp_path: Path) -> None:
    vectors = some()
    vectors.save(tmp_path / "v")
    for given in (vectors, tmp_path / "v", str(tmp_path / "v")):
        encoder = SentenceEncoder(given, weights="mean").fit(TEXTS)
        np.testing.assert_array_equal(encoder.transform(TEXTS), vectors.sentences(TEXTS, weights="mean"))
        np.testing.assert_array_equal(encoder.transform(np.array(TEXTS)), encoder.fit_transform(TEXTS))


def test_the_component_is_that_of_the_texts_that_were_fitted() -> None:
    encoder = SentenceEncoder(some(), remove_component=True, normalize=False).fit(TEXTS)
    np.testing.assert_array_equal(
        encoder.transform(TEXTS), some().sentences(TEXTS, remove_component=True, normalize=False)
    )
    np.testing.assert_array_equal(encoder.transform(TEXTS[:1]), encoder.transform(TEXTS)[:1])


def test_clones_share_the_vectors() -> None:
    from sklearn.base import clone

    encoder = SentenceEncoder(some(), a=0.01, normalizer=Normalizer(numbers="keep")).fit(TEXTS)
    cloned = clone(encoder)
    assert cloned.vectors is encoder.vectors and not hasattr(cloned, "vectors_")
    assert cloned.get_params()["a"] == 0.01
    assert repr(cloned).startswith("SentenceEncoder(")


def test_in_a_pipeline_and_a_search() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import Pipeline

    pipeline = Pipeline([("encode", SentenceEncoder(some())), ("classify", LogisticRegression())])
    texts, labels = ["cat", "dog", "the cat", "car", "bus", "the car"] * 3, ["pet"] * 3 + ["vehicle"] * 3
    search = GridSearchCV(pipeline, {"encode__weights": ["sif", "mean"]}, cv=2).fit(texts, labels * 3)
    assert set(search.predict(["the dog", "the bus"])) <= {"pet", "vehicle"}
    assert search.best_params_["encode__weights"] in ("sif", "mean")


def test_data_frames() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    encoder = SentenceEncoder(some()).set_output(transform="pandas").fit(TEXTS)
    frame = encoder.transform(pandas.Series(TEXTS, index=list("vwxyz")))
    assert list(frame.columns) == ["lexvec0", "lexvec1", "lexvec2"] and list(frame.index) == list("vwxyz")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"weights": "tfidf"}, "weights='tfidf'"),
        ({"vectors": 7}, "vectors is int: it must be WordVectors, or the name of a file"),
        ({"oov": "guess"}, "oov='guess'"),
    ],
)
def test_wrong_parameters_are_refused_by_fit(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        SentenceEncoder(**{"vectors": some(), **given}).fit(TEXTS)


def test_it_must_be_fitted() -> None:
    with pytest.raises(LexvecError, match="this SentenceEncoder is not fitted: call fit first"):
        SentenceEncoder(some()).transform(TEXTS)


def test_without_scikit_learn() -> None:
    code = (
        "import sys; sys.modules['sklearn'] = None; from lexvec import *\n"
        "vectors = WordVectors(['a'], [[3.0, 4.0]], counts=[1])\n"
        "assert SentenceEncoder(vectors).fit([['a']]).transform([['a']]).shape == (1, 2)"
    )
    run_code(code, check=True)
