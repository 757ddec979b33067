"""Counts → association: how much more often than by chance word and context co-occur.

With M the counts, * a sum, and context-distribution smoothing a (the paper's α, 3/4):

    PMI_wc = log( M_wc · Σ_c' M_*c'^a / ( M_w* · M_*c^a ) )

which for a = 1 is the paper's equation 1. PPMI* is ``ppmi`` of counts that were made with subsampling.
A measure is a row of `MEASURES`. Only cells that differ from the value of an unseen pair are stored.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .cooccurrence import Cooccurrence
from .machine import available_threads
from .parallel import ordered_map
from .parameters import Parameters, parameter
from .progress import ProgressLike, resolved
from .sparse import SparseArtefact, SparseWriter, row_blocks
from .storage.artefact import ArtefactWriter
from .vocabulary import FILE

_BLOCK_CELLS = 1 << 18

Values = npt.NDArray[np.float64]


class Cells(NamedTuple):
    """Some cells of the matrix: what a measure may use."""

    counts: Values  # M_wc
    pmi: Values
    total: float  # M_**


class Measure(NamedTuple):
    """One way to say how strongly a word and a context are associated."""

    help: str
    value: Callable[[Cells, "Associator"], Values]
    unseen: Callable[["Associator"], float]


def _npmi(cells: Cells, _: "Associator") -> Values:
    information = -np.log(cells.counts / cells.total)
    # A pair that is all there is carries no information, and is as associated as can be.
    return np.divide(cells.pmi, information, out=np.ones_like(information), where=information > 1e-6)


MEASURES: dict[str, Measure] = {
    "ppmi": Measure("max(PMI, 0), the paper's choice", lambda cells, _: np.maximum(cells.pmi, 0), lambda _: 0.0),
    "pmi": Measure("PMI of the pairs that were seen", lambda cells, _: cells.pmi, lambda _: -np.inf),
    "shifted_ppmi": Measure(
        "max(PMI - log shift, 0)",
        lambda cells, to: np.maximum(cells.pmi - np.log(to.shift), 0),
        lambda _: 0.0,
    ),
    "clipped_pmi": Measure(
        "max(PMI, floor), and floor for unseen pairs",
        lambda cells, to: np.maximum(cells.pmi, to.floor),
        lambda to: to.floor,
    ),
    "npmi": Measure("PMI / -log p(w, c): with smoothing 1, from -1 (unseen) to 1", _npmi, lambda _: -1.0),
    "log_count": Measure("log(1 + count)", lambda cells, _: np.log1p(cells.counts), lambda _: 0.0),
}


class Association(SparseArtefact):
    """A matrix of association, words × contexts, in float32. Made by `Associator.associate`.

    >>> from lexvec import CooccurrenceCounter, CorpusBuilder
    >>> corpus = CorpusBuilder(min_count=1).build([["a", "b", "a", "c"]])
    >>> counts = CooccurrenceCounter(window=1, subsample=0).count(corpus)
    >>> ppmi = Associator(smoothing=1).associate(counts)
    >>> np.exp(ppmi.matrix.toarray()).round(3).tolist()  # 2 · 6 / (3 · 2), and so on; 1 for PPMI 0
    [[1.0, 2.0, 2.0], [2.0, 1.0, 1.0], [2.0, 1.0, 1.0]]
    """

    kind = "association"

    @property
    def recipe(self) -> dict[str, Any]:
        """All parameters that it was made with, those of counting among them."""
        return {**self.meta["provenance"]["counting"], **self.meta["parameters"]}

    @property
    def kept(self) -> npt.NDArray[np.int64]:
        """How many tokens of each word subsampling left in the corpus that was counted."""
        return self.array("kept")

    @property
    def unseen(self) -> float:
        """The value of every cell that is not stored."""
        value = self.meta["facts"]["unseen"]
        return -np.inf if value is None else float(value)

    def __repr__(self) -> str:
        facts, parameters = self.meta["facts"], self.meta["parameters"]
        return (
            f"<Association {str(self.path)!r}: {parameters['measure']}, {facts['words']:,} words, "
            f"{facts['cells']:,} cells>"
        )


@dataclass(frozen=True, kw_only=True)
class Associator(Parameters):
    """Turns counts into a matrix of association; the defaults make the paper's PPMI*.

    >>> from lexvec import CooccurrenceCounter, CorpusBuilder
    >>> corpus = CorpusBuilder(min_count=1).build([["a", "b", "a", "c"]])
    >>> counts = CooccurrenceCounter(window=1, subsample=0).count(corpus)
    >>> Associator(measure="npmi", smoothing=1).associate(counts).unseen
    -1.0
    """

    measure: str = parameter(
        "ppmi", "; ".join(f"{name}: {measure.help}" for name, measure in MEASURES.items()), choices=tuple(MEASURES)
    )
    smoothing: float = parameter(
        0.75, "power that context counts are raised to; 1 smooths nothing", minimum=0, maximum=1
    )
    shift: float = parameter(5.0, "for shifted_ppmi: the number whose logarithm is taken off", minimum=1)
    floor: float = parameter(-2.0, "for clipped_pmi: the least value", minimum=-1000, maximum=0)
    threads: int | None = parameter(None, "threads to use (default: all cores)", minimum=1, maximum=1024, effort=True)

    def associate(
        self, counts: Any, output: Any = None, *, force: bool = False, progress: ProgressLike = None
    ) -> Association:
        """Make the matrix of a `Cooccurrence`, or of the one in a folder.

        ``output`` is the folder to make (None: a temporary one).
        """
        counts = Cooccurrence.of(counts).check()
        unseen = MEASURES[self.measure].unseen(self)
        total = 0.0
        with ArtefactWriter(output, Association.kind, force=force, inputs=[counts.path]) as out:
            writer = SparseWriter(out, np.float32)
            with resolved(progress, __name__).stage("associating", len(counts.indices), "cells") as stage:
                for ends, columns, values, seen in self._blocks(counts, unseen):
                    writer.append(ends, columns, values)
                    total += float(values.sum(dtype=np.float64))
                    stage.advance(seen)
            counts.vocabulary.save(out.folder / FILE)
            out.array("kept", np.int64).append(counts.kept)
            facts = {
                "words": counts.meta["facts"]["words"],
                "cells": out.length("indices"),
                "total": total,
                "unseen": unseen if np.isfinite(unseen) else None,
            }
            provenance = {"counting": counts.meta["parameters"], **counts.meta["provenance"]}
            out.seal(self.record(), facts, provenance)
        return Association.written(out)

    def _blocks(
        self, counts: Cooccurrence, unseen: float
    ) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32], int]]:
        """Row blocks of the result: ends, columns, values, and the cells they were made from."""
        indptr, indices, data = counts.indptr, counts.indices, counts.data
        with np.errstate(divide="ignore", invalid="ignore"):  # words that have no cell, a matrix that has none
            rows = np.log(counts.row_totals.astype(np.float64))
            smoothed = counts.column_totals.astype(np.float64) ** self.smoothing
            columns = np.log(smoothed / smoothed.sum())
        measure, total = MEASURES[self.measure], float(counts.meta["facts"]["total"])

        def block(_: None, span: tuple[int, int]) -> Any:
            bounds = indptr[span[0] : span[1] + 1]
            here = indices[bounds[0] : bounds[-1]]
            seen = data[bounds[0] : bounds[-1]].astype(np.float64)
            pmi = np.log(seen) - np.repeat(rows[span[0] : span[1]], np.diff(bounds)) - columns[here]
            values = measure.value(Cells(seen, pmi, total), self).astype(np.float32)
            stored = values != np.float32(unseen)
            ends = np.concatenate(([0], np.cumsum(stored)))[bounds[1:] - bounds[0]]
            return ends, here[stored], values[stored], len(here)

        return ordered_map(block, row_blocks(np.diff(indptr), _BLOCK_CELLS), [None] * available_threads(self.threads))
