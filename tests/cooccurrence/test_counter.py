"""Counting against a slow twin, on random corpora, for every kind of window."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import twins
from lexvec import Cooccurrence, CooccurrenceCounter, Corpus, CorpusBuilder, ParameterError
from lexvec.cooccurrence import chunks, counting
from lexvec.cooccurrence.chunks import Spill
from lexvec.corpus import corpus as corpus_module
from lexvec.draws import WindowParameters, stream_key

_SENTENCES = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=12), min_size=1, max_size=12).filter(any)
_PARAMETERS = st.fixed_dictionaries(
    {
        "window": st.integers(1, 6),
        "window_kind": st.sampled_from(["fixed", "random", "harmonic"]),
        "side": st.sampled_from(["both", "left", "right"]),
        "subsample": st.sampled_from([0, 0.01, 0.1, None]),
        "subsampling": st.sampled_from(["dirty", "clean"]),
        "seed": st.integers(0, 3),
    }
)


def encoded(sentences: list[list[str]]) -> Corpus:
    return CorpusBuilder(min_count=1).build(sentences)


def twin(corpus: Corpus, parameters: dict[str, Any]) -> np.ndarray[Any, Any]:
    words = len(corpus.vocabulary)
    cells = twins.cooccurrences(
        [[corpus.vocabulary[word] for word in sentence] for sentence in corpus],
        window=parameters["window"],
        kind=parameters["window_kind"],
        side=parameters["side"],
        keep=CooccurrenceCounter(**parameters).keep_probabilities(corpus.vocabulary.counts),
        clean=parameters["subsampling"] == "clean",
        keep_key=int(stream_key(parameters["seed"], "subsampling")),
        size_key=int(stream_key(parameters["seed"], "window sizes")),
    )
    dense = np.zeros((words, words))
    for (word, context), count in cells.items():
        dense[word, context] = count
    return dense


@pytest.mark.slow
@given(_SENTENCES, _PARAMETERS)
@settings(max_examples=300)
def test_counts_agree_with_a_readable_twin(sentences: list[list[str]], parameters: dict[str, Any]) -> None:
    corpus = encoded(sentences)
    counts = CooccurrenceCounter(**parameters).count(corpus)
    expected = twin(corpus, parameters)
    matrix = counts.matrix
    assert np.allclose(matrix.toarray(), expected, rtol=1e-6)
    assert matrix.nnz == np.count_nonzero(expected)
    assert np.allclose(counts.row_totals, expected.sum(axis=1))
    assert np.allclose(counts.column_totals, expected.sum(axis=0))
    assert math.isclose(counts.meta["facts"]["total"], expected.sum(), abs_tol=1e-9)
    assert all(np.all(np.diff(row) > 0) for row in np.split(counts.indices, counts.indptr[1:-1]))


def files(counts: Cooccurrence) -> dict[str, str]:
    return {name: facts["sha256"] for name, facts in counts.meta["files"].items()}


@pytest.mark.slow
@given(_SENTENCES, _PARAMETERS, st.integers(1, 9), st.integers(2, 4))
@settings(max_examples=100)
def test_any_number_of_runs_and_threads_gives_the_same_bits(
    sentences: list[list[str]], parameters: dict[str, Any], chunk: int, fan_in: int
) -> None:
    """Chunks of a few tokens cut sentences, so their windows reach into the chunks beside them."""
    corpus = encoded(sentences)
    expected = files(CooccurrenceCounter(**parameters, threads=1).count(corpus))
    with pytest.MonkeyPatch.context() as patch:
        plan = counting.Counting._planned
        patch.setattr(counting.Counting, "_planned", lambda own: plan(own)._replace(tokens=chunk, fan_in=fan_in))
        patch.setattr(chunks, "BLOCK_CELLS", 5)
        for threads in (1, 2, 3):
            assert files(CooccurrenceCounter(**parameters, threads=threads).count(corpus)) == expected


def _zipfian(tokens: int, words: int, sentence: int) -> Corpus:
    draw = np.random.default_rng(1)
    ids = (words * draw.random(tokens) ** 3).astype(int)
    return encoded([[f"w{n}" for n in ids[i : i + sentence]] for i in range(0, tokens, sentence)])


@given(_SENTENCES, _PARAMETERS)
@settings(max_examples=30)
def test_text_is_read_as_far_as_windows_reach(sentences: list[list[str]], parameters: dict[str, Any]) -> None:
    corpus = encoded(sentences)
    expected = CooccurrenceCounter(**parameters).count(corpus).matrix.toarray()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "_AROUND", 1)
        patch.setattr(corpus_module, "_AT_ONCE", 2)
        patch.setattr(counting, "_MIN_CHUNK", 1)
        patch.setattr(counting, "MAX_CHUNK", 3)
        assert np.array_equal(CooccurrenceCounter(**parameters).count(corpus).matrix.toarray(), expected)


def test_memory_is_kept_by_using_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = _zipfian(300_000, 3000, 20)
    monkeypatch.setattr(chunks, "BLOCK_CELLS", 1 << 12)
    monkeypatch.setattr(counting, "BLOCK_CELLS", 1 << 12)
    everything = CooccurrenceCounter(window=5, threads=2).count(corpus)
    spills: list[int] = []

    def reduced(found: list[Spill], *_: object) -> list[Spill]:
        spills.append(len(found))
        return found

    monkeypatch.setattr(counting, "reduced", reduced)
    little = CooccurrenceCounter(window=5, threads=2, memory="2MB").count(corpus)
    assert spills[0] > 2
    assert files(little) == files(everything)


def test_subsampling_keeps_words_at_the_stated_rate() -> None:
    corpus = _zipfian(400_000, 200, 50)
    kept = CooccurrenceCounter(subsample=1e-3, window=1).count(corpus).kept
    expected = WindowParameters(subsample=1e-3).keep_probabilities(corpus.vocabulary.counts)
    assert expected[0] == pytest.approx(math.sqrt(1e-3 / (corpus.vocabulary.counts[0] / corpus.tokens)))
    low, high = binom.interval(1 - 1e-6, corpus.vocabulary.counts, expected)
    assert np.all((low <= kept) & (kept <= high))
    assert kept.sum() < 0.6 * corpus.tokens


def test_rules_of_subsampling() -> None:
    counts = np.array([40, 10, 50])  # with t = 0.1: t/f is 1/4, 1 and 1/5
    assert WindowParameters(subsample=0.1).keep_probabilities(counts).tolist() == pytest.approx(
        [0.5, 1, math.sqrt(0.2)]
    )
    word2vec = WindowParameters(subsample=0.1, keep_rule="word2vec")
    assert word2vec.keep_probabilities(counts).tolist() == pytest.approx([0.75, 1, math.sqrt(0.2) + 0.2])


def test_window_sizes_are_uniform() -> None:
    """With one long sentence of one word, row total / tokens is the mean of twice the window's size."""
    corpus = encoded([["a"] * 200_000])
    total = CooccurrenceCounter(window=4, window_kind="random", subsample=0).count(corpus).meta["facts"]["total"]
    assert total / 200_000 == pytest.approx(2 * 2.5, abs=0.03)  # 2 · mean(1..4); sd of the mean is 0.005


