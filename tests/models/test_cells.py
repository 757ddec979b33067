"""LexVec on some cells of the matrix only: those above a threshold, or those up to it."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import planted
import pytest

from lexvec import Associator, CooccurrenceCounter, Corpus, LexVec, ParameterError
from lexvec.engine import LOSSES
from lexvec.engine.losses import Loss

THRESHOLD = 1.25  # exact in float32
FEW: dict[str, Any] = {"dim": 8, "epochs": 2, "subsample": 0, "threshold": THRESHOLD}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(600)


def _above(score: float, target: float) -> tuple[float, float]:
    error = score - target if target > 1.25 else 0.0
    return 0.5 * error * error, error


def _up_to(score: float, target: float) -> tuple[float, float]:
    error = score - target if target <= 1.25 else 0.0
    return 0.5 * error * error, error


@pytest.fixture
def losses() -> Iterator[None]:
    """Losses that look at the threshold themselves."""
    LOSSES["above"], LOSSES["up_to"] = Loss("", _above), Loss("", _up_to)
    yield
    del LOSSES["above"], LOSSES["up_to"]


@pytest.mark.usefixtures("losses")
@pytest.mark.parametrize("cells", ["above", "up_to"])
@pytest.mark.parametrize("more", [{"variant": "minibatch"}, {"measure": "nnegpmi", "contexts": "positional"}])
def test_other_cells_move_nothing(corpus: Corpus, cells: str, more: dict[str, Any]) -> None:
    some = LexVec(**FEW, **more, cells=cells).fit(corpus)
    twin = LexVec(**FEW, **more, loss=cells).fit(corpus)
    assert some.W_.tobytes() == twin.W_.tobytes()
    assert some.C_.tobytes() == twin.C_.tobytes()
    assert some.losses_ == twin.losses_
    everything = LexVec(**FEW, **more).fit(corpus)
    assert not np.array_equal(some.W_, everything.W_)


def test_a_threshold_below_every_cell_leaves_nothing_out(corpus: Corpus) -> None:
    everything, above = (LexVec(**FEW | {"threshold": -1.0}, cells=cells).fit(corpus) for cells in ("all", "above"))
    assert everything.W_.tobytes() == above.W_.tobytes()


def test_only_unseen_cells(corpus: Corpus) -> None:
    """Up to 0, PPMI has nothing but zeros: scores fall towards 0."""
    model = LexVec(dim=8, epochs=3, subsample=0, cells="up_to").fit(corpus)
    assert model.losses_[-1]["loss"] < model.losses_[0]["loss"] < 0.01


@pytest.mark.parametrize(("cells", "threshold", "said"), [("above", 99.0, "above"), ("up_to", -0.5, "up to")])
def test_no_cell_is_left(corpus: Corpus, cells: str, threshold: float, said: str) -> None:
    matrix = Associator().associate(CooccurrenceCounter(subsample=0).count(corpus))
    with pytest.raises(ParameterError, match=rf"no cell of the matrix is {said} threshold={threshold}: use another"):
        LexVec(subsample=0, cells=cells, threshold=threshold).fit(corpus, matrix=matrix)
