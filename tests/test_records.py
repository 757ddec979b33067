"""Records read from JSON are checked against a dataclass."""

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

from lexvec.records import conforms


@dataclass(frozen=True)
class Step:
    name: str
    seconds: float
    parent: str | None = None


@dataclass(frozen=True)
class Plan:
    kind: ClassVar[str] = "not a field"

    steps: list[Step]
    counts: dict[str, int]
    done: bool
    first: Step | None = None
    settings: dict[str, Any] = field(default_factory=dict)


STEP = {"name": "count", "seconds": 1.5, "parent": None}
PLAN = {"steps": [STEP], "counts": {"a": 1}, "done": False, "first": STEP, "settings": {"any": [1, {"thing": "x"}]}}


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"steps": []},
        {"first": None},
        {"counts": {}},
        {"steps": [{**STEP, "parent": "corpus"}, {**STEP, "seconds": 2}]},
        {"settings": {"deep": None}},
    ],
)
def test_a_record_that_conforms(change: dict[str, Any]) -> None:
    assert conforms(json.loads(json.dumps(PLAN | change)), Plan)


@pytest.mark.parametrize(
    "change",
    [
        {"steps": None},
        {"steps": {}},
        {"steps": [None]},
        {"steps": [{**STEP, "name": 1}]},
        {"steps": [{**STEP, "seconds": True}]},
        {"steps": [{**STEP, "seconds": "1.5"}]},
        {"steps": [{**STEP, "more": 1}]},
        {"steps": [{"name": "count", "seconds": 1.5}]},  # what has a default in Python is still written down
        {"counts": {"a": 1.0}},
        {"counts": {"a": True}},
        {"counts": {"a": None}},
        {"counts": [1]},
        {"done": 0},
        {"done": None},
        {"first": "count"},
        {"first": {}},
        {"settings": []},
        {"kind": "x"},
    ],
)
def test_a_record_that_does_not(change: dict[str, Any]) -> None:
    assert not conforms(PLAN | change, Plan)


def test_a_missing_name() -> None:
    for name in PLAN:
        assert not conforms({key: value for key, value in PLAN.items() if key != name}, Plan)


def test_names_of_newer_versions() -> None:
    newer = PLAN | {"steps": [{**STEP, "more": 1}], "kind": "x"}
    assert conforms(newer, Plan, extra=True) and not conforms(newer, Plan)
    assert not conforms(newer | {"done": 1}, Plan, extra=True)
    assert not conforms({"done": True}, Plan, extra=True)


@pytest.mark.parametrize(
    ("value", "form", "right"),
    [
        (1, int, True),
        (True, int, False),
        (1, float, True),
        (1.0, int, False),
        (False, float, False),
        (False, bool, True),
        (0, bool, False),
        (1, int | str, True),
        (None, int | str, False),
        (None, None, True),
        ("x", str, True),
        ([1, "x"], list[int | str], True),
        ([[1], []], list[list[int]], True),
        ([[1], [None]], list[list[int]], False),
        ([1], list, True),
        ({"a": {}}, dict, True),
        ({1: 2}, dict[str, int], False),
    ],
)
def test_other_forms(value: Any, form: Any, right: bool) -> None:
    assert conforms(value, form) is right


def test_what_json_has_no_form_for() -> None:
    with pytest.raises(TypeError, match="tuple"):
        conforms((1,), tuple[int, ...])
