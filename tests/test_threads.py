import threading
from collections.abc import Iterator

import pytest

from lexvec import Associator, CooccurrenceCounter, CorpusBuilder, ParameterError
from lexvec.threads import Threads, running


@pytest.mark.parametrize("count", [1, 2, 5])
def test_results_come_in_order_and_each_state_has_one_user(count: int) -> None:
    in_use: set[int] = set()
    guard = threading.Lock()

    def work(state: int, task: int) -> int:
        with guard:
            assert state not in in_use
            in_use.add(state)
        result = sum(range(task * 100))
        with guard:
            in_use.remove(state)
        return result

    with Threads(count) as threads:
        for _ in range(2):  # the same threads serve again
            assert list(threads.map(work, range(50), list(range(count)))) == [sum(range(n * 100)) for n in range(50)]


def test_tasks_are_taken_as_they_are_needed() -> None:
    taken: list[int] = []

    def tasks() -> Iterator[int]:
        for task in range(1000):
            taken.append(task)
            yield task

    with Threads(2) as threads:
        results = threads.map(lambda _, task: task, tasks())
        assert [next(results) for _ in range(3)] == [0, 1, 2]
        assert len(taken) <= 8


def test_the_caller_takes_part() -> None:
    doing: dict[int, int] = {}
    with Threads(3) as threads:
        threads.each(lambda thread, _: doing.__setitem__(thread, threading.get_ident()), 3)
    assert doing[0] == threading.get_ident() and len(doing) == 3
    assert threading.get_ident() not in (doing[1], doing[2])


def test_errors_reach_the_caller_when_all_work_has_stopped() -> None:
    running: list[int] = []

    def work(_: int, task: int) -> None:
        running.append(task)
        if task == 3:
            raise ValueError("task 3")
        running.remove(task)

    with Threads(3) as threads:
        with pytest.raises(ValueError, match="task 3"):
            threads.each(work, 9)
        assert running == [3]
        with pytest.raises(ValueError, match="task 3"):
            list(threads.map(lambda _, task: work(0, task), range(9)))


@pytest.mark.parametrize("count", [1, 3])
def test_each_task_is_done_once(count: int) -> None:
    done: list[int] = []
    with Threads(count) as threads:
        threads.each(lambda _, task: done.append(task), 100)
    assert sorted(done) == list(range(100))


def test_threads_of_a_caller_stay_open() -> None:
    with Threads(2) as threads:
        for _ in range(2):
            with running(threads, 5) as used:
                assert used is threads
                assert list(used.map(lambda _, task: task, range(3))) == [0, 1, 2]
    with running(None, 3) as own:
        assert own.count == 3


def test_a_number_of_threads_is_a_parameter_of_the_stage() -> None:
    corpus = CorpusBuilder(min_count=1).build([["a", "b"]])
    counts = CooccurrenceCounter(subsample=0).count(corpus)
    wrong = pytest.raises(ParameterError, match="threads=2: it must be Threads that are running, or None")
    with wrong:
        CooccurrenceCounter()._count(corpus, threads=2)  # type: ignore[arg-type]
    with wrong:
        Associator()._associate(counts, threads=2)  # type: ignore[arg-type]
