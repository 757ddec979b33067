import copy
import errno
import json
import multiprocessing
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from operator import attrgetter
from pathlib import Path
from subprocess import PIPE

import numpy as np
import pytest

from children import running
from lexvec import ArtefactError, Cooccurrence, Corpus, CorpusBuilder, ResourceError
from lexvec.storage.arrays import ArrayWriter
from lexvec.storage.artefact import ArtefactWriter

BUILDER = CorpusBuilder(min_count=1)
TEXT = ["the cat sat on the mat"]


def test_equal_input_gives_equal_folders(tmp_path: Path) -> None:
    for name in ("one", "two"):
        BUILDER.build(TEXT, tmp_path / name)
    files = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert files == ["ids.npy", "meta.json", "offsets.npy", "vocab.tsv"]
    for name in files:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_meta_says_what_a_folder_is(tmp_path: Path) -> None:
    BUILDER.build(TEXT, tmp_path / "corpus")
    meta = json.loads((tmp_path / "corpus" / "meta.json").read_text())
    assert (meta["format"], meta["version"]) == ("lexvec-corpus", 1)
    assert meta["parameters"]["min_count"] == 1
    assert "threads" not in meta["parameters"]
    assert set(meta["files"]) == {"ids.npy", "offsets.npy", "vocab.tsv"}


def test_an_output_that_exists_is_refused(tmp_path: Path) -> None:
    BUILDER.build(TEXT, tmp_path / "corpus")
    before = (tmp_path / "corpus" / "ids.npy").read_bytes()
    with pytest.raises(ArtefactError, match=r"corpus exists: choose another output, or replace it with force=True"):
        BUILDER.build(["x"], tmp_path / "corpus")
    assert (tmp_path / "corpus" / "ids.npy").read_bytes() == before
    BUILDER.build(["x y"], tmp_path / "corpus", force=True)
    assert list(Corpus.load(tmp_path / "corpus")) == [["x", "y"]]
    assert os.listdir(tmp_path) == ["corpus"]


