"""The table of kinds of task, and a kind that a user adds."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from lexvec import InputError, ParameterError, WordVectors, compare, evaluate
from lexvec.cli import main
from lexvec.evaluation import TASKS, AccuracyTask, Item
from lexvec.progress import ProgressLike
from lexvec.uncertainty import Array


class OddOneOut(AccuracyTask):
    """Lines of words, the last of which does not belong to the others."""

    line = "words, the odd one last"
    fields = None
    measures = ("accuracy",)

    def item(self, fields: list[str]) -> Item:
        if len(fields) < 3:
            raise ValueError("an odd word needs two others: write at least three words")
        return Item(tuple(fields))

    def outcomes(
        self, vectors: WordVectors, items: Sequence[Item], *, threads: int = 1, progress: ProgressLike = None
    ) -> Mapping[str, Array]:
        right = [vectors.doesnt_match(item.words) == item.words[-1] for item in items]
        return {"accuracy": np.array(right, np.float64)}


@pytest.fixture
def odd(no_sets: Path) -> Iterator[None]:
    TASKS["odd-one-out"] = OddOneOut()
    yield
    del TASKS["odd-one-out"]


VECTORS = WordVectors(["cat", "dog", "cow", "car"], np.array([[1, 0.1], [1, 0], [1, 0.2], [0, 1]]))
OTHER = WordVectors(["cat", "dog", "cow", "car"], np.array([[0, 1], [1, 0], [1, 0.2], [1, 0.1]]))
TEXT = "# task: odd-one-out\ncat dog cow car\ndog cow car\ncat car dog\ncat dog unicorn\n"


@pytest.mark.usefixtures("odd")
def test_a_kind_of_task_that_a_user_adds(tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    path.write_text(TEXT)
    (score,) = evaluate(VECTORS, sets=[path]).scores
    assert (score.kind, score.measure, score.value) == ("odd-one-out", "accuracy", 2 / 3)
    assert (score.covered, score.total) == (3, 4) and 0 <= score.low < score.value < score.high <= 1
    assert evaluate(VECTORS, sets=[path], oov="zero").scores[0].value == 2 / 4
    found = compare(evaluate(OTHER, sets=[path]), evaluate(VECTORS, sets=[path]))
    assert [(each.first, each.second, each.p) for each in found.differences] == [(0, 2 / 3, 0.5)]
    VECTORS.save(tmp_path / "v.txt")
    shown = CliRunner().invoke(main, ["evaluate", str(tmp_path / "v.txt"), "--sets", str(path)])
    assert shown.exit_code == 0 and "odd" in shown.stdout and "accuracy" in shown.stdout


@pytest.mark.usefixtures("odd")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# task: odd-one-out\ncat dog\n", "line 2: an odd word needs two others"),
        ("# task: odd-one\ncat dog cow\n", "line 1: there is no task 'odd-one'; did you mean 'odd-one-out'"),
        ("cat dog cow car bus\n", "line 1: 'cat dog cow car bus' is neither two words and a rating nor four words"),
    ],
)
def test_files_that_do_not_fit_their_kind(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "odd.txt").write_text(text)
    with pytest.raises(InputError, match=message):
        evaluate(VECTORS, sets=[tmp_path / "odd.txt"])


def test_a_task_that_loses_items_is_refused(odd: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OddOneOut, "outcomes", lambda *_, **__: {"accuracy": np.ones(2)})
    (tmp_path / "odd.txt").write_text(TEXT)
    with pytest.raises(ParameterError, match="the task odd-one-out returned 2 outcomes for 3 items"):
        evaluate(VECTORS, sets=[tmp_path / "odd.txt"])


@pytest.mark.parametrize("kind", ["similarity", "analogy"])
def test_every_kind_does_without_items(kind: str) -> None:
    task = TASKS[kind]
    nothing = np.empty(0)
    found = task.outcomes(VECTORS, [])
    assert set(found) == set(task.measures) and all(len(values) == 0 for values in found.values())
    assert math.isnan(task.value(nothing, nothing))
    tested = task.paired(nothing, nothing, ratings=nothing, resamples=5, random=np.random.default_rng(1))
    assert math.isnan(tested.p) and math.isnan(tested.first)
