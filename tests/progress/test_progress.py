"""What is shown of work under way, by each of those that show it."""

import io
import logging
import re
import sys
import time
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from lexvec import ParameterError
from lexvec.progress import Lines, Logged, Silent, resolved
from lexvec.progress.bars import Notebook, Terminal
from lexvec.progress.reports import rate


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


def test_lines_without_a_terminal(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
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


def _console(written: io.StringIO, width: int) -> Console:
    return Console(file=written, force_terminal=True, width=width, color_system=None, get_time=time.monotonic)


def _lines(written: io.StringIO) -> list[str]:
    """The lines that were shown, without the codes that move the cursor."""
    plain = re.sub(r"\x1b\[[?]?\d*[a-zA-Z]", "", written.getvalue())
    return [line for line in re.split(r"[\r\n]", plain) if line.strip()]


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 200])
def test_a_bar_fits_its_terminal(width: int, clock: list[float]) -> None:
    written = io.StringIO()
    with Terminal(_console(written, width)).stage("epoch 1/5", 12_000_000, "words") as stage:
        clock[0] += 2
        stage.advance(3_000_000, "loss 0.6247, rate 0.0215")
    lines = _lines(written)
    assert lines and all(len(line) <= width for line in lines)
    shares = [re.match(r"epoch 1/5 .*?(25|100)%", line) for line in lines]
    assert [share and share[1] for share in shares][-2:] == ["25", "100"], lines  # what ended is done, whatever it said
    assert "…" not in written.getvalue()
    assert ("loss 0.6247" in lines[-1]) == (width >= 100)


def test_a_bar_on_a_terminal(clock: list[float]) -> None:
    written = io.StringIO()
    with Terminal(_console(written, 120)).stage("counting", 10, "tokens") as stage:
        clock[0] += 0.9
        stage.advance(1)
        assert written.getvalue() == ""  # it may be done within a second
        clock[0] += 1.1
        stage.advance(4)
    shown = _lines(written)
    assert re.match(r"counting +━.* 50% .*2.5 tokens/s", shown[0])
    assert re.match(r"counting +━.*100% .*5 tokens/s", shown[-1])


def test_rates() -> None:
    assert rate(5e9, 2, "B") == "2.5 GB/s"
    assert rate(3e6, 2, "tokens") == "1.5 M tokens/s"
    assert rate(30, 2, "cells") == "15 cells/s"


def test_one_function_decides_what_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    class Own(Silent):
        pass

    own = Own()
    assert isinstance(resolved(None, "lexvec.somewhere"), Logged)
    assert type(resolved(False, "x")) is Silent
    assert resolved(own, "x") is own
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert isinstance(resolved(True, "x"), Lines)
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    assert isinstance(resolved(True, "x"), Terminal)
    monkeypatch.setattr(sys, "stderr", None)  # as in a program without a console
    assert isinstance(resolved(True, "x"), Lines)
    resolved(True, "x").note("into the void")
    with pytest.raises(ParameterError, match=r"progress='yes': it must be True \(a bar\), False \(nothing\), None"):
        resolved("yes", "x")  # type: ignore[arg-type]


def test_the_log_has_every_stage(clock: list[float], caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "lexvec")
    with Logged("lexvec.here").stage("counting", 4_000_000, "tokens") as stage:
        for _ in range(3):
            clock[0] += 6
            stage.advance(1_000_000, "loss 1.5")
    with Logged("lexvec.here").stage("waiting", None, "tokens"):
        clock[0] += 0.5
    Logged("lexvec.there").note("100 % of nothing was learned", logging.WARNING)
    assert [(record.name, record.levelname, record.message) for record in caplog.records] == [
        ("lexvec.here", "INFO", "counting: 4.0 M tokens"),
        ("lexvec.here", "INFO", "counting: 50%, 166.7 k tokens/s, 12 s left, loss 1.5"),
        ("lexvec.here", "INFO", "counting: done in 18.0 s, 166.7 k tokens/s, loss 1.5"),
        ("lexvec.here", "INFO", "waiting"),
        ("lexvec.here", "INFO", "waiting: done in 0.5 s"),
        ("lexvec.there", "WARNING", "100 % of nothing was learned"),
    ]


class Page:
    """What IPython's display would show: the latest state of each output."""

    def __init__(self) -> None:
        self.outputs: list[dict[str, str]] = []
        self.updates = 0

    def display(self, data: dict[str, str], *, raw: bool, display_id: bool = False) -> Any:
        assert raw
        self.outputs.append(data)
        place, page = len(self.outputs) - 1, self

        class Handle:
            def update(self, data: dict[str, str], *, raw: bool) -> None:
                assert raw
                page.outputs[place] = data
                page.updates += 1

        return Handle() if display_id else None


def test_a_bar_in_a_notebook(clock: list[float]) -> None:
    page = Page()
    shown = Notebook(page.display)
    with shown.stage("read <b>", 100, "cells") as stage:
        stage.advance(1)
        assert page.outputs == []  # nothing yet: it may be done within a second
        for _ in range(60):
            clock[0] += 0.05
            stage.advance(1)
        assert page.outputs[0]["text/plain"] == "read <b>: 57%, 20.4 cells/s, 2 s left"
        assert 'value="0.5700"' in page.outputs[0]["text/html"]
        assert "read &lt;b&gt;" in page.outputs[0]["text/html"]
        assert page.updates < 20  # not with each step
    assert page.outputs[0]["text/plain"] == "read <b>: done in 3.0 s, 20.3 cells/s"
    shown.note("<i>", logging.WARNING)
    assert page.outputs[1] == {"text/plain": "warning: <i>", "text/html": "<div>warning: &lt;i&gt;</div>"}
    assert len(page.outputs) == 2


def test_a_bar_that_was_stopped(clock: list[float]) -> None:
    page = Page()
    with pytest.raises(KeyboardInterrupt), Notebook(page.display).stage("counting", None, "cells") as stage:
        clock[0] += 2
        stage.advance(10)
        assert "value" not in page.outputs[0]["text/html"]
        raise KeyboardInterrupt
    assert page.outputs[0]["text/plain"] == "counting: 5 cells/s, stopped"


def test_a_notebook_is_known_by_its_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page()
    shell = SimpleNamespace(kernel=None)
    ipython = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=page.display))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    assert not isinstance(resolved(True, "x"), Notebook)  # IPython on a terminal
    shell.kernel = object()
    resolved(True, "x").note("hello")
    assert page.outputs[0]["text/plain"] == "hello"
    monkeypatch.delitem(sys.modules, "IPython")
    assert not isinstance(resolved(True, "x"), Notebook)
