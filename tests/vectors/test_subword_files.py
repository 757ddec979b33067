"""Files of other programs that have n-grams: what the programs themselves print, and what they read of ours."""

import logging
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from gensim.models.fasttext import load_facebook_vectors

from binary_models import fasttext_buckets, fasttext_bytes, quantised, read_go
from lexvec import InputError, LexvecError, ParameterError, UnknownWordError, WordVectors
from lexvec.subwords import ArrayRows, FastTextScheme, FloretScheme, LexVecScheme, NgramComposer
from lexvec.vectors.formats import format_of_name, recognised

RANDOM = np.random.default_rng(5)
WORDS = [b"the", b"cat", b"caf\xe9", "été".encode(), b"a", b"</s>"]
NGRAMS = (50, 3, 6)
MATRIX = RANDOM.normal(size=(len(WORDS) + NGRAMS[0], 4)).astype(np.float32)
UNSEEN = [b"cats", b"thecat", b"q", "日本".encode(), b"\xff\xfe", b"<"]


def expected(word: bytes, words: list[bytes] = WORDS, matrix: np.ndarray = MATRIX) -> np.ndarray:
    """The mean of the rows of a word and of its n-grams, as fastText adds them."""
    rows = [words.index(word)] if word in words else []
    if word != b"</s>":
        rows += [len(words) + bucket for bucket in fasttext_buckets(word, *NGRAMS)]
    total = np.zeros(matrix.shape[1], np.float32)
    for row in rows:
        total += matrix[row]
    return total * np.float32(1 / max(1, len(rows)))


def decoded(word: bytes) -> str:
    return word.decode(errors="surrogateescape")


def given(vectors: WordVectors, word: str) -> np.ndarray:
    """The vector of a word, zeros if there is none."""
    try:
        return vectors[word]
    except UnknownWordError:
        return np.zeros(vectors.dim, np.float32)


PRINTED: list[tuple[str, str, Callable[[float], str]]] = [
    ("fasttext", "fasttext", lambda number: f"{number:.5g}"),
    ("floret", "floret", lambda number: repr(float(number))),
    ("lexvec-go", "lexvec-go", lambda number: f"{number:.6f}"),
]


@pytest.mark.parametrize(("name", "form", "printed"), PRINTED, ids=[name for name, *_ in PRINTED])
def test_known_and_unknown_words_to_the_last_printed_digit(
    real_models: Path, tmp_path: Path, name: str, form: str, printed: Callable[[float], str]
) -> None:
    vectors = WordVectors.load(real_models / f"{name}.bin")
    assert recognised(real_models / f"{name}.bin") == form
    vectors.save(tmp_path / "folder")
    for loaded in (vectors, WordVectors.load(tmp_path / "folder")):
        known = 0
        for line in (real_models / f"{name}.words.txt").read_text(encoding="utf-8").splitlines():
            word, *numbers = line.split()
            assert [printed(number) for number in given(loaded, word)] == numbers, word
            known += word in loaded
        assert 2 <= known <= 6


@pytest.mark.parametrize(
    ("binary", "text", "digits"),
    [
        ("fasttext.bin", "fasttext.vec", 5e-5),
        ("lexvec-go.bin", "lexvec-go.txt", 5.1e-7),
        ("lexvec-go-plain.bin", "lexvec-go-plain.txt", 5.1e-7),
    ],
)
def test_all_words_have_the_vectors_of_the_text(real_models: Path, binary: str, text: str, digits: float) -> None:
    one, other = WordVectors.load(real_models / binary), WordVectors.load(real_models / text)
    assert one.words == other.words
    assert np.abs(one.matrix - other.matrix).max() < digits


def test_a_table_of_floret_as_text_agrees_with_its_model(real_models: Path) -> None:
    model, table = WordVectors.load(real_models / "floret.bin"), WordVectors.load(real_models / "floret.txt")
    assert len(table) == 0 and "the" not in table
    words = model.words[1:200]  # floret gives the first word a row that the text does not have
    np.testing.assert_allclose(table[[word for word in words if word != "</s>"]],
                               model[[word for word in words if word != "</s>"]], atol=1e-4)  # fmt: skip
    with pytest.raises(UnknownWordError, match=r"'</s>' is not in the vocabulary and has no n-gram"):
        table["</s>"]


