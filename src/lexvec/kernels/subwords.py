"""Words whose vectors are means of several input rows: composing them, and spreading their changes over the rows."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import lanes
from .jit import inlined, kernel, prefetch

Matrix = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]
Flat = npt.NDArray[np.float32]

_AHEAD = 8  # rows
_LINE = 16  # float32 in a cache line


class InputRows(NamedTuple):
    """Which input rows the vector of a word is the mean of: word w has rows[indptr[w]:indptr[w + 1]]."""

    indptr: Integers
    rows: npt.NDArray[np.int32]


@inlined
def _fetch(inputs: Matrix, row: int) -> None:
    """Ask for a row that is needed soon."""
    ahead = inputs[row]
    for d in range(0, inputs.shape[1], _LINE):
        prefetch(ahead, np.int64(d))


@kernel
def compose(
    table: InputRows, words: Integers, first: int, last: int, inputs: Matrix, places: Integers, vectors: Matrix,
    before: Matrix,
) -> None:  # fmt: skip
    """Compose the vectors of words[first:last]; that of words[k] becomes row places[k] of ``vectors``.

    Row k of ``before`` gets a copy.
    """
    columns = vectors.shape[1]
    flat, out, kept = inputs.reshape(-1), vectors.reshape(-1), before.reshape(-1)
    for k in range(first, last):
        begin, end = table.indptr[words[k]], table.indptr[words[k] + 1]
        for i in range(begin, end):
            _fetch(inputs, table.rows[min(i + _AHEAD, table.rows.size - 1)])
        scale = lanes.splat(np.float32(1.0) / np.float32(max(1, end - begin)))
        for d in range(0, columns, lanes.LANES):
            total = lanes.zeros()
            for i in range(begin, end):
                total = lanes.plus_product(total, scale, lanes.load(flat, np.int64(table.rows[i]) * columns + d))
            lanes.store(out, places[k] * columns + d, total)
            lanes.store(kept, np.int64(k) * columns + d, total)


@kernel
def crowd(table: InputRows, words: Integers, weights: Flat, crowds: Flat) -> None:
    """Set crowds[r], for each input row r of the words, to the sum of the weights of all words that have it."""
    for k in range(words.size):
        for i in range(table.indptr[words[k]], table.indptr[words[k] + 1]):
            crowds[table.rows[i]] = 0
    for k in range(words.size):
        for i in range(table.indptr[words[k]], table.indptr[words[k] + 1]):
            crowds[table.rows[i]] += weights[k]


@kernel
def mean_root(table: InputRows, words: Integers, weights: Flat, crowds: Flat) -> float:
    """Return how many times too far words would move if rows got sums divided by roots: the weighted mean of words."""
    total, all_weights = 0.0, 0.0
    for k in range(words.size):
        begin, end = table.indptr[words[k]], table.indptr[words[k] + 1]
        roots = 0.0
        for i in range(begin, end):
            crowd = crowds[table.rows[i]]
            roots += np.sqrt(crowd) if crowd > 1 else crowd
        total += weights[k] * roots / max(1, end - begin)
        all_weights += weights[k]
    return total / all_weights if all_weights else 0.0


@kernel
def spread(
    table: InputRows, words: Integers, crowds: Flat, root: bool, vectors: Matrix, places: Integers,
    before: Matrix, first: int, last: int, inputs: Matrix,
) -> None:  # fmt: skip
    """Add the change of each word's vector to its input rows, word after word; only to the rows first..last.

    The vector of words[k] is row places[k] of ``vectors``, and was row k of ``before``. Each row gets the sum of all
    changes, divided by its crowd or by the ``root`` of it, if that is above 1.
    """
    columns = inputs.shape[1]
    flat, now, then = inputs.reshape(-1), vectors.reshape(-1), before.reshape(-1)
    minus = lanes.splat(np.float32(-1))
    for k in range(words.size):
        begin, end = table.indptr[words[k]], table.indptr[words[k] + 1]
        for i in range(begin, end):
            ahead = table.rows[min(i + _AHEAD, table.rows.size - 1)]
            if first <= ahead < last:
                _fetch(inputs, ahead)
            row = np.int64(table.rows[i])
            if not first <= row < last:
                continue
            crowd = max(np.float32(1), crowds[row])
            part = lanes.splat(np.float32(1) / (np.sqrt(crowd) if root else crowd))
            for d in range(0, columns, lanes.LANES):
                at, was = row * columns + d, lanes.load(then, np.int64(k) * columns + d)
                change = lanes.plus_product(lanes.load(now, places[k] * columns + d), minus, was)
                lanes.store(flat, at, lanes.plus_product(lanes.load(flat, at), part, change))
