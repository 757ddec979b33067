"""Parts in files are the same parts, however few of them are in memory."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexvec import ResourceError
from lexvec.engine.executors import chains
from lexvec.engine.part_files import PartFolder
from lexvec.engine.rows import PartedArray, adaptive_rows, uniform
from lexvec.storage.arrays import ArrayFile
from lexvec.threads import Threads


@given(st.sampled_from((1, 4, 16)), st.integers(1, 90), st.integers(1, 20), st.integers(1, 5))
@settings(max_examples=30)
def test_arrays_in_files_are_those_in_memory(
    tmp_path_factory: pytest.TempPathFactory, parts: int, length: int, columns: int, resident: int
) -> None:
    files = PartFolder(tmp_path_factory.mktemp("files"), resident)
    memory, disk = PartedArray(parts, length, columns), PartedArray(parts, length, columns, files=files)
    for array in (memory, disk):
        array.begin(uniform(np.uint64(5), columns))
        for number in range(parts):
            with array.held(number) as part:
                part += number
    assert disk.whole().tobytes() == memory.whole().tobytes()
    assert list(disk.parts) == list(memory.parts)
    assert disk.is_finite


def test_a_result_does_not_change_when_training_goes_on(tmp_path: Path) -> None:
    array = PartedArray(4, 10, 3, files=PartFolder(tmp_path, 2))
    before = array.whole()
    with array.held(1) as part:
        part += 1
    assert not before.any() and array.whole().any()


def test_numbers_that_begin_at_one(tmp_path: Path) -> None:
    rows = adaptive_rows(8, 50, 4, uniform(np.uint64(1), 4), files=PartFolder(tmp_path, 2))
    with rows.held(3) as part:
        part[3][:] = 7
    expected = np.ones(50, np.float32)
    expected[3::8] = 7
    assert np.array_equal(rows.arrays["bias_squares"].whole(), expected)
    assert np.array_equal(rows.arrays["row_squares"].whole(), np.ones((50, 4), np.float32))


def test_no_change_is_lost_while_threads_share_few_parts(tmp_path: Path) -> None:
    array = PartedArray(16, 160, 3, files=PartFolder(tmp_path, 4))

    def add(_: int, task: int) -> None:
        with array.held(task % 16) as part:
            part[task // 16 % 10] += 1

    with Threads(4) as threads:
        threads.each(add, 1600)
    assert np.array_equal(array.whole(), np.full((160, 3), 10, np.float32))


def test_a_part_that_cannot_be_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    array = PartedArray(4, 10, 3, value=1, files=PartFolder(tmp_path, 1))
    with array.held(2) as part:
        part[:] = 7

    def full(*_: object) -> None:
        raise ResourceError("no space is left")

    with monkeypatch.context() as patch:
        patch.setattr(ArrayFile, "write", full)
        with pytest.raises(ResourceError, match="no space"), array.held(3):
            pass
    for number, value in ((2, 7), (3, 1), (2, 7)):  # each makes the one before leave
        with array.held(number) as part:
            assert (part[:, :3] == value).all()


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("resident", [2, 8, 32])
def test_chains_have_each_block_once_in_an_order_that_rounds_allow(threads: int, resident: int) -> None:
    blocks = [block for chain in chains(16, range(16), threads, resident) for block in chain]
    assert sorted(blocks) == [(i, j) for i in range(16) for j in range(16)]
    words, contexts = [0] * 16, [0] * 16
    for i, j in blocks:  # one thread that does them in this order never has to wait
        assert words[i] == contexts[j] == (j - i) % 16
        words[i] += 1
        contexts[j] += 1
