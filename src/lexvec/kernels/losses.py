"""What a wrong score costs: each function returns the loss and its derivative by the score."""

import math

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
