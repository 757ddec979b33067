"""What a killed run leaves is removed by the next, whenever it was killed."""

import os
from pathlib import Path

import pytest

from children import run_code
from lexvec import CorpusBuilder
from lexvec.storage.atomic import CAN_LOCK


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
