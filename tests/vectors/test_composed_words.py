"""Words without a row: composed wherever a word is asked for, and refused where nothing composes."""

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from lexvec import InputError, UnknownWordError, WordMap, WordVectors
from lexvec.subwords import ArrayRows, FastTextScheme, NgramComposer

SCHEME = FastTextScheme(3, 4, 30)
TABLE = np.random.default_rng(2).normal(size=(30, 5)).astype(np.float32)
WORDS = ["cat", "dog", "catfish", "car", "bus"]
MATRIX = np.random.default_rng(3).normal(size=(5, 5)).astype(np.float32)
VECTORS = WordVectors(WORDS, MATRIX, composer=NgramComposer(SCHEME, ArrayRows(TABLE)))
CATS = TABLE[SCHEME.rows("cats")].mean(axis=0)


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_a_word_without_a_row_is_composed_but_not_contained() -> None:
    np.testing.assert_allclose(VECTORS["cats"], CATS, rtol=1e-5)
    np.testing.assert_allclose(VECTORS[["dog", "cats", "dog"]], np.stack([MATRIX[1], CATS, MATRIX[1]]), rtol=1e-5)
    assert "cats" not in VECTORS
    assert list(VECTORS) == WORDS
    assert (VECTORS["cat"] == MATRIX[0]).all()
    np.testing.assert_allclose(VECTORS.composed(["cat"])[0], TABLE[SCHEME.rows("cat")].mean(axis=0), rtol=1e-5)


def test_queries_take_composed_words_and_find_words_with_a_row() -> None:
    cosines = {word: cosine(CATS, row) for word, row in zip(WORDS, MATRIX, strict=True)}
    best = sorted(WORDS, key=lambda word: -cosines[word])
    found = VECTORS.most_similar("cats")
    assert [word for word, _ in found] == best
    np.testing.assert_allclose([score for _, score in found], [cosines[word] for word in best], rtol=1e-5)
    assert [word for word, _ in VECTORS.most_similar(["cats", "dog"], ["buses"])] != []
    assert "dog" not in dict(VECTORS.most_similar(["cats", "dog"], ["buses"]))
    assert VECTORS.neighbors(["cats", "dog", CATS], count=1)[0][0][0] == best[0]
    assert VECTORS.similarity("cats", "dog") == pytest.approx(cosines["dog"], rel=1e-5)
    assert VECTORS.similarities([("cats", "cats"), ("dog", "cats")])[0] == pytest.approx(1)
    assert VECTORS.doesnt_match(["cat", "cats", "dog"]) in ("cat", "cats", "dog")
    assert VECTORS.plane(["cat", "cats", "dog"]).points.shape == (3, 2)


@pytest.mark.parametrize("method", ["add", "mul"])
def test_analogies_with_composed_words(method: str) -> None:
    everything = WordVectors([*WORDS, "cats"], np.concatenate([MATRIX, VECTORS["cats"][None]]))
    mine = VECTORS.analogy("cat", "cats", "dog", method=method)  # type: ignore[arg-type]
    assert mine == everything.analogy("cat", "cats", "dog", method=method)  # type: ignore[arg-type]
    assert {word for word, _ in mine} == {"catfish", "car", "bus"}


def test_a_word_without_ngrams_is_unknown_everywhere() -> None:
    empty = WordVectors(WORDS, MATRIX, composer=NgramComposer(FastTextScheme(4, 4, 30), ArrayRows(TABLE)))
    for ask in (
        lambda: empty["x"],
        lambda: empty[["cat", "x"]],
        lambda: empty.similarity("cat", "x"),
        lambda: empty.most_similar("x"),
        lambda: empty.neighbors(["cat", "x"]),
        lambda: empty.analogy("cat", "x", "dog"),
        lambda: empty.doesnt_match(["cat", "x"]),
        lambda: empty.plane(["cat", "x", "dog"]),
    ):
        with pytest.raises(UnknownWordError, match="'x' is not in the vocabulary and has no n-gram to compose"):
            ask()
    assert not empty.composed(["x"]).any()


def test_rows_that_are_not_numbers_are_refused_when_they_are_used(tmp_path: Path) -> None:
    broken = WordVectors(WORDS, MATRIX, composer=NgramComposer(SCHEME, ArrayRows(np.full_like(TABLE, np.nan))))
    assert (broken["cat"] == MATRIX[0]).all()
    with pytest.raises(InputError, match="the vector of 'cats' has nan"):
        broken["cats"]
    for form in ("fasttext", "lexvec"):
        with pytest.raises(InputError, match="has nan"):
            broken.save(tmp_path / form, format=form)
        assert list(tmp_path.iterdir()) == []


def test_a_map_marks_composed_words() -> None:
    drawn = WordMap.of(VECTORS, [["cat", "cats"], ["dog"]], neighbors=1)
    assert drawn.composed == ["cats"]
    assert drawn.caption.endswith("composed from n-grams: cats")
    assert WordMap.of(VECTORS, [["cat", "dog", "bus"]]).composed == []


def test_rows_of_some_buckets_only() -> None:
    buckets = np.unique(SCHEME.rows("cats")[:3])
    some = NgramComposer(SCHEME, ArrayRows(TABLE[buckets]), buckets)
    rows = np.zeros_like(TABLE)
    rows[buckets] = TABLE[buckets]
    whole = NgramComposer(SCHEME, ArrayRows(rows))
    words = ["cats", "dogs", "x", ""]
    assert (some.composed(words) == whole.composed(words)).all()
    assert (np.concatenate(list(some.full_rows())) == rows).all()
    assert (np.concatenate(list(some.stored_rows())) == TABLE[buckets]).all()
    skipping = NgramComposer(SCHEME, ArrayRows(TABLE[buckets]), buckets, skips_missing=True)
    kept = [row for row in SCHEME.rows("cats") if row in buckets]
    np.testing.assert_allclose(skipping.composed(["cats"])[0], TABLE[kept].mean(axis=0), rtol=1e-5)
    none = NgramComposer(SCHEME, ArrayRows(TABLE[:0]), np.empty(0, np.int64))
    assert not none.composed(words).any()


def test_a_composer_of_another_kind_is_used_and_its_loss_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Ones:
        def composed(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
            return np.ones((len(words), 5), np.float32)

    vectors = WordVectors(WORDS, MATRIX, composer=Ones())
    assert vectors["anything"].tolist() == [1] * 5
    with caplog.at_level(logging.WARNING):
        vectors.save(tmp_path / "v")
    assert "lexvec files have no room for these n-grams" in caplog.text
    assert WordVectors.load(tmp_path / "v").composer is None
