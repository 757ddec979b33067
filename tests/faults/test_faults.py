"""Every fault of the table ends with the right result or one clear line. See benchmarks/faults.py for all of it."""

import os
import sys
from collections import Counter
from collections.abc import Iterator

import pytest
from fault_table.bench import Bench
from fault_table.case import Done, Error, Result, Row
from fault_table.crash import STAGES, Crash, Crasher, crashes
from fault_table.groups import ROWS
from fault_table.verdict import judged

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs fork, pseudo-terminals and Linux's limits")
GROUPS = ("corpus", "parameters", "folders", "vector files", "environment", "evaluation", "remote")


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with Bench() as made:
        yield made


@pytest.fixture(scope="module")
def crasher(bench: Bench) -> Crasher:
    return Crasher(bench)


@pytest.mark.parametrize("row", [row for row in ROWS if not row.slow], ids=lambda row: row.key)
def test_row(bench: Bench, row: Row) -> None:
    kind, why = bench.attempt(row)
    if kind == "skipped":
        pytest.skip(why)
    assert kind != "bad", f"{why}\n{row.run}\n{[step.name for step in row.make]}"


@pytest.mark.slow
@pytest.mark.parametrize("row", crashes(len(STAGES)), ids=lambda row: row.key)
def test_a_killed_stage_comes_to_the_same_end(crasher: Crasher, row: Crash) -> None:
    kind, why = crasher.attempt(row)
    assert kind != "bad", why


def test_rows_have_groups_that_are_known_and_names_of_their_own() -> None:
    assert {row.group for row in ROWS} == set(GROUPS)
    assert [key for key, times in Counter(row.key for row in ROWS).items() if times > 1] == []


def done(tmp_path: os.PathLike[str], **given: object) -> Done:
    defaults = {"code": 1, "stdout": "", "stderr": "lexvec: x is damaged: make it again\n", "hung": False}
    places = {"folder": tmp_path, "base": tmp_path, "before": {"x": "1"}, "after": {"x": "1"}}
    return Done(**(defaults | places | given))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given",
    [
        {"code": 0},
        {"code": 2},
        {"code": -11},
        {"hung": True},
        {"stderr": "lexvec: something else\n"},
        {"stderr": "lexvec: x is damaged\nand more\n"},
        {"stderr": 'Traceback (most recent call last):\nKeyError: "damaged"\n'},
        {"stderr": "lexvec: \x1b[31mx is damaged\n"},
        {"stdout": "half a result"},
        {"after": {}},
        {"after": {"x": "2"}},
        {"after": {"x": "1", ".x.partial": "3"}},
    ],
    ids=str,
)
def test_what_is_bad_is_noticed(tmp_path: os.PathLike[str], given: dict[str, object]) -> None:
    row = Row("folders", "x", "info x", Error("damaged"))
    assert judged(row, done(tmp_path)) == ("clear", "")
    assert judged(row, done(tmp_path, **given))[0] == "bad"


def test_a_wrong_result_is_noticed(tmp_path: os.PathLike[str]) -> None:
    row = Row("folders", "x", "info x", Result(lambda tried: "" if tried.stdout == "right" else "wrong"))
    assert judged(row, done(tmp_path, code=0, stdout="right")) == ("right", "")
    assert judged(row, done(tmp_path, code=0, stdout="left")) == ("bad", "wrong")
    assert judged(row, done(tmp_path, code=1, stdout="right"))[0] == "bad"
    assert judged(row, done(tmp_path, code=0, stdout="right", after={"x": "1", "tmp/y": "2"}))[0] == "bad"
