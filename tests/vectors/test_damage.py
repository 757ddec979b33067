"""Files that are truncated or flipped, or hold any bytes: an error or what was meant, nothing wrong."""

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from damaged_files import FILES, VECTORS, saved
from lexvec import ArtefactError, InputError, LexvecError, WordVectors
from lexvec.vectors import FORMATS
from lexvec.vectors.formats.folder import VectorsFolder


def right(loaded: WordVectors) -> bool:
    """Whether every word has the vector that it was saved with, and none is made up."""
    return all(word in VECTORS and (loaded[word] == VECTORS[word]).all() for word in loaded)


def refused_or_right(path: Path, data: bytes, *, whole: bool, form: str | None = None) -> bool:
    path.write_bytes(data)
    loaded = read(path, form)
    assert loaded is None or right(loaded)
    assert loaded is None or not whole or loaded.words == VECTORS.words
    return loaded is None


def read(path: Path, form: str | None = None) -> WordVectors | None:
    """What is in a file, if it is not refused, in one line."""
    message = ""
    try:
        return WordVectors.load(path, format=form)
    except LexvecError as error:
        message = str(error)
    assert message
    assert "\n" not in message
    return None


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_truncation_at_each_length(tmp_path: Path, name: str) -> None:
    data = saved(tmp_path, name)
    path = tmp_path / "cut"
    for length in range(len(data)):
        for form in (None, name):
            # Without a header a file that is cut between two lines is a shorter file.
            if name == "glove" and length and data[length - 1 : length] == b"\n":
                refused_or_right(path, data[:length], whole=False, form=form)
                continue
            path.write_bytes(data[:length])
            with pytest.raises(InputError):
                WordVectors.load(path, format=form)


@pytest.mark.parametrize("name", ["word2vec", "word2vec-binary"])
def test_truncation_of_compressed_files(tmp_path: Path, name: str) -> None:
    data = saved(tmp_path, name)
    packed = gzip.compress(data, mtime=0)
    for length in range(len(packed)):
        (tmp_path / "cut").write_bytes(packed[:length])
        with pytest.raises(InputError):
            WordVectors.load(tmp_path / "cut")
    for length in range(0, len(data), 7):
        (tmp_path / "cut").write_bytes(gzip.compress(data[:length]))
        with pytest.raises(InputError):
            WordVectors.load(tmp_path / "cut")


@pytest.mark.parametrize("name", ["word2vec", "word2vec-binary"])
def test_every_flipped_bit_of_a_header(tmp_path: Path, name: str) -> None:
    data = saved(tmp_path, name)
    refused = 0
    for place in range(data.index(b"\n") + 1):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[place] ^= 1 << bit
            for form in (None, name):
                refused += refused_or_right(tmp_path / "flipped", bytes(flipped), whole=True, form=form)
    assert refused


def test_every_flipped_bit_of_an_archive(tmp_path: Path) -> None:
    data = saved(tmp_path, "numpy")
    refused = 0
    for place in range(len(data)):
        flipped = bytearray(data)
        flipped[place] ^= 1 << (place % 8)
        refused += refused_or_right(tmp_path / "flipped", bytes(flipped), whole=True)
    assert refused > len(data) / 2


def test_every_flipped_bit_of_a_folder(tmp_path: Path) -> None:
    VECTORS.save(tmp_path / "v")
    files = ("config.json", "words.txt", "vectors.safetensors")
    for file in (tmp_path / "v" / name for name in files):
        data = file.read_bytes()
        for place in range(len(data)):
            flipped = bytearray(data)
            flipped[place] ^= 1 << (place % 8)
            file.write_bytes(flipped)
            try:
                VectorsFolder.load(tmp_path / "v").verify()
                loaded = WordVectors.load(tmp_path / "v")
            except ArtefactError:
                continue
            # What is not under a checksum is what describes the folder: facts that no vector depends on.
            assert file.name == "config.json"
            assert right(loaded) and loaded.words == VECTORS.words
        file.write_bytes(data)


def test_the_layout_of_a_folder_is_checked_without_its_checksum(tmp_path: Path) -> None:
    VECTORS.save(tmp_path / "v")
    file = tmp_path / "v" / "vectors.safetensors"
    data = file.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    for place in range(start):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[place] ^= 1 << bit
            file.write_bytes(flipped)
            try:
                loaded = WordVectors.load(tmp_path / "v")
            except ArtefactError:
                continue
            assert right(loaded)


