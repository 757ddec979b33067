"""What a wrong score costs: each function returns the loss and its derivative by the score."""

import functools
import math
from collections.abc import Callable

import numpy as np

from .jit import inlined, power_of_two

_LOG2_E = 1 / math.log(2)
_MOST = 700.0  # beyond it, e⁻ˣ is no normal number


@inlined
def squared_loss(score: float, target: float) -> tuple[float, float]:
    """LexVec and GloVe: ½ (score − target)² (equations 4, 6 and 7)."""
    error = score - target
    return 0.5 * error * error, error


@inlined
def exp_of_negative(x: float) -> float:
    """Return e⁻ˣ for x ≥ 0 with a relative error below 6e-9. The library's is not done for several numbers at once.

    e⁻ˣ = 2ⁿ · 2ᶠ with a whole n and f in ±½; the polynomial interpolates 2ᶠ.
    """
    power = -min(x, _MOST) * _LOG2_E
    whole = np.rint(power)
    f = power - whole
    rest = 0.009618082557277852 + f * (0.0013390863364671234 + f * 0.0001545316294512069)
    rest = 0.6931471880262288 + f * (0.24022650760568126 + f * (0.05550357114219078 + f * rest))
    return (1.0 + f * rest) * power_of_two(whole)


@inlined
def log1p_of_share(x: float) -> float:
    """Return log(1 + x) for x in 0..1 with a relative error below 4e-10: 2 artanh(x / (2 + x)), interpolated."""
    t = x / (2.0 + x)
    u = t * t
    rest = 0.28592357994302836 + u * (0.21706575800880373 + u * 0.2322432922402335)
    return t * (2.0 + u * (0.6666666732052742 + u * (0.3999970633192972 + u * rest)))


@inlined
def logistic_loss(score: float, target: float) -> tuple[float, float]:
    """SGNS: −log σ(score) for target 1, −log σ(−score) for 0 (equation 5, negated: it is minimised)."""
    small = exp_of_negative(abs(score))
    share = 1.0 / (1.0 + small)
    probability = share if score >= 0 else small * share
    loss = log1p_of_share(small) + max(score, 0.0) - target * score
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
