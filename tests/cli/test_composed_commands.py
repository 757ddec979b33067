"""Commands that show words mark those that are composed."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from binary_models import fasttext_bytes
from lexvec.cli import main

WORDS = [b"cat", b"dog", b"caf\xe9", b"bus"]
MATRIX = np.random.default_rng(1).normal(size=(24, 3)).astype(np.float32)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "v.bin"
    path.write_bytes(fasttext_bytes(WORDS, MATRIX, ngrams=(20, 4, 6)))
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_neighbors(model: Path) -> None:
    shown = run("neighbors", model, "cats", "dog", "-n", 2)
    assert shown.exit_code == 0, shown.stderr
    assert shown.stderr == "cats: not in the vocabulary; its vector is composed from n-grams\n"
    assert len(shown.stdout.splitlines()) == 2
    assert run("neighbors", model, "dog").stderr == ""
    assert run("neighbors", model, "cats", "--quiet").stderr == shown.stderr


def test_words_that_are_not_utf8_are_shown_escaped(model: Path) -> None:
    assert "caf\\udce9" in run("neighbors", model, "dog").stdout
    shown = run("neighbors", model, "caf\udce9", "cats", "--json")
    assert shown.exit_code == 0, shown.stderr
    record = json.loads(shown.stdout)
    assert record["words"] == ["caf\udce9", "cats"]
    assert record["composed"] == ["cats"]
    assert "composed" not in json.loads(run("neighbors", model, "cat", "--json").stdout)


def test_analogy(model: Path) -> None:
    shown = run("analogy", model, "cat", "cats", "dogs")
    assert shown.exit_code == 0, shown.stderr
    assert shown.stderr == "cats, dogs: not in the vocabulary; their vectors are composed from n-grams\n"


def test_a_word_without_ngrams(model: Path) -> None:
    shown = run("neighbors", model, "x")
    assert shown.exit_code == 1
    assert shown.stderr == (
        "lexvec: 'x' is not in the vocabulary and has no n-gram to compose a vector from: check the spelling\n"
    )


def test_map(model: Path, tmp_path: Path) -> None:
    shown = run("map", model, "cat,cats", "dog", "-o", tmp_path / "m.svg", "--json")
    assert json.loads(shown.stdout)["composed"] == ["cats"]
    assert "composed from n-grams: cats" in (tmp_path / "m.svg").read_text()


def test_convert_and_a_table_without_words(model: Path, tmp_path: Path) -> None:
    assert run("convert", model, tmp_path / "folder").exit_code == 0
    assert run("convert", tmp_path / "folder", tmp_path / "again.bin", "--format", "fasttext").exit_code == 0
    assert run("neighbors", tmp_path / "again.bin", "cats").stdout == run("neighbors", model, "cats").stdout
    shown = run("convert", model, tmp_path / "v.npz", "--limit", 2)
    assert "numpy files have no room for these n-grams" in shown.stderr
    (tmp_path / "floret.txt").write_text("2 1 3 4 1 2166136261 < >\n0 1.5\n1 2.5\n")
    shown = run("neighbors", tmp_path / "floret.txt", "cats")
    assert shown.exit_code == 1
    assert "has n-grams and no words, so there is nothing to search" in shown.stderr


def test_evaluate(model: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.txt").write_text("cat dog 9\ncats dogs 3\ncat bus 4\ncats bus 2\n")
    shown = run("evaluate", model, "--sets", tmp_path / "pairs.txt", "--json")
    record = json.loads(shown.stdout)
    assert record["scores"][0]["covered"] == 2
    assert record["with_composed"]["scores"][0]["covered"] == 4


def test_embed(model: Path, tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("cats dog\nq\n")
    shown = run("embed", model, tmp_path / "text.txt", "-o", tmp_path / "sentences.npy")
    assert shown.exit_code == 0, shown.stderr
    assert "1 of 3 words are out of vocabulary and composed" in shown.stderr
    assert "left out, such as 'q'" in shown.stderr


def test_a_compressed_model(model: Path, tmp_path: Path) -> None:
    (tmp_path / "v.bin.gz").write_bytes(gzip.compress(model.read_bytes()))
    shown = run("neighbors", tmp_path / "v.bin.gz", "cat")
    assert shown.exit_code == 1
    assert shown.stderr.endswith("v.bin.gz is compressed and can only be read in place: decompress it first\n")
    assert shown.stderr.count("\n") == 1
