"""The demo from end to end, on a small corpus that comes out of a package on a local index, and without any network."""

import gzip
import hashlib
import io
import re
import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from lexvec.cli import demo_text, main
from lexvec.cli.demo import TOURS
from lexvec.cli.demo_text import CORPORA, _whole_pages, collect_docstrings, fetch_corpus
from lexvec.errors import InputError, ResourceError
from lexvec.evaluation.datasets import ORIGINS, Origin
from lexvec.progress import Silent
from lexvec.remote import Package
from notes import Notes

TOUR = TOURS["enwik8"]
WORDS = sorted(set(" ".join([*TOUR.words, *TOUR.analogies]).split()))


def dump() -> bytes:
    """The beginning of a dump, as enwik8 is one: whole pages, and a piece of another."""
    draw = np.random.default_rng(0)
    cities = TOUR.groups.replace(",", " ").split()
    text = ". ".join(" ".join(draw.choice([*WORDS, *cities, "the", "of"], 12)) for _ in range(600))
    page = f"<page><title>T</title><ns>0</ns><id>1</id><revision><id>2</id><text>{text}</text></revision></page>"
    return f"<mediawiki>\n{page}\n{page}\n<page><title>cut off".encode()


@pytest.fixture
def small(index: Path, tmp_path: Path, no_sets: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine whose package index has a small "enwik8"; the folder is the user's cache of corpora."""
    packed = gzip.compress(dump())
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        info = tarfile.TarInfo("tiny-1.0/data/enwik8.gz")
        info.size = len(packed)
        tar.addfile(info, io.BytesIO(packed))
    (index / "tiny-1.0.tar.gz").write_bytes(archive.getvalue())
    package = Package("tiny", "1.0", "tiny-1.0.tar.gz", hashlib.sha256(archive.getvalue()).hexdigest())
    places = ((replace(package, file="none.zip"), "x"), (package, "tiny-1.0/data/enwik8.gz"))
    digest = hashlib.sha256(_whole_pages(packed)).hexdigest()
    monkeypatch.setitem(CORPORA, "enwik8", replace(CORPORA["enwik8"], digest=digest, places=places))
    monkeypatch.setattr("lexvec.cli.demo.fetchable", lambda: ["men"])
    monkeypatch.setitem(ORIGINS, "men.txt", (Origin(package, "tiny-1.0/none.txt"),))
    monkeypatch.chdir(tmp_path)
    return no_sets.parent / "corpora"


def run(*words: str) -> Result:
    result = CliRunner().invoke(main, ["demo", *words])
    assert result.exit_code == 0, result.stderr
    return result


@pytest.mark.slow
def test_from_a_package_to_scores(small: Path, no_sets: Path) -> None:
    no_sets.mkdir(parents=True)
    (no_sets / "mc-30.txt").write_text("france\tparis\t3\njazz\tcomputer\t1\ngood\tbad\t2\nking\tzebra\t4\n")
    result = run()
    told = result.stdout
    assert f"$ lexvec corpus {small / 'enwik8.xml'} -o lexvec-demo/corpus --min-count 5\n" in told
    assert re.search(r"\$ lexvec train lexvec-demo/corpus -o lexvec-demo/vectors --dim 100 ", told)
    assert len(re.findall(r"^ +\d+  \d\.\d{4}  █+$", told, re.MULTILINE)) == 5
    assert len(re.findall(r"^[a-z]+ +-?\d\.\d{3}$", told, re.MULTILINE)) == 6 * 3 + 3 * 3
    assert re.search(r"^MC.* Spearman .* 3 of 4$", told, re.MULTILINE)
    assert "lexvec corpus YOUR.txt -o corpus --min-count 5\n" in told
    assert Path("lexvec-demo/map.svg").read_text().count("<circle") == 24
    again = run("--quiet")
    assert again.stdout.count(" --force") == 3  # what an earlier demo made is made again
    assert [line.split(" (")[0] for line in again.stderr.splitlines()] == [
        "lexvec: men.txt cannot be fetched: tiny 1.0 does not hold what it should",
        "lexvec: you can also put these files into a folder for --data yourself: see docs/evaluation.md",
    ]


def test_folders_of_the_user_are_not_touched(small: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "map.svg").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("mine", "file", "."):
        refused = CliRunner().invoke(main, ["demo", "-o", name])
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert refused.stderr == f"lexvec: {name} exists and was not written by a demo: choose another --output\n"
    (tmp_path / "killed").mkdir()
    (tmp_path / "killed" / ".demo.json.1-ab.partial").write_text("{")
    assert run("-o", "killed", "-q").exit_code == 0
    assert (tmp_path / "mine" / "map.svg").read_text() == (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("step", ["fetch_corpus", "_show_losses", "locate"])
def test_stopped_by_the_user(small: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"lexvec.cli.demo.{step}", stop)
    stopped = CliRunner().invoke(main, ["demo", "-q"])
    assert stopped.exit_code == 130
    assert stopped.stderr.splitlines()[-1] == (
        "lexvec: stopped; lexvec-demo holds what is done so far, and the same command starts again"
    )


def test_a_cache_that_cannot_be_written(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexvec.cli.demo.collect_docstrings", lambda _: "array file exception " * 50)
    monkeypatch.setattr("lexvec.cli.demo._commands", lambda *_, **__: [])
    small.parent.mkdir(exist_ok=True)
    small.write_text("a file where a folder should be")
    result = run("-q")
    assert result.stderr.startswith("lexvec: enwik8 cannot be fetched: ")
    assert "docstrings of Python's library" in result.stdout


def test_a_full_disk_under_the_cache_is_not_blamed_on_the_output(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise ResourceError("cannot write: no space is left there; make room or choose another output")

    monkeypatch.setattr("lexvec.cli.demo_text.replacing", full)
    with pytest.raises(ResourceError, match=r"enwik8.xml: the disk of the cache is full; make room there$"):
        fetch_corpus(CORPORA["enwik8"], Silent())


def test_a_terminal_without_block_letters(small: Path) -> None:
    told = CliRunner(charset="latin-1").invoke(main, ["demo", "-q"])
    assert told.exit_code == 0
    assert re.search(rb"^  1  \d\.\d{4}  [?]+$", told.stdout_bytes, re.MULTILINE)


def test_the_commands_at_the_end_are_those_that_were_run(small: Path) -> None:
    told = run("--output", "x", "--quiet").stdout
    ran = {words[0]: words for line in re.findall(r"^\$ lexvec (.*)$", told, re.MULTILINE) if (words := line.split())}
    for line in re.findall(r"^  lexvec (.*)$", told, re.MULTILINE):
        words = line.replace("YOUR.txt", str(small / "enwik8.xml")).replace(" corpus", " x/corpus").split()
        flags = [word for word in words[2:] if not word.startswith(("vectors", "WORD", "x/"))]
        assert all(flag in ran[words[0]] for flag in flags if flag != "corpus"), (words, ran[words[0]])


def test_a_corpus_is_fetched_once_and_checked(small: Path) -> None:
    notes = Notes()
    path = fetch_corpus(CORPORA["enwik8"], notes)
    told = f"{path}: from tiny 1.0, checksum verified"
    assert notes.texts.count(told) == 1
    text = path.read_bytes()
    assert text.endswith(b"</page>\n</mediawiki>\n") and b"cut off" not in text
    fetch_corpus(CORPORA["enwik8"], notes)
    assert notes.texts.count(told) == 1
    path.write_bytes(text[:-1])
    fetch_corpus(CORPORA["enwik8"], notes)
    assert notes.texts.count(told) == 2 and path.read_bytes() == text


def test_a_corpus_with_the_wrong_checksum(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CORPORA, "enwik8", replace(CORPORA["enwik8"], digest="0" * 64))
    with pytest.raises(InputError, match=r"tiny 1.0 has another version of enwik8.xml"):
        fetch_corpus(CORPORA["enwik8"], Silent())
    monkeypatch.setitem(CORPORA, "enwik8", replace(CORPORA["enwik8"], convert=lambda raw: gzip.decompress(raw[5:])))
    with pytest.raises(InputError, match=r"tiny 1.0 does not hold what it should"):
        fetch_corpus(CORPORA["enwik8"], Silent())
    assert not small.exists()


@pytest.mark.slow
def test_without_a_network(small: Path, index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (index / "tiny-1.0.tar.gz").unlink()
    folders = list(demo_text._folders())
    monkeypatch.setattr(demo_text, "_folders", lambda: [folders[0] / "pydoc_data", folders[1] / "lib"])
    result = run()
    told = result.stdout
    assert re.search(
        r"(?m)^lexvec: enwik8 cannot be fetched: none.zip cannot be fetched \(.*index has no such file\); tiny-1",
        result.stderr,
    )
    assert "docstrings of Python's library, numpy and scipy, which need no network" in told
    assert "No scores: there is no test set here. Put some into a folder, and name it with --data." in told
    assert "data fetch" not in told
    refused = CliRunner().invoke(main, ["demo", "--corpus", "enwik8"])
    assert refused.exit_code == 1
    assert refused.stderr.splitlines()[-1].startswith("lexvec: none.zip cannot be fetched (")


def test_docstrings_are_prose(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text('"""Not this."""')
    (tmp_path / "bad.py").write_text("def (:")
    (tmp_path / "good.py").write_text(
        'raise SystemExit\n\ndef f():\n    """Say\n    it.\n\n    >>> f()\n    1\n\n    ----\n\n    Say it.\n    """\n'
    )
    monkeypatch.setattr(demo_text, "_folders", lambda: [tmp_path])
    assert collect_docstrings(Silent()) == "Say it.\n"


def test_text8_is_known_by_its_authors_checksum() -> None:
    assert CORPORA["text8"].algorithm == "md5" and len(CORPORA["text8"].digest) == 32
    assert all(isinstance(place, str) and place.endswith("text8.zip") for place, _ in CORPORA["text8"].places)
