"""Flags from parameters, choices that users add, and how errors name flags."""

import json
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

from lexvec import WordVectors
from lexvec.cli import main
from lexvec.cli.failures import reported
from lexvec.cli.flags import merged_flags, parameter_flags
from lexvec.cli.output import Console, size
from lexvec.errors import ArtefactError, Given, InputError, ParameterError
from lexvec.parameters import Parameters, parameter
from lexvec.registry import Registry

COLORS: Registry[int] = Registry("color", {"red": 1})


@dataclass(frozen=True, kw_only=True)
class Paint(Parameters):
    """What is painted."""

    color: str = parameter("red", "Color of the paint.", choices=COLORS)
    coats: int = parameter(1, "Number of coats.", minimum=1)


@click.command()
@parameter_flags(Paint)
def paint(**parameters: Any) -> None:
    """Paint."""
    click.echo(json.dumps(parameters))


def test_a_choice_that_is_added_later_is_accepted_and_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = CliRunner().invoke(paint, ["--color", "green"])
    assert refused.exit_code == 2 and "'green' is not 'red'" in refused.stderr
    COLORS["green"] = 2
    try:
        assert json.loads(CliRunner().invoke(paint, ["--color", "green"]).stdout)["color"] == "green"
        assert "[red|green]" in CliRunner().invoke(paint, ["--help"]).stdout
    finally:
        del COLORS["green"]


@dataclass(frozen=True, kw_only=True)
class Stain(Parameters):
    """Another kind of paint, with colors of its own."""

    color: str = parameter("oak", "Color of the stain.", choices=("oak", "pine"))


def test_classes_with_other_choices_for_the_same_flag() -> None:
    @click.command()
    @merged_flags({"paint": Paint, "stain": Stain})
    def merged(**parameters: Any) -> None:
        click.echo(json.dumps(parameters))

    for color in ("red", "pine"):
        assert json.loads(CliRunner().invoke(merged, ["--color", color]).stdout)["color"] == color
    assert CliRunner().invoke(merged, ["--color", "green"]).exit_code == 2


def test_a_choice_of_an_installed_package(monkeypatch: pytest.MonkeyPatch) -> None:
    points = {"lexvec.colors": [EntryPoint("blue", "lexvec.cli.main:STAGES", "lexvec.colors")]}
    monkeypatch.setattr("lexvec.registry.entry_points", lambda *, group: points.get(group, []))
    monkeypatch.setattr(COLORS, "_complete", False)
    monkeypatch.setattr(COLORS, "_entries", {"red": 1})
    assert "[red|blue]" in CliRunner().invoke(paint, ["--help"]).stdout
    assert CliRunner().invoke(paint, ["--color", "blue"]).exit_code == 0


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ParameterError(Given("min_count", 0), ": it must be at least 1"), 2, "--min-count 0: it must be at least 1"),
        (ParameterError(Given("method", "a b"), ": no"), 2, "--method 'a b': no"),
        (ArtefactError("x exists: replace it with ", Given("force", True)), 1, "x exists: replace it with --force"),
        (InputError("two\nlines \x1b[2J"), 1, "two\\nlines \\x1b[2J"),
        (OSError(28, "No space left", "out"), 1, "out: No space left: make room on the disk, or write elsewhere"),
        (OSError(27, "File too large"), 1, "File too large: raise the limit on the size of files (ulimit -f), or"),
        (PermissionError(13, "Permission denied", "x"), 1, "x: Permission denied: check the path and its permissions"),
        (MemoryError(), 1, "there is not enough memory: close other programs, or use a larger machine"),
        (SystemError("error return without exception set"), 1, "there is not enough memory: close other programs"),
        (KeyboardInterrupt(), 130, "stopped; nothing was left behind"),
    ],
)
def test_errors_are_one_line_and_an_exit_code(
    error: BaseException, code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught, reported():
        raise error
    assert caught.value.code == code
    shown = capsys.readouterr()
    assert shown.out == "" and shown.err.startswith(f"lexvec: {message}") and shown.err.count("\n") == 1


def test_other_faults_of_the_interpreter_are_not_called_lack_of_memory() -> None:
    with pytest.raises(SystemError, match="bad argument"), reported():
        raise SystemError("bad argument to internal function")


@pytest.mark.parametrize(
    ("command", "advice"),
    [
        (["count", "x", "-o", "y"], "give a smaller --memory or use fewer --threads"),
        (["neighbors", "x"], "read fewer words with --limit"),
        (["map", "x", "a", "-o", "y.svg"], "close other programs, or use a larger machine"),
    ],
)
def test_advice_names_only_flags_of_the_command(
    command: list[str], advice: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def exhausted(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Console, "__init__", exhausted)
    failed = CliRunner().invoke(main, command)
    assert (failed.exit_code, failed.stderr) == (1, f"lexvec: there is not enough memory: {advice}\n")


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (1, "1 byte"), (49, "49 bytes"), (2_000, "2.0 kB"), (50_000, "0.1 MB"), (3_210_000, "3.2 MB")],
)
def test_sizes_are_never_rounded_to_nothing(count: int, text: str) -> None:
    assert size(count) == text


def test_one_is_not_a_plural(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("a a a")
    done = CliRunner().invoke(main, ["corpus", "text.txt", "-o", "corpus", "--min-count", "1"])
    assert "1 word," in done.stderr and "3 tokens" in done.stderr and "1 sentence" in done.stderr
    assert not {"1 words", "1 sentences"} & {text.strip() for text in done.stderr.replace(";", ",").split(",")}


@pytest.mark.parametrize("sets", ["", ",", " "])
@pytest.mark.parametrize("command", [["evaluate", "v"], ["compare", "v", "v"], ["data", "fetch"]])
def test_an_empty_name_of_a_set_is_not_all_sets(
    sets: str, command: list[str], no_sets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    WordVectors(["a", "b", "c"], np.eye(3)).save("v")
    refused = CliRunner().invoke(main, [*command, *([] if command[0] == "data" else ["--sets"]), sets])
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert f"{sets!r} is not a test set" in refused.stderr
