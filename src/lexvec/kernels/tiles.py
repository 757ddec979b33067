"""Noise in tiles: four words of one part meet the same four noise contexts of another, sixteen pairs at once.

A row that is in the cache is used four times instead of once. How often each word and each context takes part is
exactly what noise of their own would give on average: both are sampled at even distances along their cumulative shares,
so that the number of times is the expected one, rounded up or down at random. Which words and contexts meet is random.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import rng
from .jit import inlined, kernel

#: Words in a tile, and contexts in a tile.
SIDE = 4
#: Pairs in a tile.
TILE_PAIRS = SIDE * SIDE

Doubles = npt.NDArray[np.float64]


class Shares(NamedTuple):
    """The noise distribution by part of contexts, cumulative: part j is cumulative[starts[j]:starts[j + 1]]."""

    cumulative: Doubles
    starts: npt.NDArray[np.int64]


class Tiles(NamedTuple):
    """Tiles of one part of words or of one block; rows are numbered as in their parts.

    Pair (a, b) of tile t has the target ``targets[t, SIDE * a + b]``; without targets, all are 0.
    """

    words: npt.NDArray[np.int32]
    contexts: npt.NDArray[np.int32]
    targets: npt.NDArray[np.float32]


@kernel
def fill_shares(weights: Doubles, parts: int, shares: Shares) -> None:
    """Add up weights, which are those of a distribution, within each part."""
    n = 0
    for part in range(parts):
        shares.starts[part] = n
        sum_ = 0.0
        for context in range(part, weights.size, parts):
            sum_ += weights[context]
            shares.cumulative[n] = sum_
            n += 1
    shares.starts[parts] = n


@inlined
def _sample(cumulative: Doubles, tiles: int, offset: float, base: int, out: npt.NDArray[np.int32]) -> None:
    """Sample SIDE entries per tile, in proportion to their shares, at even distances from a random offset on.

    Each column has a quarter of all, in order. So a row has an entry twice only if that entry has a quarter of all.
    """
    distance = cumulative[cumulative.size - 1] / (SIDE * tiles)
    entry = 0
    for column in range(SIDE):
        for row in range(tiles):
            place = (column * tiles + row + offset) * distance
            while entry < cumulative.size - 1 and cumulative[entry] <= place:
                entry += 1
            out[base + row, column] = entry


@inlined
def _shuffle(
    out: npt.NDArray[np.int32], column: int, base: int, tiles: int, key: np.uint64, counter: int
) -> None:  # fmt: skip
    for row in range(tiles - 1, 0, -1):
        other = rng.below(key, counter + row, row + 1)
        out[base + row, column], out[base + other, column] = out[base + other, column], out[base + row, column]


@kernel
def deal(part: int, noise: Doubles, shares: Shares, key: np.uint64, tiles: Tiles, ends: npt.NDArray[np.int64]) -> int:
    """Deal the tiles of one part of words; those of context part j end at ends[j]. Returns how many there are.

    ``noise`` is the cumulative number of noise pairs that the words of the part should get. Words are numbered as there
    and stay in that order; contexts are shuffled.
    """
    parts = ends.size
    n = 0
    for j in range(parts):
        own = shares.cumulative[shares.starts[j] : shares.starts[j + 1]]
        if own.size and noise.size:
            counter = (np.int64(part) * parts + j) << 35
            expected = noise[noise.size - 1] * own[own.size - 1] / TILE_PAIRS
            count = np.int64(expected + rng.uniform(key, counter))
            if count > 0:
                _sample(noise, count, rng.uniform(key, counter + 1), n, tiles.words)
                _sample(own, count, rng.uniform(key, counter + 2), n, tiles.contexts)
                for column in range(SIDE):
                    _shuffle(tiles.contexts, column, n, count, key, counter + ((column + 1) << 32))
                n += count
        ends[j] = n
    return n


@kernel
def fill_order(part: int, key: np.uint64, order: npt.NDArray[np.int32]) -> None:
    """Bring the rows of a part into a random order."""
    for row in range(order.size):
        order[row] = row
    counter = np.int64(part) << 32
    for row in range(order.size - 1, 0, -1):
        other = rng.below(key, counter + row, row + 1)
        order[row], order[other] = order[other], order[row]


@kernel
def name_rows(order: npt.NDArray[np.int32], count: int, tiles: Tiles) -> None:
    """Replace the numbers of words, which are places in ``order``, by their rows."""
    for tile in range(count):
        for column in range(SIDE):
            tiles.words[tile, column] = order[tiles.words[tile, column]]


@kernel
def sort_slots(tiles: Tiles, count: int, starts: npt.NDArray[np.int64], slots: npt.NDArray[np.int32]) -> None:
    """Sort the places of words in tiles by word: those of word w are slots[starts[w]:starts[w + 1]].

    A place is SIDE · tile + column. ``starts`` has one entry more than words, and another one as scratch.
    """
    starts[:] = 0
    for tile in range(count):
        for column in range(SIDE):
            starts[tiles.words[tile, column] + 2] += 1
    for word in range(2, starts.size):
        starts[word] += starts[word - 1]
    for tile in range(count):
        for column in range(SIDE):
            word = tiles.words[tile, column]
            slots[starts[word + 1]] = SIDE * tile + column
            starts[word + 1] += 1
