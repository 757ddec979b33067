"""Each step is held against the numeric gradient of the loss that the paper writes down."""

import math
from collections import Counter

import numpy as np
import numpy.typing as npt
import planted
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexvec import Associator, CooccurrenceCounter, LexVec
from lexvec.engine.rows import aligned
from lexvec.kernels import steps
from lexvec.kernels.losses import exp_of_negative, log1p_of_share, logistic_loss, squared_loss
from lexvec.kernels.pairs import Pairs
from lexvec.kernels.steps import AdaptivePart, Block, CellWeights, PlainPart
from lexvec.kernels.tiles import SIDE, Tiles

Matrix = npt.NDArray[np.float64]

NO_TILES = Tiles(np.empty((0, 4), np.int32), np.empty((0, 4), np.int32), np.empty((0, 16), np.float32))
NO_PAIRS = Pairs(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32))


def lexvec_loss(score: float, target: float) -> float:
    return 0.5 * (score - target) ** 2


def sgns_loss(score: float, label: float) -> float:
    return -math.log(1 / (1 + math.exp(-score if label else score)))


def gradient(loss: "object", W: Matrix, C: Matrix, target: float) -> tuple[Matrix, Matrix]:
    """By central differences."""
    gradients = []
    for which in (0, 1):
        out = np.zeros_like(W)
        for d in range(len(W)):
            moved = []
            for sign in (1, -1):
                rows = [W.copy(), C.copy()]
                rows[which][d] += sign * 1e-5
                moved.append(loss(rows[0] @ rows[1], target))  # type: ignore[operator]
            out[d] = (moved[0] - moved[1]) / 2e-5
        gradients.append(out)
    return gradients[0], gradients[1]


@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=40)
def test_sgd_descends_the_numeric_gradient(seed: int, logistic: bool, shared: bool, contexts_too: bool) -> None:
    """Rows may take a part of their gradients only; those that take nothing stay as they are, to the bit."""
    draw = np.random.default_rng(seed)
    V, dim, n, rate = 4, 5, 6, 0.1
    W, C = aligned(V, dim), aligned(V, dim)
    W[:, :dim], C[:, :dim] = draw.normal(size=(V, dim)), draw.normal(size=(V, dim))
    words, contexts = draw.integers(0, V, n), draw.integers(0, V, n)
    factors = [
        draw.choice([0, 0.3, 1], V).astype(np.float32) if some else np.ones(V, np.float32)
        for some in (shared, contexts_too)
    ]
    W[0, 0] = C[0, 0] = -0.0  # adding 0 would change its sign
    before = W.copy(), C.copy()
    seen = draw.random(n) < 0.5
    targets = seen.astype(float) if logistic else draw.random(n) * 3
    expected_W, expected_C = W[:, :dim].astype(float), C[:, :dim].astype(float)
    expected = [0.0, 0.0]
    loss = sgns_loss if logistic else lexvec_loss
    for w, c, target, observed in zip(words, contexts, targets, seen, strict=True):
        expected[0 if observed else 1] += loss(float(expected_W[w] @ expected_C[c]), float(target))
        by_W, by_C = gradient(loss, expected_W[w], expected_C[c], float(target))
        expected_W[w] -= rate * factors[0][w] * by_W
        expected_C[c] -= rate * factors[1][c] * by_C
    pairs = Pairs(
        words.astype(np.int32), np.where(seen, contexts, ~contexts).astype(np.int32), targets.astype(np.float32)
    )
    losses = np.zeros(2)
    sweep = steps.sgd_sweep(logistic_loss if logistic else squared_loss, factored=shared or contexts_too)
    parts = [
        PlainPart(rows, some) if has else PlainPart(rows)
        for rows, some, has in zip((W, C), factors, (shared, contexts_too), strict=True)
    ]
    sweep(*parts, Block(pairs, NO_TILES), rate, losses)
    for rows, old, some in zip((W, C), before, factors, strict=True):
        assert rows[some == 0].tobytes() == old[some == 0].tobytes()
    assert np.allclose(W[:, :dim], expected_W, atol=1e-4)
    assert np.allclose(C[:, :dim], expected_C, atol=1e-4)
    assert np.allclose(losses, expected, rtol=1e-4, atol=1e-5)
    assert not W[:, dim:].any()  # padding stays 0


