"""Asking vectors from the command line."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from lexvec import WordVectors
from lexvec.cli import main

WORDS = ["king", "man", "woman", "queen", "cat", "-"]
MATRIX = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 1, 1], [0.3, 0.9, 0], [-1, -1, -1]])


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    WordVectors(WORDS, MATRIX).save(tmp_path / "vectors.txt")
    return tmp_path / "vectors.txt"


def run(*arguments: object, typed: str = "") -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=typed)


def test_neighbors(vectors: Path) -> None:
    assert run("neighbors", vectors, "man", "-n", 2, "-q").stdout == "king  0.707\ncat   0.316\n"
    taken = run("neighbors", "-q", "-n", 1, "--", vectors, "king", "-man", "woman")
    assert taken.stdout.split()[0] == "queen"
    assert run("neighbors", vectors, "cat", "--limit", 3, "-q").exit_code == 1  # cat is the fifth


def test_analogy(vectors: Path) -> None:
    for method in ("add", "mul"):
        found = run("analogy", vectors, "man", "king", "woman", "--method", method, "-n", 1, "-q")
        assert found.stdout.split()[0] == "queen"
    assert run("analogy", vectors, "man", "king").exit_code == 2


def test_each_typed_line_is_answered(vectors: Path) -> None:
    made = run("neighbors", vectors, "--json", "-n", 1, "-q", typed="man\n\nmann\nwoman\n")
    assert [json.loads(line)["words"] for line in made.stdout.splitlines()] == [["man"], ["woman"]]
    assert made.stderr == "lexvec: 'mann' is not in the vocabulary: did you mean 'man', 'woman'?\n"
    assert made.exit_code == 0
    asked = run("analogy", vectors, "--json", "-n", 1, "-q", typed="man king\nman king woman\n")
    assert asked.stderr == "lexvec: give 3 words, not 2\n"
    assert json.loads(asked.stdout)["found"][0][0] == "queen"


def test_unknown_words(vectors: Path) -> None:
    made = run("neighbors", vectors, "quen", "-q")
    assert (made.exit_code, made.stdout) == (1, "")
    assert made.stderr == "lexvec: 'quen' is not in the vocabulary: did you mean 'queen'?\n"


def test_words_cannot_command_a_terminal(tmp_path: Path) -> None:
    words = ["cat", "\x1b[31mred", "\u202ederorrim", "a\u0085b", "می\u200cخواهم", "naïve"]
    WordVectors(words, np.random.default_rng(0).normal(size=(6, 3))).save(tmp_path / "v")
    shown = run("neighbors", tmp_path / "v", "cat", "-q").stdout
    assert {line.split("  ")[0] for line in shown.splitlines()} == {
        "\\x1b[31mred", "\\u202ederorrim", "a\\x85b", "می\u200cخواهم", "naïve",
    }  # fmt: skip
    record = json.loads(run("neighbors", tmp_path / "v", "cat", "-q", "--json").stdout)
    assert {word for word, _ in record["found"]} == set(words[1:])
    unknown = run("neighbors", tmp_path / "v", "\x1b[2J\nx", "-q").stderr
    assert unknown.startswith("lexvec: '\\x1b[2J\\nx' is not in the vocabulary") and unknown.count("\n") == 1
