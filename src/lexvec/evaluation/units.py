"""Vectors of length one, a few or a block at a time: the only place where evaluation looks at the matrix."""

import numpy as np
import numpy.typing as npt

from ..errors import InputError
from ..vectors import WordVectors

Rows = npt.NDArray[np.int64]


def unit_rows(vectors: WordVectors, rows: Rows | slice) -> npt.NDArray[np.float64]:
    """Rows of the matrix, each divided by its length; a zero vector stays zero, so that its cosines are 0.

    Anything that is not a finite number is an error that names the word.
    """
    block = np.array(vectors.matrix[rows], np.float64)  # lengths of large float32 numbers would overflow
    lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
    broken = np.flatnonzero(~np.isfinite(lengths))
    if len(broken):
        place = rows.start + broken[0] if isinstance(rows, slice) else rows[broken[0]]
        raise InputError(
            f"the vector of {vectors.words[place]!r} is not made of finite numbers: train or export it anew"
        )
    block /= np.where(lengths > 0, lengths, 1.0)[:, None]
    return block
