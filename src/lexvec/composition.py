"""How the vector of a word comes from input rows: here from one row of its own.

Words and input rows are two index spaces: W.npy has a row per input row. Where a word's vector is its own row, they are
the same, and nothing is copied.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from .errors import ArtefactError
from .registry import Registry

Matrix = npt.NDArray[np.float32]


class Composer(Protocol):
    """Composes vectors for words that have no row of their own."""

    def composed(self, words: Sequence[str]) -> Matrix:
        """Return a vector per word: zeros where a word has nothing that a vector could come from."""


class Composition(ABC):
    """Composes the vectors of ``words`` words from rows of a matrix."""

    name: ClassVar[str]

    def __init__(self, words: int) -> None:
        self.words = words

    @property
    @abstractmethod
    def rows(self) -> int:
        """How many input rows there are."""

    @abstractmethod
    def vectors(self, rows: Matrix) -> Matrix:
        """Return a vector per word."""


class OwnRow(Composition):
    """A word's vector is a row of its own."""

    name = "own row"

    @property
    def rows(self) -> int:
        """As many as words."""
        return self.words

    def vectors(self, rows: Matrix) -> Matrix:
        """Return the rows themselves."""
        return rows


#: Ways to compose vectors, by the name that a saved model records.
COMPOSITIONS: Registry[type[Composition]] = Registry("composition", {OwnRow.name: OwnRow})


def recorded_composition(facts: dict[str, Any], words: int, path: object) -> Composition:
    """Return how a saved model composes vectors; older ones, which do not say, have a row per word."""
    name = facts.get("composition", OwnRow.name)
    if name not in COMPOSITIONS:
        raise ArtefactError(f"{path} composes vectors in an unknown way, {name!r:.60}: use the version that made it")
    return COMPOSITIONS[name](words)
