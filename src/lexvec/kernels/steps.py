"""How the rows of one word part and one context part move: sweeps over a block of pairs, one per rule of update.

A sweep is compiled for a loss (see `losses`): ``sgd_sweep(squared_loss)`` is a kernel.
"""

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import rng
from .jit import inlined, kernel, prefetch
from .pairs import Pairs

Matrix = npt.NDArray[np.float32]
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


class PlainPart(NamedTuple):
    """The rows of one part."""

    rows: Matrix


@functools.cache
def sgd_sweep(loss_function: LossFunction) -> Callable[..., None]:
    """Compile plain gradient descent for a loss."""

    @kernel
    def sweep(
        words: PlainPart, contexts: PlainPart, pairs: Pairs, rate: float, losses: npt.NDArray[np.float64]
    ) -> None:
        """Step through the pairs one after another; adds to losses[0] (seen) and losses[1] (noise)."""
        W, C = words.rows, contexts.rows
        dim = W.shape[1]
        last = pairs.words.size
        for k in range(last):
            ahead = min(k + _AHEAD, last - 1)
            context = pairs.contexts[ahead]
            _fetch(C, np.int64(context if context >= 0 else ~context))
            if pairs.words[ahead] != pairs.words[ahead - 1]:
                _fetch(W, np.int64(pairs.words[ahead]))
            seen = pairs.contexts[k] >= 0
            w = W[pairs.words[k]]
            c = C[pairs.contexts[k] if seen else ~pairs.contexts[k]]
            score = np.float32(0.0)
            for d in range(dim):
                score += w[d] * c[d]
            loss, slope = loss_function(np.float64(score), np.float64(pairs.targets[k]))
            losses[0 if seen else 1] += loss
            step = np.float32(rate * slope)
            for d in range(dim):
                moved = w[d]
                w[d] = moved - step * c[d]
                c[d] -= step * moved

    return sweep


class AdaptivePart(NamedTuple):
    """Matrix and biases of one part, and the sums of squared gradients that AdaGrad divides their steps by."""

    rows: Matrix
    bias: npt.NDArray[np.float32]
    row_squares: Matrix
    bias_squares: npt.NDArray[np.float32]


class CellWeights(NamedTuple):
    """How GloVe weighs a cell, and how fast its biases move."""

    x_max: float
    beta: float
    bias_rate: float


@functools.cache
def adagrad_sweep(loss_function: LossFunction) -> Callable[..., None]:
    """Compile AdaGrad with biases on a loss against log X, weighted by f(X) (GloVe: equations 3 and 4)."""

    @kernel
    def sweep(
        words: AdaptivePart,
        contexts: AdaptivePart,
        cells: Pairs,
        rate: float,
        losses: npt.NDArray[np.float64],
        weights: CellWeights,
    ) -> None:
        """Step through the cells one after another; adds to losses[0]."""
        dim = words.rows.shape[1]
        last = cells.words.size
        for k in range(last):
            ahead = min(k + _AHEAD, last - 1)
            _fetch(words.rows, np.int64(cells.words[ahead]))
            _fetch(words.row_squares, np.int64(cells.words[ahead]))
            _fetch(contexts.rows, np.int64(cells.contexts[ahead]))
            _fetch(contexts.row_squares, np.int64(cells.contexts[ahead]))
            i, j, x = np.int64(cells.words[k]), np.int64(cells.contexts[k]), np.float64(cells.targets[k])
            w, c, w_squares, c_squares = words.rows[i], contexts.rows[j], words.row_squares[i], contexts.row_squares[j]
            score = np.float32(0.0)
            for d in range(dim):
                score += w[d] * c[d]
            weight = (x / weights.x_max) ** weights.beta if x < weights.x_max else 1.0
            loss, slope = loss_function(np.float64(score) + words.bias[i] + contexts.bias[j], math.log(x))
            losses[0] += weight * loss
            step = np.float32(rate * weight * slope)
            for d in range(dim):
                w_step, c_step = step * c[d], step * w[d]
                w[d] -= w_step / np.sqrt(w_squares[d])
                c[d] -= c_step / np.sqrt(c_squares[d])
                w_squares[d] += w_step * w_step
                c_squares[d] += c_step * c_step
            bias_step = np.float32(weights.bias_rate * weight * slope)
            words.bias[i] -= bias_step / np.sqrt(words.bias_squares[i])
            contexts.bias[j] -= bias_step / np.sqrt(contexts.bias_squares[j])
            words.bias_squares[i] += bias_step * bias_step
            contexts.bias_squares[j] += bias_step * bias_step

    return sweep


@kernel
def shuffle(pairs: Pairs, key: np.uint64) -> None:
    """Bring pairs into a random order (Fisher and Yates)."""
    for k in range(pairs.words.size - 1, 0, -1):
        j = rng.below(key, k, k + 1)
        pairs.words[k], pairs.words[j] = pairs.words[j], pairs.words[k]
        pairs.contexts[k], pairs.contexts[j] = pairs.contexts[j], pairs.contexts[k]
        pairs.targets[k], pairs.targets[j] = pairs.targets[j], pairs.targets[k]
