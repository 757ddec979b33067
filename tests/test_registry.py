"""Tables that others may add to. What an installed package adds is tested on the command line, in tests/cli."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexvec import MEASURES, Associator, CooccurrenceCounter, CorpusBuilder, LexVec, Model, ParameterError
from lexvec.association import Measure
from lexvec.models import MODELS
from lexvec.registry import Registry


def test_a_measure_registered_in_python_works_everywhere() -> None:
    corpus = CorpusBuilder(min_count=1).build([["a", "b", "a", "c"]] * 100)
    MEASURES["root_ppmi"] = Measure(
        "the square root of PPMI", lambda cells, _: np.sqrt(np.maximum(cells.pmi, 0)), lambda _: 0.0
    )
    try:
        counts = CooccurrenceCounter(subsample=0).count(corpus)
        root, plain = (Associator(measure=name).associate(counts).matrix.toarray() for name in ("root_ppmi", "ppmi"))
        assert np.allclose(root**2, plain, atol=1e-6)
        assert LexVec(dim=4, epochs=1, subsample=0, measure="root_ppmi").fit(corpus).losses_
    finally:
        del MEASURES["root_ppmi"]
    with pytest.raises(ParameterError, match="measure='root_ppmi': it must be one of ppmi, pmi"):
        Associator(measure="root_ppmi")


def test_cells_offer_the_marginals() -> None:
    corpus = CorpusBuilder(min_count=1).build([["a", "b", "a", "c"]] * 10)
    counts = CooccurrenceCounter(subsample=0, window=1).count(corpus)
    MEASURES["chi"] = Measure(
        "observed by expected",
        lambda cells, _: cells.counts * cells.total / (cells.word_totals * cells.context_totals),
        lambda _: 0.0,
    )
    try:
        ratio = Associator(measure="chi").associate(counts).matrix.toarray()
    finally:
        del MEASURES["chi"]
    dense = counts.matrix.toarray()
    expected = dense * dense.sum() / np.outer(dense.sum(1), dense.sum(0))
    assert np.allclose(ratio, expected, rtol=1e-6)


def test_a_model_that_is_not_installed(tmp_path: Path) -> None:
    class Mine(LexVec):
        name = "mine"

    try:
        Mine(dim=2, epochs=1, subsample=0).fit([["a", "b"]] * 100, tmp_path / "model")
        assert isinstance(Model.load(tmp_path / "model"), Mine)
    finally:
        del MODELS["mine"]
    with pytest.raises(Exception, match="unknown kind 'mine': install what defines it"):
        Model.load(tmp_path / "model")


def test_names_that_cannot_be() -> None:
    table: Registry[int] = Registry("thing", {"one": 1})
    assert table.get("two") is None
    assert table.group == "lexvec.things"
    names: list[Any] = [[], None, 3]
    for name in names:
        assert name not in table
        with pytest.raises(ParameterError, match="there is no thing"):
            table[name]
    with pytest.raises(ParameterError, match="measure=\\[\\]: it must be one of"):
        Associator(measure=[])  # type: ignore[arg-type]


def test_names_that_are_there_take_precedence(monkeypatch: pytest.MonkeyPatch) -> None:
    colors: Registry[int] = Registry("color", {"red": 1})

    class Point:
        name, value = "blue", "package:BLUE"

        def load(self) -> int:
            colors["red"] = 5  # as a model does that registers itself under a name of ours
            return 2

    monkeypatch.setattr("lexvec.registry.entry_points", lambda *, group: [Point()] if group == "lexvec.colors" else [])
    assert dict(colors) == {"red": 1, "blue": 2}
