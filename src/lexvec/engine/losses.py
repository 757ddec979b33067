"""Losses by name, and the steps that move rows by them."""

from dataclasses import dataclass
from functools import cache, partial

from ..errors import Given, ParameterError
from ..kernels.jit import inlined
from ..kernels.losses import logistic_loss, skipping, squared_loss
from ..kernels.steps import CellWeights, LossFunction, adagrad_sweep, sgd_sweep
from ..registry import Registry
from .executors import Step


@dataclass(frozen=True)
class Loss:
    """One loss.

    ``function(score, target)`` returns the loss and its derivative by the score. Numba compiles it, so it may use
    numbers and ``math`` only. ``labels`` says what a pair should score: 1 if it was seen and 0 if it is noise, or
    otherwise its cell of the matrix. ``bounded`` says that the derivative is bounded: then steps that do not see one
    another's results take rows too far less soon.
    """

    help: str
    function: LossFunction
    labels: bool = False
    bounded: bool = False


#: Losses by name. Add one of your own: ``LOSSES["mine"] = Loss(...)``.
LOSSES: Registry[Loss] = Registry(
    "loss",
    {
        "squared": Loss("½ (score − target)², as in LexVec and GloVe", squared_loss),
        "logistic": Loss("−log σ(±score), as in SGNS", logistic_loss, labels=True, bounded=True),
    },
    plural="losses",
)


def check_loss(loss: str, *, labels: bool) -> None:
    """Raise if a loss does not go with what the pairs of a model should score."""
    if LOSSES[loss].labels and not labels:
        raise ParameterError(Given("loss", loss), " is for pairs that are seen or not: use squared, or train SGNS")
    if labels and not LOSSES[loss].labels:
        raise ParameterError(Given("loss", loss), " is for cells of a matrix: use logistic, or train LexVec")


def sgd(loss: str, *, skips: bool = False, factored: bool = False) -> Step:
    """Return plain gradient descent on a loss of `LOSSES`.

    If it ``skips``, pairs with the target NaN move nothing. If it is ``factored``, rows have factors: see `Rows`.
    """
    function = _compiled(LOSSES[loss].function)
    return sgd_sweep(skipping(function) if skips else function, factored=factored)


def adagrad(loss: str, weights: CellWeights, *, factored: bool = False) -> Step:
    """Return AdaGrad with biases on a loss of `LOSSES` against log X, weighted by f(X)."""
    return partial(adagrad_sweep(_compiled(LOSSES[loss].function), factored=factored), weights=weights)


@cache
def _compiled(function: LossFunction) -> LossFunction:
    """Compile a loss that somebody registered as a plain function; ours are compiled already."""
    return function if hasattr(function, "py_func") else inlined(function)
