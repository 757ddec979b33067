"""Draws from a fixed distribution over words: Walker's alias method, one random number and one look-up a draw."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import rng
from .jit import inlined, kernel

_MASK = np.uint64(0xFFFFFFFF)
_S32 = np.uint64(32)


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
def draw(noise: Noise, key: np.uint64, counter: int) -> int:
    """A word."""
    bits = rng.bits(key, counter)
    column = np.int64(((bits >> _S32) * np.uint64(noise.alias.size)) >> _S32)
    if (bits & _MASK) <= np.uint64(noise.accept[column]):
        return column
    return np.int64(noise.alias[column])
