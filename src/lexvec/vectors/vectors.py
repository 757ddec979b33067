"""A mapping from words to vectors, with exact search for neighbours."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..errors import InputError


class WordVectors:
    """Words and a matrix with a row for each.

    >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0.1], [1, 0], [0, 1]]))
    >>> vectors.most_similar("cat", 1)[0][0]
    'dog'
    """

    def __init__(self, words: Sequence[str], matrix: npt.NDArray[np.floating]) -> None:
        if len(words) != len(matrix):
            raise InputError(f"{len(words)} words but {len(matrix)} vectors: give one for each")
        self.words = list(words)
        self.matrix = np.asarray(matrix, np.float32)
        self.index = {word: place for place, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __getitem__(self, word: str) -> npt.NDArray[np.float32]:
        if word not in self.index:
            raise KeyError(f"{word!r} is not in the vocabulary")
        return np.asarray(self.matrix[self.index[word]])

    @cached_property
    def _norms(self) -> npt.NDArray[np.float32]:
        norms = np.linalg.norm(self.matrix, axis=1)
        return np.where(norms > 0, norms, np.float32(1))  # a zero vector is similar to nothing

    def similarity(self, one: str, other: str) -> float:
        """The cosine of two words."""
        product = self[one] @ self[other]
        return float(product / (self._norms[self.index[one]] * self._norms[self.index[other]]))

    def most_similar(self, word: str, count: int = 10) -> list[tuple[str, float]]:
        """The words with the largest cosines to a word, without itself."""
        cosines = self.matrix @ (self[word] / self._norms[self.index[word]]) / self._norms
        cosines[self.index[word]] = -np.inf
        nearest = np.argsort(-cosines, kind="stable")[: max(0, min(count, len(self) - 1))]
        return [(self.words[place], float(cosines[place])) for place in nearest.tolist()]

    def __repr__(self) -> str:
        return f"<WordVectors: {len(self):,} words, {self.matrix.shape[1]} dimensions>"