def test_a_plain_model_has_no_vectors_for_other_words(real_models: Path) -> None:
    for name in ("fasttext-plain.bin", "lexvec-go-plain.bin"):
        vectors = WordVectors.load(real_models / name)
        assert vectors.composer is None
        with pytest.raises(UnknownWordError, match="'unseenword' is not in the vocabulary: check the spelling"):
            vectors["unseenword"]


def test_a_limit_keeps_the_first_words_and_all_ngrams(real_models: Path) -> None:
    for name in ("fasttext.bin", "floret.bin", "lexvec-go.bin"):
        whole, few = (WordVectors.load(real_models / name, limit=limit) for limit in (None, 7))
        assert few.words == whole.words[:7]
        assert (few.matrix == whole.matrix[:7]).all()
        assert (few.counts is None) == (name == "lexvec-go.bin")
        assert few.counts is None or few.counts.tolist() == np.asarray(whole.counts)[:7].tolist()
        assert (few["philosophically"] == whole["philosophically"]).all()


def test_counts_are_read(real_models: Path) -> None:
    vectors = WordVectors.load(real_models / "fasttext.bin")
    assert vectors.counts is not None
    assert vectors.counts[:2].tolist() == [17610, 11479]
    assert WordVectors.load(real_models / "lexvec-go.bin").counts is None


def test_a_fasttext_file_and_the_same_after_each_way(tmp_path: Path) -> None:
    (tmp_path / "v.bin").write_bytes(fasttext_bytes(WORDS, MATRIX, ngrams=NGRAMS))
    vectors = WordVectors.load(tmp_path / "v.bin")
    assert vectors.words == list(map(decoded, WORDS))
    vectors.save(tmp_path / "folder")
    WordVectors.load(tmp_path / "folder").save(tmp_path / "again.bin", format="fasttext")
    for path in ("v.bin", "folder", "again.bin"):
        loaded = WordVectors.load(tmp_path / path)
        assert loaded.words == vectors.words
        for word in WORDS + UNSEEN:
            assert (given(loaded, decoded(word)) == expected(word)).all(), (path, word)
    vectors.save(tmp_path / "direct.bin", format="fasttext")
    counts = WordVectors.load(tmp_path / "direct.bin").counts
    assert counts is not None and counts.tolist() == [100, 99, 98, 97, 96, 95]


@pytest.mark.parametrize("norms", [False, True])
@pytest.mark.parametrize(("dim", "dsub"), [(4, 2), (5, 2), (7, 3), (2, 2)])
def test_quantised_rows(tmp_path: Path, norms: bool, dim: int, dsub: int) -> None:
    matrix = quantised(len(WORDS) + NGRAMS[0], dim, dsub, norms=norms)
    output = quantised(300, dim, 2, norms=False).data
    for data in (
        fasttext_bytes(WORDS, matrix.data, ngrams=NGRAMS, dim=dim, model=3),
        fasttext_bytes(WORDS, matrix.data, ngrams=NGRAMS, dim=dim, model=3, output=output),
    ):
        (tmp_path / "v.ftz").write_bytes(data)
        vectors = WordVectors.load(tmp_path / "v.ftz")
        for word in WORDS + UNSEEN:
            np.testing.assert_allclose(given(vectors, decoded(word)), expected(word, matrix=matrix.rows), rtol=1e-5)
    vectors.save(tmp_path / "dense.bin", format="fasttext")
    dense = WordVectors.load(tmp_path / "dense.bin")
    assert (dense.matrix == vectors.matrix).all()
    assert (dense["cats"] == vectors["cats"]).all()


