"""The command line, as a user meets it."""

import json
import os
import sys
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

import children
from lexvec import MODELS, Association, Cooccurrence, Corpus, Model
from lexvec.cli import main
from lexvec.cli.main import Commands
from lexvec.engine import ThreadExecutor

TEXT = "The cat sat on the mat. The dog sat on the log.\nThe cat ran, and the dog ran after the cat.\n" * 50


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_from_text_to_ppmi(tmp_path: Path, text: Path) -> None:
    corpus, counts, ppmi = tmp_path / "corpus", tmp_path / "counts", tmp_path / "ppmi"
    made = run("corpus", text, "-o", corpus, "--min-count", 50)
    assert (made.exit_code, made.stdout) == (0, "")
    assert f"{corpus}: 1,100 tokens, 150 sentences, 10 words" in made.stderr
    assert (corpus / "vocab.tsv").read_text().splitlines()[:2] == ["the\t350", "cat\t150"]
    assert run("count", corpus, "-o", counts, "--window", 2, "--subsample", "1e-2", "--memory", "1GB").exit_code == 0
    assert run("associate", counts, "-o", ppmi, "--measure", "ppmi", "--smoothing", 0.75).exit_code == 0
    assert Cooccurrence.load(counts).matrix.shape == (10, 10)
    assert np.all(Association.load(ppmi).matrix.data > 0)

    shown = json.loads(run("info", counts, "--json", "--verify").stdout)
    assert (shown["words"], shown["tokens"], shown["parameters"]["window"]) == (10, 1100, 2)
    assert shown["cells"] == len(Cooccurrence.load(counts).data)
    assert shown["total"] == Cooccurrence.load(counts).data.sum()
    for folder in (corpus, counts, ppmi):
        readable = run("info", folder, "--verify")
        assert readable.exit_code == 0
        assert "all checksums are right" in readable.stdout
        assert "vocab.tsv" in readable.stdout


def test_counting_from_text(tmp_path: Path, text: Path) -> None:
    flags = ["--window", 2, "--subsample", "1e-2", "--min-count", 50]
    assert run("corpus", text, "-o", tmp_path / "corpus", *flags[-2:]).exit_code == 0
    assert run("count", tmp_path / "corpus", "-o", tmp_path / "two", *flags[:-2]).exit_code == 0
    made = run("count", text, "-o", tmp_path / "one", *flags)
    assert (made.exit_code, made.stdout) == (0, "")
    assert f"{tmp_path / 'one'}: 10 words, " in made.stderr
    for name in ("one", "two"):
        assert run("info", tmp_path / name, "--verify").exit_code == 0
    assert (tmp_path / "one" / "meta.json").read_bytes() == (tmp_path / "two" / "meta.json").read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["corpus", "one", "text.txt", "two"]


@pytest.mark.parametrize("command", ["count", "train"])
def test_tokenised_text_is_counted_and_learned_from_as_it_is(tmp_path: Path, command: str) -> None:
    (tmp_path / "t").write_text("New_York 's\n" * 20)
    flags = ["--dim", 2] if command == "train" else []
    one = ["--subsample", 0, "--min-count", 1, "--tokenized", *flags]
    assert run(command, tmp_path / "t", "-o", tmp_path / "out", *one).exit_code == 0
    assert (tmp_path / "out" / "vocab.tsv").read_text() == "'s\t20\nNew_York\t20\n"
    assert run("corpus", tmp_path / "t", "-o", tmp_path / "corpus", "--min-count", 1).exit_code == 0
    refused = run(command, tmp_path / "corpus", "-o", tmp_path / "no", *one)
    assert refused.exit_code == 2
    assert "is encoded already: omit --tokenized, --min-count" in refused.stderr
    assert not (tmp_path / "no").exists()


@pytest.mark.parametrize("model", MODELS)
def test_training_from_text(tmp_path: Path, text: Path, model: str) -> None:
    flags = ["--model", model, "--dim", 8, "--min-count", 1, "--subsample", 0]
    made = run("train", text, "-o", tmp_path / "model", *flags)
    assert (made.exit_code, made.stdout) == (0, "")
    assert "training needs about" in made.stderr
    assert f"{tmp_path / 'model'}: 10 words, 8 dimensions" in made.stderr
    assert Model.load(tmp_path / "model").vectors("sum").matrix.shape == (10, 8)
    assert sorted(os.listdir(tmp_path)) == ["model", "text.txt"]
    assert json.loads(run("info", tmp_path / "model", "--json").stdout)["model"] == model


