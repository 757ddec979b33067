"""Write beside, sync, rename: the same for files and folders."""

import errno
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE

import pytest

from children import running
from lexvec import ArtefactError, Corpus, CorpusBuilder, ResourceError
from lexvec.storage.artefact import ArtefactWriter
from lexvec.storage.atomic import Partial, restore_replaced
from lexvec.storage.outputs import check_file_output, check_folder_output, replacing


def _write_file(place: Path, content: str, *, force: bool = True) -> None:
    with replacing(place, force=force) as file:
        file.write(content.encode())


def _write_folder(place: Path, content: str, *, force: bool = True) -> None:
    with ArtefactWriter(place, "corpus", force=force) as out:
        (out.folder / "content").write_text(content)
        out.seal({}, {}, {})


def _content(place: Path) -> str:
    return (place / "content" if place.is_dir() else place).read_text()


Write = Callable[..., None]
BOTH = pytest.mark.parametrize("write", [_write_file, _write_folder])


def snapshot(folder: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.lstat().st_mtime_ns) for path in (folder, *folder.rglob("*")))


def test_constructing_and_checking_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / ".new.1-0a1b2c3d.partial").mkdir()
    (tmp_path / ".old.12ab34cd.replaced").mkdir()
    (tmp_path / ".file.1-0a1b2c3d.partial").touch()
    before = snapshot(tmp_path)
    for output in (tmp_path / "new", tmp_path / "old", tmp_path / "deep" / "new", None):
        ArtefactWriter(output, "corpus", force=True)
        Partial(output or tmp_path / "x")
    check_file_output(tmp_path / "file", force=False)
    assert check_folder_output(tmp_path / "new", force=False) == tmp_path / "new"
    assert check_folder_output(tmp_path / "old", force=True) == tmp_path / "old"
    with pytest.raises(ArtefactError, match=r"old exists: choose another output"):
        check_folder_output(tmp_path / "old", force=False)
    assert snapshot(tmp_path) == before


@BOTH
def test_what_is_written_replaces_what_is_there_or_is_refused(tmp_path: Path, write: Write) -> None:
    write(tmp_path / "a" / "x", "one")
    with pytest.raises(ArtefactError, match="exists: choose another output"):
        write(tmp_path / "a" / "x", "two", force=False)
    assert _content(tmp_path / "a" / "x") == "one"
    write(tmp_path / "a" / "x", "two")
    assert _content(tmp_path / "a" / "x") == "two" and os.listdir(tmp_path / "a") == ["x"]


@BOTH
def test_what_killed_writers_left_is_removed_and_what_others_write_is_not(tmp_path: Path, write: Write) -> None:
    script = (
        "import sys, time; from pathlib import Path; from lexvec.storage.atomic import Partial\n"
        "partial = Partial(Path(sys.argv[1]))\n"
        "getattr(partial, sys.argv[2])(); print(partial.path.name, flush=True); time.sleep(60)\n"
    )
    begin = "open_file" if write is _write_file else "make_folder"
    with running([sys.executable, "-c", script, tmp_path / "x", begin], stdout=PIPE) as process:
        assert process.stdout
        name = process.stdout.readline().strip()
        write(tmp_path / "x", "one")
        assert sorted(os.listdir(tmp_path)) == sorted([name, "x"])
    write(tmp_path / "x", "two")
    assert os.listdir(tmp_path) == ["x"]


@BOTH
def test_names_that_look_like_patterns(tmp_path: Path, write: Write) -> None:
    (tmp_path / ".xa.1-0a1b2c3d.partial").touch()
    write(tmp_path / "x[ab]", "one")
    assert sorted(os.listdir(tmp_path)) == [".xa.1-0a1b2c3d.partial", "x[ab]"]


def test_only_the_folder_that_is_missing_comes_back(tmp_path: Path) -> None:
    _write_folder(tmp_path / "x", "one")
    (tmp_path / "x").rename(tmp_path / ".x.2-00000000.replaced")
    (tmp_path / ".x.1-ffffffff.replaced").mkdir()
    with pytest.raises(ArtefactError, match=r"rename \.x\.2-00000000\.replaced to x$"):
        Corpus.load(tmp_path / "x")
    restore_replaced(tmp_path / "x")
    assert _content(tmp_path / "x") == "one"
    restore_replaced(tmp_path / "x")
    assert _content(tmp_path / "x") == "one"
    _write_folder(tmp_path / "x", "two")
    assert _content(tmp_path / "x") == "two" and os.listdir(tmp_path) == ["x"]


def test_a_folder_set_aside_by_an_earlier_version_comes_back(tmp_path: Path) -> None:
    _write_folder(tmp_path / "x", "one")
    (tmp_path / "x").rename(tmp_path / ".x.14b30df0.replaced")
    restore_replaced(tmp_path / "x")
    assert _content(tmp_path / "x") == "one"


@BOTH
@pytest.mark.parametrize("name", [".x.14b30df0.replaced", ".x.3-14b30df0.replaced", ".x.y.77-14b30df0.partial"])
def test_names_of_temporary_files_are_refused(tmp_path: Path, write: Write, name: str) -> None:
    with pytest.raises(ArtefactError, match="is a name for temporary files of lexvec: choose another output"):
        write(tmp_path / name, "one")
    assert os.listdir(tmp_path) == []


def test_what_cannot_get_its_name_leaves_the_older_folder_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _write_folder(tmp_path / "x", "one")
    rename = os.rename

    def failing(source: os.PathLike[str], target: os.PathLike[str]) -> None:
        if Path(source).name.endswith(".partial"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        rename(source, target)

    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(OSError, match="Input/output"):
        _write_folder(tmp_path / "x", "two")
    assert _content(tmp_path / "x") == "one" and os.listdir(tmp_path) == ["x"]


@BOTH
@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (errno.ENOSPC, "no space is left on the disk; free some space or choose another output"),
        (errno.EDQUOT, "your disk quota is used up; free some space"),
        (errno.EFBIG, "the file exceeds the largest allowed size; raise ulimit -f or choose another output"),
    ],
)
def test_what_a_disk_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Write, code: int, reason: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ResourceError, match=f"cannot write .*x: {reason}"):
        write(tmp_path / "x", "one")
    assert os.listdir(tmp_path) == []


@BOTH
def test_a_place_that_cannot_be_written(tmp_path: Path, write: Write) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(ArtefactError, match=r"cannot write .*x: .*; choose another output"):
        write(tmp_path / "file" / "x", "one")
    with pytest.raises(ArtefactError, match=r"cannot write .*: File name too long; choose another output"):
        write(tmp_path / ("x" * 250), "one")
    assert os.listdir(tmp_path) == ["file"]


def test_a_damaged_folder_of_ours_may_be_replaced(tmp_path: Path) -> None:
    CorpusBuilder(min_count=1).build(["a b"], tmp_path / "corpus")
    meta = tmp_path / "corpus" / "meta.json"
    meta.write_text(meta.read_text().replace('"tokens": 2', '"tokens": 3'))
    assert CorpusBuilder(min_count=1).build(["a b c"], tmp_path / "corpus", force=True).tokens == 3
