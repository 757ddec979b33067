"""A stretch of the corpus → pairs (word, context) to learn from, cut into blocks that share no row.

Pairs are drawn word by word (as in `counting`), so that what they should score can be read from one dense row, filled
from the sparse matrix once per word. They are learned from in that order, too: a word's row stays in the cache. The
order of the words is a random one. Word n is row n div P of part n mod P, and so is context n; P is a power of two.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import rng
from .jit import inlined, kernel, prefetch, trailing_zeros
from .rng import Noise
from .tiles import SIDE, Tiles
from .tokens import END
from .windows import ContextAxis, column

_AHEAD = 8
_SEARCH = 16  # look cells up one by one where a row has so many times more cells than pairs


class Stretch(NamedTuple):
    """Tokens drawn from the corpus, with their places by word: see `windows` and `counting`."""

    stream: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int32]  # a window size per token, or empty
    starts: npt.NDArray[np.int64]
    places: npt.NDArray[np.int32]
    window: int
    left: bool  # whether contexts before the word count
    right: bool  # and those behind it


class Targets(NamedTuple):
    """What pairs should score: some rows of a sparse matrix. Row ``first + r`` is the cells starts[r]..stops[r]."""

    first: int
    starts: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    data: npt.NDArray[np.float32]
    unseen: np.float32


class NoiseDraws(NamedTuple):
    """How noise of its own is drawn for each token: ``negative`` contexts per token, or per pair. See also `tiles`."""

    noise: Noise
    negative: int
    per_pair: bool
    key: np.uint64


class Pairs(NamedTuple):
    """Pairs to learn from. The context of a noise pair is stored as its complement.

    While they are drawn, contexts have their ids; once they are cut, words and contexts have the numbers of their rows
    in their parts.
    """

    words: npt.NDArray[np.int32]
    contexts: npt.NDArray[np.int32]
    targets: npt.NDArray[np.float32]


@inlined
def cell(targets: Targets, row: int, context: int) -> np.float32:
    """One cell of the row ``first + row``, by binary search."""
    low, high = targets.starts[row], targets.stops[row]
    while low < high:
        middle = (low + high) >> 1
        if targets.indices[middle] < context:
            low = middle + 1
        else:
            high = middle
    if low < targets.stops[row] and targets.indices[low] == context:
        return targets.data[low]
    return targets.unseen


@inlined
def draw_contexts(
    stretch: Stretch, axis: ContextAxis | None, draws: NoiseDraws, place: int, contexts: npt.NDArray[np.int32], n: int
) -> int:
    """Write the contexts of one token, and its noise, behind the first n; returns how many there are then."""
    negative = draws.negative
    size = np.int64(stretch.sizes[place]) if stretch.sizes.size else stretch.window
    counter = place * (2 * stretch.window * negative if draws.per_pair else negative)
    for side in (-1, 1):
        looked_at = size if (stretch.left if side < 0 else stretch.right) else 0
        for d in range(1, looked_at + 1):
            token = stretch.stream[place + side * d]
            if token == END:
                break
            if token < 0:
                continue
            contexts[n] = column(axis, np.int64(token), side * d)
            n += 1
            for _ in range(negative if draws.per_pair else 0):
                contexts[n] = ~rng.draw_noise(draws.noise, draws.key, counter)
                counter += 1
                n += 1
    for _ in range(0 if draws.per_pair else negative):
        contexts[n] = ~rng.draw_noise(draws.noise, draws.key, counter)
        counter += 1
        n += 1
    return n


@kernel
def draw_part(
    part: int,
    parts: int,
    stretch: Stretch,
    axis: ContextAxis | None,
    draws: NoiseDraws,
    order: npt.NDArray[np.int32],
    pairs: Pairs,
    ends: npt.NDArray[np.int64],
) -> None:
    """Draw the pairs of one part of words, row by row in the order given; those of the row order[i] end at ends[i]."""
    n = 0
    for place in range(order.size):
        row = np.int64(order[place])
        word = part + row * parts
        before = n
        for k in range(stretch.starts[word], stretch.starts[word + 1]):
            prefetch(stretch.stream, np.int64(stretch.places[min(k + _AHEAD, stretch.places.size - 1)]))
            n = draw_contexts(stretch, axis, draws, np.int64(stretch.places[k]), pairs.contexts, n)
        for k in range(before, n):
            pairs.words[k] = row
        ends[place] = n


@kernel
def fill_labels(pairs: Pairs, count: int) -> None:
    """Let pairs score 1 if they were seen, and 0 if they are noise."""
    for k in range(count):
        pairs.targets[k] = np.float32(1.0) if pairs.contexts[k] >= 0 else np.float32(0.0)


@kernel
def fill_targets(
    parts: int,
    targets: Targets,
    dense: npt.NDArray[np.float32],
    places: npt.NDArray[np.int32],
    pairs: Pairs,
    ends: npt.NDArray[np.int64],
    tiles: Tiles,
    tile_ends: npt.NDArray[np.int64],
    slot_starts: npt.NDArray[np.int64],
    slots: npt.NDArray[np.int32],
) -> None:
    """Look up what pairs should score that have a word of some rows, and tiles likewise (see `tiles.sort_slots`).

    ``places`` has the place of each row of the part in the order of words. ``dense`` is a row of the value of unseen
    cells, before and after.
    """
    for row in range(targets.starts.size):
        place = np.int64(places[targets.first + row])
        first, last = (ends[place - 1] if place else np.int64(0)), ends[place]
        begin, end = targets.starts[row], targets.stops[row]
        wanted = last - first + SIDE * (slot_starts[place + 1] - slot_starts[place])
        searched = end - begin > _SEARCH * wanted
        for i in range(0 if searched else begin, 0 if searched else end):
            dense[targets.indices[i]] = targets.data[i]
        for k in range(first, last):
            context = pairs.contexts[k] if pairs.contexts[k] >= 0 else ~pairs.contexts[k]
            pairs.targets[k] = cell(targets, row, context) if searched else dense[context]
        j = 0
        for s in range(slot_starts[place], slot_starts[place + 1]):
            tile, column = slots[s] // SIDE, slots[s] % SIDE
            while tile_ends[j] <= tile:
                j += 1
            for b in range(SIDE):
                context = np.int64(tiles.contexts[tile, b]) * parts + j
                tiles.targets[tile, SIDE * column + b] = cell(targets, row, context) if searched else dense[context]
        for i in range(0 if searched else begin, 0 if searched else end):
            dense[targets.indices[i]] = targets.unseen


@kernel
def cut(drawn: Pairs, count: int, parts: int, out: Pairs, ends: npt.NDArray[np.int64]) -> None:
    """Sort the first ``count`` pairs by the part of their context, in their order within it; part j ends at ends[j]."""
    mask = parts - 1
    shift = np.int64(trailing_zeros(np.uint64(parts)))
    ends[:] = 0
    for k in range(count):
        context = np.int64(drawn.contexts[k])
        ends[(context if context >= 0 else ~context) & mask] += 1
    total = 0
    for j in range(parts):
        size = ends[j]
        ends[j] = total
        total += size
    for k in range(count):
        context = np.int64(drawn.contexts[k])
        j = (context if context >= 0 else ~context) & mask
        at = ends[j]
        ends[j] = at + 1
        out.words[at] = drawn.words[k]
        out.contexts[at] = context >> shift  # of a complement, too: ~c >> s is ~(c >> s)
        out.targets[at] = drawn.targets[k]


@kernel
def count_blocks(
    first: int, ends: npt.NDArray[np.int64], columns: npt.NDArray[np.int32], parts: int, sizes: npt.NDArray[np.int64]
) -> None:
    """Add the cells of some rows of a sparse matrix, from row ``first`` on, to the sizes of their blocks."""
    for row in range(ends.size - 1):
        base = ((first + row) % parts) * parts
        for k in range(ends[row], ends[row + 1]):
            sizes[base + (np.int64(columns[k]) & (parts - 1))] += 1


@kernel
def sort_blocks(
    first: int,
    ends: npt.NDArray[np.int64],
    columns: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
    parts: int,
    out: Pairs,
    block_ends: npt.NDArray[np.int64],
) -> None:
    """Sort the cells of some rows by block, in their order within it; block (i, j) ends at block_ends[i · parts + j].

    ``block_ends`` is 0 before. Words and contexts get the numbers of their rows in their parts.
    """
    shift = np.int64(trailing_zeros(np.uint64(parts)))
    count_blocks(first, ends, columns, parts, block_ends)
    total = np.int64(0)
    for block in range(block_ends.size):
        size = block_ends[block]
        block_ends[block] = total
        total += size
    for row in range(ends.size - 1):
        word = first + row
        base = (word % parts) * parts
        for k in range(ends[row], ends[row + 1]):
            context = np.int64(columns[k])
            block = base + (context & (parts - 1))
            at = block_ends[block]
            block_ends[block] = at + 1
            out.words[at] = word >> shift
            out.contexts[at] = context >> shift
            out.targets[at] = values[k]
