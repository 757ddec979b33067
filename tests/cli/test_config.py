"""Flags from a file."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lexvec import Corpus, LexVec, Model
from lexvec.cli import main


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text("The cat sat on the mat. " * 50, encoding="utf-8")
    path = tmp_path / "run.toml"
    path.write_text(
        f"""
        [corpus]
        output = "{tmp_path / "corpus"}"
        min-count = 1
        quiet = true
        [train]
        corpus = "{tmp_path / "corpus"}"
        output = "{tmp_path / "model"}"
        dim = 5
        window_sampling = "sgns"
        epochs = 1
        subsample = 0
        [data.list]
        format = "json"
        """,
        encoding="utf-8",
    )
    return path


def test_a_file_can_give_all_flags_and_the_command_line_goes_first(config: Path, tmp_path: Path) -> None:
    made = run("--config", config, "corpus", tmp_path / "text.txt")
    assert (made.exit_code, made.stderr) == (0, "")
    assert len(Corpus.load(tmp_path / "corpus").vocabulary) == 5
    assert run("--config", config, "train", "--epochs", 2).exit_code == 0
    model = Model.load(tmp_path / "model")
    assert isinstance(model, LexVec)
    assert (model.dim, model.window_sampling, model.epochs, model.subsample) == (5, "sgns", 2, 0)
    assert run("--config", config, "data", "list").stdout.startswith("{")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[trian]\ndim = 3", r"has 'trian', which is not known: did you mean train\?"),
        ("[train]\ndims = 3", r"\[train\] has 'dims', which is not known: did you mean dim\?"),
        ("dim = 3", "has 'dim', which is not known: it may have a table for each command"),
        ("[train", "is not TOML"),
        ("[train]\ndim = 'x'", "'x' is not a valid integer"),
    ],
)
def test_what_is_wrong_in_a_file_is_said(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "run.toml"
    path.write_text(text, encoding="utf-8")
    made = run("--config", path, "train", "corpus", "-o", tmp_path / "model")
    assert made.exit_code in (1, 2)
    assert re.search(message, made.stderr)
    assert run("--config", tmp_path / "none.toml", "info", "x").stderr.startswith("lexvec: cannot read")
