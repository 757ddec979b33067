"""Windows over sentences, and the contexts of their tokens."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import rng
from .jit import inlined, kernel
from .tokens import END


class ContextAxis(NamedTuple):
    """Token t at an offset is column ``t · stride + places[offset]`` (a negative offset counts from the end)."""

    stride: int
    places: npt.NDArray[np.int64]


@inlined
def column(axis: ContextAxis | None, token: int, offset: int) -> int:
    """Return the number of the context that a token is at an offset.

    Without an axis contexts are words. Numba compiles that apart, so that the plain case costs nothing.
    """
    if axis is None:
        return token
    return token * axis.stride + axis.places[offset]


#: In the place of a token that clean subsampling took out: it holds its place, and takes part in no pair.
HOLE = -2


class TokenDraws(NamedTuple):
    """What is drawn at random for each token."""

    keep: npt.NDArray[np.float64]  # for each word, the probability of keeping a token of it
    keep_key: np.uint64
    size_key: np.uint64
    largest: int  # window sizes are drawn from 1..largest
    holes: bool  # clean subsampling: a token taken out leaves a hole; dirty: its neighbours move together


class Tokens(NamedTuple):
    """Tokens of a corpus from position ``first`` on; positions are those in the corpus."""

    ids: npt.NDArray[np.int32]
    first: int


@inlined
def _kept(tokens: Tokens, draws: TokenDraws, position: int) -> bool:
    keep = draws.keep[tokens.ids[position - tokens.first]]
    return keep >= 1.0 or rng.uniform(draws.keep_key, position) < keep


@kernel
def reach_back(tokens: Tokens, first: int, start: int, window: int, draws: TokenDraws) -> int:
    """Where to begin so that ``window`` tokens of the same sentence (from ``first``) stand before ``start``."""
    seen = 0
    while start > first and seen < window:
        start -= 1
        if draws.holes or _kept(tokens, draws, start):
            seen += 1
    return start


@kernel
def reach_on(tokens: Tokens, last: int, stop: int, window: int, draws: TokenDraws) -> int:
    """Where to end so that ``window`` tokens of the same sentence (up to ``last``) stand from ``stop`` on."""
    seen = 0
    while stop < last and seen < window:
        if draws.holes or _kept(tokens, draws, stop):
            seen += 1
        stop += 1
    return stop


@kernel
def fill_stream(
    tokens: Tokens,
    offsets: npt.NDArray[np.int64],
    span: tuple[int, int, int, int],
    draws: TokenDraws,
    stream: npt.NDArray[np.int32],
    sizes: npt.NDArray[np.int32],
) -> tuple[int, int, int]:
    """Write the tokens begin..end of ``span`` = (begin, start, stop, end), whose sentences have these ``offsets``.

    Tokens before ``start`` and from ``stop`` on are context only. ``sizes``, if not empty, gets a window size for each
    token of the stream. Returns the length of the stream, and where the tokens from start to
    stop begin and end in it.
    """
    begin, start, stop, end = span
    stream[0] = END
    written = 1
    low = high = 1
    sentence = 0
    boundary = offsets[sentence + 1]
    for position in range(begin, end):
        if position == boundary:
            stream[written] = END
            written += 1
            while offsets[sentence + 1] == position:
                sentence += 1
            boundary = offsets[sentence + 1]
        if position == start:
            low = written
        if position == stop:
            high = written
        if _kept(tokens, draws, position):
            if sizes.size:
                sizes[written] = 1 + rng.below(draws.size_key, position, draws.largest)
            stream[written] = tokens.ids[position - tokens.first]
            written += 1
        elif draws.holes:
            stream[written] = HOLE
            written += 1
    if stop == end:
        high = written
    stream[written] = END
    return written + 1, low, high
