"""No command writes where it reads: every argument that is a path says what it is, and they are compared."""

import os
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from lexvec.cli import main
from lexvec.cli.paths import InputNames, InputPath, OutputPath

#: Arguments of any text that name no file.
TEXTS = {
    "analogy words", "card language", "card license", "card name", "corpus encoding", "count memory", "explore host",
    "fetch sets", "map groups", "neighbors words", "plan memory", "reproduce memory", "reproduce only",
    "stability memory", "stability words", "train engine", "train memory", "tune memory", "tune search",
}  # fmt: skip


def commands(group: click.Group) -> Iterator[click.Command]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from commands(command) if isinstance(command, click.Group) else (command,)


def test_every_argument_that_is_a_path_is_read_or_written() -> None:
    found = {"input": 0, "output": 0}
    for command in [main, *commands(main)]:
        for each in command.params:
            where = f"{command.name} {each.name}"
            if isinstance(each.type, click.Path | click.File):
                assert isinstance(each.type, InputPath | OutputPath), f"{where} does not say whether it is an input"
            found["input"] += isinstance(each.type, InputPath | InputNames)
            found["output"] += isinstance(each.type, OutputPath)
            if each.metavar in ("FILE", "DIR", "INPUT...", "MODEL...", "IN", "OUT", "SET"):
                assert isinstance(each.type, InputPath | InputNames | OutputPath), where
    assert found["input"] > 40 and found["output"] > 12


def test_all_other_text_names_no_file() -> None:
    texts = {f"{command.name} {each.name}" for command in commands(main) for each in command.params
             if each.type is click.STRING}  # fmt: skip
    assert texts == TEXTS


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in.txt").write_text("2 2\nb 1 2\na 2 1\n")
    Path("sets").mkdir()
    Path("sets/own.tsv").write_text("a b 3\n")
    Path("c.toml").write_text("[embed]\nlimit = 2\n")
    Path("hard.npy").hardlink_to("in.txt")
    Path("soft.npy").symlink_to("in.txt")
    Path("texts").mkdir()
    Path("texts/one.txt").symlink_to("../in.txt")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "embed in.txt c.toml -o in.txt --force",
        "embed in.txt c.toml -o hard.npy --force",
        "embed in.txt c.toml -o soft.npy --force",
        "--config c.toml embed in.txt texts/one.txt -o c.toml --force",
        "map in.txt a b -o sets/../in.txt",
        "card in.txt -o sets/own.tsv --sets own,sets/own.tsv --force",
        "card in.txt -o sets/card.md --data sets",
        "convert in.txt soft.npy --format glove --force",
        "convert in.txt c.toml --format glove --words c.toml --force",
        "convert in.txt . --format model2vec --component-of c.toml --force",
        "corpus texts -o texts/out",
        "corpus texts in.* -o in.txt --force",
        "corpus in.txt -o corpus --vocabulary corpus/words.tsv",
        "count texts -o counts --go-vocabulary in.txt --force",
        "count in.txt -o counts --go-vocabulary counts/words",
        "train in.txt -o model --matrix model.run/matrix",
        "train in.txt -o sets --subwords sets/own.tsv",
        "tune in.txt -o sets --objective sets/own.tsv=2",
        "tune in.txt -o sets/out --data sets",
        "reproduce in.txt -o sets --preset sets/own.tsv",
        "explore in.txt --labels c.toml --export c.toml",
    ],
)
def test_no_output_overlaps_an_input(folder: Path, command: str) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    refused = CliRunner().invoke(main, command.split())
    assert (refused.exit_code, refused.stdout) == (1, ""), refused.stderr
    assert refused.stderr.startswith("lexvec: the output ") and refused.stderr.count("\n") == 1
    assert ": choose another output" in refused.stderr
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_the_sets_of_the_environment_are_inputs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEXVEC_DATA", "sets")
    refused = CliRunner().invoke(main, ["card", "in.txt", "-o", "sets/own.tsv", "--force"])
    assert "overlaps the input sets" in refused.stderr
    assert (folder / "sets" / "own.tsv").read_text() == "a b 3\n"


def test_standard_input_may_be_the_file_that_is_written(folder: Path) -> None:
    kept = os.dup(0)
    with (folder / "c.toml").open("rb") as given:
        os.dup2(given.fileno(), 0)
        try:
            refused = CliRunner().invoke(main, ["embed", "in.txt", "-o", "c.toml", "--force"])
        finally:
            os.dup2(kept, 0)
            os.close(kept)
    assert "overlaps the input on standard input" in refused.stderr


def test_what_is_apart_is_written(folder: Path) -> None:
    for command in (
        "embed in.txt in.txt -o sets.npy",
        "embed in.txt in.txt -o sets.npy --force",
        "convert in.txt in.txt.gz",
        "convert texts/one.txt texts/two.glove",
        "convert in.txt sets/of.vectors --format glove",
    ):
        done = CliRunner().invoke(main, command.split())
        assert done.exit_code == 0, done.stderr


@pytest.mark.parametrize("value", ["none", "ngrams"])
def test_a_value_that_names_no_file_is_no_input(folder: Path, value: str) -> None:
    (folder / value).write_text("something")
    refused = CliRunner().invoke(main, ["train", "missing.txt", "-o", value, "--subwords", value])
    assert "overlap" not in refused.stderr and "missing.txt does not exist" in refused.stderr
