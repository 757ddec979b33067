"""Words whose vectors are means of several input rows: composing them, and spreading their changes over the rows."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .jit import kernel, prefetch

Matrix = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]

_AHEAD = 4  # rows
_LINE = 16  # float32 in a cache line


class InputRows(NamedTuple):
    """Which input rows the vector of a word is the mean of: word w has rows[indptr[w]:indptr[w + 1]]."""

    indptr: Integers
    rows: npt.NDArray[np.int32]


@kernel
def compose(
    table: InputRows, words: Integers, first: int, last: int, inputs: Matrix, places: Integers, vectors: Matrix
) -> None:
    """Compose the vectors of words[first:last]; that of word w becomes row places[w] of ``vectors``."""
    for k in range(first, last):
        begin, end = table.indptr[words[k]], table.indptr[words[k] + 1]
        vector = vectors[places[words[k]]]
        vector[:] = 0
        for i in range(begin, end):
            ahead = inputs[table.rows[min(i + _AHEAD, table.rows.size - 1)]]
            for d in range(0, ahead.size, _LINE):
                prefetch(ahead, np.int64(d))
            row = inputs[table.rows[i]]
            for d in range(vector.size):
                vector[d] += row[d]
        scale = np.float32(1.0) / np.float32(max(1, end - begin))
        for d in range(vector.size):
            vector[d] *= scale


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
    table: InputRows, words: Integers, shared: bool, crowds: npt.NDArray[np.float32], changes: Matrix,
    first: int, last: int, inputs: Matrix,
) -> None:  # fmt: skip
    """Add the change of each word's vector to its input rows, word after word, in columns first..last only.

    Each row gets the whole change, or a share of it if it is ``shared``: one n-th of n rows. Where a row has a crowd
    of more than 1, it gets the sum of all changes divided by the crowd.
    """
    for k in range(words.size):
        begin, end = table.indptr[words[k]], table.indptr[words[k] + 1]
        weight = np.float32(1.0 / max(1, end - begin)) if shared else np.float32(1.0)
        change = changes[k]
        for i in range(begin, end):
            ahead = inputs[table.rows[min(i + _AHEAD, table.rows.size - 1)]]
            for d in range(first, last, _LINE):
                prefetch(ahead, np.int64(d))
            row = inputs[table.rows[i]]
            part = weight / max(np.float32(1.0), crowds[table.rows[i]])
            for d in range(first, last):
                row[d] += part * change[d]


@kernel
def subtract(vectors: Matrix, rows: Integers, first: int, last: int, before: Matrix) -> None:
    """Turn what vectors were before into how they changed since."""
    for k in range(first, last):
        now, then = vectors[rows[k]], before[k]
        for d in range(then.size):
            then[d] = now[d] - then[d]
