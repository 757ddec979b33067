"""Asking vectors from the command line."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from lexvec import Associator, CooccurrenceCounter, CorpusBuilder, LexVec, WordVectors
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


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus, its counts, its matrix and a model, all positional."""
    place = tmp_path_factory.mktemp("folders")
    corpus = CorpusBuilder(min_count=1).build([["the", "cat", "sat"], ["a", "dog", "ran"]] * 50, place / "corpus")
    counts = CooccurrenceCounter(window=1, contexts="positional", subsample=0).count(corpus, place / "counts")
    Associator().associate(counts, place / "ppmi")
    LexVec(window=1, contexts="positional", subsample=0, dim=4, epochs=50, parts=1).fit(corpus, place / "model")
    return place


def test_the_strongest_contexts(folders: Path) -> None:
    assert run("neighbors", folders / "counts", "cat", "--contexts").stdout == "sat_1   50\nthe_-1  50\n"
    for name in ("ppmi", "model"):
        lines = run("neighbors", folders / name, "cat", "--contexts", "-n", 2, "-q").stdout.splitlines()
        assert {line.split()[0] for line in lines} == {"the_-1", "sat_1"}
    asked = run("neighbors", folders / "model", "--contexts", "--json", "-n", 1, typed="cat\ncat dog\ndogs\ndog\n")
    found = [json.loads(line) for line in asked.stdout.splitlines()]
    assert [record["words"] for record in found] == [["cat"], ["dog"]]
    assert found[1]["found"][0][0] in ("a_-1", "ran_1")
    assert asked.stderr.splitlines()[0] == "lexvec: give 1 word, not 2"
    assert "'dogs' is not in the vocabulary: did you mean 'dog'" in asked.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["model", "cat", "dog"], 2, "give one word with --contexts, not 2."),
        (["model", "cat", "--combine", "sum"], 2, "omit --combine and --limit"),
        (["model", "cat", "--limit", "3"], 2, "omit --combine and --limit"),
        (["corpus", "the"], 1, "corpus has no contexts: give a folder of lexvec train, associate or count"),
        (["nothing", "the"], 1, "nothing"),
    ],
)
def test_contexts_that_cannot_be_shown(arguments: list[str], code: int, said: str, folders: Path) -> None:
    made = run("neighbors", folders / arguments[0], *arguments[1:], "--contexts")
    assert (made.exit_code, made.stdout) == (code, "")
    assert said in made.stderr


def test_info_names_contexts(folders: Path) -> None:
    for name in ("counts", "ppmi", "model"):
        record = json.loads(run("info", folders / name, "--json").stdout)
        assert (record["contexts"], record["context_kind"], record["context_reach"]) == (12, "positional", 1)
        words = [line.split("\t")[0] for line in (folders / name / "vocab.tsv").read_text().splitlines()]
        assert record["context_examples"] == [f"{word}_{offset}" for word in words[:4] for offset in (-1, 1)]
        assert f"context examples  {words[0]}_-1, {words[0]}_1, " in run("info", folders / name).stdout
    assert "context_examples" not in json.loads(run("info", folders / "corpus", "--json").stdout)


def test_each_typed_line_is_answered(vectors: Path) -> None:
    made = run("neighbors", vectors, "--json", "-n", 1, "-q", typed="man\n\nmann\nwoman\n")
    assert [json.loads(line)["words"] for line in made.stdout.splitlines()] == [["man"], ["woman"]]
    # What comes second depends on whether rapidfuzz is installed.
    assert re.fullmatch(r"lexvec: 'mann' is not in the vocabulary: did you mean 'man'(, 'woman')?\?\n", made.stderr)
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
