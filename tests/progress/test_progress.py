import io
import time

import pytest
from rich.console import Console

from lexvec.progress import Lines, Silent
from lexvec.progress.meter import rate
from lexvec.progress.terminal import Terminal


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_lines_where_nobody_watches(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    with Lines().stage("reading", 4_000_000, "B") as stage:
        for _ in range(3):
            clock[0] += 6
            stage.advance(1_000_000)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        "reading: 50%, 166.7 kB/s, 12 s left",
        "reading: done in 18.0 s, 166.7 kB/s",
    ]


def test_quick_work_shows_nothing(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(file=io.StringIO(), force_terminal=True)
    for shown in (Lines(), Terminal(console), Silent()):
        with shown.stage("counting", None, "tokens") as stage:
            clock[0] += 0.5
            stage.advance(5)
    assert capsys.readouterr().err == ""
    assert console.file.getvalue() == ""  # type: ignore[attr-defined]


def test_a_bar_on_a_terminal() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    started = time.monotonic()
    with Terminal(console).stage("counting", 10, "tokens") as stage:
        while time.monotonic() - started < 1.3:
            time.sleep(0.1)
            stage.advance(0)
        stage.advance(10)
    output = console.file.getvalue()  # type: ignore[attr-defined]
    assert "counting" in output
    assert "100%" in output
    assert "tokens/s" in output


def test_rates() -> None:
    assert rate(5e9, 2, "B") == "2.5 GB/s"
    assert rate(3e6, 2, "tokens") == "1.5 M tokens/s"
    assert rate(30, 2, "cells") == "15 cells/s"
