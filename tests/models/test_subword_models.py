"""Models with subwords: what they save, what they compose, and what they refuse."""

from pathlib import Path
from typing import Any

import numpy as np
import planted
import pytest

from lexvec import SGNS, ArtefactError, Corpus, CorpusBuilder, LexVec, Model, ParameterError, WordVectors
from lexvec.composition import SubwordMean
from lexvec.subwords import FastTextScheme, NgramComposer
from notes import Notes
from restamped import restamp

SMALL: dict[str, Any] = {"dim": 8, "epochs": 1, "subsample": 0, "window": 3, "threads": 1}
TEXT = [["walking", "walked", "für", "a", "日本語", "talking", "talked"]] * 40


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return CorpusBuilder(min_count=1).build(TEXT)


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"subword_scheme": "lexvec"},
        {"subword_scheme": "floret", "buckets": 40, "hash_count": 4},
        {"buckets": 1},
        {"buckets": 2**31 - 1},
        {"min_n": 1, "max_n": 1},
        {"min_n": 100, "max_n": 100},
        {"subword_gradient": "shared"},
    ],
    ids=str,
)
def test_bits_do_not_depend_on_threads_and_a_folder_gives_the_same_vectors(
    parameters: dict[str, Any], corpus: Corpus, tmp_path: Path
) -> None:
    def model(threads: int) -> SGNS:
        return SGNS(**{**SMALL, "threads": threads}, subwords="ngrams", **parameters)

    one = model(1).fit(corpus, tmp_path / "model")
    for threads in (2, 3):
        other = model(threads).fit(corpus)
        assert one.W_.tobytes() == other.W_.tobytes()
        assert one.C_.tobytes() == other.C_.tobytes()
    loaded = Model.load(tmp_path / "model")
    assert isinstance(loaded.W_, np.memmap) or not loaded.W_.flags.owndata
    assert np.array_equal(loaded.vectors().matrix, one.vectors().matrix)
    assert np.array_equal(WordVectors.load(tmp_path / "model", limit=3).matrix, one.vectors().matrix[:3])
    assert isinstance(loaded.composition_, SubwordMean)
    assert loaded.composition_.buckets.tolist() == one.composition_.buckets.tolist()  # type: ignore[attr-defined]


def test_only_rows_that_the_vocabulary_uses_are_kept(corpus: Corpus) -> None:
    model = SGNS(**SMALL, subwords="ngrams").fit(corpus)
    used = set(np.concatenate([FastTextScheme().rows(word) for word in corpus.vocabulary.words]).tolist())
    assert model.W_.shape == (len(corpus.vocabulary) + len(used), 8)
    composer = model.vectors().composer
    assert isinstance(composer, NgramComposer)
    assert composer.buckets is not None
    assert set(composer.buckets.tolist()) == used


def test_vectors_are_means_of_rows(corpus: Corpus) -> None:
    model = SGNS(**SMALL, subwords="ngrams").fit(corpus)
    words, scheme = model.vocabulary_, FastTextScheme()
    buckets: Any = model.composition_.buckets  # type: ignore[attr-defined]
    for word in words.words:
        rows = [words[word], *(len(words) + np.searchsorted(buckets, scheme.rows(word))).tolist()]
        np.testing.assert_allclose(model.vectors()[word], model.W_[rows].mean(axis=0), rtol=1e-5, atol=1e-7)


def test_unseen_words_are_composed(corpus: Corpus, tmp_path: Path) -> None:
    LexVec(**SMALL, subwords="ngrams").fit(corpus, tmp_path / "model")
    vectors = WordVectors.load(tmp_path / "model")
    assert vectors.composer is not None
    composed = vectors.composer.composed(["walks", "ж"])
    assert composed[0].any()  # <wa, alk and others are known
    assert not composed[1].any()
    assert WordVectors.load(tmp_path / "model", combine="sum").composer is None


def test_subwords_help_where_forms_share_them() -> None:
    """Words of a topic share a mark, and each is rare: what is learned of one must reach the others."""
    model = SGNS(dim=16, epochs=4, subsample=0, window=4, learning_rate=0.05, subwords="ngrams", threads=1)
    assert planted.precision(model.fit(planted.corpus(300)).vectors()) > 0.95


@pytest.mark.parametrize("model", [SGNS, LexVec])
def test_a_table_that_all_words_share_does_not_diverge(model: type[SGNS | LexVec]) -> None:
    draw = np.random.default_rng(1)
    words = np.array([f"{a}{b}" for a in "abcdefghij" for b in ("ing", "ed", "s", "er", "ly", "est", "en", "ness")])
    text = [line.tolist() for line in words[draw.integers(0, len(words), (600, 100))]]
    few: dict[str, Any] = {"dim": 8, "epochs": 2, "subsample": 0, "subwords": "ngrams", "buckets": 5}
    fitted = model(**few).fit(text)
    assert fitted.losses_[-1]["loss"] < 2 and np.abs(fitted.W_).max() < 5