def test_flags_of_training_name_their_models() -> None:
    shown = " ".join(run("train", "--help").stdout.split())
    assert "--x-max FLOAT glove: Count at and above which a cell has weight 1. [default: 100.0]" in shown
    assert "[default: glove: 50; lexvec, sgns: 5]" in shown
    assert run("train").exit_code == 2


def test_stopping_training_names_the_command_that_resumes(
    tmp_path: Path, text: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ThreadExecutor, "run", stop)
    flags = ["--dim", 8, "--min-count", 1, "--subsample", 0]
    stopped = run("train", text, "-o", tmp_path / "model", *flags)
    assert stopped.exit_code == 130
    assert f"lexvec: stopped; resume with: lexvec train --resume {tmp_path / 'model'}" in stopped.stderr
    monkeypatch.undo()
    assert run("train", "--resume", tmp_path / "model", "--epochs", 9).exit_code == 2
    assert run("train", text, "--resume", tmp_path / "model").exit_code == 2
    assert run("train", "--resume", tmp_path / "model", "--threads", 1).exit_code == 0
    assert Model.load(tmp_path / "model").dim == 8


def test_flags_are_parameters(tmp_path: Path, text: Path) -> None:
    flags = ["--min-count", 1, "--no-lowercase", "--numbers", "keep", "--sentences-by", "lines", "--threads", 1, "-q"]
    made = run("corpus", text, "-o", tmp_path / "corpus", *flags)
    assert (made.exit_code, made.output) == (0, "")
    corpus = Corpus.load(tmp_path / "corpus")
    assert corpus.meta["parameters"]["lowercase"] is False
    assert "The" in corpus.vocabulary
    assert len(corpus) == 100


def test_tokenised_text_and_a_given_vocabulary(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("</s> nan Null 1984\nnan .\n")
    assert run("corpus", tmp_path / "t", "-o", tmp_path / "a", "--tokenized", "--min-count", 1).exit_code == 0
    assert list(Corpus.load(tmp_path / "a")) == [["</s>", "nan", "Null", "1984"], ["nan", "."]]
    assert (
        run("corpus", tmp_path / "t", "-o", tmp_path / "b", "--tokenized", "--lowercase", "--min-count", 1).exit_code
        == 0
    )
    assert "null" in Corpus.load(tmp_path / "b").vocabulary
    (tmp_path / "v").write_text("nan\n1984\n")
    assert (
        run("corpus", tmp_path / "t", "-o", tmp_path / "c", "--tokenized", "--vocabulary", tmp_path / "v").exit_code
        == 0
    )
    assert list(Corpus.load(tmp_path / "c")) == [["nan", "1984"], ["nan"]]
    refused = run("corpus", tmp_path / "t", "-o", tmp_path / "d", "--vocabulary", tmp_path / "v", "--min-count", 2)
    assert refused.exit_code == 2
    assert "--vocabulary already chooses the words: omit --min-count and --max-vocab." in refused.stderr


def test_invalid_text_is_reported(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(b"caf\xe9 the cat " * 3)
    made = run("corpus", tmp_path / "t", "-o", tmp_path / "c", "--min-count", 1)
    assert made.exit_code == 0
    assert "3 invalid characters were replaced by spaces: if the text is not in utf-8, name its encoding" in made.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["corpus", "nothing.txt", "-o", "out"], 1, "nothing.txt does not exist: check the name"),
        (["corpus", "{text}", "-o", "{folder}"], 1, "exists: choose another output, or replace it with --force"),
        (["corpus", "{text}", "-o", "{folder}", "--force"], 1, "holds what lexvec did not make"),
        (["corpus", "{text}", "-o", "out", "--min-count", "0"], 2, "it must be at least 1"),
        (["corpus", "{text}", "-o", "out", "--min-count", "9999"], 2, "no word is left: lower "),
        (
            ["corpus", "{text}", "-o", "out", "--encoding", "klingon"],
            2,
            "Python knows no text encoding of that name",
        ),
        (["count", "{folder}", "-o", "out"], 2, "no word is left: lower --min-count 100"),
        (["count", "{text}", "-o", "out", "--min-count", "0"], 2, "it must be at least 1"),
        (["count", "{text}", "-o", "{folder}"], 1, "exists: choose another output, or replace it with --force"),
        (["count", "{folder}", "-o", "{folder}/out"], 1, "overlaps the input"),
        (["count", "nothing", "-o", "out"], 1, "nothing does not exist: check the name"),
        (["info", "{folder}"], 1, "is not a folder made by lexvec"),
        (["train", "nothing", "-o", "out"], 1, "nothing does not exist"),
        (["train", "{text}", "-o", "out", "--dim", "0"], 2, "it must be at least 1"),
        (["train", "{text}", "-o", "out", "--model", "glove", "--negative", "5"], 2, "GloVe has no parameter negative"),
        (["train", "--resume", "out"], 1, "there is no run to resume; start one"),
    ],
)
def test_mistakes_get_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: Path, arguments: list[str], code: int, message: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "x").write_text("x")
    places = {"text": str(text), "folder": str(tmp_path / "folder")}
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    made = run(*(argument.format(**places) for argument in arguments))
    assert os.listdir() == []
    assert made.exit_code == code
    assert made.stderr.startswith("lexvec: ")
    assert made.stderr.count("\n") == 1
    assert message in made.stderr


