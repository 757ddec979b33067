"""Files that are something else, or promise what they do not hold: one line, and little memory."""

import gzip
import io
import pickle
import struct
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest

from damaged_files import saved
from lexvec import InputError, ResourceError, WordVectors
from lexvec.vectors.formats import format as file_format

COUNTS = ["-1", "0", "12", "10", str(10**12), "1" * 29, "99999999999999999999"]


def tarred(name: str, content: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        member = tarfile.TarInfo(name)
        member.size = len(content)
        file.addfile(member, io.BytesIO(content))
    return out.getvalue()


def archive(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return out.getvalue()


def array(shape: tuple[int, ...], kind: str, content: bytes) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": kind, "fortran_order": False, "shape": shape})
    return out.getvalue() + content


def read_strictly(path: Path, form: str | None = None, most: float = 40e6) -> None:
    """Read a file with little memory."""
    tracemalloc.start()
    try:
        WordVectors.load(path, format=form)
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < most


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", ["word2vec", "word2vec-binary"])
@pytest.mark.parametrize("count", COUNTS)
def test_wrong_counts_allocate_nothing(tmp_path: Path, name: str, count: str, packed: bool) -> None:
    data = saved(tmp_path, name).partition(b"\n")[2]
    for header in (f"{count} 4\n", f"11 {count}\n"):
        content = header.encode() + data
        (tmp_path / "v").write_bytes(gzip.compress(content) if packed else content)
        with pytest.raises(InputError):
            read_strictly(tmp_path / "v", name)


def test_messages_say_what_is_wrong_with_counts(tmp_path: Path) -> None:
    for header, message in [
        ("-1 3", "promises -1 vectors of 3 dimensions: its first line is damaged"),
        ("0 3", "has no words: give a file with vectors"),
        ("1000000000000 3", "promises 1,000,000,000,000 vectors of 3 dimensions and is too short to hold them"),
        ("3 3", "promises 3 vectors and has 2: it is damaged; get it again"),
        ("1 3", "promises 1 vectors and has 2: it is damaged; get it again"),
        ("2 4", "line 2: 3 numbers where 4 are expected"),
    ]:
        (tmp_path / "v.txt").write_text(f"{header}\ncat 0.123 4.567 8.910\ndog 0.123 4.567 8.910\n")
        with pytest.raises(InputError, match=message):
            WordVectors.load(tmp_path / "v.txt")


@pytest.mark.parametrize(
    "field", ["1_0", "0x10", "1,5", "", "--1", "1e", "0.1.2", "1-2", "½", "١", "1\x00", "(1)", "True"]
)
@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("header", ["3 3\n", ""])
def test_what_is_not_a_number(tmp_path: Path, field: str, place: int, header: str) -> None:
    fields = ["0.5", "0.25", "-1"]
    fields[place] = field
    (tmp_path / "v").write_text(f"{header}cat 1 2 3\ndog {' '.join(fields)}\nfox 1 2 3\n")
    with pytest.raises(InputError, match=f"line {3 if header else 2}"):
        WordVectors.load(tmp_path / "v")


@pytest.mark.parametrize("field", ["nan", "NaN", "inf", "-Infinity", "1e999", "1e39"])
def test_what_is_not_finite(tmp_path: Path, field: str) -> None:
    (tmp_path / "v").write_text(f"3 3\ncat 1 2 3\ndog 1 {field} 2\nfox 1 2 3\n")
    with pytest.raises(InputError, match=r"the vector of 'dog' \(.*v, line 3\) has -?(nan|inf), or a number too large"):
        WordVectors.load(tmp_path / "v")
    np.savez(tmp_path / "v.npz", words=np.array(["a", "b"]), vectors=np.array([[1, 2], [float(field), 4]]))
    with pytest.raises(InputError, match=r"the vector of 'b' \(.*v.npz, row 1\) has"):
        WordVectors.load(tmp_path / "v.npz")


ONE = array((1,), "<U1", b"a\0\0\0")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"<!DOCTYPE html>\n<html lang=en><title>404 Not Found</title>", "looks like a web page"),
        (b"\n  <html>\n<body>rate limit", "looks like a web page"),
        (pickle.dumps({"vectors": [1.0]}), "looks like an object that Python or gensim saved"),
        (struct.pack("<ii", 793712314, 12) + b"\0" * 40, "is truncated"),
        (array((2, 2), "<f4", b"\0" * 16), "looks like one numpy array, without words"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is in no known format of vectors"),
        (b"2 3\ncaf\xe9 1 2 3\nx 1 2 3\n", r"line 2: the word b'caf\\xe9' is not UTF-8: convert the file first"),
        (b"caf\xe9 1 2 3\n", "is not UTF-8"),
        (b"2 3\na 1 2 3\n\nb 1 2 3\n", "line 3 is empty: the file is damaged"),
        (b"2 3\na 1 2 3\n 1 2 3 4\n", "line 3: "),
        (b"2 3\na 1 2 3\nb\0c 1 2 3\n", r"line 3: the word 'b\\x00c' contains NUL: it is damaged"),
        (b"2 3\na 1 2 3\n 1 2 3.5\n", "line 3: there is no word before the vector"),
        (b"2 3\na 1 2 3\nb 1 2 3.5", "line 3 does not end: the file is truncated"),
        (b"1 1\na\xff \0\0\x80\x3f", r"word 1: the word b'a\\xff' is not UTF-8"),
        (b"2 1\na \0\0\x80\x3fb \0\0\x80\x3f...", "goes on after 2 vectors"),
        (b"2 1\na \0\0\x80\x3f\n\nb \0\0\x80\x3f", "word 2 contains a line feed"),
        (b"11 4*the 1 2 3 4\na 1 2 3 4\nb 1 2 3 4\n", "line 1 looks like a damaged header"),
        (b"word\n", "there is no word with numbers behind it"),
        (b"just some text\nof a book\n", "line 1: "),
        (b'{"a": [1, 2]}\n', "line 1: "),
        (b"word\t1\t2\nother\t1\t2\n", "there is no word with numbers behind it"),
        (tarred("vectors.txt", b"the 1 2 3"), "looks like a tar archive: unpack it"),
        (archive(), "has nothing, not words and vectors"),
        (archive(words=ONE), "has words.npy, not words and vectors"),
        (archive(words=ONE, vectors=array((10**12, 300), "<f4", b"\0" * 99)), "as long as it"),
        (archive(words=ONE, vectors=array((-1, 3), "<f4", b"")), "damaged"),
        (archive(words=ONE, vectors=array((1, 1), "|O", b"\0" * 8)), "damaged"),
        (archive(words=ONE, vectors=array((2, 1), "<f4", b"\0" * 8)), "has 1 words and 2 vec"),
        (archive(words=array((1,), "|S1", b"a"), vectors=array((1, 1), "<f4", b"\0" * 4)), "not a list of strings"),
        (archive(words=ONE, vectors=array((1,), "<f4", b"\0" * 4)), "not a matrix of numbers"),
        (archive(words=array((1,), "<U1", b"\0\xd8\0\0"), vectors=array((1, 1), "<f4", b"\0" * 4)), "is not UTF-8"),
        (archive(words=array((1,), "<U1", b"\xff" * 4), vectors=array((1, 1), "<f4", b"\0" * 4)), "damaged"),
        (archive(words=b"", vectors=b""), "damaged"),
    ],
)  # fmt: skip
def test_what_it_looks_like(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "v").write_bytes(data)
    with pytest.raises(InputError, match=message) as caught:
        WordVectors.load(tmp_path / "v")
    assert "\n" not in str(caught.value)


