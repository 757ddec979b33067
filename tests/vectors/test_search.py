"""The store and its search, beside a twin that sorts everything and beside gensim."""

import math
import tracemalloc
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from gensim.models import KeyedVectors
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lexvec import InputError, LexvecError, ParameterError, UnknownWordError, WordVectors
from lexvec.vectors import analogies, search

SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=12)
SMALL = hnp.arrays(np.float32, SHAPES, elements=st.integers(-2, 2))  # many ties, zero vectors and equal rows
FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False, allow_subnormal=False)
WILD = hnp.arrays(np.float32, SHAPES, elements=FINITE)


def store(matrix: npt.NDArray[np.float32]) -> WordVectors:
    return WordVectors([f"w{row}" for row in range(len(matrix))], matrix)


def random(words: int = 400, dim: int = 20, seed: int = 0) -> WordVectors:
    return store(np.random.default_rng(seed).normal(size=(words, dim)).astype(np.float32))


def twin_unit(row: npt.NDArray[np.floating]) -> list[float]:
    values = [float(value) for value in row]
    length = math.hypot(*values)
    return [value / length for value in values] if length else values


def twin_cosine(one: list[float], other: list[float]) -> float:
    return math.fsum(x * y for x, y in zip(one, other, strict=True))


def twin_add(vectors: WordVectors, positive: list[int], negative: list[int]) -> dict[str, float]:
    """Cosines of all other words with the sum of the unit vectors."""
    units = [twin_unit(row) for row in vectors.matrix]
    sums = [
        math.fsum([units[row][j] for row in positive] + [-units[row][j] for row in negative])
        for j in range(vectors.dim)
    ]
    query = twin_unit(np.array(sums))
    used = {*positive, *negative}
    return {f"w{row}": twin_cosine(units[row], query) for row in range(len(units)) if row not in used}


def twin_mul(vectors: WordVectors, a: int, b: int, c: int) -> dict[str, float]:
    units = [twin_unit(row) for row in vectors.matrix]
    cos = [[(twin_cosine(unit, units[term]) + 1) / 2 for term in (a, b, c)] for unit in units]
    return {f"w{r}": cos[r][1] * cos[r][2] / (cos[r][0] + 0.001) for r in range(len(units)) if r not in (a, b, c)}


