from pathlib import Path

import numpy as np

from lexvec.storage.arrays import ArrayWriter, mapped, read_layout


def test_arrays_are_plain_npy_files(tmp_path: Path) -> None:
    writer = ArrayWriter(tmp_path / "a.npy", np.int64)
    for start in range(0, 1000, 7):
        writer.append(np.arange(start, start + 7, dtype=np.int32))
    writer.close()
    assert np.load(tmp_path / "a.npy", allow_pickle=False).tolist() == list(range(1001))
    ArrayWriter(tmp_path / "b.npy", np.float32).close()
    assert np.load(tmp_path / "b.npy").shape == (0,)


def test_headers_that_numpy_writes(tmp_path: Path) -> None:
    for array in (np.arange(7), np.ones((3, 4), np.float32), np.empty(0, np.int32), np.empty((0, 300), np.float32)):
        np.save(tmp_path / "a.npy", array)
        layout = read_layout(tmp_path / "a.npy")
        assert layout[:2] == (array.dtype, array.shape)
        assert np.array_equal(mapped(tmp_path / "a.npy", layout), array)