def test_an_archive_that_would_swell(tmp_path: Path) -> None:
    """A few kilobytes that claim to hold terabytes: refused before anything is allocated."""
    (tmp_path / "v").write_bytes(archive(words=array((10**12,), "<U10", b""), vectors=array((10**12, 300), "<f4", b"")))
    with pytest.raises(InputError, match="words.npy is not as long as it says"):
        read_strictly(tmp_path / "v")
    lying = bytearray(archive(words=array((10**9,), "<U1", b""), vectors=array((10**9, 1), "<f4", b"")))
    for name, header in ((b"words.npy", 128), (b"vectors.npy", 128)):
        entry = lying.rindex(name) - 46  # in the archive's directory
        lying[entry + 24 : entry + 28] = struct.pack("<I", 4 * 10**9 + header)
    (tmp_path / "v").write_bytes(lying)
    with pytest.raises(InputError, match="words.npy cannot be as long as it says"):
        read_strictly(tmp_path / "v")


RECORD = b"a " + np.ones(2000, "<f4").tobytes()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a" * 1000, "there is no word with numbers behind it"),
        (b"\0" * 1000, "in no known format"),
        (b"1" * 1000, "line 1 is longer than any vector"),
        (b"1 " * 500, "line 1 is longer than any vector"),
        (b"\n" * 1000, "there is no word with numbers behind it"),
        (b" " * 1000, "there is no word with numbers behind it"),
    ],
)
def test_much_of_one_byte_in_a_small_file(tmp_path: Path, content: bytes, message: str) -> None:
    with gzip.open(tmp_path / "v.txt.gz", "wb", compresslevel=1) as file:
        for _ in range(40):
            file.write(content * 1000)
    with pytest.raises(InputError, match=message):
        read_strictly(tmp_path / "v.txt.gz", most=60e6)


