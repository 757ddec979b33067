"""What a wrong score costs: each function returns the loss and its derivative by the score."""

import functools
import math
from collections.abc import Callable

from .jit import inlined


@inlined
def squared_loss(score: float, target: float) -> tuple[float, float]:
    """LexVec and GloVe: ½ (score − target)² (equations 4, 6 and 7)."""
    error = score - target
    return 0.5 * error * error, error


@inlined
def logistic_loss(score: float, target: float) -> tuple[float, float]:
    """SGNS: −log σ(score) for target 1, −log σ(−score) for 0 (equation 5, negated: it is minimised)."""
    small = math.exp(-abs(score))
    probability = 1.0 / (1.0 + small) if score >= 0 else small / (1.0 + small)
    loss = math.log1p(small) + max(score, 0.0) - target * score
    return loss, probability - target


@functools.cache
def skipping(loss_function: Callable[[float, float], tuple[float, float]]) -> Callable[..., tuple[float, float]]:
    """Compile a loss for targets that may be NaN: such pairs cost nothing and move nothing."""

    @inlined
    def loss(score: float, target: float) -> tuple[float, float]:
        if target != target:
            return 0.0, 0.0
        return loss_function(score, target)

    return loss
