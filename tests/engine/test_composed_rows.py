"""Composing and spreading, against readable twins."""

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from lexvec.engine.composed_rows import ENOUGH, HASTE, ComposedRows
from lexvec.engine.rows import uniform
from lexvec.threads import Threads

Matrix = npt.NDArray[np.float32]

PARTS = 16
RATE = 0.05


def table(draw: np.random.Generator, words: int, rows: int) -> list[list[int]]:
    """A row of its own for each word, and some that they share; one may occur twice."""
    return [[word, *draw.integers(words, words + rows, draw.integers(0, 5)).tolist()] for word in range(words)]


def twin(
    inputs: Matrix, lists: list[list[int]], occurrences: list[int], moves: Matrix, *, shared: bool, bounded: bool
) -> Matrix:
    """What a unit makes of input rows if it moves the vector of word w by moves[w]."""
    after = inputs.astype(np.float64)

    def crowded(speed: float) -> tuple[npt.NDArray[np.float64], float]:
        weights = [min(1, count / (len(rows) if shared else 1) * speed)
                   for rows, count in zip(lists, occurrences, strict=True)]  # fmt: skip
        crowds = np.zeros(len(inputs))
        for rows, weight in zip(lists, weights, strict=True):
            for row in rows:
                crowds[row] += weight
        excess = np.where(crowds > 1, np.sqrt(crowds), crowds)
        return crowds, float(np.average([excess[rows].mean() for rows in lists], weights=weights))

    divisors = np.ones(len(inputs))
    if any(occurrences):
        divisors = crowded(1 / ENOUGH)[0]
        if bounded and crowded(max(1 / ENOUGH, HASTE * RATE))[1] <= 1:
            divisors = np.sqrt(crowded(HASTE * RATE)[0])
    for rows, count, move in zip(lists, occurrences, moves, strict=True):
        for row in rows:
            if count:
                after[row] += move / max(1, divisors[row])
    return after.astype(np.float32)


@given(st.integers(0, 2**32 - 1), st.booleans(), st.booleans(), st.booleans(), st.integers(1, 70))
@settings(max_examples=60)
def test_a_unit_moves_input_rows_as_the_twin_does(
    seed: int, shared: bool, bounded: bool, hashed: bool, dim: int
) -> None:
    draw = np.random.default_rng(seed)
    words = int(draw.integers(1, 80))
    lists = table(draw, words, 6)
    count = words + 6
    if hashed:  # to fewer rows than words, unless there are few
        count = 9
        lists = [[row % count for row in rows] for rows in lists]
    indptr = np.concatenate([[0], np.cumsum([len(rows) for rows in lists])])
    flat = np.concatenate([np.array(rows) for rows in lists])
    occurrences = draw.choice([0, 1, 40, 1000], words, p=draw.dirichlet(np.ones(4)))
    moves = draw.normal(size=(words, dim)).astype(np.float32)
    results = []
    for threads in (1, 2, 3):
        rows = ComposedRows(PARTS, indptr, flat, count, dim, uniform(np.uint64(3), dim), shared=shared, bounded=bounded)
        before = rows.arrays["rows"].whole()
        with Threads(threads) as running:
            rows.begin_unit(occurrences, RATE, running)
            for word in np.flatnonzero(occurrences).tolist():
                part = rows.part(word % PARTS)
                vector = part.rows[word // PARTS]
                assert part.factors.size == (len(part.rows) if shared else 0)
                assert not shared or part.factors[word // PARTS] == np.float32(1 / len(lists[word]))
                np.testing.assert_allclose(vector[:dim], before[lists[word]].mean(axis=0), rtol=1e-5, atol=1e-7)
                vector[:dim] += moves[word]
            rows.finish_unit(running)
        results.append(rows.arrays["rows"].whole())
    expected = twin(before, lists, occurrences.tolist(), moves, shared=shared, bounded=bounded)
    np.testing.assert_allclose(results[0], expected, rtol=1e-4, atol=1e-5)
    assert all(result.tobytes() == results[0].tobytes() for result in results)


def test_a_word_alone_ends_where_the_sweep_left_it() -> None:
    rows = ComposedRows(
        4, np.array([0, 3]), np.array([0, 1, 2]), 3, 4, uniform(np.uint64(1), 4), shared=False, bounded=True
    )
    with Threads(1) as threads:
        rows.begin_unit(np.array([10_000]), RATE, threads)
        rows.part(0).rows[0, :4] = [1, 2, 3, 4]
        rows.finish_unit(threads)
        rows.begin_unit(np.array([1]), RATE, threads)
    np.testing.assert_allclose(rows.part(0).rows[0, :4], [1, 2, 3, 4], rtol=1e-6)
