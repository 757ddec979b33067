"""Wrongly typed calls of evaluation: each is an error of ours that names the parameter."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lexvec
from lexvec import LexvecError, ParameterError, WordVectors
from lexvec import evaluation as package

VECTORS = WordVectors(["cat", "dog", "car", "bus"], np.array([[1, 0.1], [1, 0], [0, 1], [0.1, 1]]))
evaluate: Any = lexvec.evaluate
compare: Any = lexvec.compare
locate: Any = package.locate
fetch: Any = package.fetch
Evaluator: Any = package.Evaluator
Comparer: Any = package.Comparer


@pytest.fixture
def done(tmp_path: Path, no_sets: Path) -> Any:
    (tmp_path / "pets.txt").write_text("cat dog 9\ncat car 1\ndog bus 5\n")
    return evaluate(VECTORS, sets=[tmp_path / "pets.txt"])


CALLS: list[tuple[str, Callable[[Any], Any]]] = [
    ("vectors=None", lambda _: evaluate(None)),
    ("vectors='v.txt': it must be WordVectors; load them with WordVectors.load", lambda _: evaluate("v.txt")),
    ("vectors=array", lambda _: evaluate(np.eye(2))),
    ("sets=3", lambda _: evaluate(VECTORS, sets=3)),
    ("sets=b'men'", lambda _: evaluate(VECTORS, sets=b"men")),
    ("sets=3", lambda _: evaluate(VECTORS, sets=[3])),
    ("sets=None", lambda _: evaluate(VECTORS, sets=[None])),
    ("'' is not a test set", lambda _: evaluate(VECTORS, sets="")),
    ("'' is not a test set", lambda _: evaluate(VECTORS, sets=[""])),
    ("sets is empty", lambda _: evaluate(VECTORS, sets=[])),
    ("data=3", lambda _: evaluate(VECTORS, data=3)),
    ("data=''", lambda _: evaluate(VECTORS, data="")),
    ("progress=3", lambda _: evaluate(VECTORS, progress=3)),
    ("oov=3", lambda _: evaluate(VECTORS, oov=3)),
    ("lowercase='yes'", lambda _: evaluate(VECTORS, lowercase="yes")),
    ("resamples=2.5", lambda _: evaluate(VECTORS, resamples=2.5)),
    ("Evaluator has no parameter seeds: did you mean", lambda _: evaluate(VECTORS, seeds=3)),
    ("confidence='x'", lambda _: Evaluator(confidence="x")),
    ("vectors=3", lambda _: Evaluator().evaluate(3)),
    ("first=3: it must be Evaluation; make one with evaluate", lambda done: compare(3, done)),
    ("second=None", lambda done: compare(done, None)),
    ("first=<WordVectors", lambda done: compare(VECTORS, done)),
    ("names='AB'", lambda done: compare(done, done, names="AB")),
    ("names=\\('A',\\)", lambda done: compare(done, done, names=("A",))),
    ("names=\\(1, 2\\)", lambda done: compare(done, done, names=(1, 2))),
    ("Comparer has no parameter oov", lambda done: compare(done, done, oov="skip")),
    ("seed='1'", lambda _: Comparer(seed="1")),
    ("first=3", lambda done: Comparer().compare(3, done)),
    ("there is no score for 'men': choose one of", lambda done: done["men"]),
    ("there is no score for 3", lambda done: done[3]),
    ("there is no score for \\('pets', '3CosAdd'\\)", lambda done: done["pets", "3CosAdd"]),
    ("there is no score for \\[\\]", lambda done: done[[]]),
    ("file=3", lambda _: locate(3)),
    ("data=3", lambda _: locate("men.txt", 3)),
    ("sets=3", lambda _: fetch(3)),
    ("sets='men'", lambda _: fetch("men")),
    ("to=3", lambda _: fetch(["men"], 3)),
    ("force=3", lambda _: fetch(["men"], force=3)),
    ("there is no task 'similarty'; did you mean 'similarity'", lambda _: package.TASKS["similarty"]),
    ("there is no task '3'", lambda _: package.TASKS[3]),  # type: ignore[index]
]


@pytest.mark.parametrize(("message", "call"), CALLS, ids=[message for message, _ in CALLS])
def test_wrongly_typed_calls(done: Any, message: str, call: Callable[[Any], Any]) -> None:
    with pytest.raises(ParameterError, match=message) as caught:
        call(done)
    assert "\n" not in str(caught.value)


def test_a_file_that_does_not_exist(no_sets: Path) -> None:
    for name in ("missing.tsv", "folder/missing", Path("folder") / "missing"):
        with pytest.raises(LexvecError, match="missing.* does not exist: name a test set"):
            evaluate(VECTORS, sets=[name])
