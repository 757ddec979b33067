"""Schemes against a slow, readable twin, known hashes, and what the programs themselves print."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexvec.errors import ArtefactError, ParameterError
from lexvec.subwords import SCHEMES, FastTextScheme, FloretScheme, LexVecScheme, recorded_scheme
from lexvec.subwords.schemes import NgramScheme

M32, M64 = 2**32 - 1, 2**64 - 1


def fnv1(text: bytes) -> list[int]:
    h = 2166136261
    for byte in text:
        h = h * 16777619 & M32 ^ byte
    return [h]


def fnv1a(text: bytes) -> list[int]:
    h = 2166136261
    for byte in text:
        signed = byte - 256 if byte > 127 else byte
        h = (h ^ (signed & M32)) * 16777619 & M32
    return [h]


def murmur3(text: bytes) -> list[int]:
    """MurmurHash3 for 64-bit machines, 128 bits, in the manner of its description."""

    def rotate(x: int, bits: int) -> int:
        return (x << bits | x >> (64 - bits)) & M64

    def finish(h: int) -> int:
        for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
            h = (h ^ h >> 33) * factor & M64
        return h ^ h >> 33

    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
    h1 = h2 = 2166136261
    for at in range(0, len(text) + 1, 16):
        block = text[at : at + 16]
        k1, k2 = (int.from_bytes(block[half : half + 8], "little") for half in (0, 8))
        h1 ^= rotate(k1 * c1 & M64, 31) * c2 & M64
        if len(block) == 16:
            h1 = (rotate(h1, 27) + h2) * 5 + 0x52DCE729 & M64
        h2 ^= rotate(k2 * c2 & M64, 33) * c1 & M64
        if len(block) == 16:
            h2 = (rotate(h2, 31) + h1) * 5 + 0x38495AB5 & M64
    h1, h2 = h1 ^ len(text), h2 ^ len(text)
    h1 = h1 + h2 & M64
    h2 = h2 + h1 & M64
    h1, h2 = finish(h1), finish(h2)
    h1 = h1 + h2 & M64
    h2 = h2 + h1 & M64
    return [h1 & M32, h1 >> 32, h2 & M32, h2 >> 32]


def twin_rows(scheme: NgramScheme, word: str) -> list[int]:
    """The rows of a word, n-gram by n-gram."""
    if word == "</s>" and scheme.name != "lexvec":
        return []
    marked = b"<" + word.encode("utf-8", "surrogateescape") + b">"
    if scheme.name == "lexvec":
        units = [marked[at : at + 1] for at in range(len(marked))]
    else:
        units = []
        for at in range(len(marked)):
            if marked[at] & 0xC0 == 0x80:
                units[-1] += marked[at : at + 1]
            else:
                units.append(marked[at : at + 1])
    grams = [marked] if scheme.name == "floret" else []
    for start in range(len(units)):
        for n in range(max(1, scheme.min_n), scheme.max_n + 1):
            gram = units[start : start + n]
            whole = scheme.name == "lexvec" and n == len(units)
            mark = scheme.name != "lexvec" and n == 1 and start in (0, len(units) - 1)
            if len(gram) == n and not whole and not mark:
                grams.append(b"".join(gram))
    hashes: Callable[[bytes], list[int]] = {"fasttext": fnv1a, "lexvec": fnv1, "floret": murmur3}[scheme.name]
    count = getattr(scheme, "hash_count", 1)
    return [h % scheme.buckets for gram in grams for h in hashes(gram)[:count]]


def test_known_hashes() -> None:
    assert LexVecScheme().part_rows(["<wh", "für"]).tolist() == [1028546, 1097230]
    assert FastTextScheme().part_rows(["<wh", "für"]).tolist() == [167652, 1465516]
    assert FastTextScheme(3, 3).rows("where")[0] == 167652
    assert LexVecScheme(3, 3).rows("where")[0] == 1028546
    assert murmur3(b"")[0] % (2**31 - 1) == int(FloretScheme(0, 0, 2**31 - 1, 1).part_rows([""])[0])


@pytest.mark.parametrize(("word", "fasttext", "lexvec"), [("a", 1, 0), ("the", 6, 5), ("where", 14, 14)])
def test_numbers_of_ngrams(word: str, fasttext: int, lexvec: int) -> None:
    assert (len(FastTextScheme().rows(word)), len(LexVecScheme().rows(word))) == (fasttext, lexvec)


SOME: list[NgramScheme] = [
    FastTextScheme(),
    FastTextScheme(1, 2, 7),
    FastTextScheme(0, 3, 10),
    LexVecScheme(),
    LexVecScheme(1, 9, 100),
]
MORE: list[NgramScheme] = [
    FloretScheme(3, 5, 3000, 2),
    FloretScheme(1, 1, 1, 1),
    FloretScheme(2, 20, 2**31 - 1, 4),
    FloretScheme(0, 0, 9, 3),
]


@pytest.mark.parametrize("scheme", SOME + MORE, ids=str)
@given(words=st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=40), max_size=8))
def test_rows_equal_the_twin(scheme: NgramScheme, words: list[str]) -> None:
    words = [*words, "für", "日本語", "</s>", "caf\udce9", "\udc80\udc81", "🙂"]
    indptr, rows = scheme.table(words)
    twins = [twin_rows(scheme, word) for word in words]
    assert [rows[a:b].tolist() for a, b in pairwise(indptr)] == twins
    assert all(scheme.rows(word).tolist() == twin for word, twin in zip(words, twins, strict=True))


def test_a_vocabulary_is_cut_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"word{number}" for number in range(50)]
    for scheme in (FastTextScheme(), FloretScheme()):
        whole = scheme.table(words)
        with monkeypatch.context() as patch:
            patch.setattr("lexvec.subwords.schemes._BATCH", 30)
            for one, other in zip(whole, scheme.table(words), strict=True):
                np.testing.assert_array_equal(one, other)


def test_words_without_ngrams() -> None:
    for scheme in (FastTextScheme(4), LexVecScheme(), FastTextScheme(buckets=0), FloretScheme(buckets=0)):
        assert scheme.rows("a").tolist() == []
        assert scheme.rows("a").dtype == np.int64
        assert [array.tolist() for array in scheme.table([])] == [[0], []]
        assert [array.tolist() for array in scheme.table(["a", "b"])] == [[0, 0, 0], []]
    assert len(FastTextScheme().rows("\ud800")) == 1  # no text, but no reason to stop


def test_long_words_and_ngrams() -> None:
    word = "x" * 70_000
    assert len(FastTextScheme(3, 3).rows(word)) == 70_000
    assert len(FloretScheme(3, 100).rows("xy")) == 2 * (1 + 3)


def test_a_record_gives_the_same_scheme() -> None:
    for scheme in (FastTextScheme(2, 4, 1000), LexVecScheme(), FloretScheme(3, 5, 3000, 4)):
        assert recorded_scheme(scheme.record(), "folder") == scheme
    wrong: list[Any] = [None, {}, {"name": "moods"}, {"name": []}, {"name": "fasttext", "min_n": "3"}]
    for record in [*wrong, {"name": "lexvec", "hash_count": 2}, {"name": "floret", "hash_count": 9}]:
        with pytest.raises(ArtefactError, match="folder"):
            recorded_scheme(record, "folder")


@pytest.mark.parametrize(
    "values", [{"min_n": -1}, {"max_n": 101}, {"buckets": 2**31}, {"buckets": True}, {"min_n": 2.0}]
)
def test_impossible_schemes(values: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=next(iter(values))):
        FastTextScheme(**values)
    with pytest.raises(ParameterError, match="hash_count=5: it must be 1, 2, 3 or 4"):
        FloretScheme(hash_count=5)


def test_schemes_are_an_open_table() -> None:
    assert set(SCHEMES) >= {"fasttext", "lexvec", "floret"}
    assert SCHEMES["fasttext"] is FastTextScheme


def test_vectors_that_floret_printed(real_models: Path) -> None:
    """Rows of floret's own text file give the vectors that floret prints, of known and of unknown words."""
    header, *lines = (real_models / "floret.txt").read_text().splitlines()
    buckets, _, min_n, max_n, hash_count = map(int, header.split()[:5])
    scheme = FloretScheme(min_n, max_n, buckets, hash_count)
    table = np.array([line.split()[1:] for line in lines], np.float64)
    printed = [line.split() for line in (real_models / "floret.words.txt").read_text(encoding="utf-8").splitlines()]
    for word, *numbers in printed[1:]:  # floret gives word 0, here "the", another row, which its text does not have
        np.testing.assert_allclose(table[scheme.rows(word)].mean(axis=0), np.array(numbers, float), atol=2e-5)
