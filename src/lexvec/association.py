"""Counts → association: how much more often than by chance word and context co-occur.

With M the counts, * a sum, and context-distribution smoothing a (the paper's α, 3/4):

    PMI_wc = log( M_wc · Σ_c' M_*c'^a / ( M_w* · M_*c^a ) )

which for a = 1 is the paper's equation 1. PPMI* is ``ppmi`` of counts that were made with subsampling.
A measure is an entry of `MEASURES`. Only cells that differ from the value of an unseen pair are stored.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from .cooccurrence import Cooccurrence
from .errors import ArtefactError
from .parameters import Parameters, Search, parameter, threads_parameter
from .progress import ProgressLike, Silent, Stage, resolved
from .registry import Registry
from .shared_work import Helpers, Task
from .sparse import SparseArtefact, SparseWriter, row_spans
from .storage.arrays import read_blocks, write_blocks
from .storage.artefact import ArtefactWriter
from .storage.meta import META
from .threads import Threads, running
from .vocabulary import FILE

_BLOCK_CELLS = 1 << 18
_ROWS = "rows"  # the file of rows that a helper has made

Values = npt.NDArray[np.float64]
Span = tuple[int, int]  # of rows, from one up to another


class Cells:
    """Some rows of the matrix of counts, cell by cell: what a measure may use.

    ``counts`` (M_wc), ``pmi``, ``word_totals`` (M_w*) and ``context_totals`` (M_*c) have an entry per cell; ``total``
    is M_**, and ``smoothed_total`` is Σ_c M_*c^a.
    """

    def __init__(self, marginals: "_Marginals", span: tuple[int, int]) -> None:
        source = marginals.counts
        bounds = source.indptr[span[0] : span[1] + 1]
        self.total, self.smoothed_total = marginals.total, marginals.smoothed_total
        self.columns: npt.NDArray[np.int32] = marginals.columns.read(int(bounds[0]), int(bounds[-1]))
        self.counts: Values = marginals.values.read(int(bounds[0]), int(bounds[-1])).astype(np.float64)
        self.ends: npt.NDArray[np.int64] = bounds[1:] - bounds[0]
        self._marginals, self._span, self._lengths = marginals, span, np.diff(bounds)

    @cached_property
    def pmi(self) -> Values:
        """Pointwise mutual information, with the context distribution smoothed."""
        rows = np.repeat(self._marginals.log_rows[self._span[0] : self._span[1]], self._lengths)
        pmi: Values = np.log(self.counts) - rows - self._marginals.log_columns[self.columns]
        return pmi

    @property
    def word_totals(self) -> Values:
        """How often the word of each cell was seen with any context."""
        totals = self._marginals.counts.row_totals[self._span[0] : self._span[1]]
        return np.repeat(totals.astype(np.float64), self._lengths)

    @property
    def context_totals(self) -> Values:
        """How often the context of each cell was seen with any word."""
        totals: Values = self._marginals.counts.column_totals[self.columns].astype(np.float64)
        return totals


class _Marginals:
    """Logarithms of the totals of rows and of the smoothed shares of columns."""

    def __init__(self, counts: Cooccurrence, smoothing: float) -> None:
        self.counts = counts
        self.columns, self.values = counts.file("indices", dtype=np.int32), counts.file("data")
        self.total = counts.total
        with np.errstate(divide="ignore", invalid="ignore"):  # words that have no cell, a matrix that has none
            self.log_rows: Values = np.log(counts.row_totals.astype(np.float64))
            smoothed = counts.column_totals.astype(np.float64) ** smoothing
            self.smoothed_total = float(smoothed.sum())
            self.log_columns: Values = np.log(smoothed / self.smoothed_total)


class Measure(NamedTuple):
    """One way to say how strongly a word and a context are associated.

    ``value`` maps `lexvec.association.Cells` and the parameters to a number per cell. ``unseen`` gives the value of
    pairs that were never seen.
    """

    help: str
    value: Callable[[Cells, "AssociationParameters"], Values]
    unseen: Callable[["AssociationParameters"], float]


def _npmi(cells: Cells, to: "AssociationParameters") -> Values:
    information = -np.log(cells.counts / (cells.total if to.normaliser == "pairs" else cells.smoothed_total))
    # A pair that is all there is carries no information, and is as associated as can be. The smoothed total of a tiny
    # corpus can be less than a single count: there, only the sign of PMI means anything.
    limits = np.where(cells.pmi < -1e-6, -1.0, 1.0)
    return np.divide(cells.pmi, information, out=limits, where=information > 1e-6)


def _nnegpmi(cells: Cells, to: "AssociationParameters") -> Values:
    return np.where(cells.pmi >= 0, cells.pmi, _npmi(cells, to))


#: Measures by name. Add one of your own: ``MEASURES["mine"] = Measure(...)``.
MEASURES: Registry[Measure] = Registry(
    "measure",
    {
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
        "nnegpmi": Measure(
            "PMI where it is not negative, npmi elsewhere, and -1 for unseen pairs", _nnegpmi, lambda _: -1.0
        ),
        "log_count": Measure("log(1 + count)", lambda cells, _: np.log1p(cells.counts), lambda _: 0.0),
    },
)


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
    contents = (*SparseArtefact.contents, "kept.npy")

    @property
    def recipe(self) -> dict[str, Any]:
        """All parameters that it was made with, including those of counting."""
        return {**self.meta["provenance"]["counting"], **self.meta["parameters"]}

    @property
    def kept(self) -> npt.NDArray[np.int64]:
        """How many tokens of each word subsampling left in the corpus that was counted."""
        return self.array("kept", dtype=np.int64, dimensions=1)

    @property
    def column_totals(self) -> npt.NDArray[np.float64]:
        """M_*c of the counts, for each context."""
        return self.array("column_totals", dtype=np.float64, dimensions=1)

    @property
    def unseen(self) -> float:
        """The value of every cell that is not stored."""
        value = self.meta["facts"].get("unseen")
        return -np.inf if value is None else float(value)

    def check(self) -> Self:
        """Do what every matrix does, and look at what only this one has."""
        super().check()
        unseen, recipe = self.meta["facts"].get("unseen"), self.meta["provenance"].get("counting")
        numeric = unseen is None or (isinstance(unseen, int | float) and not isinstance(unseen, bool))
        if len(self.kept) != len(self.vocabulary) or not numeric or not isinstance(recipe, dict):
            raise ArtefactError(f"{self.path} is damaged (its arrays do not fit together): rebuild it")
        cells = self.file("data")
        if len(cells) and not np.isfinite(cells.extremes()).all():
            raise ArtefactError(f"{self.path} is damaged (a cell is not a finite number): rebuild it")
        return self

    def __repr__(self) -> str:
        facts, parameters = self.meta["facts"], self.meta["parameters"]
        return (
            f"<Association {str(self.path)!r}: {parameters['measure']}, {facts['words']:,} words, "
            f"{facts['cells']:,} cells>"
        )


@dataclass(kw_only=True, eq=False)
class AssociationParameters(Parameters):
    """Which measure of association, and its parameters; whatever learns from such a matrix inherits these."""

    measure: str = parameter(
        "ppmi",
        "Measure of association: " + "; ".join(f"{name}: {MEASURES[name].help}" for name in MEASURES.present) + ".",
        choices=MEASURES,
        search=Search(values=("ppmi", "shifted_ppmi")),
    )
    smoothing: float = parameter(
        0.75,
        "Power to which context counts are raised; 1 means no smoothing.",
        minimum=0,
        maximum=1,
        search=Search(0.5, 1.0, step=0.05),
    )
    shift: float = parameter(
        5.0,
        "Number whose logarithm shifted_ppmi subtracts.",
        minimum=1,
        search=Search(1, 15, step=1, when={"measure": ("shifted_ppmi",)}),
    )
    floor: float = parameter(-2.0, "Lowest value of clipped_pmi.", minimum=-1000, maximum=0)
    normaliser: str = parameter(
        "pairs",
        "Total behind p(w, c) in npmi and nnegpmi: pairs: the number of all pairs; smoothed: the sum of the smoothed "
        "context counts, as in the authors' program.",
        choices=("pairs", "smoothed"),
    )


class _Rows(NamedTuple):
    """Some rows of the result."""

    ends: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int32]
    values: npt.NDArray[np.float32]


@dataclass(kw_only=True, eq=False)
class Associator(AssociationParameters):
    """Turns counts into a matrix of association; the defaults make the paper's PPMI*.

    >>> from lexvec import CooccurrenceCounter, CorpusBuilder
    >>> corpus = CorpusBuilder(min_count=1).build([["a", "b", "a", "c"]])
    >>> counts = CooccurrenceCounter(window=1, subsample=0).count(corpus)
    >>> Associator(measure="npmi", smoothing=1).associate(counts).unseen
    -1.0
    """

    threads: int | None = threads_parameter()

    def associate(
        self,
        counts: Any,
        output: Any = None,
        *,
        force: bool = False,
        progress: ProgressLike = None,
    ) -> Association:
        """Make the matrix of a `Cooccurrence`, or of the one in a folder.

        ``output`` is the folder to make (None: a temporary one).
        """
        return self._associate(counts, output, force=force, progress=progress)

    def _associate(
        self,
        counts: Any,
        output: Any = None,
        *,
        force: bool = False,
        progress: ProgressLike = None,
        threads: Threads | None = None,
        helpers: Helpers | None = None,
    ) -> Association:
        """Do so on threads that are running.

        With ``helpers``, other processes make the rows, and this one joins them.
        """
        counts = Cooccurrence.ensure(counts).check()
        unseen = MEASURES[self.measure].unseen(self)
        total = 0.0
        with (
            running(threads, self.threads) as pool,
            ArtefactWriter(output, Association.kind, force=force, inputs=[counts.path]) as out,
        ):
            writer = SparseWriter(out, np.float32)
            with resolved(progress, __name__).stage("associating", int(counts.indptr[-1]), "cells") as stage:
                if helpers is None:
                    rows = self._rows(counts, _spans(counts), pool, stage)
                else:
                    rows = self._helped(counts, helpers, out.scratch, stage)
                for ends, columns, values in rows:
                    writer.append(ends, columns, values)
                    total += float(values.sum(dtype=np.float64))
            counts.vocabulary.save(out.folder / FILE)
            out.array("kept", np.int64).append(counts.kept)
            out.array("column_totals", np.float64).append(counts.column_totals)
            facts = {
                "words": len(counts.vocabulary),
                **counts.contexts.record(),
                "cells": out.length("indices"),
                "total": total,
                "unseen": unseen if np.isfinite(unseen) else None,
            }
            provenance = {"counting": counts.meta["parameters"], **counts.meta["provenance"]}
            out.seal(self.record(), facts, provenance)
        return Association.written(out)

    def _rows(self, counts: Cooccurrence, spans: list[Span], threads: Threads, stage: Stage) -> Iterator[_Rows]:
        """Yield spans of rows of the result."""
        marginals, measure = _Marginals(counts, self.smoothing), MEASURES[self.measure]
        unseen = np.float32(measure.unseen(self))

        def block(_: None, span: Span) -> tuple[_Rows, int]:
            cells = Cells(marginals, span)
            values = measure.value(cells, self).astype(np.float32)
            stored = values != unseen
            ends = np.concatenate(([0], np.cumsum(stored)))[cells.ends]
            return _Rows(ends, cells.columns[stored], values[stored]), len(stored)

        for rows, seen in threads.map(block, spans):
            yield rows
            stage.advance(seen)

    def _helped(self, counts: Cooccurrence, helpers: Helpers, scratch: Path, stage: Stage) -> Iterator[_Rows]:
        """Yield the same spans of rows, made by others."""
        spans, indptr = _spans(counts), counts.indptr
        each = max(1, -(-len(spans) // helpers.shares))
        tasks = [
            Task(int(indptr[some[-1][1]] - indptr[some[0][0]]), {"spans": [list(span) for span in some]})
            for some in (spans[start : start + each] for start in range(0, len(spans), each))
        ]
        settings = {"parameters": self.record(), "counts": str(counts.path)}
        reads = [counts.path / META]
        for piece in helpers.each(associating_job, settings, tasks, folder=scratch, reads=reads, stage=stage):
            yield from (_Rows(*block) for block in read_blocks(piece.folder / _ROWS, len(_Rows._fields)))


def associating_job(threads: Threads, *, parameters: dict[str, Any], counts: str) -> Callable[..., None]:
    """Let a helper make some rows."""
    associator, opened = Associator.of(parameters), Cooccurrence.load(counts)

    def associate(folder: Path, *, spans: list[Span]) -> None:
        with Silent().stage("associating", None, "cells") as stage:
            write_blocks(folder / _ROWS, associator._rows(opened, spans, threads, stage))

    return associate


def _spans(counts: Cooccurrence) -> list[Span]:
    """Cut the rows as they are worked on: always in the same way, since values are added up span by span."""
    return list(row_spans(np.diff(counts.indptr), _BLOCK_CELLS))
