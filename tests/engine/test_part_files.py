"""Parts in a file: whatever leaves memory comes back as it was, also with many threads and little room."""

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexvec import ResourceError
from lexvec.engine.part_files import PartFile
from lexvec.storage.array_file import ArrayFile

PARTS, THREADS, TIMES = 12, 4, 300


def made(path: Path, resident: int) -> PartFile:
    return PartFile(path, [3] * PARTS, lambda number: np.full((3, 1), number, np.float32), resident)


@pytest.mark.parametrize("resident", [THREADS, THREADS + 1, PARTS])
def test_threads_share_a_few_parts_in_memory(resident: int, tmp_path: Path) -> None:
    parts = made(tmp_path / "rows", resident)

    def work(thread: int) -> None:
        own = random.Random(thread)
        for _ in range(TIMES):
            with parts.held(own.randrange(thread, PARTS, THREADS)) as part:
                part += 1  # no other thread has this part

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(work, range(THREADS)))
    assert len(parts._here) <= resident
    assert sum(float(part[0, 0]) for part in parts.values()) == THREADS * TIMES + sum(range(PARTS))
    assert all((part == part[0]).all() for part in parts.values())
    parts.flush()
    assert parts.file.read(0, 3 * PARTS).sum() == 3 * (THREADS * TIMES + sum(range(PARTS)))


def test_a_part_that_cannot_be_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = made(tmp_path / "rows", 1)
    with parts.held(3) as part:
        part[:] = 7

    def full(*_: Any) -> None:
        raise ResourceError("no space is left")

    with monkeypatch.context() as patch:
        patch.setattr(ArrayFile, "write", full)
        with pytest.raises(ResourceError, match="no space"):
            parts[4]
    assert (parts[3] == 7).all()
    assert (parts[4] == 4).all()
    assert (parts[3] == 7).all()
