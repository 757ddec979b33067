"""Rules of update by loss: what moves the rows of two parts, as a function of nothing else."""

from functools import cache, partial

from ..kernels.jit import inlined
from ..kernels.losses import skipping
from ..kernels.steps import CellWeights, LossFunction, adagrad_sweep, sgd_sweep
from .executors import Step
from .losses import LOSSES


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
