import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexvec import InputError, WordVectors
from lexvec.vectors import analogies
from lexvec.vectors.analogies import SOLVERS, RowNumbers
from twins_evaluation import answer


def vectors(matrix: object) -> WordVectors:
    array = np.asarray(matrix, np.float32)
    return WordVectors([f"w{row}" for row in range(len(array))], array)


def solve(model: WordVectors, questions: RowNumbers, threads: int = 1) -> dict[str, RowNumbers]:
    return analogies.solve(model.unit_rows, len(model), questions, threads=threads)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analogies, "_BLOCK", 7)
    monkeypatch.setattr(analogies, "_BATCH", 5)


@pytest.mark.usefixtures("small_blocks")
@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 60), st.integers(0, 40), st.integers(1, 3))
def test_answers_are_those_of_the_twin(seed: int, words: int, questions: int, threads: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((words, 6)).astype(np.float32)
    asked = rng.integers(0, words, (questions, 3))
    found = solve(vectors(matrix), asked, threads=threads)
    for solver in SOLVERS:
        assert found[solver].tolist() == [answer(matrix, question, solver) for question in asked.tolist()]


def test_threads_and_blocks_do_not_change_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    model = vectors(rng.standard_normal((500, 20)))
    asked = rng.integers(0, 500, (300, 3))
    whole = solve(model, asked, threads=1)
    monkeypatch.setattr(analogies, "_BLOCK", 64)
    for threads in (1, 2, 5):
        again = solve(model, asked, threads=threads)
        assert all(np.array_equal(whole[solver], again[solver]) for solver in SOLVERS)


@pytest.mark.usefixtures("small_blocks")
def test_among_equals_the_first_and_never_a_word_of_the_question() -> None:
    found = solve(vectors(np.zeros((30, 4))), np.array([[0, 1, 2], [3, 4, 5], [0, 0, 1]]))
    for solver in SOLVERS:
        assert found[solver].tolist() == [3, 0, 2]


def test_nobody_is_left_to_answer() -> None:
    found = solve(vectors(np.eye(3)), np.array([[0, 1, 2]]))
    assert all(found[solver].tolist() == [-1] for solver in SOLVERS)
    assert all(len(rows) == 0 for rows in solve(vectors(np.eye(3)), np.empty((0, 3), np.int64)).values())


def test_opposite_vectors_keep_their_factors_positive() -> None:
    matrix = np.array([[1, 0], [-1, 0], [1, 1e-4], [-1, 1e-4], [0, 1]])
    found = solve(vectors(matrix), np.array([[0, 1, 3]]))
    assert found["3CosMul"].tolist() == [answer(matrix, [0, 1, 3], "3CosMul")]


def test_what_is_not_a_number_names_the_word() -> None:
    matrix = np.ones((5, 3))
    matrix[4, 1] = np.nan
    with pytest.raises(InputError, match="the vector of 'w4' has nan, or a number too large"):
        solve(vectors(matrix), np.array([[0, 1, 2]]))
