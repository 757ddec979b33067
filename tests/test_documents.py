"""What the README and the documents tell people to type works, on a small text."""

import ast
import bz2
import importlib
import pkgutil
import re
import shlex
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

import children
from lexvec import MEASURES, MODELS, WordVectors
from lexvec.cli import main
from lexvec.cli.demo import TOURS, Tour
from lexvec.engine import LOSSES
from lexvec.evaluation import TASKS
from lexvec.registry import Registry
from lexvec.vectors import FORMATS

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
WORDS = [f"w{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(150)]
#: Words that documents ask for.
ASKED = ["man", "king", "woman", "france", "paris", "italy", "guitar", "monday", "cat", "dog", "car"]

PAGE = "<page><title>T</title><ns>0</ns><id>1</id><revision><id>2</id><text>{}</text></revision></page>"
DUMPS = {
    "enwiki-latest-pages-articles-multistream.xml.bz2": "Some words of an article. ",
    "simplewiki-latest-pages-articles-multistream.xml.bz2": "Some simple words of an article. ",
    "bgwiki-latest-pages-articles-multistream.xml.bz2": "Някои думи от статия за една година. ",
}

#: What is run as it stands, beside lexvec, because every system has it.
TOOLS = ("head ", "tail ", "sha256sum ", "diff ")
#: What is not: installing, downloading, benchmarks of minutes, and the settings of a shell.
NOT_RUN = ("python3 -m venv ", "pip ", "curl ", "python benchmarks/", 'eval "$(_LEXVEC_COMPLETE')


#: Libraries that a command needs, by a word in it.
NEEDED = {"spacy": "spacy", "gensim": "gensim", ".parquet": "pyarrow"}


def missing_for(words: list[str]) -> list[str]:
    """Libraries that a command needs and that are not installed here."""
    return [library for mark, library in NEEDED.items() if words[-1].endswith(mark) and not find_spec(library)]


def missing_in(block: str) -> list[str]:
    """Libraries that an example imports and that are not installed here."""
    imports = [node for node in ast.parse(block).body if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [node.module or "" if isinstance(node, ast.ImportFrom) else node.names[0].name for node in imports]
    return [name for name in names if not find_spec(name.partition(".")[0])]


def blocks(path: Path, language: str) -> list[str]:
    found = re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [str(block) for block in found]


def lines(path: Path) -> list[str]:
    """All that a document tells people to type."""
    return [line for block in blocks(path, "sh") for line in block.splitlines() if line.strip()]


def words_of(line: str) -> list[str]:
    return shlex.split(line, comments=True)[1:]


def is_synopsis(words: list[str]) -> bool:
    return any(word.startswith("[") or word.isupper() for word in words)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all that the documents speak of, in small."""
    monkeypatch.chdir(tmp_path)
    draw = np.random.default_rng(0)
    sentences = [" ".join(draw.choice([*ASKED, *WORDS], 10)) for _ in range(300)]
    Path("text.txt").write_text(". ".join(sentences), encoding="utf-8")
    Path("texts").mkdir()
    Path("texts/one.txt").write_text("\n".join(sentences), encoding="utf-8")
    for name, sentence in DUMPS.items():
        dump = f"<mediawiki>{PAGE.format(sentence * 150)}</mediawiki>"
        Path(name).write_bytes(bz2.compress(dump.encode()))
    vectors = WordVectors(ASKED + WORDS, draw.normal(size=(len(ASKED) + len(WORDS), 20)))
    vectors.save("glove.6B.300d.txt", format="glove")
    Path("run.toml").write_text("[train]\ndim = 10\n", encoding="utf-8")
    Path("sets").mkdir()
    pairs = "".join(f"{one}\t{other}\t{n % 10}\n" for n, (one, other) in enumerate(pairwise(WORDS[:40])))
    Path("pairs.txt").write_text(pairs, encoding="utf-8")
    Path("lines.txt").write_text("The cat and the dog.\n\nA car in Paris.\n", encoding="utf-8")
    rated = "".join(f"The {one} ran,A {other},{n}\n" for n, (one, other) in enumerate(pairwise(ASKED)))
    Path("pairs.csv").write_text(rated, encoding="utf-8")
    Path("sets/mc-30.txt").write_text(pairs, encoding="utf-8")
    Path("sets/msr-analogies.txt").write_text(f": all\n{' '.join(WORDS[:4])}\n", encoding="utf-8")
    monkeypatch.setenv("LEXVEC_DATA", str(tmp_path / "sets"))
    monkeypatch.setattr("lexvec.cli.data.fetch", lambda *_, **__: ([], {}))
    tour = Tour("--dim 10 --subsample 0", ("france",), ("france paris italy",), "man,king woman,dog")
    monkeypatch.setitem(TOURS, "enwik8", tour)
    monkeypatch.setattr("lexvec.cli.demo.fetch_corpus", lambda *_: Path("text.txt"))
    return tmp_path


def run(*words: str) -> None:
    given = list(words)
    streams: dict[str, Path] = {}
    for sign in "<>":
        if sign in given:
            place = given.index(sign)
            streams[sign] = Path(given[place + 1])
            del given[place : place + 2]
    typed = streams["<"].read_bytes() if "<" in streams else None
    result = CliRunner().invoke(main, given, input=typed)
    assert result.exit_code == 0, f"lexvec {' '.join(words)}: {result.stderr}"
    if ">" in streams:
        streams[">"].write_bytes(result.stdout_bytes)


#: What a document takes for granted.
BEFORE: dict[str, list[tuple[str, ...]]] = {
    "training.md": [("corpus", "text.txt", "-o", "corpus", "--min-count", "1")],
    "vectors.md": [("train", "text.txt", "-o", "model", "--min-count", "1"), ("convert", "model", "vectors.txt.gz")],
    "commands.md": [("corpus", "text.txt", "-o", "corpus", "--min-count", "1")],
    "interop.md": [("train", "text.txt", "-o", "vectors", "--min-count", "1", "--dim", "10", "--subsample", "0")],
    "performance.md": [("corpus", "text.txt", "-o", "corpus", "--min-count", "1")],
    "scale.md": [("corpus", "text.txt", "-o", "corpus", "--min-count", "1")],
}


@pytest.mark.slow
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_commands_can_be_typed_as_they_stand(path: Path, place: Path) -> None:
    for first in BEFORE.get(path.name, []):
        run(*first)
    done = 0
    missing: list[str] = []
    for line in lines(path):
        if line.startswith("lexvec "):
            words = words_of(line)
            if is_synopsis(words):
                continue
            if lacking := missing_for(words):
                missing += lacking
                continue
            run(*words)
        elif line.startswith(TOOLS):
            children.run(["sh", "-c", line], check=True)
        else:
            assert line.startswith(NOT_RUN), f"nobody knows whether this works: {line}"
            continue
        done += 1
    assert done or path.name not in ("README.md", "quickstart.md", "tutorial.md", "reproducibility.md", "interop.md")
    if missing:
        pytest.skip(f"all commands but those for {', '.join(missing)}, which are not installed here, work")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_flags_of_a_synopsis_exist(path: Path) -> None:
    for line in lines(path):
        if not line.startswith("lexvec "):
            continue
        words = words_of(line)
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


#: What the Python examples of a document take for granted.
MADE: dict[str, list[tuple[str, ...]]] = {
    "extending.md": [
        ("corpus", "text.txt", "-o", "corpus", "--min-count", "5"),
        ("count", "corpus", "-o", "counts", "--subsample", "0"),
    ],
    "vectors.md": [("convert", "glove.6B.300d.txt", "model")],
    "interop.md": [("train", "text.txt", "-o", "vectors", "--min-count", "1", "--dim", "10", "--subsample", "0")],
    "quickstart.md": [("train", "text.txt", "-o", "vectors", "--min-count", "5", "--dim", "10")],
    "tutorial.md": [
        ("corpus", "text.txt", "-o", "corpus", "--min-count", "5"),
        ("train", "corpus", "-o", "vectors", "--dim", "10"),
    ],
}


@pytest.fixture
def closed_tables() -> Iterator[None]:
    """Remove what an example has added to the open tables, so that no other test sees it."""
    tables: list[Registry[Any]] = [MEASURES, LOSSES, MODELS, FORMATS, TASKS]
    before = [set(table) for table in tables]
    yield
    for table, names in zip(tables, before, strict=True):
        for name in set(table) - names:
            del table[name]


@pytest.mark.usefixtures("closed_tables")
@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_python_examples_run(path: Path, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in MADE.get(path.name, []):
        run(*words)
    missing: list[str] = []
    for block in blocks(path, "python"):
        if lacking := missing_in(block):
            missing += lacking
            continue
        exec(compile(block, path.name, "exec"), {})
        expected = [line[2:] for line in block.splitlines() if line.startswith("# ")]
        printed = capsys.readouterr().out.splitlines()
        assert printed[: len(expected)] == expected
    if missing:
        pytest.skip(f"all examples but those for {', '.join(missing)}, which are not installed here, work")


def test_every_command_is_in_a_document() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS)
    for name in main.list_commands(click.Context(main)):
        assert f"lexvec {name}" in text, name


def test_links_between_documents_lead_somewhere() -> None:
    for path in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), (path.name, target)


def test_what_the_concepts_point_to_is_there() -> None:
    text = (ROOT / "docs" / "concepts.md").read_text(encoding="utf-8")
    pointers = re.findall(r"→ (.*?)(?:\n\n|\Z)", text, re.DOTALL)
    names = [name for pointer in pointers for name in re.findall(r"`([A-Za-z_.]+)`", pointer)]
    assert len(names) > 20
    for name in names:
        assert pkgutil.resolve_name(f"lexvec.{name}") is not None


def test_documents_import_public_names_only() -> None:
    public = {"vectors", "models", "engine", "evaluation", "lab"}
    for document in DOCUMENTS:
        for home, names in re.findall(r"from lexvec\.([\w.]+) import ([\w, ]+)", document.read_text(encoding="utf-8")):
            assert home in public, (document, home)
            module = importlib.import_module(f"lexvec.{home}")
            assert set(re.split(r",\s*", names.strip())) <= set(module.__all__), (document, home)


def test_files_that_documents_name_are_there() -> None:
    source = ROOT / "src" / "lexvec"
    for document in [*DOCUMENTS, ROOT / "CONTRIBUTING.md"]:
        for name in re.findall(r"`((?:[a-z_]+/)+[a-z_]+(?:\.py)?)`", document.read_text(encoding="utf-8")):
            if (source / name.split("/")[0]).is_dir():
                place = source / name
                assert place.exists() or place.with_suffix(".py").exists(), (document.name, name)
