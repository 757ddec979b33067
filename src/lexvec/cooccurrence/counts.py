"""The artefact of counting: M, the number of times that word and context co-occurred, and its totals."""

import os
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..errors import ArtefactError
from ..parameters import path_from
from ..sparse import SparseArtefact
from ..storage.outputs import check_apart, output_place
from ..vocabulary import BREAK, Vocabulary, write_spaced


class Cooccurrence(SparseArtefact):
    """Co-occurrence counts: row w, column c is the paper's M_wc. Made by `CooccurrenceCounter.count`.

    >>> from lexvec import CooccurrenceCounter, CorpusBuilder
    >>> corpus = CorpusBuilder(min_count=1).build([["a", "b", "a", "c"]])
    >>> counts = CooccurrenceCounter(window=2, subsample=0).count(corpus)
    >>> counts.row_totals.tolist(), counts.matrix[[0]].toarray().tolist()
    ([5, 3, 2], [[2, 2, 1]])
    """

    kind = "counts"
    contents = (*SparseArtefact.contents, "row_totals.npy", "column_totals.npy", "kept.npy")

    @property
    def recipe(self) -> dict[str, Any]:
        """All parameters that it was made with."""
        return dict(self.meta["parameters"])

    @property
    def row_totals(self) -> npt.NDArray[Any]:
        """M_w*, for each word."""
        return self.array("row_totals", dimensions=1)

    @property
    def column_totals(self) -> npt.NDArray[Any]:
        """M_*c, for each context."""
        return self.array("column_totals", dimensions=1)

    @property
    def kept(self) -> npt.NDArray[np.int64]:
        """How many tokens of each word subsampling left in the corpus."""
        return self.array("kept", dtype=np.int64, dimensions=1)

    def save_vocabulary(self, path: str | os.PathLike[str]) -> None:
        """Write the words and contexts with their counts, for the authors' program: ``path`` and ``path.context``.

        Its command ``train -vocab path`` then has these words, and draws noise in proportion to how often each context
        was seen with any word.
        """
        if self.column_totals.dtype.kind not in "iu":
            raise ArtefactError(f"{self.path} has fractional counts: count with a fixed or random window")
        path = path_from(path, "path")
        for place in (path, Path(f"{path}.context")):
            check_apart(output_place(place), [self.path])
        contexts = Vocabulary.from_counts(self.contexts.labels, self.column_totals)
        beside = type(self.contexts)(Vocabulary([BREAK], [0]), self.contexts.reach).labels
        write_spaced(f"{path}.context", [*contexts, *((label, 0) for label in beside if label not in contexts)])
        self.vocabulary.save(path, layout="lexvec-go")

    def check(self) -> Self:
        """Do what every matrix does, and compare the lengths of the totals."""
        super().check()
        lengths = (len(self.row_totals), len(self.column_totals), len(self.kept))
        if lengths != (len(self.vocabulary), len(self.contexts), len(self.vocabulary)):
            raise ArtefactError(f"{self.path} is damaged (its arrays do not fit together): rebuild it")
        cells = self.file("data")
        low, high = cells.extremes() if len(cells) else (1, 1)
        if not (low > 0 and np.isfinite(high)):
            raise ArtefactError(f"{self.path} is damaged (a count is not positive): rebuild it")
        self.check_facts(tokens_kept=int(self.kept.sum()))
        return self

    @property
    def total(self) -> float:
        """M_**: the sum of all counts."""
        return float(self.meta["facts"]["total"])

    def __repr__(self) -> str:
        facts, parameters = self.meta["facts"], self.meta["parameters"]
        return (
            f"<Cooccurrence {str(self.path)!r}: {facts['words']:,} words, {facts['cells']:,} cells, "
            f"{parameters['window_kind']} window {parameters['window']}>"
        )
