"""Binary files that are truncated, flipped or lie about their sizes: one clear line, or the right vectors."""

import gzip
import struct
import tracemalloc
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from binary_models import HEADER, fasttext_bytes, quantised
from lexvec import ArtefactError, InputError, LexvecError, WordVectors
from lexvec.subwords import ArrayRows, FloretScheme, LexVecScheme, NgramComposer

RANDOM = np.random.default_rng(8)
WORDS = [b"the", b"cat", "été".encode()]
NGRAMS = (20, 3, 6)
DIM = 3
MATRIX = RANDOM.normal(size=(len(WORDS) + NGRAMS[0], DIM)).astype(np.float32)
PRUNED = [(4, 0), (7, 2), (1, 1)]
CODES = quantised(len(WORDS) + len(PRUNED), DIM, 2, norms=True).data
GO = struct.pack("<7I", 0xBEA25956, 1, 3, 23, DIM, 3, 6) + b"".join(
    len(word).to_bytes(4, "little") + word for word in WORDS
)
FLORET = "3 2 2 4 2 2166136261 < >\n" + "".join(f"{row} {row}.5 -{row}.25\n" for row in range(3))
FILES = {
    "fasttext": fasttext_bytes(WORDS, MATRIX, ngrams=NGRAMS, labels=[b"__label__x"]),
    "quantised": fasttext_bytes(WORDS, CODES, ngrams=NGRAMS, pruned=PRUNED, dim=DIM, model=3),
    "floret": fasttext_bytes(WORDS, MATRIX, ngrams=NGRAMS, floret=(2, 2)),
    "lexvec-go": GO + MATRIX.astype("<f8").tobytes(),
    "floret-text": FLORET.encode(),
}


def read(path: Path, data: bytes) -> WordVectors | None:
    """What is in a file, if it is not refused, in one line."""
    path.write_bytes(data)
    message = ""
    try:
        return WordVectors.load(path)
    except LexvecError as error:
        message = str(error)
    assert message
    assert "\n" not in message
    return None


@pytest.mark.parametrize("name", FILES)
def test_the_files_are_right_as_they_are(tmp_path: Path, name: str) -> None:
    vectors = read(tmp_path / "v", FILES[name])
    assert vectors is not None
    assert vectors.composer is not None
    assert len(vectors) == (0 if name == "floret-text" else 3)


@pytest.mark.parametrize("name", FILES)
def test_truncation(tmp_path: Path, name: str) -> None:
    data = FILES[name]
    lengths = [*range(0, min(len(data), 300), 2), *range(300, len(data), 101), len(data) - 1]
    for length in lengths:
        assert read(tmp_path / "cut", data[:length]) is None, length


@pytest.mark.parametrize("name", FILES)
def test_what_follows_the_end(tmp_path: Path, name: str) -> None:
    for more in (b"\0", b"rest"):
        assert read(tmp_path / "long", FILES[name] + more) is None


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(flips=st.lists(st.tuples(st.integers(0, 199), st.integers(0, 7)), min_size=1, max_size=4))
def test_flipped_bits_of_headers_and_words(tmp_path: Path, name: str, flips: list[tuple[int, int]]) -> None:
    flipped = bytearray(FILES[name])
    for place, bit in flips:
        flipped[place % len(flipped)] ^= 1 << bit
    tracemalloc.start()
    try:
        vectors = read(tmp_path / "flipped", bytes(flipped))
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 20e6
    if vectors is not None:
        assert vectors.matrix.shape[0] <= 4
        with suppress(InputError):  # a row of n-grams is looked at when it is used
            assert np.isfinite(vectors.composed(["cats"])).all()


def lied(name: str, place: int, form: str, *values: int) -> bytes:
    data = bytearray(FILES[name])
    struct.pack_into(f"<{form}", data, place, *values)
    return bytes(data)


