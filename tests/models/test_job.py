"""Counts that several models share."""

from pathlib import Path

import planted
import pytest

from lexvec import (
    PPMISVD,
    SGNS,
    ArtefactError,
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


def test_models_can_share_counts(corpus: Corpus, tmp_path: Path) -> None:
    CooccurrenceCounter(subsample=1e-2).count(corpus, tmp_path / "counts")
    for model in (LexVec(dim=8, epochs=1, subsample=1e-2), PPMISVD(dim=8, subsample=1e-2)):
        alone = type(model)(**model.record()).fit(corpus)
        shared = model.fit(corpus, tmp_path / model.name, counts=tmp_path / "counts")
        assert shared.W_.tobytes() == alone.W_.tobytes()
    harmonic = CooccurrenceCounter(window=10, window_kind="harmonic", subsample=None).count(corpus)
    assert (
        GloVe(dim=8, epochs=1).fit(corpus, counts=harmonic).W_.tobytes()
        == GloVe(dim=8, epochs=1).fit(corpus).W_.tobytes()
    )


def test_counts_that_do_not_fit_are_refused(corpus: Corpus, tmp_path: Path) -> None:
    counts = CooccurrenceCounter(window=3, subsample=0).count(corpus, tmp_path / "counts")
    with pytest.raises(ParameterError, match=r"was counted with window=3: give the model the same, or count anew"):
        LexVec(subsample=0).fit(corpus, counts=counts)
    other = CorpusBuilder(min_count=1).build([["a", "b"] * 50])
    with pytest.raises(ArtefactError, match="was counted with another vocabulary: count this corpus"):
        LexVec(window=3, subsample=0).fit(other, counts=counts)
    with pytest.raises(ParameterError, match="sgns learns from the text itself: leave counts out"):
        SGNS().fit(corpus, counts=counts)
    with pytest.raises(ParameterError, match="expected a Cooccurrence or its folder, not int"):
        LexVec().fit(corpus, counts=3)
    with pytest.raises(ArtefactError, match="holds lexvec-corpus, not lexvec-counts"):
        LexVec().fit(corpus, counts=corpus.path)
    assert LexVec(dim=4, epochs=1, window=3, subsample=0, seed=7).fit(corpus, counts=counts).seed == 7


def test_a_model_that_does_not_fit_is_refused(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "free_memory", lambda: 10**8)
    with pytest.raises(ResourceError, match=r"needs about 0\.3 GB \(rows and pairs\) and 0\.1 are free: lower dim"):
        SGNS().fit(corpus, tmp_path / "model")
    assert list(tmp_path.iterdir()) == []