@pytest.mark.parametrize(
    ("start", "content", "message"),
    [
        (b"1000000000 2000\n", RECORD, r"word 4961 of 1,000,000,000 is cut off"),
        (b"9 1000000000\na ", b"\0\0\0\0", r"promises 9 vectors of 1,000,000,000 dimensions"),
        (b"9 200000\na ", b"\0\0\0\0", r"word 2 of 9 is not followed by a space"),
        (b"1000000000 4\n", b"\0", "word 1 of 1,000,000,000 is not followed by a space"),
    ],
    ids=["many words", "many dimensions", "long vectors", "no words"],
)
def test_a_binary_file_whose_header_lies(tmp_path: Path, start: bytes, content: bytes, message: str) -> None:
    with gzip.open(tmp_path / "v.bin.gz", "wb", compresslevel=1) as file:
        file.write(start)
        for _ in range(40):
            file.write(content * (1_000_000 // len(content)))
    with pytest.raises(InputError, match=message):
        read_strictly(tmp_path / "v.bin.gz", "word2vec-binary", most=60e6)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (array((2_000_000,), "<U4", b"\0" * 32_000_000), "row 0: there is no word before the vector"),
        (array((1,), f"<U{8 << 20}", b"a\0\0\0" * (8 << 20)), "not a list of strings"),
        (array((2,), "<U1", b"a\0\0\0" * 2), "has 2 words and 2000000 vectors"),
    ],
    ids=["empty words", "a long word", "few words"],
)
def test_an_archive_that_unpacks_to_much_more(tmp_path: Path, words: bytes, message: str) -> None:
    content = archive(words=words, vectors=array((2_000_000, 10), "<f4", b"\0" * 80_000_000))
    (tmp_path / "v.npz").write_bytes(content)
    assert len(content) < 200_000
    with pytest.raises(InputError, match=message):
        read_strictly(tmp_path / "v.npz", most=60e6)


def test_a_matrix_larger_than_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_format, "free_memory", lambda: 10**7)
    monkeypatch.setattr(file_format, "_CHECKED_BYTES", 10**6)
    words = np.array([f"w{row}" for row in range(30_000)])
    for matrix in (np.zeros((30_000, 100), np.float32), np.zeros((30_000, 100), np.float32, order="F")):
        np.savez_compressed(tmp_path / "v.npz", words=words, vectors=matrix)
        with pytest.raises(ResourceError, match="0.0 GB are free: read fewer words with limit"):
            WordVectors.load(tmp_path / "v.npz")
