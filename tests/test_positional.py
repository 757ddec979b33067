"""Contexts that are words at an offset: counts, matrices, noise, C and W + C run over them."""

from pathlib import Path
from typing import Any

import numpy as np
import planted
import pytest

from lexvec import (
    PPMISVD,
    ArtefactError,
    Associator,
    Cooccurrence,
    CooccurrenceCounter,
    Corpus,
    CorpusBuilder,
    GloVe,
    LexVec,
    LexvecError,
    Model,
    ParameterError,
    UnknownWordError,
    WordVectors,
)
from lexvec.cooccurrence import counting
from lexvec.trained import Trained
from restamped import restamp


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(800)


def _twin(corpus: Corpus, reach: int) -> dict[tuple[str, str], int]:
    """Count pairs of word and word_offset in plain Python."""
    counts: dict[tuple[str, str], int] = {}
    for sentence in corpus:
        for place, word in enumerate(sentence):
            for offset in (*range(-reach, 0), *range(1, reach + 1)):
                if 0 <= place + offset < len(sentence):
                    pair = (word, f"{sentence[place + offset]}_{offset}")
                    counts[pair] = counts.get(pair, 0) + 1
    return counts


@pytest.mark.parametrize("tokens", [None, 700])
def test_counts_are_those_of_a_readable_twin(
    tokens: int | None, corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    if tokens:  # in pieces, on disk
        plan = counting.Counting._planned
        monkeypatch.setattr(counting.Counting, "_planned", lambda own: plan(own)._replace(tokens=tokens, fan_in=2))
    counts = CooccurrenceCounter(contexts="positional", window=3, subsample=0).count(corpus)
    labels, words = counts.contexts.labels, counts.vocabulary.words
    rows, columns = counts.matrix.nonzero()
    found = {
        (words[row], labels[column]): int(count)
        for row, column, count in zip(rows.tolist(), columns.tolist(), counts.data.tolist(), strict=True)
    }
    assert found == _twin(corpus, 3)
    assert counts.matrix.shape == (len(words), 6 * len(words))
    assert counts.column_totals.sum() == counts.row_totals.sum()


def test_positions_tell_words_apart_that_have_the_same_neighbours() -> None:
    """ "a" always stands before "x" and "b" behind it: plain contexts cannot tell, positional ones can."""
    corpus = CorpusBuilder(min_count=1).build([["a", "x"], ["x", "b"], ["c", "x"]] * 300)
    few: dict[str, Any] = {"dim": 2, "subsample": 0, "window": 1}
    plain = PPMISVD(**few).fit(corpus).vectors()
    positional = PPMISVD(**few, contexts="positional").fit(corpus).vectors()
    assert plain.similarity("a", "b") > 0.99
    assert positional.similarity("a", "c") > 0.99
    assert positional.similarity("a", "b") < 0.5


@pytest.mark.parametrize(
    "model",
    [
        LexVec(dim=16, epochs=4, subsample=0, contexts="positional"),
        LexVec(dim=16, epochs=3, subsample=0, contexts="positional", variant="minibatch", noise_counts="pairs"),
        LexVec(dim=16, epochs=4, subsample=0, contexts="positional", window_sampling="sgns", sampling_window=2),
        PPMISVD(dim=16, subsample=0, contexts="positional"),
        GloVe(dim=16, epochs=15, window=4, x_max=10.0, contexts="positional"),
    ],
    ids=lambda model: f"{model.name} {getattr(model, 'variant', '')}",
)
def test_models_learn_from_positional_contexts(model: Model, tmp_path: Path) -> None:
    corpus = planted.corpus(4000)
    model.fit(corpus, tmp_path / "model")
    words, contexts = len(corpus.vocabulary), len(model.contexts_)
    reach = min(model.get_params()["window"], corpus.longest_sentence)
    assert contexts == 2 * reach * words
    assert model.C_.shape == (contexts, 16)
    assert planted.precision(model.vectors()) > 0.9
    summed = model.W_ + model.C_.reshape(words, 2 * reach, 16).sum(axis=1)
    assert np.allclose(model.vectors("sum").matrix, summed, atol=1e-6)
    loaded = Model.load(tmp_path / "model")
    assert loaded.contexts_.labels[:2] == [f"{corpus.vocabulary.words[0]}_{-reach}", *loaded.contexts_.labels[1:2]]
    assert np.array_equal(loaded.vectors("sum").matrix, model.vectors("sum").matrix)
    assert np.array_equal(WordVectors.load(tmp_path / "model", combine="sum").matrix, model.vectors("sum").matrix)


def test_the_strongest_contexts_of_a_word(tmp_path: Path) -> None:
    text = [["the", "cat", "sat"], ["the", "dog", "sat"], ["a", "bird", "flew"], ["a", "fish", "swam"]] * 100
    corpus = CorpusBuilder(min_count=1).build(text)
    counts = CooccurrenceCounter(contexts="positional", subsample=0).count(corpus)
    assert counts.top_contexts("cat") == [("sat_1", 100), ("the_-1", 100)]
    assert counts.top_contexts("the", count=2) == [("sat_2", 200), ("cat_1", 100)]
    matrix = Associator().associate(counts)
    (first, strength), (second, _) = matrix.top_contexts("cat")
    assert {first, second} == {"the_-1", "sat_1"}
    assert strength == pytest.approx(matrix.matrix.toarray()[corpus.vocabulary["cat"]].max())
    model = LexVec(dim=12, epochs=20, subsample=0, contexts="positional").fit(corpus, tmp_path / "model", matrix=matrix)
    found = model.top_contexts("cat", count=2)
    assert {context for context, _ in found} == {"the_-1", "sat_1"}
    scores = dict(zip(model.contexts_.labels, model.C_ @ model.W_[corpus.vocabulary["cat"]], strict=True))
    assert dict(found) == pytest.approx({context: scores[context] for context, _ in found}, rel=1e-5)
    assert Trained.load(tmp_path / "model").top_contexts("cat", count=2) == found
    for one in (counts, matrix, model):
        with pytest.raises(UnknownWordError, match="'cats' is not in the vocabulary: did you mean 'cat'"):
            one.top_contexts("cats")
        with pytest.raises(ParameterError, match="count=0: it must be a whole number of at least 1"):
            one.top_contexts("cat", count=0)
    with pytest.raises(LexvecError, match="has learned nothing yet"):
        LexVec().top_contexts("cat")


@pytest.mark.parametrize(
    ("name", "values"),
    [("indptr", [0, 1]), ("indptr", [0, 1, 9]), ("indices", [99]), ("indices", [-1]), ("indices", []), ("data", [])],
)
def test_the_row_of_a_damaged_matrix(name: str, values: list[int], tmp_path: Path) -> None:
    corpus = CorpusBuilder(min_count=1).build([["a", "b"]])
    counts = CooccurrenceCounter(subsample=0).count(corpus, tmp_path / "counts")
    np.save(tmp_path / "counts" / f"{name}.npy", np.array(values, getattr(counts, name).dtype))
    restamp(tmp_path / "counts")
    with pytest.raises(ArtefactError, match="is damaged"):
        Cooccurrence.load(tmp_path / "counts").top_contexts("b")


def test_threads_make_no_difference(corpus: Corpus) -> None:
    few: dict[str, Any] = {"dim": 8, "epochs": 1, "subsample": 1e-2, "contexts": "positional"}
    one, three = (LexVec(**few, threads=threads).fit(corpus) for threads in (1, 3))
    assert one.W_.tobytes() == three.W_.tobytes()
    assert one.C_.tobytes() == three.C_.tobytes()


def test_what_does_not_go_together(corpus: Corpus) -> None:
    with pytest.raises(ParameterError, match="sampling_window=10 is wider than the matrix"):
        LexVec(contexts="positional", window_sampling="sgns").fit(corpus)
    with pytest.raises(ParameterError, match="contexts='moods': it must be one of words, positional"):
        CooccurrenceCounter(contexts="moods")
    counts = CooccurrenceCounter(contexts="positional", subsample=0).count(corpus)
    matrix = Associator().associate(counts)
    with pytest.raises(ParameterError, match="was made with contexts='positional': give the model the same"):
        LexVec(subsample=0).fit(corpus, matrix=matrix)
    assert LexVec(dim=4, epochs=1, subsample=0, contexts="positional").fit(corpus, matrix=matrix).losses_