@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=40)
def test_a_tile_moves_all_rows_at_once_from_where_they_were(
    seed: int, logistic: bool, repeated: bool, shared: bool
) -> None:
    """Rows that occur twice in a tile, or take a share only, cannot: then its pairs are done one after another."""
    draw = np.random.default_rng(seed)
    V, dim, rate = 6, 37, 0.1
    W, C = aligned(V, dim), aligned(V, dim)
    W[:, :dim], C[:, :dim] = draw.normal(size=(V, dim)) / 4, draw.normal(size=(V, dim)) / 4
    words, contexts = draw.permutation(V)[:SIDE], draw.permutation(V)[:SIDE]
    shares = draw.random(V).astype(np.float32) if shared else np.ones(V, np.float32)
    if repeated:
        words[0] = words[2]
    targets = np.zeros((SIDE, SIDE)) if logistic else draw.random((SIDE, SIDE)) * 3
    loss = sgns_loss if logistic else lexvec_loss
    expected_W, expected_C = W[:, :dim].astype(float), C[:, :dim].astype(float)
    old_W, old_C = (expected_W, expected_C) if repeated or shared else (expected_W.copy(), expected_C.copy())
    total = 0.0
    for a, w in enumerate(words):
        for b, c in enumerate(contexts):
            by_W, by_C = gradient(loss, old_W[w], old_C[c], float(targets[a, b]))
            total += loss(float(old_W[w] @ old_C[c]), float(targets[a, b]))
            expected_W[w] -= rate * shares[w] * by_W
            expected_C[c] -= rate * by_C
    stored = np.empty((0, 16)) if logistic else targets.reshape(1, -1)
    tiles = Tiles(words[None].astype(np.int32), contexts[None].astype(np.int32), stored.astype(np.float32))
    losses = np.zeros(2)
    sweep = steps.sgd_sweep(logistic_loss if logistic else squared_loss, factored=shared)
    part = PlainPart(W, shares) if shared else PlainPart(W)
    sweep(part, PlainPart(C), Block(NO_PAIRS, tiles), rate, losses)
    assert np.allclose(W[:, :dim], expected_W, atol=1e-4)
    assert np.allclose(C[:, :dim], expected_C, atol=1e-4)
    assert losses.tolist() == [0, pytest.approx(total, rel=1e-4)]
    assert not W[:, dim:].any()


@pytest.mark.parametrize("score", [-50.0, -3.0, -1e-3, 0.0, 1e-3, 0.5, 4.0, 30.0])
@pytest.mark.parametrize("label", [0.0, 1.0])
def test_the_logistic_loss_is_that_of_the_library(score: float, label: float) -> None:
    loss, slope = logistic_loss(score, label)
    assert loss == pytest.approx(np.logaddexp(0, -score if label else score), rel=1e-8)
    assert slope == pytest.approx(1 / (1 + math.exp(-score)) - label, rel=1e-8, abs=1e-9)


@given(st.floats(0, 700))
def test_the_exponential_is_that_of_the_library(x: float) -> None:
    assert exp_of_negative(x) == pytest.approx(math.exp(-x), rel=6e-9)


@given(st.floats(0, 1))
def test_the_logarithm_is_that_of_the_library(x: float) -> None:
    assert log1p_of_share(x) == pytest.approx(math.log1p(x), rel=4e-10)


def test_losses_of_large_scores_are_finite() -> None:
    for score in (-800.0, 0.0, 800.0):
        for label in (0.0, 1.0):
            loss, slope = logistic_loss(score, label)
            assert np.isfinite(loss)
            assert -1 <= slope <= 1
    assert logistic_loss(800.0, 0.0)[0] == pytest.approx(800)


