"""Words whose vectors are means of several input rows: composing them, and spreading their changes over the rows."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from . import lanes
from .jit import inlined, kernel, prefetch

Matrix = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

_AHEAD = 8  # rows
_LINE = 16  # float32 in a cache line


class InputRows(NamedTuple):
    """Which input rows the vector of a word is the mean of: word w has rows[indptr[w]:indptr[w + 1]]."""

    indptr: Integers
    rows: npt.NDArray[np.int32]


@inlined
def _fetch_ahead(table: InputRows, i: int, inputs: Matrix, first: int, last: int) -> None:
    """Ask for the columns of a row that is needed soon."""
    ahead = inputs[table.rows[min(i + _AHEAD, table.rows.size - 1)]]
    for d in range(first, last, _LINE):
        prefetch(ahead, np.int64(d))


@kernel
def compose(
    table: InputRows, words: Integers, first: int, last: int, inputs: Matrix, places: Integers, vectors: Matrix
) -> None:
    """Compose the vectors of words[first:last]; that of word w becomes row places[w] of ``vectors``."""
    columns = vectors.shape[1]
    flat, out = inputs.reshape(-1), vectors.reshape(-1)
    for k in range(first, last):
        begin, end = table.indptr[words[k]], table.indptr[words[k] + 1]
        at = places[words[k]] * columns
        for i in range(begin, end):
            _fetch_ahead(table, i, inputs, 0, columns)
        scale = lanes.splat(np.float32(1.0) / np.float32(max(1, end - begin)))
        for d in range(0, columns, lanes.LANES):
            total = lanes.zeros()
            for i in range(begin, end):
                total = lanes.plus_product(total, scale, lanes.load(flat, np.int64(table.rows[i]) * columns + d))
            lanes.store(out, at + d, total)


@kernel
def copy_rows(source: Matrix, rows: Integers, first: int, last: int, target: Matrix) -> None:
    """Copy row rows[k] to row k, for k in first..last."""
    for k in range(first, last):
        target[k] = source[rows[k]]


@kernel
def crowd(table: InputRows, words: Integers, weights: npt.NDArray[np.float32], crowds: npt.NDArray[np.float32]) -> None:
    """Set crowds[r], for each input row r of the words, to the sum of the weights of all words that have it."""
    for k in range(words.size):
        for i in range(table.indptr[words[k]], table.indptr[words[k] + 1]):
            crowds[table.rows[i]] = 0
    for k in range(words.size):
        for i in range(table.indptr[words[k]], table.indptr[words[k] + 1]):
            crowds[table.rows[i]] += weights[k]


@kernel
def spread(
    table: InputRows, words: Integers, crowds: npt.NDArray[np.float32], changes: Matrix, first: int, last: int,
    inputs: Matrix,
) -> None:  # fmt: skip
    """Add the change of each word's vector to its input rows, word after word, in columns first..last only.

    Each row gets the whole change. Where it has a crowd of more than 1, it gets the sum of all changes divided by the
    crowd.
    """
    columns = inputs.shape[1]
    flat, added = inputs.reshape(-1), changes.reshape(-1)
    for k in range(words.size):
        begin, end = table.indptr[words[k]], table.indptr[words[k] + 1]
        for i in range(begin, end):
            _fetch_ahead(table, i, inputs, first, last)
            row = np.int64(table.rows[i])
            part = lanes.splat(np.float32(1.0) / max(np.float32(1.0), crowds[row]))
            for d in range(first, last, lanes.LANES):
                at = row * columns + d
                change = lanes.load(added, np.int64(k) * columns + d)
                lanes.store(flat, at, lanes.plus_product(lanes.load(flat, at), part, change))


@kernel
def subtract(vectors: Matrix, rows: Integers, first: int, last: int, before: Matrix) -> None:
    """Turn what vectors were before into how they changed since, in columns first..last."""
    for k in range(rows.size):
        now, then = vectors[rows[k]], before[k]
        for d in range(first, last):
            then[d] = now[d] - then[d]
