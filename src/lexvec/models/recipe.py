"""How the matrix is made that a model learns from."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..association import Association, Associator
from ..cooccurrence import Cooccurrence, CooccurrenceCounter
from ..corpus import Corpus
from ..errors import ArtefactError, ParameterError
from ..progress import Progress
from .run import prepared


@dataclass(frozen=True)
class Recipe:
    """Counting and, unless the model learns from counts, association. Models with equal recipes can share a matrix."""

    counter: CooccurrenceCounter
    associator: Associator | None = None

    def record(self) -> dict[str, Any]:
        """All that decides the matrix."""
        return self.counter.record() | (self.associator.record() if self.associator else {})

    def make(self, corpus: Corpus, folder: Path | None, progress: Progress) -> Any:
        """The matrix, made in ``folder`` (None: a temporary one), or found there from an earlier run."""

        def count(to: Path | None) -> Cooccurrence:
            return self.counter.count(corpus, to, progress=progress)

        counts = prepared(folder / "counts", Cooccurrence, count, progress) if folder else count(None)
        associator = self.associator
        if associator is None:
            return counts

        def associate(to: Path | None) -> Association:
            return associator.associate(counts, to, progress=progress)

        return prepared(folder / "matrix", Association, associate, progress) if folder else associate(None)

    def checked(self, given: Any, corpus: Corpus) -> Any:
        """A matrix that was made beforehand, if it is what this recipe would make."""
        matrix = self.open(given)
        matrix.verify()
        own, other = corpus.vocabulary, matrix.vocabulary
        if own.words != other.words or not np.array_equal(own.counts, other.counts):
            raise ArtefactError(f"{matrix.path} belongs to another vocabulary: make one of this corpus")
        if matrix.meta["provenance"]["ids_sha256"] != corpus.meta["files"]["ids.npy"]["sha256"]:
            raise ArtefactError(f"{matrix.path} was made of another corpus: make one of this corpus")
        made = matrix.recipe
        # One draw of the subsampled corpus is as good as another: the seed need not be the same. A threshold of 0 and
        # none at all are the same, too.
        differing = [
            name for name, value in self.record().items() if name != "seed" and (made[name] or 0) != (value or 0)
        ]
        if differing:
            wanted = ", ".join(f"{name}={made[name]!r}" for name in differing)
            raise ParameterError(f"{matrix.path} was made with {wanted}: give the model the same, or make it anew")
        return matrix.check()

    def open(self, given: Any) -> Any:
        """What the user gave as a matrix."""
        return (Association if self.associator else Cooccurrence).of(given)
