"""Flags from a file."""

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


def test_a_file_can_give_all_flags_and_typed_ones_take_precedence(config: Path, tmp_path: Path) -> None:
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
        ("[trian]\ndim = 3", "has the unknown key 'trian': did you mean 'train'?"),
        ("[train]\ndims = 3", "[train] has the unknown key 'dims': did you mean 'dim'?"),
        ("[train]\nxyzzy = 3", "[train] has the unknown key 'xyzzy': see lexvec train --help for its flags"),
        ("dim = 3", "has the unknown key 'dim': write a table for each command, such as [train]"),
        ("corpus = 3", "has corpus = 3, but corpus is a command: write its flags in a table, [corpus]"),
        ("[data]\nlist = true", "[data] has list = true, but list is a command: write its flags in a table, [list]"),
        ("[[train]]\ndim = 3", "has train = [{'dim': 3}], but train is a command"),
        ("[train", "is not TOML"),
        ("[train]\ndim = 'x'", "[train] has dim = 'x': it must be a whole number"),
        ("[train]\ndim = 2.5", "[train] has dim = 2.5: it must be a whole number"),
        ("[train]\ndim = true", "[train] has dim = true: it must be a whole number"),
        ("[train]\ndim = [3]", "[train] has dim = [3]: it must be a whole number"),
        ("[train]\ndim = 1979-05-27", "[train] has dim = datetime.date(1979, 5, 27): it must be a whole number"),
        ("[train.dim]\na = 1", "[train] has dim = {…}: it must be a whole number"),
        ("[train]\nlearning_rate = true", "[train] has learning_rate = true: it must be a number"),
        ("[train]\nlearning_rate = 1979-05-27", "it must be a number"),
        ("[train]\nforce = 1", "[train] has force = 1: it must be true or false"),
        ("[train]\noutput = 3", "[train] has output = 3: it must be a text in quotes"),
        ("[train]\nvariant = 3", "[train] has variant = 3: it must be a text in quotes"),
        ("[evaluate]\nsets = [3]", "[evaluate] has sets = [3]: it must be a list of texts"),
        ("[corpus]\ninputs = [['a']]", "[corpus] has inputs = [['a']]: it must be a list of texts"),
        ("x = " + "[" * 5000 + "]" * 5000, "is nested too deeply: write at most 16 levels"),
        ("[" + ".".join("a" * 5000) + "]", "is nested too deeply: write at most 16 levels"),
    ],
)
def test_invalid_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "run.toml"
    path.write_text(text, encoding="utf-8")
    made = run("--config", path, "train", "corpus", "-o", tmp_path / "model")
    assert (made.exit_code, made.stdout) == (1, "")
    assert made.stderr.startswith(f"lexvec: {path}") and made.stderr.count("\n") == 1
    assert message in made.stderr


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"[train]\nmodel = '\xe9'")
    assert "is not TOML ('utf-8' codec" in run("--config", tmp_path / "latin.toml", "info", "x").stderr
    assert run("--config", tmp_path / "none.toml", "info", "x").stderr.startswith("lexvec: cannot read")


def test_one_text_is_a_list_of_one(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("The cat sat. " * 9, encoding="utf-8")
    path = tmp_path / "run.toml"
    for name, inputs in (("one", f"'{tmp_path / 'text.txt'}'"), ("two", f"['{tmp_path / 'text.txt'}'] ")):
        path.write_text(f"[corpus]\ninputs = {inputs}\nmin-count = 1\noutput = '{tmp_path / name}'", encoding="utf-8")
        made = run("--config", path, "corpus")
        assert made.exit_code == 0, made.stderr
        assert len(Corpus.load(tmp_path / name).vocabulary) == 3
