"""What the README and the documents tell people to type works, on a small text."""

import bz2
import pkgutil
import re
import shlex
from itertools import pairwise
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

from lexvec import WordVectors
from lexvec.cli import main

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
WORDS = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(150)]

PAGE = "<page><title>T</title><ns>0</ns><id>1</id><revision><id>2</id><text>{}</text></revision></page>"
DUMP = f"<mediawiki>{PAGE.format('Some words of an article. ' * 150)}</mediawiki>"


def blocks(path: Path, language: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [str(block) for block in found]


def commands(path: Path) -> list[list[str]]:
    """The lexvec commands of a document, as words."""
    lines = [line for block in blocks(path, "sh") for line in block.splitlines() if line.startswith("lexvec ")]
    return [shlex.split(line, comments=True)[1:] for line in lines]


def is_synopsis(words: list[str]) -> bool:
    return any(word.startswith("[") or word.isupper() for word in words)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all that the documents speak of, in small."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    sentences = [" ".join(draw.choice(WORDS, 10)) for _ in range(300)]
    Path("text.txt").write_text(". ".join(sentences), encoding="utf-8")
    Path("enwiki-latest-pages-articles-multistream.xml.bz2").write_bytes(bz2.compress(DUMP.encode()))
    known = ["paris", "man", "king", "woman", "cat", "dog", "car"]
    vectors = WordVectors(known + WORDS, draw.normal(size=(len(known) + len(WORDS), 20)))
    vectors.save("glove.6B.300d.txt", format="glove")
    Path("run.toml").write_text("[train]\ndim = 10\n", encoding="utf-8")
    Path("sets").mkdir()
    pairs = "".join(f"{one}\t{other}\t{n % 10}\n" for n, (one, other) in enumerate(pairwise(WORDS[:40])))
    Path("sets/mc-30.txt").write_text(pairs, encoding="utf-8")
    Path("sets/msr-analogies.txt").write_text(f": all\n{' '.join(WORDS[:4])}\n", encoding="utf-8")
    monkeypatch.setenv("LEXVEC_DATA", str(tmp_path / "sets"))
    monkeypatch.setattr("lexvec.cli.data.fetch", lambda *_, **__: ([], {}))
    return tmp_path


def run(*words: str) -> None:
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, f"lexvec {' '.join(words)}: {result.stderr}"


@pytest.mark.slow
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_commands_can_be_typed_as_they_stand(path: Path, place: Path) -> None:
    if path.name == "training.md":
        run("corpus", "text.txt", "-o", "corpus", "--min-count", "1")
    if path.name == "vectors.md":
        run("train", "text.txt", "-o", "model", "--min-count", "1")
        run("convert", "model", "vectors.txt.gz")
    typed = [words for words in commands(path) if not is_synopsis(words)]
    assert typed or path.name != "README.md"
    for words in typed:
        run(*words)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_flags_of_a_synopsis_exist(path: Path) -> None:
    for words in commands(path):
        command: click.Command | None = main
        context = click.Context(main)
        if words[0] == "--config":
            del words[:2]
        while isinstance(command, click.Group):
            command = command.get_command(context, words.pop(0))
        assert command is not None
        known = {flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
        given = {word.strip("[]") for word in words if word.startswith(("--", "[--", "-o"))}
        assert given <= known, (path.name, words)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_python_examples_run(path: Path, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if path.name == "vectors.md":
        run("convert", "glove.6B.300d.txt", "model")
    for block in blocks(path, "python"):
        exec(compile(block, path.name, "exec"), {})
        expected = [line[2:] for line in block.splitlines() if line.startswith("# ")]
        printed = capsys.readouterr().out.splitlines()
        assert printed[: len(expected)] == expected


def test_every_command_is_in_a_document() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    for name in main.list_commands(click.Context(main)):
        assert f"lexvec {name}" in text, name


def test_links_between_documents_lead_somewhere() -> None:
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), (path.name, target)


def test_what_the_concepts_point_to_is_there() -> None:
    text = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8")
    for line in re.findall(r"→ (.*)$", text, re.MULTILINE):
        for name in re.findall(r"`([A-Za-z_.]+)`", line):
            resolved = pkgutil.resolve_name(f"lexvec.{name}")
            assert resolved is not None
