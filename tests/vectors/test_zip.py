"""Vectors in zip archives: one member or several, and archives that are hostile or damaged."""

import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from lexvec import InputError, WordVectors
from lexvec.vectors.formats import text

TEXT = b"cat 1.0 2.0\ndog 3.0 4.0\n"


def archive(path: Path, members: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as out:
        for name, content in members.items():
            out.writestr(name, content)
    return path


def test_one_member_is_read(tmp_path: Path) -> None:
    for name, content in (("v.txt", b"2 2\n" + TEXT), ("v.glove", TEXT), ("deep/er/v", TEXT), ("../../up", TEXT)):
        path = archive(tmp_path / "v.zip", {"__MACOSX/._v": b"junk", "folder/": b"", name: content})
        loaded = WordVectors.load(path)
        assert (loaded.words, loaded.matrix.tolist()) == (["cat", "dog"], [[1, 2], [3, 4]])
    assert sorted(file.name for file in tmp_path.iterdir()) == ["v.zip"]  # nothing is unpacked
    binary = tmp_path / "v.bin"
    loaded.save(binary)
    again = WordVectors.load(archive(tmp_path / "b.zip", {"v.bin": binary.read_bytes()}), limit=1)
    assert (again.words, again.matrix.tolist()) == (["cat"], [[1, 2]])


def test_of_several_members_one_is_named(tmp_path: Path) -> None:
    path = archive(tmp_path / "glove.zip", {"glove.1d.txt": b"cat 1\n", "glove.2d.txt": TEXT})
    with pytest.raises(  # the largest one comes first: a README is no vectors
        InputError, match=r"has 2 files \(glove.2d.txt, glove.1d.txt\): name one, such as .*glove.2d.txt"
    ):
        WordVectors.load(path)
    assert WordVectors.load(path / "glove.2d.txt").dim == 2
    with pytest.raises(InputError, match="has no file 'glove.3d.txt'"):
        WordVectors.load(path / "glove.3d.txt")


def test_a_member_is_never_a_file_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_bytes(b"secret 5 6\n")
    for name in (str(tmp_path / "secret.txt"), "../secret.txt", "//secret.txt", "./secret.txt"):
        path = archive(tmp_path / "v.zip", {name: TEXT})
        assert WordVectors.load(path).words == ["cat", "dog"]
        two = archive(tmp_path / "two.zip", {name: TEXT, "small": b"x 1\n"})
        with pytest.raises(InputError, match="has 2 files") as caught:
            WordVectors.load(two)
        assert WordVectors.load(str(caught.value).rpartition("such as ")[2]).words == ["cat", "dog"]  # as it says


def test_formats_that_are_read_in_place(tmp_path: Path) -> None:
    for name in ("v.npz", "v.parquet"):
        if name == "v.parquet":
            pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        WordVectors(["cat"], np.ones((1, 2))).save(tmp_path / name)
        path = archive(tmp_path / "a.zip", {name: (tmp_path / name).read_bytes()})
        with pytest.raises(InputError, match=f"a.zip/{name} has the format .*, which is not read inside an archive"):
            WordVectors.load(path)
    WordVectors(["cat"], np.ones((1, 2))).save(tmp_path / "v.bin", format="fasttext")
    path = archive(tmp_path / "b.zip", {"v.bin": (tmp_path / "v.bin").read_bytes()})
    with pytest.raises(InputError, match="which is not read inside an archive: unpack it first"):
        WordVectors.load(path)
    stored = archive(tmp_path / "inner.zip", {"v.txt": TEXT}, zipfile.ZIP_STORED).read_bytes()
    with pytest.raises(InputError, match="v.zip looks like a zip archive: unpack it"):
        WordVectors.load(archive(tmp_path / "outer.zip", {"v.zip": stored}))


def test_npz_and_zip_are_not_confused(tmp_path: Path) -> None:
    vectors = WordVectors(["cat"], np.ones((1, 2)))
    vectors.save(tmp_path / "v.npz")
    (tmp_path / "v.npz").rename(tmp_path / "v.zip")
    assert WordVectors.load(tmp_path / "v.zip").words == ["cat"]


def test_a_large_member_is_read_by_compiled_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "FEW_BYTES", 100)
    monkeypatch.setattr(text, "_BLOCK_BYTES", 1000)
    rows = np.random.default_rng(0).normal(size=(300, 3)).astype(np.float32)
    vectors = WordVectors([f"w{row}" for row in range(300)], rows)
    vectors.save(tmp_path / "v.txt")
    path = archive(tmp_path / "v.zip", {"v.txt": (tmp_path / "v.txt").read_bytes()})
    np.testing.assert_array_equal(WordVectors.load(path).matrix, rows)


def test_hostile_and_damaged_archives_are_one_line(tmp_path: Path) -> None:
    good = archive(tmp_path / "good.zip", {"v.txt": b"2000 1\n" + b"".join(b"w%d 1.5\n" % n for n in range(2000))})
    data = good.read_bytes()
    start = 30 + len("v.txt")
    encrypted = bytearray(data)
    encrypted[6] |= 1
    struct.pack_into("<H", encrypted, data.index(b"PK\x01\x02") + 8, 1)
    unsupported = bytearray(data)
    struct.pack_into("<H", unsupported, data.index(b"PK\x01\x02") + 10, 99)
    wrong_sum = bytearray(data)
    wrong_sum[data.index(b"PK\x01\x02") + 16] ^= 1
    bomb = archive(tmp_path / "bomb.zip", {"v.txt": b"9" * (1 << 22)}).read_bytes()
    inner = archive(tmp_path / "inner.zip", {"v.zip": data}).read_bytes()
    empty = archive(tmp_path / "none.zip", {"folder/": b""}).read_bytes()
    for name, content, message in (
        ("truncated", data[:-30], "truncated or damaged"),
        ("cut", data[: start + 40], "truncated or damaged"),
        ("flipped", data[: start + 9] + b"\xff\xff" + data[start + 11 :], "damaged"),
        ("encrypted", bytes(encrypted), "is encrypted: unpack it"),
        ("unsupported", bytes(unsupported), "damaged"),
        ("wrong checksum", bytes(wrong_sum), "truncated or damaged"),
        ("bomb", bomb, "line 1"),
        ("inner", inner, "looks like a zip archive"),
        ("empty", empty, "has no files in it"),
    ):
        path = tmp_path / f"{name}.zip"
        path.write_bytes(content)
        with pytest.raises(InputError, match=message) as caught:
            WordVectors.load(path)
        assert "\n" not in str(caught.value)