@pytest.mark.parametrize("name", ["word2vec", "word2vec-binary"])
def test_a_flipped_bit_in_the_exponent(tmp_path: Path, name: str) -> None:
    """The largest bit of the exponent makes 1e37 of 0.1, which no vector has."""
    vectors = WordVectors(["a", "b", "c"], np.full((3, 4), 0.1, np.float32))
    vectors.save(tmp_path / FILES[name])
    data = (tmp_path / FILES[name]).read_bytes()
    huge = np.float32(0.1) * np.float32(2.0**127) * 2
    old, new = (b"0.1", str(huge).encode()) if name == "word2vec" else (np.float32(0.1).tobytes(), huge.tobytes())
    (tmp_path / "v").write_bytes(data.replace(old, new, 1))
    with pytest.raises(InputError, match=r"the vector of 'a' \(.*\) has 3.4\d*e\+37, which is too large for a vector"):
        WordVectors.load(tmp_path / "v")
    with pytest.raises(InputError, match="the vector of 'a' has 9.99\\d*e\\+30, which is too large for a vector"):
        WordVectors(["a"], [[1e31]]).save(tmp_path / "new")


def test_line_feeds_between_binary_vectors_are_all_or_none(tmp_path: Path) -> None:
    """word2vec writes one after each vector: one that is damaged would be taken for a letter of the next word."""
    records = [
        word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip("abcd", np.eye(4, dtype="<f4"), strict=True)
    ]
    whole = b"4 4\n" + b"".join(records)
    (tmp_path / "v").write_bytes(whole)
    assert WordVectors.load(tmp_path / "v").words == list("abcd")
    places = [place for place, byte in enumerate(whole) if byte == ord("\n")][1:-1]
    assert len(places) == 3
    for place in places:
        (tmp_path / "v").write_bytes(whole[:place] + b"\v" + whole[place + 1 :])
        with pytest.raises(InputError, match="line feed"):
            WordVectors.load(tmp_path / "v")


@given(st.one_of(st.binary(max_size=200), st.text("0123456789. -e\nab\t", max_size=200).map(str.encode)))
@example(b"0 0\n")
@example(b"1 1\n\n")
@example(b"PK\x03\x04")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=400)
def test_any_bytes(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "v").write_bytes(data)
    for form in (None, *FILES):
        loaded = read(tmp_path / "v", form)
        assert loaded is None or (len(loaded) == len(loaded.matrix) > 0 and np.isfinite(loaded.matrix).all())


@given(st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
def test_damage_anywhere_in_what_has_a_checksum(tmp_path: Path, data: st.DataObject) -> None:
    """Bytes put in, taken out or doubled."""
    name = data.draw(st.sampled_from(["v.npz", "v.txt.gz", "v.bin.bz2", "v.bin.xz"]))
    VECTORS.save(tmp_path / name, force=True)
    content = (tmp_path / name).read_bytes()
    place = data.draw(st.integers(0, len(content) - 1))
    put_in = data.draw(st.sampled_from([b"", b"x", content[place : place + 5] * 2]))
    damaged = content[:place] + put_in + content[place + 1 :]
    (tmp_path / "v").write_bytes(damaged)
    loaded = read(tmp_path / "v")
    assert loaded is None or (right(loaded) and loaded.words == VECTORS.words)


def test_every_format_is_tried_here() -> None:
    elsewhere = {"lexvec", "parquet", "fasttext", "floret", "lexvec-go"}  # in tests of their own
    assert set(FILES) | elsewhere == {name for name in FORMATS if FORMATS[name].read}


def test_what_is_left_by_a_kill_goes_with_the_next_write(tmp_path: Path) -> None:
    left = tmp_path / ".v.txt.1-abcdef01.partial"
    left.write_bytes(b"half of it")
    WordVectors(["a"], np.ones((1, 2))).save(tmp_path / "v.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["v.txt"]


def test_a_byte_order_mark_is_no_part_of_a_word(tmp_path: Path) -> None:
    for text in ("a 1 2\nb 3 4\n", "2 2\na 1 2\nb 3 4\n"):
        (tmp_path / "v.txt").write_text(text, encoding="utf-8-sig")
        assert WordVectors.load(tmp_path / "v.txt").words == ["a", "b"]


def test_a_file_that_may_not_be_read_is_not_called_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved(tmp_path, "numpy")

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(zipfile, "ZipFile", refuse)
    with pytest.raises(InputError, match=r"cannot read .*v.npz \(Permission denied\): check the file"):
        WordVectors.load(tmp_path / "v.npz")