INPUT = len(FILES["fasttext"]) - 4 * DIM * len(WORDS) - 17 - MATRIX.nbytes - 16  # where the rows of the input begin


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lied("fasttext", 64, "iii", 2**31 - 1, 2**31 - 1, 0), "promises 2,147,483,647 words and labels"),
        (lied("fasttext", 64, "iii", 0, 0, 0), "has no words: give a file with vectors"),
        (lied("fasttext", 64, "iii", 4, -1, 5), "-1 words and 5 labels among 4 entries"),
        (lied("fasttext", 4, "i", 13), "has version 13 of fastText's format, and lexvec reads 11 and 12"),
        (lied("fasttext", 8, "i", 0), "vectors of 0 dimensions"),
        (lied("fasttext", 8, "i", 2**30), "vectors of 1,073,741,824 dimensions"),
        (lied("fasttext", 8, "i", 4), "rows of 3 and vectors of 4 dimensions"),
        (lied("fasttext", 36, "i", 9), "its kind of model is 9"),
        (lied("fasttext", 40, "i", -1), "n-grams of 3 to 6 characters, -1 buckets"),
        (lied("fasttext", 40, "i", 2**31 - 1), "23 rows for 2,147,483,650 words and n-grams"),
        (lied("fasttext", 48, "i", 2**31 - 1), "n-grams of 3 to 2,147,483,647 characters"),
        (lied("fasttext", 84, "q", 10**12), "1,000,000,000,000 n-grams left of 20"),
        (lied("fasttext", 84, "q", 3), "is damaged"),
        (lied("fasttext", INPUT, "q", 10**12), "an array of 1,000,000,000,000 × 3 numbers"),
        (lied("fasttext", INPUT, "q", -1), "an array of -1 × 3 numbers"),
        (lied("fasttext", INPUT - 1, "B", 7), "its flag of quantised rows is 7, not 0 or 1"),
        (lied("fasttext", HEADER + 12, "B", 1), "entry 1 has the type 1"),
        (FILES["fasttext"].replace(b"the\0", b"the!"), "is damaged"),
        (FILES["fasttext"].replace(b"the\0", b"\0the"), "is damaged"),
        (fasttext_bytes([b"", b"a"], MATRIX[:2]), r"word 1 is b''"),
        (fasttext_bytes(WORDS, MATRIX, ngrams=NGRAMS, pruned=PRUNED), "pruned but not quantised"),
        (fasttext_bytes(WORDS, CODES, ngrams=NGRAMS, pruned=[(4, 0), (4, 1), (1, 2)], dim=DIM), "n-grams that"),
        (fasttext_bytes(WORDS, CODES, ngrams=NGRAMS, pruned=[(4, 0), (5, 3), (1, 2)], dim=DIM), "n-grams that"),
        (fasttext_bytes(WORDS, MATRIX * np.float32(1e38)), "is damaged"),
        (fasttext_bytes(WORDS, np.full((3, 2), np.nan, np.float32)), "the vector of 'the'"),
        (fasttext_bytes(WORDS, MATRIX[:3], floret=(3, 2)), "floret's mode 3 with 2 hashes"),
        (lied("lexvec-go", 4, "I", 2), "has version 2 of its format"),
        (lied("lexvec-go", 8, "I", 2**32 - 1), "words, 23 rows"),
        (lied("lexvec-go", 12, "I", 2**32 - 1), "promises 4,294,967,295 vectors of 3 dimensions and is too short"),
        (lied("lexvec-go", 12, "I", 22), "is damaged"),
        (lied("lexvec-go", 16, "I", 2**32 - 1), "vectors of 4,294,967,295 dimensions"),
        (lied("lexvec-go", 20, "I", 0), "subwords from a list that is not in the file"),
        (lied("lexvec-go", 24, "I", 2), "n-grams of 3 to 2 bytes"),
        (lied("lexvec-go", 28, "I", 2**32 - 1), "word 1 is 4,294,967,295 bytes long"),
        (FLORET.replace("3 2 2 4", f"{10**11} 2 2 4").encode(), "promises 100,000,000,000 vectors of 2 dimensions"),
        (FLORET.replace("4 2 2166", "4 9 2166").encode(), "line 1: hash_count=9: it must be 1, 2, 3 or 4"),
        (FLORET.replace("2166136261", "1").encode(), "another seed or other marks"),
        (FLORET.replace("\n1 ", "\n2 ").encode(), "line 3: there are no 2 numbers of row 1"),
        (FLORET.replace("1.5", "1,5").encode(), "line 3: there are no 2 numbers of row 1"),
        (FLORET.replace("1.5", "nan").encode(), "the vector of '1'"),
        (FLORET.replace("3 2 2", "4 2 2").encode(), "promises 4 rows and has 3"),
    ],
)  # fmt: skip
def test_messages(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "v").write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=message) as caught:
            WordVectors.load(tmp_path / "v")
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 20e6
    assert "\n" not in str(caught.value)


def test_compressed_binary_files(tmp_path: Path) -> None:
    for name in ("fasttext", "lexvec-go", "floret"):
        (tmp_path / "v.bin.gz").write_bytes(gzip.compress(FILES[name]))
        with pytest.raises(InputError, match="is compressed and can only be read in place: decompress it first"):
            WordVectors.load(tmp_path / "v.bin.gz")
    (tmp_path / "v.gz").write_bytes(gzip.compress(FILES["floret-text"]))
    assert WordVectors.load(tmp_path / "v.gz").composer is not None
    (tmp_path / "empty").write_bytes(b"")
    for form in ("fasttext", "lexvec-go", "floret"):
        with pytest.raises(InputError):
            WordVectors.load(tmp_path / "empty", format=form)


@pytest.mark.parametrize("scheme", [LexVecScheme(3, 6, 9), FloretScheme(3, 6, 9, 2)])
def test_every_flipped_bit_of_a_folder_with_ngrams(tmp_path: Path, scheme: LexVecScheme | FloretScheme) -> None:
    composer = NgramComposer(scheme, ArrayRows(MATRIX[:2]), np.array([3, 7]))
    vectors = WordVectors(["cat"], np.ones((1, DIM)), composer=composer)
    vectors.save(tmp_path / "v")
    assert (WordVectors.load(tmp_path / "v").composed(["cats"]) == vectors.composed(["cats"])).all()
    for file in (tmp_path / "v").iterdir():
        data = file.read_bytes()
        for place in range(0, len(data), 11):
            flipped = bytearray(data)
            flipped[place] ^= 1 << (place % 8)
            file.write_bytes(flipped)
            with pytest.raises(ArtefactError) as caught:
                WordVectors.load(tmp_path / "v").composed(["cats"])
            assert "\n" not in str(caught.value)
        file.write_bytes(data)
