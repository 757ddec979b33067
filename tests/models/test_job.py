"""Matrices that several models share, and what a fit refuses."""

from pathlib import Path

import planted
import pytest

from lexvec import (
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
from lexvec.models import base


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


def test_a_matrix_that_does_not_fit_is_refused(corpus: Corpus) -> None:
    counts = CooccurrenceCounter(window=3, subsample=0).count(corpus)
    matrix = Associator(measure="npmi").associate(counts)
    with pytest.raises(
        ParameterError, match=r"was made with window=3, measure='npmi': give the model the same, or make"
    ):
        LexVec(subsample=0).fit(corpus, matrix=matrix)
    other = CorpusBuilder(min_count=1).build([["a", "b"] * 50])
    with pytest.raises(ArtefactError, match="belongs to another vocabulary: make one of this corpus"):
        LexVec(window=3, subsample=0, measure="npmi").fit(other, matrix=matrix)
    with pytest.raises(ParameterError, match="learns from the text itself: leave matrix out"):
        SGNS().fit(corpus, matrix=matrix)
    with pytest.raises(ParameterError, match="expected a Association or its folder, not int"):
        LexVec().fit(corpus, matrix=3)
    with pytest.raises(ArtefactError, match="holds lexvec-counts, not lexvec-association"):
        LexVec().fit(corpus, matrix=counts.path)
    shuffled = CorpusBuilder(min_count=1).build([sorted(sentence) for sentence in corpus])
    with pytest.raises(ArtefactError, match="was made of another corpus: make one of this corpus"):
        LexVec(window=3, subsample=0, measure="npmi").fit(shuffled, matrix=matrix)
    fitting = LexVec(dim=4, epochs=1, window=3, subsample=0, measure="npmi", seed=7)
    assert fitting.fit(corpus, matrix=matrix).losses_


def test_a_damaged_matrix_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    Associator().associate(CooccurrenceCounter(subsample=0).count(corpus), tmp_path / "matrix")
    data = bytearray((tmp_path / "matrix" / "data.npy").read_bytes())
    data[-3] ^= 1
    (tmp_path / "matrix" / "data.npy").write_bytes(data)
    with pytest.raises(ArtefactError, match=r"data.npy is damaged \(wrong SHA-256\): make"):
        LexVec(dim=4, epochs=1, subsample=0).fit(corpus, matrix=tmp_path / "matrix")


def test_a_model_that_does_not_fit_is_refused(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "free_memory", lambda: 10**8)
    with pytest.raises(ResourceError, match=r"needs about 0\.3 GB \(rows and pairs\) and 0\.1 are free: lower dim"):
        SGNS().fit(corpus, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