def test_seeds() -> None:
    corpus = _zipfian(20_000, 100, 20)
    counts = [files(CooccurrenceCounter(subsample=1e-3, seed=seed).count(corpus))["data.npy"] for seed in (1, 1, 2)]
    assert counts[0] == counts[1] != counts[2]


def test_harmonic_windows_wider_than_any_common_multiple() -> None:
    corpus = encoded([["a", *"b" * 60]])
    counts = CooccurrenceCounter(window=60, window_kind="harmonic", subsample=0, side="right").count(corpus)
    assert counts.matrix[1, 0] == pytest.approx(sum(1 / d for d in range(1, 61)), rel=1e-6)


def test_the_window_stays_within_the_sentence() -> None:
    corpus = encoded([["a", "b"], ["c"]])
    assert CooccurrenceCounter(window=2**31 - 1, subsample=0).count(corpus).matrix.toarray().tolist() == [
        [0, 1, 0], [1, 0, 0], [0, 0, 0],
    ]  # fmt: skip


def test_integers_are_wide_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = encoded([["a", "b"]])
    assert CooccurrenceCounter(window=1).count(corpus).data.dtype == np.int32
    monkeypatch.setattr(Corpus, "check", lambda self: self)  # which notices that the counts are not those of the ids
    corpus.vocabulary.counts[0] = 2**30  # as if "a" occurred that often: 2 · 2^30 contexts need more than 31 bits
    monkeypatch.setattr(Corpus, "check", lambda own: own)
    assert CooccurrenceCounter(window=1).count(corpus).data.dtype == np.int64
    corpus = encoded([["a", "b"]])
    assert CooccurrenceCounter(window_kind="harmonic").count(corpus).data.dtype == np.float32


def test_loaded_counts(tmp_path: Path) -> None:
    corpus = encoded([["a", "b", "a"]])
    CooccurrenceCounter(window=1, subsample=0).count(corpus, tmp_path / "counts")
    counts = Cooccurrence.load(tmp_path / "counts")
    counts.verify()
    assert counts.matrix.toarray().tolist() == [[0, 2], [2, 0]]
    assert counts.vocabulary == corpus.vocabulary
    assert counts.bytes_per_cell == 8
    assert repr(counts) == f"<Cooccurrence '{tmp_path}/counts': 2 words, 2 cells, fixed window 1>"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"window": 0}, "window=0: it must be at least 1"),
        ({"window": 2.5}, "window=2.5: it must be int, not float"),
        ({"window": True}, "window=True: it must be a whole number, not bool"),
        ({"subsample": -1.0}, "subsample=-1.0: it must be at least 0"),
        ({"subsample": float("nan")}, "subsample=nan: it must be a finite number"),
        ({"threads": 0}, "threads=0: it must be at least 1"),
        ({"memory": "much"}, "memory='much': write a size such as \"2GB\""),
        ({"memory": "1MB"}, "memory='1MB' is too small for 2 words on .* threads; use at least"),
    ],
)
def test_parameters_out_of_range(parameters: dict[str, Any], message: str) -> None:
    corpus = encoded([["a", "b"]])
    with pytest.raises(ParameterError, match=message):
        CooccurrenceCounter(**parameters).count(corpus)


def test_numpy_numbers_are_numbers() -> None:
    assert CooccurrenceCounter(window=np.int64(3)).window == 3  # type: ignore[arg-type]
