"""Matrices that several models share, and what a fit refuses."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import planted
import pytest

from lexvec import (
    MEASURES,
    PPMISVD,
    SGNS,
    ArtefactError,
    Associator,
    CooccurrenceCounter,
    Corpus,
    CorpusBuilder,
    GloVe,
    LexVec,
    ParameterError,
    ResourceError,
)
from lexvec.association import Measure
from lexvec.models import Model, memory
from lexvec.progress import Silent


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(1000)


def test_models_can_share_a_matrix(corpus: Corpus, tmp_path: Path) -> None:
    Associator().associate(CooccurrenceCounter(subsample=1e-2).count(corpus), tmp_path / "matrix")
    for model in (LexVec(dim=8, epochs=1, subsample=1e-2), PPMISVD(dim=8, subsample=1e-2)):
        alone = type(model)(**model.record()).fit(corpus)
        shared = model.fit(corpus, tmp_path / model.name, matrix=tmp_path / "matrix")
        assert shared.W_.tobytes() == alone.W_.tobytes()
    counts = CooccurrenceCounter(window=10, window_kind="harmonic", subsample=0).count(corpus)
    apart, together = GloVe(dim=8, epochs=1).fit(corpus), GloVe(dim=8, epochs=1).fit(corpus, matrix=counts)
    assert apart.W_.tobytes() == together.W_.tobytes()


def test_measures_that_a_model_cannot_learn_from(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Measure("PMI, and nothing for unseen pairs", lambda cells, _: cells.pmi, lambda _: -np.inf)
    monkeypatch.setitem(MEASURES, "own", own)
    for measure in ("pmi", "own"):
        with pytest.raises(ParameterError, match=f"measure='{measure}' has no value for unseen pairs: use clipped_pmi"):
            LexVec(measure=measure).fit(corpus, tmp_path / "model")
    with pytest.raises(
        ParameterError, match="measure='npmi' gives unseen pairs a value, so the matrix is dense"
    ) as error:
        PPMISVD(measure="npmi").fit(corpus, tmp_path / "model")
    assert error.value.for_command_line().startswith("--measure npmi gives unseen pairs a value")
    assert not list(tmp_path.iterdir())  # neither counts nor a run that would stand in the way


def test_a_matrix_that_does_not_fit_is_refused(corpus: Corpus) -> None:
    counts = CooccurrenceCounter(window=3, subsample=0).count(corpus)
    matrix = Associator(measure="npmi").associate(counts)
    with pytest.raises(
        ParameterError, match=r"was made with window=3, measure='npmi': give the model the same, or rebuild it"
    ):
        LexVec(subsample=0).fit(corpus, matrix=matrix)
    other = CorpusBuilder(min_count=1).build([["a", "b"] * 50])
    with pytest.raises(ArtefactError, match="belongs to another vocabulary: make one from this corpus"):
        LexVec(window=3, subsample=0, measure="npmi").fit(other, matrix=matrix)
    with pytest.raises(ParameterError, match="learns from the text itself: omit matrix"):
        SGNS().fit(corpus, matrix=matrix)
    with pytest.raises(ParameterError, match="expected a Association or its folder, not int"):
        LexVec().fit(corpus, matrix=3)
    with pytest.raises(ArtefactError, match="holds lexvec-counts, not lexvec-association"):
        LexVec().fit(corpus, matrix=counts.path)
    shuffled = CorpusBuilder(min_count=1).build([sorted(sentence) for sentence in corpus])
    with pytest.raises(ArtefactError, match="was made from another corpus: make one from this corpus"):
        LexVec(window=3, subsample=0, measure="npmi").fit(shuffled, matrix=matrix)
    fitting = LexVec(dim=4, epochs=1, window=3, subsample=0, measure="npmi", seed=7)
    assert fitting.fit(corpus, matrix=matrix).losses_


def test_a_damaged_matrix_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    Associator().associate(CooccurrenceCounter(subsample=0).count(corpus), tmp_path / "matrix")
    data = bytearray((tmp_path / "matrix" / "data.npy").read_bytes())
    data[-3] ^= 1
    (tmp_path / "matrix" / "data.npy").write_bytes(data)
    with pytest.raises(ArtefactError, match=r"data.npy is damaged \(wrong SHA-256\): rebuild"):
        LexVec(dim=4, epochs=1, subsample=0).fit(corpus, matrix=tmp_path / "matrix")


def test_a_model_that_does_not_fit_is_refused(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory", lambda: 10**5)
    with pytest.raises(
        ResourceError,
        match=r"needs about [\d.]+ [GMk]B of memory \(.*pairs.*\), and 0\.0 GB are free; use a smaller dim",
    ):
        SGNS().fit(corpus, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "parameters",
    [
        {"measure": "clipped_pmi", "floor": -5.0},
        {"measure": "shifted_ppmi", "shift": 2.0, "smoothing": 1.0},
        {"side": "left", "window": 3},
        {"window_kind": "harmonic", "subsampling": "clean"},
        {"window_kind": "random", "keep_rule": "word2vec"},
    ],
)
def test_every_matrix_can_be_given_to_a_model(parameters: dict[str, Any], corpus: Corpus) -> None:
    model = LexVec(dim=4, epochs=1, subsample=1e-2, **parameters)
    assert model.recipe.associator is not None
    matrix = model.recipe.associator.associate(model.recipe.counter.count(corpus))
    shared = model.fit(corpus, matrix=matrix).W_
    assert np.array_equal(shared, LexVec(dim=4, epochs=1, subsample=1e-2, **parameters).fit(corpus).W_)
    with pytest.raises(ParameterError, match="was made with"):
        LexVec(dim=4, epochs=1, subsample=1e-2).fit(corpus, matrix=matrix)


def test_windows_to_learn_from_are_those_of_the_matrix() -> None:
    """With contexts on the left only, "b" is a context of "c" and never the other way round."""
    corpus = CorpusBuilder(min_count=1).build([["a", "b", "c"]] * 100)
    left = LexVec(dim=4, epochs=1, subsample=0, negative=0, window=1, side="left").fit(corpus)
    both = LexVec(dim=4, epochs=1, subsample=0, negative=0, window=1).fit(corpus)
    assert (left.losses_[0]["pairs"], both.losses_[0]["pairs"]) == (200, 400)


def test_a_builder_for_an_encoded_corpus_is_refused(corpus: Corpus) -> None:
    with pytest.raises(ParameterError, match="is encoded already: omit min_count"):
        SGNS().fit(corpus, builder=CorpusBuilder(min_count=9))


@pytest.mark.parametrize(
    ("model", "names"),
    [
        (LexVec(subsample=0), ("counts-fixed-2-ed7a493c", "ppmi-fixed-2-6f4d31d4")),
        (LexVec(subsample=0, seed=7), ("counts-fixed-2-ed7a493c", "ppmi-fixed-2-6f4d31d4")),  # nothing is drawn
        (LexVec(seed=7), ("counts-fixed-2-af441ce1", "ppmi-fixed-2-576f0799")),
        (GloVe(), ("counts-harmonic-10-62c10b1e", "counts-harmonic-10-62c10b1e")),
    ],
)
def test_shared_matrices_keep_their_names(model: Model, names: tuple[str, str]) -> None:
    """So that experiments of earlier versions resume."""
    assert model.recipe and model.recipe.shared_names() == names


def test_one_of_several_makes_a_shared_matrix(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def spy(maker: type, name: str) -> None:
        before = getattr(maker, name)

        def spied(*given: Any, **more: Any) -> Any:
            made.append(name)
            return before(*given, **more)

        monkeypatch.setattr(maker, name, spied)

    spy(CooccurrenceCounter, "_count")
    spy(Associator, "_associate")
    recipe = LexVec(subsample=0).recipe
    assert recipe
    (tmp_path / f".lock-{recipe.shared_names()[0]}").write_text("")  # what a kill leaves
    with ThreadPoolExecutor(4) as pool:
        made_by = [pool.submit(recipe.make, corpus, tmp_path, Silent(), shared=True) for _ in range(4)]
        matrices = [future.result() for future in made_by]
    assert sorted(made) == ["_associate", "_count"]
    assert {matrix.path for matrix in matrices} == {tmp_path / recipe.shared_names()[1]}
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(recipe.shared_names())  # no lock is left
