"""Analogy questions: a is to b as c is to d, answered by 3CosAdd and by 3CosMul."""

from collections.abc import Mapping, Sequence

import numpy as np

from ...progress import ProgressLike
from ...uncertainty import Array
from ...vectors import WordVectors
from ...vectors.analogies import SOLVERS, solve
from ...vectors.found_words import FoundWords
from .accuracy import AccuracyTask
from .task import Item


class Analogy(AccuracyTask):
    """Questions of four words, the last of which is the answer."""

    line = "four words"
    fields = 4
    measures = SOLVERS

    def composable(self, item: Item) -> tuple[str, ...]:
        """Return the words of the question; the answer is searched for in the vocabulary."""
        return item.words[:3]

    def outcomes(
        self, vectors: WordVectors, items: Sequence[Item], *, threads: int = 1, progress: ProgressLike = None
    ) -> Mapping[str, Array]:
        """Return 1 for each question that is answered right, 0 for the others."""
        found = FoundWords(vectors, (word for item in items for word in item.words))
        numbers = np.array([[found.number(word) for word in item.words] for item in items], np.int64).reshape(-1, 4)
        answers = solve(found.unit_rows, len(vectors), numbers[:, :3], threads=threads, progress=progress)
        return {solver: (answers[solver] == numbers[:, 3]).astype(np.float64) for solver in SOLVERS}