@given(st.integers(0, 10**6), st.booleans())
@settings(max_examples=30)
def test_glove_steps_are_adagrad_on_the_numeric_gradient(seed: int, factored: bool) -> None:
    draw = np.random.default_rng(seed)
    V, dim, n, rates = 3, 4, 5, [0.05] * 4 + [0.3]  # that of the biases last
    sides = []
    for _ in range(2):
        start, ones = aligned(V, dim), aligned(V, dim)
        start[:, :dim], ones[:] = draw.normal(size=(V, dim)), 1
        bias, one = draw.normal(size=V).astype(np.float32), np.ones(V, np.float32)
        factors = draw.choice([0, 0.3, 1], V).astype(np.float32) if factored else one[:0]
        sides.append(AdaptivePart(start, bias, ones, one, factors))
    before = [[array.copy() for array in side] for side in sides]
    words, contexts, counts = draw.integers(0, V, n), draw.integers(0, V, n), draw.random(n) * 20
    # The twin: all parameters of a cell in one vector (W, b_w, C, b_c).
    values = [np.column_stack((side.rows[:, :dim], side.bias)).astype(float) for side in sides]
    squares = [np.ones((V, dim + 1)) for _ in sides]
    total = 0.0
    for w, c, x in zip(words, contexts, counts, strict=True):

        def loss(a: Matrix, b: Matrix, x: float = float(x)) -> float:
            weight = min(1.0, float((x / 10) ** 0.75))
            error = float(a[:dim] @ b[:dim] + a[dim] + b[dim]) - math.log(x)
            return 0.5 * weight * error * error

        rows = [values[0][w].copy(), values[1][c].copy()]
        total += loss(*rows)
        for which, place in ((0, w), (1, c)):
            for d in range(dim + 1):
                moved = [row.copy() for row in rows]
                moved[which][d] += 1e-5
                up = loss(*moved)
                moved[which][d] -= 2e-5
                factor = sides[which].factors[place] if factored else 1.0
                step = factor * rates[d] * (up - loss(*moved)) / 2e-5
                values[which][place, d] -= step / math.sqrt(squares[which][place, d])
                squares[which][place, d] += step**2
    cells = Pairs(words.astype(np.int32), contexts.astype(np.int32), np.log(counts).astype(np.float32))
    losses = np.zeros(2)
    sweep = steps.adagrad_sweep(squared_loss, factored=factored)
    sweep(sides[0], sides[1], cells, rates[0], losses, CellWeights(math.log(10), 0.75, rates[-1]))
    for side, value in zip(sides, values, strict=True):
        assert np.allclose(np.column_stack((side.rows[:, :dim], side.bias)), value, atol=1e-4)
    assert losses[0] == pytest.approx(total, rel=1e-4)
    for side, old in zip(sides, before, strict=True):
        frozen = side.factors == 0 if factored else np.zeros(V, bool)
        assert all(
            array[frozen].tobytes() == other[frozen].tobytes() for array, other in zip(side[:4], old[:4], strict=True)
        )


def test_a_shuffle_is_a_fair_permutation() -> None:
    orders: Counter[tuple[int, ...]] = Counter()
    for key in range(6000):
        pairs = Pairs(*(np.arange(3, dtype=dtype) for dtype in (np.int32, np.int32, np.float32)))  # type: ignore[arg-type]
        steps.shuffle(pairs, np.uint64(key))
        assert pairs.words.tolist() == pairs.contexts.tolist() == pairs.targets.tolist()
        orders[tuple(pairs.words.tolist())] += 1
    assert len(orders) == 6
    assert max(orders.values()) < 1150


@pytest.mark.slow
def test_lexvec_reaches_the_matrix_where_it_has_room() -> None:
    """dim ≥ vocabulary: W·Cᵀ approaches PPMI* on the cells that are sampled."""
    corpus = planted.corpus(300)
    model = LexVec(dim=96, epochs=60, subsample=0, learning_rate=0.1, seed=3).fit(corpus)
    ppmi = Associator().associate(CooccurrenceCounter(subsample=0, seed=3).count(corpus)).matrix.toarray()
    assert len(corpus.vocabulary) <= 96
    difference = model.W_ @ model.C_.T - ppmi
    assert np.sqrt((difference**2).mean()) < 0.05 * np.sqrt((ppmi**2).mean())
