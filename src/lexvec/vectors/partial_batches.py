"""Batches in which some words have no row."""

import numpy as np

from ..errors import Given, ParameterError
from .arguments import shown
from .derived import DerivedVectors, Unknown
from .unit_vectors import Doubles, cosines_of, unit_vectors


def partial_similarities(vectors: DerivedVectors, pairs: list[tuple[str, str]], unknown: Unknown) -> Doubles:
    """Return the cosine of each pair; NaN, 0 or that of composed vectors where a word has no row."""
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2:
            raise ParameterError(Given("pairs"), f" has {shown(pair)} in it: give two words each")
    words = list(dict.fromkeys(word for pair in pairs for word in pair))
    units = unit_vectors(vectors.lookup(words, unknown="compose" if unknown == "compose" else "zero"))
    place = {word: row for row, word in enumerate(words)}
    ones, others = np.array([[place[one], place[other]] for one, other in pairs], np.intp).reshape(-1, 2).T
    cosines = cosines_of(units[ones], units[others])
    if unknown == "skip":
        cosines[[one not in vectors.index or other not in vectors.index for one, other in pairs]] = np.nan
    return cosines