def agree(found: list[tuple[str, float]], scores: dict[str, float], count: int) -> None:
    """The best words, up to the order of what is equal but for rounding, each with its score."""
    assert len({word for word, _ in found}) == len(found) == min(count, len(scores))
    best = sorted(scores.values(), reverse=True)[: len(found)]
    np.testing.assert_allclose([score for _, score in found], best, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose([score for _, score in found], [scores[word] for word, _ in found], rtol=1e-9, atol=1e-9)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_BLOCK_BYTES", 150)
    monkeypatch.setattr(search, "_TOGETHER", 3)
    monkeypatch.setattr(search, "_ALONE", 3)
    monkeypatch.setattr(search, "_ODD", 2)


@given(st.one_of(SMALL, WILD), st.data())
def test_neighbours_are_those_of_the_twin(matrix: npt.NDArray[np.float32], data: st.DataObject) -> None:
    vectors = store(matrix)
    rows = st.lists(st.integers(0, len(matrix) - 1), max_size=3)
    positive, negative = data.draw(rows), data.draw(rows)
    count = data.draw(st.integers(1, 15))
    if positive or negative:
        found = vectors.most_similar([f"w{r}" for r in positive], [f"w{r}" for r in negative], count=count)
        if twin_query_is_clear(vectors, positive, negative):
            agree(found, twin_add(vectors, positive, negative), count)
    batch = vectors.neighbors(vectors.words, count=count)
    assert batch == [vectors.most_similar(word, count=count) for word in vectors]
    for row, nearest in enumerate(batch):
        agree(nearest, twin_add(vectors, [row], []), count)


def twin_query_is_clear(vectors: WordVectors, positive: list[int], negative: list[int]) -> bool:
    """Whether the terms do not cancel out: of what is left then, rounding decides the direction."""
    units = [np.array(twin_unit(row)) for row in vectors.matrix]
    total = sum((units[row] for row in positive), np.zeros(vectors.dim))
    total = total - sum((units[row] for row in negative), np.zeros(vectors.dim))
    return float(np.linalg.norm(total)) > 1e-6


@given(st.one_of(SMALL, WILD), st.data())
def test_analogies_are_those_of_the_twin(matrix: npt.NDArray[np.float32], data: st.DataObject) -> None:
    vectors = store(matrix)
    questions = data.draw(st.lists(st.tuples(*[st.integers(0, len(matrix) - 1)] * 3), min_size=1, max_size=5))
    named = [(f"w{a}", f"w{b}", f"w{c}") for a, b, c in questions]
    for (a, b, c), found in zip(questions, vectors.analogies(named, method="mul", count=4), strict=True):
        agree(found, twin_mul(vectors, a, b, c), 4)
    for (a, b, c), found in zip(questions, vectors.analogies(named, count=4), strict=True):
        if twin_query_is_clear(vectors, [b, c], [a]):
            agree(found, twin_add(vectors, [b, c], [a]), 4)
    assert vectors.analogies(named, count=4) == [vectors.analogy(*names, count=4) for names in named]


@given(SMALL)
def test_of_equal_vectors_the_lower_row_comes_first(matrix: npt.NDArray[np.float32]) -> None:
    vectors = store(np.concatenate([matrix, matrix, matrix]))
    for found in vectors.neighbors(vectors.words, count=8):
        for (one, score), (other, next_score) in pairwise(found):
            assert score > next_score or int(one[1:]) < int(other[1:])


@given(st.one_of(SMALL, WILD))
def test_norms_are_right_at_all_sizes(matrix: npt.NDArray[np.float32]) -> None:
    lengths = [math.hypot(*map(float, row)) for row in matrix]
    np.testing.assert_allclose(store(matrix).norms, [length or 1 for length in lengths], rtol=1e-12)


@given(WILD)
def test_similarities_are_cosines(matrix: npt.NDArray[np.float32]) -> None:
    vectors = store(matrix)
    pairs = [(one, other) for one in vectors for other in vectors]
    units = [twin_unit(row) for row in matrix]
    expected = [twin_cosine(units[int(one[1:])], units[int(other[1:])]) for one, other in pairs]
    np.testing.assert_allclose(vectors.similarities(pairs), expected, atol=1e-9)
    assert vectors.similarity(*pairs[0]) == pytest.approx(expected[0], abs=1e-9)


def as_gensim(vectors: WordVectors) -> KeyedVectors:
    peer = KeyedVectors(vectors.dim)
    peer.add_vectors(vectors.words, vectors.matrix)
    return peer


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # gensim's own
def test_the_same_as_gensim(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analogies, "EPSILON", 1e-6)  # gensim's, where the paper has 0.001
    vectors = random()
    peer = as_gensim(vectors)

    def same(ours: list[tuple[str, float]], theirs: list[tuple[str, float]]) -> None:
        assert [word for word, _ in ours] == [word for word, _ in theirs]
        np.testing.assert_allclose([score for _, score in ours], [score for _, score in theirs], rtol=1e-4)

    rng = np.random.default_rng(1)
    for _ in range(8):
        a, b, c, d = (f"w{row}" for row in rng.choice(len(vectors), 4, replace=False))
        same(vectors.most_similar(a), peer.most_similar(a))
        same(vectors.most_similar([a, b], [c, d], count=30), peer.most_similar([a, b], [c, d], topn=30))
        same(vectors.analogy(a, b, c), peer.most_similar([b, c], [a]))
        same(vectors.analogy(a, b, c, method="mul"), peer.most_similar_cosmul([b, c], [a]))
        same(vectors.most_similar(vectors[a]), peer.most_similar(vectors[a]))
        assert vectors.doesnt_match([a, b, c, d]) == peer.doesnt_match([a, b, c, d])
        assert vectors.similarity(a, b) == pytest.approx(peer.similarity(a, b), abs=1e-6)


def test_plain_analogy() -> None:
    vectors = WordVectors(
        ["man", "woman", "king", "queen", "apple"], [[1, 0, 0], [1, 1, 0], [1, 0, 2], [1, 1, 2], [1, 0, -3]]
    )
    assert vectors.analogy("man", "woman", "king")[0][0] == "queen"
    assert vectors.analogy("man", "woman", "king", method="mul", count=1)[0][0] == "queen"
    assert vectors.doesnt_match(["man", "woman", "king", "apple"]) == "apple"


def test_a_float32_matrix_is_not_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    matrix = np.lib.format.open_memmap(str(tmp_path / "m.npy"), "w+", np.float32, (100_000, 64))
    matrix[:] = np.random.default_rng(0).random(matrix.shape, np.float32)
    vectors = store(matrix)
    assert np.shares_memory(vectors.matrix, matrix)
    tracemalloc.start()
    try:
        found = vectors.neighbors(["w0", "w99999"], count=5)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < matrix.nbytes * 0.7  # blocks of 8 MB, one score for each word of a block, and norms
    for row, nearest in zip((0, 99_999), found, strict=True):
        cosines = matrix @ matrix[row] / np.linalg.norm(matrix, axis=1)
        cosines[row] = -1
        assert [word for word, _ in nearest] == [f"w{place}" for place in np.argsort(-cosines)[:5]]


def test_padded_and_other_matrices() -> None:
    wide = np.random.default_rng(0).normal(size=(50, 32)).astype(np.float32)
    cut = store(wide[:, :20])
    assert cut.neighbors(cut.words, count=3) == store(wide[:, :20].copy()).neighbors(cut.words, count=3)
    double = WordVectors(["a", "b"], np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert double.matrix.dtype == np.float32


def test_look_up() -> None:
    vectors = random(5, 3)
    assert (vectors["w2"] == vectors.matrix[2]).all()
    assert (vectors[["w3", "w0", "w3"]] == vectors.matrix[[3, 0, 3]]).all()
    assert vectors[[]].shape == (0, 3)
    vectors["w2"][:] = 7
    assert 7 not in vectors.matrix
    assert (len(vectors), "w4" in vectors, "w5" in vectors, list(vectors)[1]) == (5, True, False, "w1")
    assert vectors.index["w3"] == 3
    assert repr(vectors) == "<WordVectors: 5 words × 3 dimensions: 'w0', 'w1', 'w2', 'w3', 'w4'>"
    assert repr(random(6, 3)).endswith("'w4', …>")


def test_unknown_words_get_advice() -> None:
    vectors = WordVectors(["London", "Paris", "paris-match", "lyon"], np.eye(4))
    for call in (
        lambda: vectors["paris"],
        lambda: vectors.similarity("paris", "lyon"),
        lambda: vectors.most_similar("paris"),
        lambda: vectors.analogy("lyon", "paris", "London"),
        lambda: vectors.doesnt_match(["paris"]),
    ):
        with pytest.raises(UnknownWordError, match=r"^'paris' is not in the vocabulary: did you mean 'Paris'"):
            call()
    for kind in (KeyError, LexvecError):
        with pytest.raises(kind, match="'xyz' is not in the vocabulary: check the spelling"):
            vectors["xyz"]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_rows_that_are_no_numbers_are_refused_when_used(value: float) -> None:
    matrix = np.ones((300, 20), np.float32)
    matrix[123, 4] = value
    vectors = store(matrix)
    assert vectors["w122"].sum() == 20
    message = f"the vector of 'w123' has {value}, or a number too large"
    for call in (
        lambda: vectors["w123"],
        lambda: vectors[["w1", "w123"]],
        lambda: vectors.most_similar("w1"),
        lambda: vectors.similarity("w123", "w1"),
        lambda: vectors.analogy("w1", "w123", "w2"),
        lambda: vectors.norms,
    ):
        with pytest.raises(InputError, match=message):
            call()
    with pytest.raises(InputError, match="the vector of 'a' has inf, or a number too large for 32 bits"):
        WordVectors(["a"], [[1e39]])["a"]


def test_zero_vectors_are_similar_to_nothing() -> None:
    vectors = WordVectors(["zero", "a", "b"], [[0, 0], [1, 0], [-1, 0]])
    assert vectors.similarity("zero", "a") == 0
    assert vectors.most_similar("zero") == [("a", 0.0), ("b", 0.0)]
    assert vectors.most_similar("a") == [("zero", 0.0), ("b", -1.0)]
    assert vectors.most_similar(np.zeros(2), count=1) == [("zero", 0.0)]


def test_an_empty_store_is_allowed() -> None:
    vectors = WordVectors([], np.empty((0, 3)))
    assert (len(vectors), vectors.dim, repr(vectors)) == (0, 3, "<WordVectors: 0 words × 3 dimensions>")
    assert vectors.most_similar(np.ones(3)) == []
    assert vectors.neighbors([]) == []
    assert vectors.analogies([]) == []
    assert len(vectors.similarities([])) == 0


def test_mistakes() -> None:
    with pytest.raises(InputError, match="the word 'a' occurs twice: leave one out"):
        WordVectors(["a", "b", "a"], np.eye(3))
    with pytest.raises(InputError, match="2 words but 3 vectors"):
        WordVectors(["a", "b"], np.eye(3))
    vectors = random(4, 3)
    for count in (0, -1, 2.5, "3"):
        with pytest.raises(ParameterError, match=f"count={count!r}: it must be a whole number of at least 1"):
            vectors.most_similar("w0", count=count)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="method='plus': it must be one of add, mul"):
        vectors.analogy("w0", "w1", "w2", method="plus")  # type: ignore[arg-type]
