"""A counter-based generator: the n-th number of a stream is a function of (key, n) and of nothing else.

What is drawn for a token therefore depends on where the token stands in the corpus, not on which thread came by, nor
on how the corpus was cut into chunks. The function is SplitMix64 (Steele, Lea and Flood 2014).
"""

import numpy as np

from .jit import inlined

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31, _S11, _S32 = (np.uint64(n) for n in (30, 27, 31, 11, 32))
_UNIT = 2.0**-53


@inlined
def bits(key: np.uint64, counter: int) -> np.uint64:
    """64 random bits."""
    x = key + (np.uint64(counter) + np.uint64(1)) * _STEP
    x = (x ^ (x >> _S30)) * _MIX1
    x = (x ^ (x >> _S27)) * _MIX2
    return x ^ (x >> _S31)


@inlined
def uniform(key: np.uint64, counter: int) -> float:
    """A float64 in [0, 1)."""
    return np.float64(bits(key, counter) >> _S11) * _UNIT


@inlined
def below(key: np.uint64, counter: int, bound: int) -> int:
    """A whole number in [0, bound), for bounds under 2**32 (Lemire's multiplication, bias below 2**-32 * bound)."""
    return np.int64(((bits(key, counter) >> _S32) * np.uint64(bound)) >> _S32)
