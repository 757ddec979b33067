"""How the rows move: one step per loss, and the sweep that walks it over a block of pairs."""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import rng
from .jit import inlined, kernel, prefetch
from .pairs import Pairs

Rows = npt.NDArray[np.float32]

_AHEAD = 4  # pairs; far enough for their rows to arrive, near enough not to be thrown out again
_LINE = 16  # float32 in a cache line


@kernel
def fill_uniform(rows: Rows, dim: int, scale: float, key: np.uint64) -> None:
    """Uniform numbers in ±scale/2 in the first ``dim`` columns; columns beyond are padding, and stay 0."""
    for i in range(rows.shape[0]):
        for d in range(dim):
            rows[i, d] = (rng.uniform(key, i * dim + d) - 0.5) * scale


@inlined
def _fetch(rows: Rows, i: int) -> None:
    flat = rows[i]
    for d in range(0, rows.shape[1], _LINE):
        prefetch(flat, np.int64(d))


@inlined
def squared_loss(score: float, target: float) -> tuple[float, float]:
    """LexVec: loss ½ (score − target)² and its derivative by the score (equations 6 and 7)."""
    error = score - target
    return 0.5 * error * error, error


@inlined
def logistic_loss(score: float, label: float) -> tuple[float, float]:
    """SGNS: loss −log σ(±score) and its derivative by the score (equation 5, negated: it is minimised)."""
    small = math.exp(-abs(score))
    probability = 1.0 / (1.0 + small) if score >= 0 else small / (1.0 + small)
    loss = math.log1p(small) + max(score, 0.0) - label * score
    return loss, probability - label


@kernel
def sweep_pairs(
    W: Rows,
    C: Rows,
    pairs: Pairs,
    first: int,
    last: int,
    rate: float,
    logistic: bool,
    losses: npt.NDArray[np.float64],
) -> None:
    """Plain SGD over the pairs first..last, one after another; adds to losses[0] (seen) and losses[1] (noise)."""
    dim = W.shape[1]
    for k in range(first, last):
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
        if logistic:
            loss, slope = logistic_loss(np.float64(score), np.float64(pairs.targets[k]))
        else:
            loss, slope = squared_loss(np.float64(score), np.float64(pairs.targets[k]))
        losses[0 if seen else 1] += loss
        step = np.float32(rate * slope)
        for d in range(dim):
            moved = w[d]
            w[d] = moved - step * c[d]
            c[d] -= step * moved


class Adaptive(NamedTuple):
    """Rows and biases of one side, and the sums of squared gradients that AdaGrad divides their steps by."""

    rows: Rows
    bias: npt.NDArray[np.float32]
    row_squares: Rows
    bias_squares: npt.NDArray[np.float32]


@kernel
def shuffle(pairs: Pairs, first: int, last: int, key: np.uint64) -> None:
    """Bring the pairs first..last into a random order (Fisher and Yates)."""
    for k in range(last - 1, first, -1):
        j = first + rng.below(key, k - first, k - first + 1)
        pairs.words[k], pairs.words[j] = pairs.words[j], pairs.words[k]
        pairs.contexts[k], pairs.contexts[j] = pairs.contexts[j], pairs.contexts[k]
        pairs.targets[k], pairs.targets[j] = pairs.targets[j], pairs.targets[k]


class CellStep(NamedTuple):
    """How GloVe weighs a cell, and how fast its rows and biases move."""

    x_max: float
    beta: float
    rate: float
    bias_rate: float


@kernel
def sweep_cells(
    words: Adaptive,
    contexts: Adaptive,
    cells: Pairs,
    first: int,
    last: int,
    how: CellStep,
    losses: npt.NDArray[np.float64],
) -> None:
    """GloVe: AdaGrad on ½ f(X) (W·C + b_w + b_c − log X)² over the cells first..last (equations 3 and 4)."""
    dim = words.rows.shape[1]
    for k in range(first, last):
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
        weight = (x / how.x_max) ** how.beta if x < how.x_max else 1.0
        error = np.float64(score) + words.bias[i] + contexts.bias[j] - math.log(x)
        losses[0] += 0.5 * weight * error * error
        step = np.float32(how.rate * weight * error)
        for d in range(dim):
            w_step, c_step = step * c[d], step * w[d]
            w[d] -= w_step / np.sqrt(w_squares[d])
            c[d] -= c_step / np.sqrt(c_squares[d])
            w_squares[d] += w_step * w_step
            c_squares[d] += c_step * c_step
        bias_step = np.float32(how.bias_rate * weight * error)
        words.bias[i] -= bias_step / np.sqrt(words.bias_squares[i])
        contexts.bias[j] -= bias_step / np.sqrt(contexts.bias_squares[j])
        words.bias_squares[i] += bias_step * bias_step
        contexts.bias_squares[j] += bias_step * bias_step
