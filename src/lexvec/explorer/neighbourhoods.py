"""The nearest words of many words at once, by comparing each with all: what maps and comparisons are made from.

`WordVectors.neighbors` judges ties in double precision, one query at a time. For tens of thousands of queries this does
the same in single precision, so words whose cosines agree to six digits may change places.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Singles = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int32]

_COSINES = 1 << 24  # that are held at once: 64 MB
_CHUNK = 64  # columns whose largest cosine is compared first


class Neighbourhoods(NamedTuple):
    """For each query its nearest rows, best first, and their cosines."""

    rows: Rows
    cosines: Singles


def single_units(matrix: Singles) -> Singles:
    """Return rows of length 1 in single precision; zero rows stay zero."""
    lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64, casting="safe"))
    lengths[lengths == 0] = 1
    return np.asarray(matrix / lengths[:, None], np.float32)


def nearest_rows(units: Singles, queries: npt.NDArray[np.integer], count: int) -> Neighbourhoods:
    """Return the ``count`` rows nearest to each query, which is a row too and is left out of its own list."""
    count = min(count, len(units) - 1)
    found = Neighbourhoods(np.empty((len(queries), count), np.int32), np.empty((len(queries), count), np.float32))
    step = max(1, _COSINES // max(1, len(units)))
    for start in range(0, len(queries), step):
        some = queries[start : start + step]
        cosines = units[some] @ units.T
        cosines[np.arange(len(some)), some] = -np.inf
        for place, candidates in enumerate(_candidates(cosines, count)):
            order = np.argsort(-cosines[place, candidates], kind="stable")[:count]
            found.rows[start + place] = candidates[order]
            found.cosines[start + place] = cosines[place, candidates[order]]
    return found


def _candidates(cosines: Singles, count: int) -> list[npt.NDArray[np.intp]]:
    """Return, for each row of cosines, the columns that are not below the ``count`` best chunks' largest values.

    At least ``count`` columns reach the smallest of these values, so the best are among the candidates.
    """
    chunks = cosines.shape[1] // _CHUNK
    if chunks < 2 * count:
        best = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
        worst = np.take_along_axis(cosines, best, 1).min(axis=1)
    else:
        whole = cosines[:, : chunks * _CHUNK].reshape(len(cosines), chunks, _CHUNK).max(axis=2)
        worst = -np.partition(-whole, count - 1, axis=1)[:, count - 1]
    reached = np.flatnonzero(cosines >= worst[:, None])
    places, columns = np.divmod(reached, cosines.shape[1])
    return np.split(columns, np.searchsorted(places, np.arange(1, len(cosines))))
