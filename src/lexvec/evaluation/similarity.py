"""Similarity sets: the cosines of pairs of words, to be ranked as people ranked them."""

import numpy as np

from ..vectors import WordVectors
from .bootstrap import Array
from .units import Rows, unit_rows


def cosines(vectors: WordVectors, pairs: Rows) -> Array:
    """The cosine of each pair of rows."""
    if not len(pairs):
        return np.empty(0)
    distinct, places = np.unique(pairs, return_inverse=True)
    units = unit_rows(vectors, distinct)
    one, other = units[places.reshape(pairs.shape)].transpose(1, 0, 2)
    # A word with itself is cosine 1 for every word (SCWS has many such pairs): rounding must not rank them.
    products: Array = np.round(np.einsum("ij,ij->i", one, other), 12)
    return products