def test_an_empty_matrix_is_reported(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("the cat sat. the dog sat.")
    assert run("corpus", tmp_path / "t", "-o", tmp_path / "c", "--min-count", 1).exit_code == 0
    made = run("count", tmp_path / "c", "-o", tmp_path / "n")
    assert made.exit_code == 0
    assert "0 cells" in made.stderr
    assert "no pair is left: subsampling kept 0 of 6 tokens; use a larger subsample" in made.stderr
    assert run("associate", tmp_path / "n", "-o", tmp_path / "p").exit_code == 0


def test_usage_errors_have_their_own_exit_code(text: Path) -> None:
    assert run("corpus", text).exit_code == 2
    assert run("count", text, "-o", "x", "--window", "two").exit_code == 2
    assert run("nonsense").exit_code == 2


def _commands() -> list[click.Command]:
    assert isinstance(main, Commands)
    context = click.Context(main)
    found = [main.get_command(context, name) for name in main.list_commands(context)]
    inner = [each for command in found if isinstance(command, click.Group) for each in command.commands.values()]
    return [command for command in (*found, *inner) if command]


@pytest.mark.parametrize("command", _commands(), ids=lambda command: command.name)
def test_every_command_and_flag_has_help(command: click.Command) -> None:
    assert command.help
    for flag in command.params:
        assert isinstance(flag, click.Argument) or (isinstance(flag, click.Option) and flag.help), flag.name
    shown = CliRunner().invoke(command, ["--help"])
    assert shown.exit_code == 0
    assert command.help.split()[0] in shown.stdout


def test_the_list_of_commands_cuts_no_sentence() -> None:
    listed = CliRunner().invoke(main, ["--help"]).stdout
    assert "..." not in listed.split("Options:")[1]


def test_commands_are_listed_in_the_order_of_the_pipeline() -> None:
    listed = run("--help").stdout.split("Options:")[1]
    commands = ("corpus", "count", "associate", "train", "convert", "evaluate", "compare", "reproduce", "info")
    places = [listed.index(f"\n  {name} ") for name in commands]
    assert places == sorted(places)
    assert run("--version").stdout.startswith("lexvec, version ")


def test_as_a_program_with_a_pipe(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lexvec", "corpus", "-", "-o", str(tmp_path / "c"), "--min-count", "1"]
    done = children.run(command, text_in="A b cat. A c.")
    assert (done.returncode, done.stdout) == (0, "")
    assert list(Corpus.load(tmp_path / "c")) == [["a", "b", "cat"], ["a", "c"]]
