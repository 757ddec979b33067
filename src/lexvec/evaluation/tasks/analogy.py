"""Analogy questions: a is to b as c is to d, answered by 3CosAdd and by 3CosMul."""

from collections.abc import Mapping, Sequence

import numpy as np

from ...progress import ProgressLike
from ...vectors import WordVectors
from ...vectors.analogies import SOLVERS, solve
from ..bootstrap import Array
from .accuracy import AccuracyTask
from .task import Item


class Analogy(AccuracyTask):
    """Questions of four words, the last of which is the answer."""

    line = "four words"
    fields = 4
    measures = SOLVERS

    def outcomes(
        self, vectors: WordVectors, items: Sequence[Item], *, threads: int = 1, progress: ProgressLike = None
    ) -> Mapping[str, Array]:
        """Return 1 for each question that is answered right, 0 for the others."""
        rows = np.array([[vectors.index[word] for word in item.words] for item in items], np.int64).reshape(-1, 4)
        answers = solve(vectors.unit_rows, len(vectors), rows[:, :3], threads=threads, progress=progress)
        return {solver: (answers[solver] == rows[:, 3]).astype(np.float64) for solver in SOLVERS}