def test_parts_from_a_file(corpus: Corpus, tmp_path: Path) -> None:
    listed = tmp_path / "parts.txt"
    listed.write_text(
        "walking walk ing\nwalked walk ed\ntalking <talking> talk ing\nwalks walk s\nодин од ин\n", "utf-8"
    )
    notes = Notes()
    model = SGNS(**SMALL, subwords=str(listed)).fit(corpus, tmp_path / "model", progress=notes)
    assert f"4 of 7 words are not in {listed}: no subwords" in notes.texts
    assert model.W_.shape[0] == 7 + 4  # walk, talk, ing, ed
    listed.unlink()
    loaded = Model.load(tmp_path / "model")
    assert np.array_equal(loaded.vectors().matrix, model.vectors().matrix)
    composer = loaded.vectors().composer
    assert composer is not None
    assert not composer.composed(["hikes"]).any()
    walks, unknown, other = composer.composed(["walks", "hikes", "один"])
    walk = int(FastTextScheme().part_rows(["walk"])[0])
    row = 7 + int(np.searchsorted(model.composition_.buckets, walk))  # type: ignore[attr-defined]
    np.testing.assert_allclose(walks, model.W_[row] / 2, rtol=1e-6)  # s was never trained
    assert not unknown.any()
    assert not other.any()
    assert np.array_equal(model.vectors()["a"], model.W_[model.vocabulary_["a"]])


def test_a_file_of_parts_must_not_change_while_a_run_is_stopped(corpus: Corpus, tmp_path: Path) -> None:
    listed = tmp_path / "parts.txt"
    listed.write_text("walking walk ing\n")
    model = SGNS(**{**SMALL, "epochs": 2}, subwords=str(listed), checkpoint_every=0)

    def stop(epoch: int, losses: dict[str, float]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.fit(corpus, tmp_path / "model", callbacks=[stop])
    listed.write_text("walking wal king\n")
    with pytest.raises(ArtefactError, match="the file of subwords has changed"):
        model.fit(None, tmp_path / "model", resume=True)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"walking walk ing\nwalked\n", "line 2: expected word part part"),
        (b"walking walk ing\nwalking wal king\n", "line 2: the word 'walking' is listed twice"),
        (b"walking walk ing\ncaf\xe9 caf e\n", "line 2: it is not UTF-8; convert the file first"),
        ("walking walk ing\n".encode("utf-16"), "line 1: it has a NUL byte, so this is no text file"),
        (b"", "lists none of the 7 words of the vocabulary: check its words"),
        (b"\n\t\n", "lists none of the 7 words of the vocabulary: check its words"),
        (b"Walking walk ing\n", "lists none of the 7 words of the vocabulary: check its words"),
    ],
)
def test_files_of_parts_that_cannot_be_used(content: bytes, message: str, corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "parts.txt").write_bytes(content)
    with pytest.raises(Exception, match=message):
        SGNS(**SMALL, subwords=str(tmp_path / "parts.txt")).fit(corpus)


def test_marks_line_ends_and_byte_order_marks_of_a_file_of_parts(corpus: Corpus, tmp_path: Path) -> None:
    listed = tmp_path / "parts.txt"
    listed.write_bytes("\ufeffwalking walk ing\r\n\r\ntalking <talking>\r\nwalked walk ed".encode())
    model = SGNS(**SMALL, subwords=str(listed)).fit(corpus, tmp_path / "model")
    assert model.W_.shape[0] == 7 + 3  # walk, ing, ed
    loaded = Model.load(tmp_path / "model")
    assert np.array_equal(loaded.vectors().matrix, model.vectors().matrix)
    assert np.array_equal(model.vectors()["talking"], model.W_[model.vocabulary_["talking"]])


def test_parameters_that_do_not_go_together(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="min_n=5 is larger than max_n=4: use a smaller one"):
        SGNS(**SMALL, subwords="ngrams", min_n=5, max_n=4).fit(corpus)
    with pytest.raises(ParameterError, match="subwords='n-grams': there is no such file; use none, ngrams, or a file"):
        SGNS(**SMALL, subwords="n-grams").fit(corpus)
    with pytest.raises(ParameterError, match="there is no such file; use none, ngrams, or a file"):
        SGNS(**SMALL, subwords="x" * 5000).fit(corpus)
    with pytest.raises(ParameterError, match="subword_scheme='floret' has no rows for words"):
        SGNS(**SMALL, subwords=__file__, subword_scheme="floret").fit(corpus)
    with pytest.raises(ParameterError, match="hash_count=5: it must be at most 4"):
        SGNS(**SMALL, hash_count=5)


def test_damaged_folders(corpus: Corpus, tmp_path: Path) -> None:
    SGNS(**SMALL, subwords="ngrams").fit(corpus, tmp_path / "model")
    buckets = tmp_path / "model" / "subword_buckets.npy"
    np.save(buckets, np.load(buckets, allow_pickle=False)[::-1])
    restamp(tmp_path / "model")
    with pytest.raises(ArtefactError, match="its buckets of subwords are not in order"):
        WordVectors.load(tmp_path / "model")
