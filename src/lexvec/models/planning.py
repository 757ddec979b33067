"""What training would take, computed without training: for a corpus, or for one that is only planned.

The formulas are those that training itself uses (`lexvec.engine.footprint`). Two things are estimated beforehand. The
counts of words, if there is no corpus, follow the law of Zipf and Mandelbrot. The number of cells of a matrix grows
as a power of the number of pairs that are counted: its constants (`CELLS`) were fitted to counts of 6, 17 and 70
million tokens of Wikipedia, and are extrapolated for larger corpora.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus import Corpus
from ..engine.footprint import Footprint, Sizes
from ..errors import Given, ParameterError
from ..machine import available_threads, free_memory
from ..parameters import bytes_of
from ..presentation.table import Cell, Column, Table
from .base import Model

Counts = npt.NDArray[np.int64]

#: Cells = factor · pairs^power, with subsampling and without, of counts; and the share that association keeps.
CELLS = {True: (1.0, 0.96), False: (1.0, 0.9)}
POSITIVE = 0.9
_ZIPF, _MANDELBROT = 1.0, 2.7  # counts fall as 1 / (rank + Mandelbrot's constant)^Zipf's
_SENTENCE, _LONGEST_SENTENCE = 22, 1000  # tokens
_BYTES = {"corpus": 4, "cell": 8}


@dataclass(frozen=True)
class Plan:
    """The ways to train a model on a corpus, the fastest first, and the first one that fits into memory."""

    model: str
    tokens: int
    words: int
    cells: int
    prepared: dict[str, int]  # bytes on disk of the corpus, the counts and the matrix
    ways: list[Footprint]
    memory: int
    is_estimated: bool

    @property
    def chosen(self) -> Footprint | None:
        """The way that training would take."""
        return next((way for way in self.ways if way.total <= self.memory), None)

    def as_dict(self) -> dict[str, Any]:
        """Return all figures, in bytes."""
        ways = [
            {"on_disk": way.on_disk, "memory": way.total, "memory_by_use": dict(way.memory), "disk": way.disk,
             "read": way.read, "read_per": way.reads_per}
            for way in self.ways
        ]  # fmt: skip
        return {
            "model": self.model, "tokens": self.tokens, "words": self.words, "cells": self.cells,
            "is_estimated": self.is_estimated, "memory": self.memory, "prepared": self.prepared, "ways": ways,
            "chosen": None if self.chosen is None else self.ways.index(self.chosen),
        }  # fmt: skip

    def table(self) -> Table:
        """Return a row per way."""
        names = ["on disk", "memory", "scratch files", "read"]
        columns = [Column(name, "left" if name == "on disk" else "right") for name in names]
        rows = [
            [
                Cell(way.on_disk or "nothing", bold=way is self.chosen),
                Cell(gigabytes(way.total)),
                Cell(gigabytes(way.disk) if way.disk else "–"),
                Cell(f"{gigabytes(way.read)} per {way.reads_per}" if way.read else "–"),
            ]
            for way in self.ways
        ]
        cells = f", {self.cells:,} cells" if self.cells else ""
        title = f"{self.model}: {self.tokens:,} tokens, {self.words:,} words{cells}"
        return Table(title, columns, rows, [*self._notes()])

    def _notes(self) -> list[str]:
        least = min(way.total for way in self.ways)
        notes = [f"{gigabytes(self.memory)} are too small; use at least {gigabytes(least)}."]
        if self.chosen:
            notes = [f"With {gigabytes(self.memory)}, training keeps {self.chosen.on_disk or 'nothing'} on disk."]
        kept = ", ".join(f"{name} {gigabytes(size)}" for name, size in self.prepared.items())
        notes.append(f"Files before training: {kept}. The program itself takes some 0.2 GB of memory.")
        if self.is_estimated:
            notes.append("The number of cells is an estimate, extrapolated from 70 million tokens of Wikipedia.")
        return notes


def planned(
    model: Model, corpus: Corpus | None = None, *, tokens: float | None = None, words: int | None = None
) -> Plan:
    """Compute what training a model would take, on a corpus or on so many tokens with so many words.

    >>> from lexvec import LexVec
    >>> plan = planned(LexVec(memory="4GB", threads=16), tokens=4e9, words=300_000)
    >>> plan.chosen.on_disk, plan.is_estimated
    ('matrix', True)
    """
    if corpus is None:
        if tokens is None or words is None or not tokens >= words >= 1:
            raise ParameterError(
                Given("tokens", tokens), " and ", Given("words", words), ": give a corpus, or both, and more tokens"
            )
        counts, sentences, longest = zipf_counts(int(tokens), words), int(tokens) // _SENTENCE + 1, _LONGEST_SENTENCE
    else:
        counts, sentences, longest = corpus.vocabulary.counts, len(corpus), corpus.longest_sentence
    contexts, counted, cells, row = _matrix(model, counts, longest)
    sizes = Sizes(counts, sentences, longest, contexts, available_threads(model.threads), cells, row)
    ways = model.footprints(sizes)
    if not ways:
        raise ParameterError(f"{model.name} does not say what it needs: add footprints to its class")
    prepared = {"corpus": 4 * sizes.tokens + 8 * sentences}
    prepared |= {name: _BYTES["cell"] * size for name, size in (("counts", counted), ("matrix", cells)) if size}
    if model.recipe is not None and model.recipe.associator is None:
        del prepared["matrix"]
    memory = free_memory() if model.memory is None else bytes_of("memory", model.memory)
    return Plan(model.name, sizes.tokens, sizes.words, cells, prepared, ways, memory, bool(cells))


def _matrix(model: Any, counts: Counts, longest: int) -> tuple[int, int, int, int]:
    """Return the contexts of a model's matrix, about how many cells its counts and itself have, and its longest row."""
    words = len(counts)
    if model.recipe is None:
        return words, 0, 0, 0
    widest, sides = min(model.window, longest), 1 if model.side != "both" else 2
    contexts = words if model.recipe.counter.contexts == "words" else words * widest * sides
    per_token = sides * (widest + 1) / 2 if model.recipe.counter.window_kind == "random" else sides * widest
    kept = counts * model.keep_probabilities(counts)
    factor, power = CELLS[bool(model.subsample)]
    counted = int(min(factor * (float(kept.sum()) * per_token) ** power, words * contexts))
    cells = counted if model.recipe.associator is None else int(POSITIVE * counted)
    return contexts, counted, cells, int(min(contexts, kept.max() * per_token, cells))


def zipf_counts(tokens: int, words: int) -> Counts:
    """Return counts of so many words that add up to about so many tokens.

    >>> zipf_counts(1000, 5).tolist()
    [298, 234, 193, 165, 143]
    """
    shares = 1 / (np.arange(1, words + 1) + _MANDELBROT) ** _ZIPF
    counts: Counts = np.maximum(1, np.round(tokens * shares / shares.sum())).astype(np.int64)
    return counts


def gigabytes(size: int) -> str:
    """Return a number of bytes as people read it."""
    return f"{size / 1e9:,.2f} GB"
