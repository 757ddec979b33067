"""Vectors derived from others, unknown words in batches, candidates, weights, and queries from many threads."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from lexvec import ParameterError, UnknownWordError, WordVectors

MATRIX = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]], np.float32)
WORDS = ["cat", "dog", "car", "bus", "sea"]


class Letters:
    """Composes a vector from the first letter."""

    def composed(self, words: Any) -> Any:
        return np.array([[ord(word[0]), 0, 0] for word in words], np.float32)


@pytest.fixture
def vectors() -> WordVectors:
    return WordVectors(WORDS, MATRIX, counts=np.array([1, 9, 3, 9, 2]))


def test_get_and_lookup(vectors: WordVectors) -> None:
    assert vectors.get("dog").tolist() == [1, 1, 0]  # type: ignore[union-attr]
    assert vectors.get("cow") is None
    assert vectors.get("cow", 3) == 3
    assert vectors.lookup(["dog", "cow", "sea"], unknown="skip").tolist() == [[1, 1, 0], [0, 0, 1]]
    assert vectors.lookup(["cow", "dog"], unknown="zero").tolist() == [[0, 0, 0], [1, 1, 0]]
    assert vectors.lookup([], unknown="zero").shape == (0, 3)
    with pytest.raises(UnknownWordError):
        vectors.lookup(["dog", "cow"])
    with pytest.raises(ParameterError, match="it must be one of raise, skip, zero, compose"):
        vectors.lookup(["dog"], unknown="drop")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="no n-grams to compose others from; use zero or skip"):
        vectors.lookup(["cow"], unknown="compose")
    composing = WordVectors(WORDS, MATRIX, composer=Letters())
    assert composing.lookup(["dog", "cow"], unknown="compose").tolist() == [[1, 1, 0], [99, 0, 0]]


def test_one_unknown_word_does_not_fail_a_batch(vectors: WordVectors) -> None:
    pairs = [("cat", "dog"), ("cat", "cow"), ("car", "dog")]
    known = vectors.similarities([pairs[0], pairs[2]])
    np.testing.assert_array_equal(vectors.similarities(pairs, unknown="skip"), [known[0], np.nan, known[1]])
    np.testing.assert_array_equal(vectors.similarities(pairs, unknown="zero"), [known[0], 0, known[1]])
    assert vectors.similarities([], unknown="skip").shape == (0,)
    with pytest.raises(UnknownWordError):
        vectors.similarities(pairs)
    with pytest.raises(ParameterError, match="give two words each"):
        vectors.similarities([("cat",)], unknown="skip")  # type: ignore[list-item]
    found = vectors.neighbors(["cat", "cow", "sea"], count=1, unknown="skip")
    assert found == [vectors.most_similar("cat", count=1), [], vectors.most_similar("sea", count=1)]
    composing = WordVectors(WORDS, MATRIX, composer=Letters())
    assert composing.similarities([("cat", "cow")], unknown="compose").tolist() == [1]


def test_candidates_limit_the_search(vectors: WordVectors) -> None:
    everything = vectors.most_similar("cat")
    for candidates in (["sea", "bus", "car"], ["cat", "dog"], ["sea"], ["sea", "sea"], WORDS):
        expected = [pair for pair in everything if pair[0] in candidates]
        assert vectors.most_similar("cat", candidates=candidates) == expected
        assert vectors.neighbors(["cat"], candidates=candidates) == [expected]
    asked = ("cat", "dog", "bus")
    both = [
        vectors.analogy(*asked, method="mul", candidates=["sea", "car", "cat"]),
        vectors.analogy(*asked, method="mul"),
    ]
    assert both[0] == both[1]
    assert vectors.most_similar("cat", candidates=[]) == []
    with pytest.raises(UnknownWordError):
        vectors.most_similar("cat", candidates=["cow"])
    assert vectors.nearest(["cat"], count=10**12)[0].shape == (1, len(vectors))
    rows, cosines = vectors.nearest(["cat", "sea"], count=3, candidates=["dog", "cat"])
    assert rows.tolist() == [[1, -1, -1], [0, 1, -1]]
    assert np.isnan(cosines).tolist() == [[False, True, True], [False, False, True]]


def test_weights_and_means(vectors: WordVectors) -> None:
    mean = vectors.mean(["cat", "sea"], weights=[3, 1])
    np.testing.assert_allclose(mean, [0.75, 0, 0.25])
    by_mean = [pair for pair in vectors.most_similar(mean) if pair[0] not in ("cat", "sea")]
    by_weight = vectors.most_similar(["cat", "sea"], weights=[3, 1])
    assert [word for word, _ in by_mean] == [word for word, _ in by_weight]
    minus = vectors.most_similar(["cat"], ["sea"], weights=[1, 0])
    assert minus == [pair for pair in vectors.most_similar("cat") if pair[0] != "sea"]
    for wrong in ([1], [1, np.nan], "ab", [[1, 2]]):
        with pytest.raises(ParameterError, match="one finite number for each of 2 terms"):
            vectors.most_similar(["cat", "sea"], weights=wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="their sum is 0"):
        vectors.mean(["cat", "sea"], weights=[1, -1])


def test_fewer_words(vectors: WordVectors) -> None:
    some = vectors.subset(["sea", "cat"])
    assert (some.words, some.matrix.tolist(), some.counts.tolist()) == (["sea", "cat"], [[0, 0, 1], [1, 0, 0]], [2, 1])  # type: ignore[union-attr]
    assert vectors.subset(["sea", "cow"], unknown="skip").words == ["sea"]
    with pytest.raises(UnknownWordError):
        vectors.subset(["cow"])
    assert vectors.limit(3).words == ["dog", "car", "bus"]
    assert vectors.limit(99).words == WORDS
    assert WordVectors(WORDS, MATRIX).limit(2).words == ["cat", "dog"]


def test_merging_and_renaming(vectors: WordVectors) -> None:
    other = WordVectors(["cow", "dog"], [[9, 9, 9], [8, 8, 8]], counts=np.array([7, 7]))
    both = vectors.merge(other)
    assert (both.words, both["dog"].tolist(), both["cow"].tolist()) == ([*WORDS, "cow"], [1, 1, 0], [9, 9, 9])
    assert both.counts is not None
    assert both.counts.tolist() == [1, 9, 3, 9, 2, 7]
    assert vectors.encoded("int8").merge(other).encoding == "float32"
    with pytest.raises(ParameterError, match="of 3 and of 1 dimensions cannot be merged"):
        vectors.merge(WordVectors(["a"], [[1.0]]))
    with pytest.raises(ParameterError, match="other='vectors.txt': it must be WordVectors; load them"):
        vectors.merge("vectors.txt")  # type: ignore[arg-type]
    assert vectors.rename({"cat": "Katze"}).words[:2] == ["Katze", "dog"]
    assert vectors.rename(str.upper).words[0] == "CAT"
    assert vectors.rename(str.upper).matrix is vectors.matrix
    with pytest.raises(Exception, match="the word 'dog' occurs twice"):
        vectors.rename({"cat": "dog"})
    with pytest.raises(UnknownWordError):
        vectors.rename({"cow": "Kuh"})


def test_fewer_dimensions() -> None:
    rows = np.random.default_rng(0).normal(size=(50, 3)) @ np.random.default_rng(1).normal(size=(3, 8))
    whole = WordVectors([f"w{row}" for row in range(50)], rows)
    flat = whole.reduced(3)  # they lie in a space of three dimensions
    pairs = [("w1", "w2"), ("w3", "w40")]
    np.testing.assert_allclose(flat.similarities(pairs), whole.similarities(pairs), atol=1e-6)
    with pytest.raises(ParameterError, match="the vectors have 8 dimensions; give at most as many"):
        whole.reduced(9)


def test_many_threads_may_ask_at_once() -> None:
    rows = np.random.default_rng(0).normal(size=(2000, 16)).astype(np.float32)
    words = [f"w{row}" for row in range(2000)]
    expected = {word: WordVectors(words, rows).most_similar(word) for word in words[:24]}
    for name in ("float32", "int8", "pq"):
        shared = WordVectors(words, rows).encoded(name)  # its norms are not computed yet
        alone = shared.encoded(name) if name == "float32" else WordVectors(words, shared.matrix)
        if name != "float32":
            expected = {word: alone.most_similar(word) for word in words[:24]}
        with ThreadPoolExecutor(8) as pool:
            assert dict(zip(words[:24], pool.map(shared.most_similar, words[:24]), strict=True)) == expected
