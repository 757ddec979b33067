"""Every loss has the derivative it returns, also one that somebody else registers."""

import math
from collections.abc import Iterator

import planted
import pytest

from lexvec import SGNS, GloVe, LexVec, ParameterError
from lexvec.engine import LOSSES, Loss


def huber(score: float, target: float) -> tuple[float, float]:
    error = score - target
    if abs(error) <= 1.0:
        return 0.5 * error * error, error
    return abs(error) - 0.5, math.copysign(1.0, error)


@pytest.fixture
def registered() -> Iterator[None]:
    LOSSES["huber"] = Loss("squared near the target, linear far from it", huber)
    yield
    del LOSSES["huber"]


@pytest.mark.parametrize("name", LOSSES)
def test_the_slope_is_the_derivative(name: str) -> None:
    function = LOSSES[name].function
    for target in (0.0, 1.0):
        for score in (-3.0, -0.2, 0.4, 2.5):
            above, below = function(score + 1e-6, target)[0], function(score - 1e-6, target)[0]
            assert function(score, target)[1] == pytest.approx((above - below) / 2e-6, abs=1e-6)


@pytest.mark.usefixtures("registered")
def test_a_loss_from_outside_trains_any_model_of_a_matrix() -> None:
    corpus = planted.corpus(1000)
    robust = LexVec(dim=16, epochs=3, subsample=0, loss="huber").fit(corpus)
    assert planted.precision(robust.vectors()) > 0.9
    assert robust.losses_[-1]["loss"] < robust.losses_[0]["loss"]
    assert GloVe(dim=8, epochs=2, loss="huber").fit(corpus).losses_


def test_losses_that_do_not_fit_a_model() -> None:
    corpus = planted.corpus(50)
    with pytest.raises(ParameterError, match="loss='hubr': it must be one of squared, logistic"):
        LexVec(loss="hubr")
    with pytest.raises(ParameterError, match="loss='logistic' is for pairs that are seen or not: use squared"):
        LexVec(loss="logistic", subsample=0).fit(corpus)
    with pytest.raises(ParameterError, match="loss='logistic' is for pairs that are seen or not: use squared"):
        GloVe(loss="logistic").fit(corpus)
    with pytest.raises(ParameterError, match="loss='squared' is for cells of a matrix: use logistic"):
        SGNS(loss="squared").fit(corpus)
