"""What a killed run leaves is removed by the next, whenever it was killed."""

import os
from pathlib import Path
from typing import IO, Any

import pytest

from children import run_code
from lexvec import CorpusBuilder
from lexvec.storage import atomic
from lexvec.storage.atomic import CAN_LOCK, remove_abandoned, temporary_folder
from lexvec.storage.outputs import write_text

_KILLED = """
import os, sys
from pathlib import Path
from lexvec.storage.atomic import Partial, temporary_folder
print(temporary_folder().path)
below = Partial(Path(sys.argv[1], "scores", "x.json"))
below.open_file()
print(below.path)
sys.stdout.flush()
os._exit(1)
"""


@pytest.mark.skipif(not CAN_LOCK, reason="needs flock")
def test_a_folder_without_a_lock_is_removed_once_its_process_is_dead(tmp_path: Path) -> None:
    done = run_code("import os; print(os.getpid())", check=True)
    dead = tmp_path / f".corpus.{int(done.stdout)}-0a1b2c3d.partial"
    alive = tmp_path / f".corpus.{os.getppid()}-0a1b2c3d.partial"
    for folder in (dead, alive):
        folder.mkdir()
        (folder / "ids.npy").write_bytes(b"")
    CorpusBuilder(min_count=1).build(["a b a"], tmp_path / "corpus")
    assert not dead.exists()
    assert alive.exists()


@pytest.mark.skipif(not CAN_LOCK, reason="needs flock")
def test_a_file_or_folder_survives_a_run_that_looks_at_it_before_it_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, met = atomic._lock, list[str]()

    def late(file: IO[Any]) -> None:
        if len(met) % 2 == 0:
            other = Path(file.name)
            atomic._remove_abandoned(other.parent if other.name == atomic.LOCK else other)
            assert not other.exists()
        met.append(str(file.name))
        lock(file)

    monkeypatch.setattr(atomic, "_lock", late)
    write_text(tmp_path / "men.txt", "a b 1\n")
    CorpusBuilder(min_count=1).build(["a b a"], tmp_path / "corpus")
    assert all(met.count(name) == 2 for name in met) and any(name.endswith(f"/{atomic.LOCK}") for name in met)
    assert sorted(os.listdir(tmp_path)) == ["corpus", "men.txt"]
    assert (tmp_path / "men.txt").read_text() == "a b 1\n"


@pytest.mark.skipif(not CAN_LOCK, reason="needs flock")
def test_temporary_folders_of_killed_processes_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "tmp")}
    left, below = map(Path, run_code(_KILLED, tmp_path / "work", env=environment).stdout.splitlines())
    own = temporary_folder()
    assert not left.exists() and below.exists()
    assert own.path.stat().st_mode & 0o777 == 0o700
    left = Path(run_code(_KILLED, tmp_path / "work", env=environment).stdout.splitlines()[0])
    remove_abandoned(tmp_path / "work")
    assert not left.exists() and not below.exists()
    assert own.path.exists()
    own.discard()
    assert os.listdir(tmp_path / "tmp") == []
