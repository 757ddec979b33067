"""Random numbers that are a function of a key and a place, and noise drawn by them."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .jit import inlined, kernel

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


_MASK = np.uint64(0xFFFFFFFF)


class Noise(NamedTuple):
    """An alias table: column i gives i if the draw's low bits are below ``accept[i]``, and ``alias[i]`` otherwise."""

    accept: npt.NDArray[np.uint32]
    alias: npt.NDArray[np.int32]


@kernel
def fill_alias(weights: npt.NDArray[np.float64], noise: Noise) -> None:
    """Build the table of a distribution proportional to ``weights`` (Vose's method)."""
    n = weights.size
    scaled = weights * (n / weights.sum())
    queue = np.empty(n, np.int64)  # columns that are too small from the front, too large from the back
    small, large = 0, n - 1
    for i in range(n):
        if scaled[i] < 1.0:
            queue[small] = i
            small += 1
        else:
            queue[large] = i
            large -= 1
    taken, giver = 0, n - 1
    while taken < small and giver > large:
        i, j = queue[taken], queue[giver]
        taken += 1
        noise.accept[i] = np.uint32(min(scaled[i] * 4294967296.0, 4294967295.0))
        noise.alias[i] = j
        scaled[j] -= 1.0 - scaled[i]
        if scaled[j] < 1.0:
            giver -= 1
            # j has become small itself; small columns are taken from a queue that has just got a place free
            taken -= 1
            queue[taken] = j
    for k in range(taken, small):
        noise.accept[queue[k]] = np.uint32(4294967295)
        noise.alias[queue[k]] = queue[k]
    for k in range(large + 1, giver + 1):
        noise.accept[queue[k]] = np.uint32(4294967295)
        noise.alias[queue[k]] = queue[k]


@inlined
def draw_noise(noise: Noise, key: np.uint64, counter: int) -> int:
    """A word."""
    drawn = bits(key, counter)
    column = np.int64(((drawn >> _S32) * np.uint64(noise.alias.size)) >> _S32)
    if (drawn & _MASK) <= np.uint64(noise.accept[column]):
        return column
    return np.int64(noise.alias[column])