def test_force_replaces_only_what_we_made(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("years of work")
    (tmp_path / "file").write_text("x")
    for name in ("mine", "file"):
        with pytest.raises(ArtefactError, match="holds what lexvec did not make: choose another output"):
            BUILDER.build(TEXT, tmp_path / name, force=True)
    assert (tmp_path / "mine" / "thesis.tex").read_text() == "years of work"
    (tmp_path / "mine" / "meta.json").write_text('{"mine": 1}')
    BUILDER.build(TEXT, tmp_path / "ours")
    (tmp_path / "ours" / "notes.txt").write_text("mine")
    for name in ("mine", "ours"):
        with pytest.raises(ArtefactError, match="holds what lexvec did not make: choose another output"):
            BUILDER.build(TEXT, tmp_path / name, force=True)


def test_links_and_odd_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    BUILDER.build(TEXT, tmp_path / "corpus")
    (tmp_path / "link").symlink_to(tmp_path / "corpus")
    BUILDER.build(["x"], tmp_path / "link", force=True)
    assert list(Corpus.load(tmp_path / "corpus")) == [["x"]]
    assert (tmp_path / "link").is_symlink()
    monkeypatch.chdir(tmp_path / "corpus")
    BUILDER.build(["y"], ".", force=True)
    assert list(Corpus.load(tmp_path / "corpus")) == [["y"]]
    with pytest.raises(ArtefactError):
        BUILDER.build(["y"], "/", force=True)
    with pytest.raises(ArtefactError, match="cannot write"):
        BUILDER.build(["y"], tmp_path / ("x" * 300))


def test_a_run_killed_while_replacing_gives_the_old_folder_back(tmp_path: Path) -> None:
    BUILDER.build(TEXT, tmp_path / "corpus")
    (tmp_path / "corpus").rename(tmp_path / ".corpus.12ab34cd.replaced")
    with pytest.raises(ArtefactError, match="exists: choose another output"):
        BUILDER.build(["x"], tmp_path / "corpus")
    assert os.listdir(tmp_path) == ["corpus"]
    assert len(Corpus.load(tmp_path / "corpus")) == 1


def test_an_old_folder_survives_a_failed_replacement(tmp_path: Path) -> None:
    BUILDER.build(TEXT, tmp_path / "corpus")
    with pytest.raises(LookupError), ArtefactWriter(tmp_path / "corpus", "corpus", force=True) as out:
        out.array("ids", np.int32).append(np.arange(3))
        raise LookupError
    assert len(Corpus.load(tmp_path / "corpus")) == 1
    assert os.listdir(tmp_path) == ["corpus"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    def full(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(ArrayWriter, "append", full)
    with pytest.raises(ResourceError, match=r"cannot write .*corpus: .*; free some space or choose another output"):
        BUILDER.build(TEXT, tmp_path / "corpus")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's /dev/full")
def test_a_really_full_device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Path.open

    def full(path: Path, *args: str, **kwargs: str) -> object:
        return opened(Path("/dev/full") if path.name == "ids.npy" else path, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(ResourceError, match="no space is left on the disk"):
        CorpusBuilder(min_count=1).build([["a"] * 200_000], tmp_path / "corpus")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ArtefactError, match=r"cannot write .*: .*; choose another output"):
        BUILDER.build(TEXT, tmp_path / "file" / "corpus")


def test_a_killed_run_leaves_nothing_that_looks_finished(tmp_path: Path) -> None:
    script = (
        "import sys, time\n"
        "from lexvec.storage.artefact import ArtefactWriter\n"
        "with ArtefactWriter(sys.argv[1], 'corpus') as out:\n"
        "    out.array('ids', 'int32'); print('ready', flush=True); time.sleep(60)\n"
    )
    with running([sys.executable, "-c", script, tmp_path / "corpus"], stdout=PIPE) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    assert not (tmp_path / "corpus").exists()
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".corpus.")
    assert left.name.endswith(".partial")
    BUILDER.build(TEXT, tmp_path / "corpus")  # clears away what the killed run left
    assert os.listdir(tmp_path) == ["corpus"]


def test_a_run_under_way_is_not_cleared_away(tmp_path: Path) -> None:
    with ArtefactWriter(tmp_path / "corpus", "corpus") as slow:
        BUILDER.build(TEXT, tmp_path / "corpus")
        assert slow.folder.exists()
        with pytest.raises(ArtefactError, match="another run has just written"):
            slow.seal({}, {}, {})
    assert list(Corpus.load(tmp_path / "corpus")) == [TEXT[0].split()]


_META = (
    '{"format": "lexvec-corpus", "version": 1, "lexvec": "0", '
    '"parameters": {}, "facts": {}, "provenance": {}, "files": {}}'
)


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"garbage",
        b"{}",
        b"[]",
        b'"text"',
        b"[" * 100_000,
        *(_META.replace(old, new).encode() for old, new in [
            ('"files": {}', '"files": []'),
            ('"files": {}', '"files": {"ids.npy": 7}'),
            ('"facts": {}', '"facts": null'),
            ('"version": 1', '"version": "1"'),
            ('"lexvec-corpus"', "[1]"),
            (', "lexvec": "0"', ""),
        ]),
    ],
)  # fmt: skip
def test_folders_that_are_none_of_ours(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "meta.json").write_bytes(damage)
    with pytest.raises(ArtefactError, match="is not a folder made by lexvec"):
        Corpus.load(tmp_path / "x")
    with pytest.raises(ArtefactError, match="does not exist: check the name"):
        Corpus.load(tmp_path / "nothing")


def test_another_kind_another_version_and_missing_files(tmp_path: Path) -> None:
    path = BUILDER.build(TEXT, tmp_path / "corpus").path
    with pytest.raises(ArtefactError, match="holds lexvec-corpus, not lexvec-counts"):
        Cooccurrence.load(path)
    ids = (path / "ids.npy").read_bytes()
    (path / "ids.npy").write_bytes(ids[:-1])
    with pytest.raises(ArtefactError, match=r"ids\.npy is damaged \(it is missing or not 152 bytes long\): rebuild"):
        Corpus.load(path)
    (path / "ids.npy").write_bytes(ids[:-1] + b"\x07")
    with pytest.raises(ArtefactError, match=r"ids\.npy is damaged \(wrong SHA-256\)"):
        Corpus.load(path).verify()


def test_copies_and_other_processes(tmp_path: Path) -> None:
    corpus = CorpusBuilder(min_count=1).build([["a", "b"]])
    for copied in (copy.copy(corpus), copy.deepcopy([corpus])[0]):
        assert copied is corpus
    saved = CorpusBuilder(min_count=1).build([["a", "b"]], tmp_path / "corpus")
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as others:
        assert others.submit(attrgetter("path", "meta"), saved).result() == (saved.path, saved.meta)
        with pytest.raises(ArtefactError, match="this corpus is in a temporary folder: give it an output to hand"):
            others.submit(attrgetter("path"), corpus).result()
