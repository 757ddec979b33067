"""Losses by name: what a wrong score costs, and which way rows move."""

from dataclasses import dataclass

from ..errors import Given, ParameterError
from ..kernels.losses import logistic_loss, squared_loss
from ..kernels.steps import LossFunction
from ..registry import Registry


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