def test_a_pruned_model_leaves_ngrams_out_of_the_mean(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    words = [b"the", b"cat"]
    of_cats = fasttext_buckets(b"cats", *NGRAMS)
    pruned = [(of_cats[3], 1), (of_cats[0], 0), (49 if 49 not in of_cats else 48, 2)]
    assert len({bucket for bucket, _ in pruned}) == 3
    matrix = quantised(len(words) + len(pruned), 4, 2, norms=True)
    (tmp_path / "v.ftz").write_bytes(fasttext_bytes(words, matrix.data, ngrams=NGRAMS, pruned=pruned, dim=4, model=3))
    vectors = WordVectors.load(tmp_path / "v.ftz")
    rows = [len(words) + dict(pruned)[bucket] for bucket in of_cats if bucket in dict(pruned)]
    assert len(rows) >= 2
    mean = matrix.rows[rows].mean(axis=0)
    vectors.save(tmp_path / "folder")
    for loaded in (vectors, WordVectors.load(tmp_path / "folder")):
        np.testing.assert_allclose(loaded["cats"], mean, rtol=1e-5)
        with pytest.raises(UnknownWordError, match="no n-gram"):
            loaded["q"]
    with caplog.at_level(logging.WARNING):
        vectors.save(tmp_path / "dense.bin", format="fasttext")
    assert "n-grams that were pruned count as zeros" in caplog.text
    dense = WordVectors.load(tmp_path / "dense.bin")
    np.testing.assert_allclose(dense.matrix, vectors.matrix, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(dense["cats"], mean * len(rows) / len(of_cats), rtol=1e-5)
    (tmp_path / "none.ftz").write_bytes(
        fasttext_bytes(words, quantised(2, 4, 2, norms=True).data, ngrams=NGRAMS, pruned=[], dim=4, model=3)
    )
    assert WordVectors.load(tmp_path / "none.ftz").composer is None


def test_labels_and_supervised_models(tmp_path: Path) -> None:
    labels = [b"__label__good", b"__label__bad"]
    data = {version: fasttext_bytes(WORDS, MATRIX, ngrams=NGRAMS, labels=labels, model=3, version=version,
                                    output=np.zeros((2, 4), np.float32)) for version in (11, 12)}  # fmt: skip
    (tmp_path / "v.bin").write_bytes(data[12])
    vectors = WordVectors.load(tmp_path / "v.bin")
    assert vectors.words == list(map(decoded, WORDS))
    assert (vectors["cats"] == expected(b"cats")).all()
    (tmp_path / "old.bin").write_bytes(data[11])  # old supervised models have no n-grams, whatever they say
    old = WordVectors.load(tmp_path / "old.bin")
    assert old.composer is None
    assert (old.matrix == MATRIX[: len(WORDS)]).all()
    (tmp_path / "old.bin").write_bytes(fasttext_bytes(WORDS, MATRIX, ngrams=NGRAMS, version=11))
    assert (WordVectors.load(tmp_path / "old.bin")["cats"] == expected(b"cats")).all()


def test_a_supervised_model_that_is_quantised_and_pruned(tmp_path: Path) -> None:
    words, labels = [b"the", b"cat", b"</s>"], [b"__label__good", b"__label__bad"]
    of_the, of_cat = (fasttext_buckets(word, *NGRAMS) for word in words[:2])
    kept = {bucket: row for row, bucket in enumerate(dict.fromkeys([of_cat[1], of_the[0], of_cat[0]]))}
    matrix = quantised(len(words) + len(kept), 5, 2, norms=True)  # its last piece is shorter
    data = fasttext_bytes(words, matrix.data, ngrams=NGRAMS, labels=labels, pruned=list(kept.items()), dim=5, model=3,
                          output=quantised(len(labels), 5, 2, norms=True).data)  # fmt: skip
    (tmp_path / "v.ftz").write_bytes(data)
    vectors = WordVectors.load(tmp_path / "v.ftz")
    assert vectors.words == ["the", "cat", "</s>"]
    for row, (word, buckets) in enumerate(zip(words, (of_the, of_cat, []), strict=True)):
        rows = [row, *(len(words) + kept[bucket] for bucket in buckets if bucket in kept)]
        assert (len(rows) > 1) == bool(buckets)
        np.testing.assert_allclose(vectors[decoded(word)], matrix.rows[rows].mean(axis=0), rtol=1e-5)
    for end in (len(data) - 1, len(data) - 300, len(data) // 2):
        (tmp_path / "cut.ftz").write_bytes(data[:end])
        with pytest.raises(InputError, match=r"is (damaged|truncated) \("):
            WordVectors.load(tmp_path / "cut.ftz")


def test_no_buckets(tmp_path: Path) -> None:
    for ngrams in ((0, 3, 6), (0, 0, 0)):
        (tmp_path / "v.bin").write_bytes(fasttext_bytes(WORDS, MATRIX[: len(WORDS)], ngrams=ngrams))
        vectors = WordVectors.load(tmp_path / "v.bin")
        assert vectors.composer is None
        assert (vectors.matrix == MATRIX[: len(WORDS)]).all()


def test_words_that_occur_twice(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    words = [b"the", b"cat", b"the", b"dog"]
    (tmp_path / "v.bin").write_bytes(fasttext_bytes(words, MATRIX[:4]))
    with caplog.at_level(logging.WARNING):
        vectors = WordVectors.load(tmp_path / "v.bin")
    assert "1 vectors of repeated words are skipped, the first for 'the' (word 3)" in caplog.text
    assert vectors.words == ["the", "cat", "dog"]
    assert (vectors.matrix == MATRIX[[0, 1, 3]]).all()
    assert vectors.counts is not None and vectors.counts.tolist() == [100, 99, 97]
    assert WordVectors.load(tmp_path / "v.bin", limit=3).words == ["the", "cat", "dog"]


def test_words_that_are_not_utf8_are_kept(tmp_path: Path) -> None:
    words = [b"caf\xe9", b"caf\xea", "caf\N{REPLACEMENT CHARACTER}".encode()]
    (tmp_path / "v.bin").write_bytes(fasttext_bytes(words, MATRIX[:3]))
    vectors = WordVectors.load(tmp_path / "v.bin")
    assert len(set(vectors.words)) == 3
    for output, form in (("a.bin", "fasttext"), ("b.bin", "lexvec-go"), ("folder", "lexvec")):
        vectors.save(tmp_path / output, format=form)
        again = WordVectors.load(tmp_path / output)
        assert [word.encode(errors="surrogateescape") for word in again.words] == words
        assert (again.matrix == vectors.matrix).all()
    for output in ("v.txt", "w.bin", "v.glove", "v.npz"):
        with pytest.raises(
            InputError, match=r"files cannot hold the word 'caf\\udce9': leave it out or choose another"
        ):
            vectors.save(tmp_path / output)


def composing(scheme: FastTextScheme | LexVecScheme | FloretScheme, dtype: str = "f4") -> WordVectors:
    table = RANDOM.normal(size=(scheme.buckets, 4)).astype(dtype)
    words = ["cat", "dog", "日本", "x"]
    matrix = RANDOM.normal(size=(4, 4)).astype(np.float32)
    return WordVectors(words, matrix, composer=NgramComposer(scheme, ArrayRows(table)))


def test_a_reader_of_ten_lines_agrees_with_files_for_the_authors_program(tmp_path: Path) -> None:
    vectors = composing(LexVecScheme(3, 6, 40))
    vectors.save(tmp_path / "v.bin", format="lexvec-go")
    twin = read_go((tmp_path / "v.bin").read_bytes())
    assert (twin.words, twin.min_n, twin.max_n, len(twin.rows)) == ([w.encode() for w in vectors.words], 3, 6, 44)
    for word in [*vectors.words, "cats", "straße", "y"]:
        np.testing.assert_allclose(given(vectors, word), twin.vector(word.encode()), rtol=1e-6, atol=1e-9)
    plain = WordVectors(vectors.words, vectors.matrix)
    plain.save(tmp_path / "plain.bin", format="lexvec-go")
    twin = read_go((tmp_path / "plain.bin").read_bytes())
    assert (twin.min_n, twin.max_n, len(twin.rows)) == (0, 0, 4)
    assert (np.array(twin.rows) == vectors.matrix).all()


def test_gensim_agrees_with_files_for_fasttext(tmp_path: Path) -> None:
    vectors = composing(FastTextScheme(3, 6, 40))
    vectors.save(tmp_path / "v.bin", format="fasttext")
    theirs = load_facebook_vectors(str(tmp_path / "v.bin"))
    assert theirs.index_to_key == vectors.words
    for word in [*vectors.words, "cats", "straße", "y"]:
        np.testing.assert_allclose(vectors[word], theirs[word], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(WordVectors.load(tmp_path / "v.bin").matrix, vectors.matrix, rtol=1e-6, atol=1e-7)
    plain = WordVectors(vectors.words, vectors.matrix, counts=np.array([9, 7, 3, 1]))
    plain.save(tmp_path / "plain.bin", format="fasttext")
    theirs = load_facebook_vectors(str(tmp_path / "plain.bin"))
    assert (theirs.vectors == vectors.matrix).all()
    assert theirs.get_vecattr("dog", "count") == 7


def test_floret_as_text_and_back(tmp_path: Path) -> None:
    vectors = composing(FloretScheme(2, 4, 30, 3))
    for name in ("v.floret", "v.floret.gz"):
        vectors.save(tmp_path / name)
        again = WordVectors.load(tmp_path / name)
        assert again.words == []
        assert (again[["cats", "dog"]] == vectors.composed(["cats", "dog"])).all()
    assert (tmp_path / "v.floret").read_text().startswith("30 4 2 4 3 2166136261 < >\n0 ")
    again.save(tmp_path / "folder")
    folder = WordVectors.load(tmp_path / "folder")
    assert folder.matrix.shape == (0, 4)
    assert (folder["cats"] == again["cats"]).all()


def test_what_has_no_room_for_ngrams_says_so(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    vectors = composing(LexVecScheme(3, 6, 40))
    for output, form in (("v.txt", None), ("v.bin", None), ("v.npz", None), ("w.bin", "fasttext")):
        caplog.clear()
        with caplog.at_level(logging.WARNING):
            vectors.save(tmp_path / output, format=form)
        assert "no room for these n-grams: only the vectors of words are written" in caplog.text
        again = WordVectors.load(tmp_path / output)
        assert again.composer is None
        assert (again.matrix == vectors.matrix).all()
    with pytest.raises(InputError, match="floret files hold only a table of hashed words and n-grams"):
        vectors.save(tmp_path / "v.floret")


def test_names_do_not_decide_between_binary_formats(tmp_path: Path) -> None:
    assert format_of_name("v.bin") == "word2vec-binary"
    vectors = WordVectors(["cat", "dog"], np.eye(2))
    for form in ("word2vec-binary", "fasttext", "lexvec-go"):
        vectors.save(tmp_path / "v.bin", format=form, force=True)
        assert recognised(tmp_path / "v.bin") == form
        assert WordVectors.load(tmp_path / "v.bin").words == ["cat", "dog"]
    with pytest.raises(ParameterError, match="the format fasttext cannot be compressed"):
        vectors.save(tmp_path / "v.bin.gz", format="fasttext")
    (tmp_path / "v").write_bytes(fasttext_bytes(WORDS, MATRIX, ngrams=NGRAMS, floret=(2, 2)))
    assert recognised(tmp_path / "v") == "floret"
    for form in ("lexvec-go", "word2vec", "word2vec-binary"):
        with pytest.raises(LexvecError):
            WordVectors.load(tmp_path / "v", format=form)


def test_floret_gives_the_first_word_a_row(tmp_path: Path) -> None:
    (tmp_path / "v").write_bytes(fasttext_bytes(WORDS, MATRIX, ngrams=NGRAMS, floret=(2, 2)))
    vectors = WordVectors.load(tmp_path / "v")
    rows = FloretScheme(3, 6, NGRAMS[0], 2).rows("the")
    both = np.concatenate([MATRIX[:1], MATRIX[len(WORDS) + rows]])
    np.testing.assert_allclose(vectors["the"], both.mean(axis=0), rtol=1e-4, atol=1e-6)
    assert (vectors["cat"] == vectors.composed(["cat"])[0]).all()
    assert not vectors["</s>"].any()
    (tmp_path / "v").write_bytes(fasttext_bytes(WORDS, MATRIX, ngrams=NGRAMS, floret=(1, 1)))
    assert (WordVectors.load(tmp_path / "v")["cat"] == expected(b"cat")).all()
