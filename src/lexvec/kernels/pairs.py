"""A stretch of the corpus → pairs (word, context) to learn from, cut into blocks that share no row.

Pairs are drawn word by word (as in `counting`), so that what they should score can be read from one dense row, filled
from the sparse matrix once per word; cutting brings them back into the order of the text. Word n is row n div P of part
n mod P, and so is context n; P is a power of two.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import noise as noise_kernels
from .contexts import ContextAxis, column
from .jit import inlined, kernel, prefetch, trailing_zeros
from .noise import Noise
from .tokens import END

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
    """What pairs should score: a sparse matrix, or nothing at all for 1 (seen) and 0 (noise)."""

    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    data: npt.NDArray[np.float32]
    unseen: np.float32


class NoiseDraws(NamedTuple):
    """How noise is drawn: ``negative`` contexts per token, or per pair."""

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
def cell(targets: Targets, word: int, context: int) -> np.float32:
    """One cell, by binary search."""
    low, high = targets.indptr[word], targets.indptr[word + 1]
    while low < high:
        middle = (low + high) >> 1
        if targets.indices[middle] < context:
            low = middle + 1
        else:
            high = middle
    if low < targets.indptr[word + 1] and targets.indices[low] == context:
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
                contexts[n] = ~noise_kernels.draw(draws.noise, draws.key, counter)
                counter += 1
                n += 1
    for _ in range(0 if draws.per_pair else negative):
        contexts[n] = ~noise_kernels.draw(draws.noise, draws.key, counter)
        counter += 1
        n += 1
    return n


@inlined
def _fill_targets(
    word: int, targets: Targets, dense: npt.NDArray[np.float32], pairs: Pairs, first: int, last: int
) -> None:
    """Look up what the pairs first..last, all of one word, should score."""
    if targets.indptr.size == 0:
        for k in range(first, last):
            pairs.targets[k] = np.float32(1.0) if pairs.contexts[k] >= 0 else np.float32(0.0)
        return
    begin, end = targets.indptr[word], targets.indptr[word + 1]
    if end - begin > _SEARCH * (last - first):
        for k in range(first, last):
            context = pairs.contexts[k]
            pairs.targets[k] = cell(targets, word, context if context >= 0 else ~context)
        return
    for i in range(begin, end):
        dense[targets.indices[i]] = targets.data[i]
    for k in range(first, last):
        context = pairs.contexts[k]
        pairs.targets[k] = dense[context if context >= 0 else ~context]
    for i in range(begin, end):
        dense[targets.indices[i]] = targets.unseen


@kernel
def deal(stretch: Stretch, parts: int, order: npt.NDArray[np.int32], bounds: npt.NDArray[np.int64]) -> None:
    """Sort the tokens by the part of their word, in the order of the text: part i is order[bounds[i]:bounds[i + 1]].

    A token is named by its number in ``places``.
    """
    number = np.full(stretch.stream.size, -1, np.int32)
    bounds[:] = 0
    for word in range(stretch.starts.size - 2):
        bounds[(word & (parts - 1)) + 1] += stretch.starts[word + 1] - stretch.starts[word]
        for k in range(stretch.starts[word], stretch.starts[word + 1]):
            number[stretch.places[k]] = k
    for part in range(parts):
        bounds[part + 1] += bounds[part]
    ends = bounds[:-1].copy()
    for place in range(stretch.stream.size):
        if number[place] >= 0:
            part = stretch.stream[place] & (parts - 1)
            order[ends[part]] = number[place]
            ends[part] += 1


@kernel
def draw_part(
    part: int,
    parts: int,
    stretch: Stretch,
    axis: ContextAxis | None,
    draws: NoiseDraws,
    targets: Targets,
    dense: npt.NDArray[np.float32],
    pairs: Pairs,
    segments: npt.NDArray[np.int64],
) -> None:
    """Draw the pairs of the words ``part``, ``part + parts`` …; those of token k are segments[k, 0]..segments[k, 1].

    ``dense`` is a row of the value of unseen cells, before and after.
    """
    n = 0
    row = -1
    for word in range(part, stretch.starts.size - 2, parts):
        row += 1
        before = n
        for k in range(stretch.starts[word], stretch.starts[word + 1]):
            prefetch(stretch.stream, np.int64(stretch.places[min(k + _AHEAD, stretch.places.size - 1)]))
            segments[k, 0] = n
            n = draw_contexts(stretch, axis, draws, np.int64(stretch.places[k]), pairs.contexts, n)
            segments[k, 1] = n
        for k in range(before, n):
            pairs.words[k] = row
        if n > before:
            _fill_targets(word, targets, dense, pairs, before, n)


@kernel
def cut(
    drawn: Pairs,
    segments: npt.NDArray[np.int64],
    order: npt.NDArray[np.int32],
    parts: int,
    out: Pairs,
    ends: npt.NDArray[np.int64],
) -> None:
    """Sort pairs by the part of their context, and within it by segment in the order given; part j ends at ends[j]."""
    mask = parts - 1
    shift = np.int64(trailing_zeros(np.uint64(parts)))
    ends[:] = 0
    for s in order:
        for k in range(segments[s, 0], segments[s, 1]):
            context = np.int64(drawn.contexts[k])
            ends[(context if context >= 0 else ~context) & mask] += 1
    total = 0
    for j in range(parts):
        size = ends[j]
        ends[j] = total
        total += size
    for s in order:
        for k in range(segments[s, 0], segments[s, 1]):
            context = np.int64(drawn.contexts[k])
            j = (context if context >= 0 else ~context) & mask
            at = ends[j]
            ends[j] = at + 1
            out.words[at] = drawn.words[k]
            out.contexts[at] = context >> shift  # of a complement, too: ~c >> s is ~(c >> s)
            out.targets[at] = drawn.targets[k]
