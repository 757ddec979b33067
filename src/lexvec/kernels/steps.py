"""How the rows of one word part and one context part move: sweeps over a block of pairs, one per rule of update.

A sweep is compiled for a loss (see `losses`): ``sgd_sweep(squared_loss)`` is a kernel. A sweep with a factor for each
row is compiled apart, so that plain training does not pay for it.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import lanes, rng
from .jit import inlined, kernel, prefetch
from .losses import exp_of_negative
from .pairs import Pairs
from .tiles import SIDE, TILE_PAIRS, Tiles

Matrix = npt.NDArray[np.float32]
Flat = npt.NDArray[np.float32]
LossFunction = Callable[[float, float], tuple[float, float]]

_AHEAD = 4  # pairs; far enough for their rows to arrive, near enough not to be thrown out again
_LINE = 16  # float32 in a cache line


@kernel
def fill_uniform(rows: Matrix, dim: int, scale: float, key: np.uint64, first: int, stride: int) -> None:
    """Fill the first ``dim`` columns with uniform numbers in ±scale/2; columns beyond are padding, and stay 0.

    Row i gets the numbers of row ``first + i · stride`` of the whole, of which these rows are a part.
    """
    for i in range(rows.shape[0]):
        for d in range(dim):
            rows[i, d] = (rng.uniform(key, (first + i * stride) * dim + d) - 0.5) * scale


@inlined
def _fetch(rows: Matrix, i: int) -> None:
    flat = rows[i]
    for d in range(0, rows.shape[1], _LINE):
        prefetch(flat, np.int64(d))


NO_FACTORS: Flat = np.empty(0, np.float32)


class PlainPart(NamedTuple):
    """The rows of one part of words or contexts.

    ``factors`` says how much of its gradient each row takes: 0 leaves it as it is, to the bit. If it is empty, all rows
    take the whole.
    """

    rows: Matrix
    factors: Flat = NO_FACTORS


class Block(NamedTuple):
    """What to learn from in one block: pairs, and noise in tiles."""

    pairs: Pairs
    tiles: Tiles


@inlined
def _dot(W: Flat, C: Flat, w: int, c: int, columns: int) -> np.float32:
    """Multiply two rows, which begin at w and c."""
    sums = lanes.zeros()
    for d in range(0, columns, lanes.LANES):
        sums = lanes.plus_product(sums, lanes.load(W, w + d), lanes.load(C, c + d))
    return lanes.total(sums)


@inlined
def _move(W: Flat, C: Flat, w: int, c: int, columns: int, step: np.float32) -> None:
    """Move two rows along one another."""
    by = lanes.splat(step)
    for d in range(0, columns, lanes.LANES):
        word, context = lanes.load(W, w + d), lanes.load(C, c + d)
        lanes.store(W, w + d, lanes.plus_product(word, by, context))
        lanes.store(C, c + d, lanes.plus_product(context, by, word))


@inlined
def _factor(factors: Flat, row: int) -> np.float32:
    return factors[row] if factors.size else np.float32(1.0)


@inlined
def _move_by(W: Flat, C: Flat, w: int, c: int, columns: int, word_step: np.float32, context_step: np.float32) -> None:
    """Move two rows along one another, each by a step of its own; one of 0 is not even written."""
    by, some = lanes.splat(context_step), lanes.splat(word_step)
    for d in range(0, columns, lanes.LANES):
        word, context = lanes.load(W, w + d), lanes.load(C, c + d)
        if word_step != 0:
            lanes.store(W, w + d, lanes.plus_product(word, some, context))
        if context_step != 0:
            lanes.store(C, c + d, lanes.plus_product(context, by, word))


@inlined
def _four_dots(W: Flat, C: Flat, w: int, places: npt.NDArray[np.int64], columns: int, out: Flat, at: int) -> None:
    """Multiply one row with four."""
    c0, c1, c2, c3 = places[0], places[1], places[2], places[3]
    s0, s1, s2, s3 = lanes.zeros(), lanes.zeros(), lanes.zeros(), lanes.zeros()
    for d in range(0, columns, lanes.LANES):
        word = lanes.load(W, w + d)
        s0 = lanes.plus_product(s0, word, lanes.load(C, c0 + d))
        s1 = lanes.plus_product(s1, word, lanes.load(C, c1 + d))
        s2 = lanes.plus_product(s2, word, lanes.load(C, c2 + d))
        s3 = lanes.plus_product(s3, word, lanes.load(C, c3 + d))
    out[at], out[at + 1], out[at + 2], out[at + 3] = (
        lanes.total(s0), lanes.total(s1), lanes.total(s2), lanes.total(s3)
    )  # fmt: skip


@inlined
def _moved(row: Any, a: Any, x: Any, b: Any, y: Any, c: Any, z: Any, d: Any, v: Any) -> Any:
    """Return a row that has moved along four others."""
    return lanes.plus_product(lanes.plus_product(lanes.plus_product(lanes.plus_product(row, a, x), b, y), c, z), d, v)


@inlined
def _move_tile(W: Flat, C: Flat, w: npt.NDArray[np.int64], c: npt.NDArray[np.int64], columns: int, steps: Flat) -> None:
    """Move four words and four contexts along one another, all from where they were."""
    s0, s1, s2, s3 = (lanes.splat(steps[0]), lanes.splat(steps[1]), lanes.splat(steps[2]), lanes.splat(steps[3]))
    t0, t1, t2, t3 = (lanes.splat(steps[4]), lanes.splat(steps[5]), lanes.splat(steps[6]), lanes.splat(steps[7]))
    u0, u1, u2, u3 = (lanes.splat(steps[8]), lanes.splat(steps[9]), lanes.splat(steps[10]), lanes.splat(steps[11]))
    v0, v1, v2, v3 = (lanes.splat(steps[12]), lanes.splat(steps[13]), lanes.splat(steps[14]), lanes.splat(steps[15]))
    ws, wt, wu, wv = w[0], w[1], w[2], w[3]
    c0, c1, c2, c3 = c[0], c[1], c[2], c[3]
    for i in range(0, columns, lanes.LANES):
        s, t, u, v = lanes.load(W, ws + i), lanes.load(W, wt + i), lanes.load(W, wu + i), lanes.load(W, wv + i)
        d0, d1, d2, d3 = lanes.load(C, c0 + i), lanes.load(C, c1 + i), lanes.load(C, c2 + i), lanes.load(C, c3 + i)
        lanes.store(W, ws + i, _moved(s, s0, d0, s1, d1, s2, d2, s3, d3))
        lanes.store(W, wt + i, _moved(t, t0, d0, t1, d1, t2, d2, t3, d3))
        lanes.store(W, wu + i, _moved(u, u0, d0, u1, d1, u2, d2, u3, d3))
        lanes.store(W, wv + i, _moved(v, v0, d0, v1, d1, v2, d2, v3, d3))
        lanes.store(C, c0 + i, _moved(d0, s0, s, t0, t, u0, u, v0, v))
        lanes.store(C, c1 + i, _moved(d1, s1, s, t1, t, u1, u, v1, v))
        lanes.store(C, c2 + i, _moved(d2, s2, s, t2, t, u2, u, v2, v))
        lanes.store(C, c3 + i, _moved(d3, s3, s, t3, t, u3, u, v3, v))


@inlined
def _distinct(rows: npt.NDArray[np.int32]) -> bool:
    a, b, c, d = rows[0], rows[1], rows[2], rows[3]
    return a != b and a != c and a != d and b != c and b != d and c != d


@functools.cache
def sgd_sweep(loss_function: LossFunction, *, factored: bool = False) -> Callable[..., None]:
    """Compile plain gradient descent for a loss; if it is ``factored``, rows take their factors of each gradient."""

    @inlined
    def step_pair(
        W: Flat, C: Flat, i: int, j: int, columns: int, target: np.float32, rate: float,
        word_factors: Flat, context_factors: Flat,
    ) -> float:  # fmt: skip
        w, c = i * columns, j * columns
        score = _dot(W, C, w, c, columns)
        loss, slope = loss_function(np.float64(score), np.float64(target))
        step = np.float32(-rate * slope)
        if factored:
            word_step = np.float32(step * _factor(word_factors, i))
            _move_by(W, C, w, c, columns, word_step, np.float32(step * _factor(context_factors, j)))
        else:
            _move(W, C, w, c, columns, step)
        return loss

    @inlined
    def step_tile(
        W: Flat, C: Flat, w: npt.NDArray[np.int64], c: npt.NDArray[np.int64], columns: int,
        targets: Flat, steps: Flat, rate: float,
    ) -> float:  # fmt: skip
        for a in range(SIDE):
            _four_dots(W, C, w[a], c, columns, steps, SIDE * a)
        total = 0.0
        for p in range(TILE_PAIRS):
            loss, slope = loss_function(np.float64(steps[p]), np.float64(targets[p]))
            total += loss
            steps[p] = np.float32(-rate * slope)
        _move_tile(W, C, w, c, columns, steps)
        return total

    @kernel
    def sweep(
        words: PlainPart, contexts: PlainPart, block: Block, rate: float, losses: npt.NDArray[np.float64]
    ) -> None:
        """Step through pairs and tiles; adds to losses[0] (seen) and losses[1] (noise).

        The four columns of words in tiles are four quarters of all words, in the order in which pairs have them. So the
        pairs are taken in four quarters side by side, in step with the tiles: a word meets its contexts and its noise
        at about the same time, while its row is in the cache.
        """
        pairs, tiles = block.pairs, block.tiles
        columns = words.rows.shape[1]
        W, C = words.rows.reshape(-1), contexts.rows.reshape(-1)
        w, c = np.empty(SIDE, np.int64), np.empty(SIDE, np.int64)
        steps, no_targets = np.empty(TILE_PAIRS, np.float32), np.zeros(TILE_PAIRS, np.float32)
        number, last = tiles.words.shape[0], pairs.words.size
        for t in range(number + 1):
            if t < number:
                for a in range(SIDE):
                    _fetch(words.rows, np.int64(tiles.words[t, a]))
                    _fetch(contexts.rows, np.int64(tiles.contexts[t, a]))
            for quarter in range(SIDE):
                begin, end = last * quarter // SIDE, last * (quarter + 1) // SIDE
                size = end - begin
                for k in range(begin + size * t // (number + 1), begin + size * (t + 1) // (number + 1)):
                    ahead = min(k + _AHEAD, last - 1)
                    context = pairs.contexts[ahead]
                    _fetch(contexts.rows, np.int64(context if context >= 0 else ~context))
                    if pairs.words[ahead] != pairs.words[ahead - 1]:
                        _fetch(words.rows, np.int64(pairs.words[ahead]))
                    seen = pairs.contexts[k] >= 0
                    row = np.int64(pairs.contexts[k] if seen else ~pairs.contexts[k])
                    losses[0 if seen else 1] += step_pair(
                        W, C, np.int64(pairs.words[k]), row, columns, pairs.targets[k], rate, words.factors,
                        contexts.factors,
                    )  # fmt: skip
            if t < number:
                targets = tiles.targets[t] if tiles.targets.shape[0] else no_targets
                if not factored and _distinct(tiles.words[t]) and _distinct(tiles.contexts[t]):
                    for a in range(SIDE):
                        w[a], c[a] = np.int64(tiles.words[t, a]) * columns, np.int64(tiles.contexts[t, a]) * columns
                    losses[1] += step_tile(W, C, w, c, columns, targets, steps, rate)
                else:
                    for a in range(SIDE):
                        w[a], c[a] = np.int64(tiles.words[t, a]), np.int64(tiles.contexts[t, a])
                    for a in range(SIDE):
                        for b in range(SIDE):
                            losses[1] += step_pair(
                                W, C, w[a], c[b], columns, targets[SIDE * a + b], rate, words.factors, contexts.factors
                            )

    return sweep


class AdaptivePart(NamedTuple):
    """Matrix and biases of one part, and the sums of squared gradients that AdaGrad divides their steps by."""

    rows: Matrix
    bias: npt.NDArray[np.float32]
    row_squares: Matrix
    bias_squares: npt.NDArray[np.float32]
    factors: Flat = NO_FACTORS  # as those of `PlainPart`


class CellWeights(NamedTuple):
    """How GloVe weighs a cell, and how fast its biases move."""

    log_max: float  # −∞: all cells have weight 1
    beta: float
    bias_rate: float


@inlined
def _move_bias(part: AdaptivePart, row: int, step: np.float32) -> None:
    part.bias[row] -= step / np.sqrt(part.bias_squares[row])
    part.bias_squares[row] += step * step


@functools.cache
def adagrad_sweep(loss_function: LossFunction, *, factored: bool = False) -> Callable[..., None]:
    """Compile AdaGrad with biases on a loss against log X, weighted by f(X) (GloVe: equations 3 and 4).

    If it is ``factored``, rows and biases take their factors of each gradient.
    """

    @kernel
    def sweep(
        words: AdaptivePart,
        contexts: AdaptivePart,
        cells: Pairs,
        rate: float,
        losses: npt.NDArray[np.float64],
        weights: CellWeights,
    ) -> None:
        """Step through the cells, which have log X as targets, one after another; adds to losses[0]."""
        columns = words.rows.shape[1]
        W, W_squares = words.rows.reshape(-1), words.row_squares.reshape(-1)
        C, C_squares = contexts.rows.reshape(-1), contexts.row_squares.reshape(-1)
        last = cells.words.size
        for k in range(last):
            ahead = min(k + _AHEAD, last - 1)
            _fetch(words.rows, np.int64(cells.words[ahead]))
            _fetch(words.row_squares, np.int64(cells.words[ahead]))
            _fetch(contexts.rows, np.int64(cells.contexts[ahead]))
            _fetch(contexts.row_squares, np.int64(cells.contexts[ahead]))
            i, j, log_x = np.int64(cells.words[k]), np.int64(cells.contexts[k]), np.float64(cells.targets[k])
            w, c = i * columns, j * columns
            score = _dot(W, C, w, c, columns)
            weight = 1.0
            if log_x < weights.log_max:
                weight = exp_of_negative(weights.beta * (weights.log_max - log_x))
            loss, slope = loss_function(np.float64(score) + words.bias[i] + contexts.bias[j], log_x)
            losses[0] += weight * loss
            word_factor = _factor(words.factors, i) if factored else np.float32(1.0)
            context_factor = _factor(contexts.factors, j) if factored else np.float32(1.0)
            step = np.float32(-rate * weight * slope)
            by_word, by_context = lanes.splat(step * word_factor), lanes.splat(step * context_factor)
            for d in range(0, columns, lanes.LANES):
                word, context = lanes.load(W, w + d), lanes.load(C, c + d)
                word_squares, context_squares = lanes.load(W_squares, w + d), lanes.load(C_squares, c + d)
                word_step, context_step = lanes.product(by_word, context), lanes.product(by_context, word)
                if not factored or word_factor != 0:
                    lanes.store(W, w + d, lanes.plus_product(word, word_step, lanes.inverse_root(word_squares)))
                    lanes.store(W_squares, w + d, lanes.plus_product(word_squares, word_step, word_step))
                if not factored or context_factor != 0:
                    moved = lanes.plus_product(context, context_step, lanes.inverse_root(context_squares))
                    lanes.store(C, c + d, moved)
                    lanes.store(C_squares, c + d, lanes.plus_product(context_squares, context_step, context_step))
            bias_step = np.float32(weights.bias_rate * weight * slope)
            if not factored or word_factor != 0:
                _move_bias(words, i, bias_step * word_factor)
            if not factored or context_factor != 0:
                _move_bias(contexts, j, bias_step * context_factor)

    return sweep


@kernel
def shuffle(pairs: Pairs, key: np.uint64) -> None:
    """Bring pairs into a random order (Fisher and Yates)."""
    for k in range(pairs.words.size - 1, 0, -1):
        j = rng.below(key, k, k + 1)
        pairs.words[k], pairs.words[j] = pairs.words[j], pairs.words[k]
        pairs.contexts[k], pairs.contexts[j] = pairs.contexts[j], pairs.contexts[k]
        pairs.targets[k], pairs.targets[j] = pairs.targets[j], pairs.targets[k]
