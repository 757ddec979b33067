"""What training would take, computed without training: for a corpus, or for one that is only planned.

The formulas are those that training itself uses (`lexvec.models.footprint`). Two things are estimated beforehand:

- The counts of words, if there is no corpus: word r has a share of 1 / ((r + 2.7) · (1 + r / 8000)^0.8). The tokens
  that subsampling keeps then agree within 3 % with those of 6, 17 and 70 million tokens of Wikipedia.
- The cells of a matrix: 0.65 times as many as if words met independently, by their counts. Of nine counts of the same
  texts (window 2 with two thresholds of subsampling, window 10 without) the factor was 0.61 to 0.71; it falls slowly as
  texts grow, so that the estimate for a larger corpus is rather too high.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..corpus import Corpus
from ..errors import Given, ParameterError
from ..machine import available_threads, free_memory
from ..parameters import bytes_of
from ..presentation.table import Cell, Column, Table
from .base import Model
from .footprint import Footprint, Sizes, gigabytes
from .window_model import SubwordParameters

Counts = npt.NDArray[np.int64]

_MET = 0.65  # cells, by those of words that meet independently
_POSITIVE = 0.95  # share of the cells of counts that association keeps: .90 to .999 in the same texts
_BINS = 200  # of words with about the same count
_MOST_WORDS, _MOST_TOKENS = 10**8, 10**15  # their counts must fit into memory, and into whole numbers
_SENTENCE, _LONGEST_SENTENCE = 22, 1000  # tokens


@dataclass(frozen=True)
class Plan:
    """The ways to train a model on a corpus, the fastest first, and the first one that fits into memory."""

    model: str
    tokens: int
    words: int
    cells: int
    prepared: dict[str, int]  # bytes on disk of the corpus, the counts and the matrix
    ways: list[Footprint]
    counting: int  # bytes of memory that counting needs at least
    least: int  # bytes of memory that are enough to count and train, however many cells there are
    memory: int
    is_estimated: bool

    @property
    def chosen(self) -> Footprint | None:
        """The way that training would take."""
        return next((way for way in self.ways if max(way.total, self.counting) <= self.memory), None)

    @property
    def shortage(self) -> str:
        """How much is missing, and what to do, where no way fits."""
        return f"{gigabytes(self.memory)} are too small; use at least {math.ceil(self.least / 1e6)}MB"

    def as_dict(self) -> dict[str, Any]:
        """Return all figures, in bytes."""
        ways = [
            {"on_disk": way.kept, "memory": way.total, "memory_by_use": dict(way.memory), "disk": way.disk,
             "read": way.read, "read_per": way.reads_per}
            for way in self.ways
        ]  # fmt: skip
        return {
            "model": self.model, "tokens": self.tokens, "words": self.words, "cells": self.cells,
            "is_estimated": self.is_estimated, "memory": self.memory, "least": self.least, "prepared": self.prepared,
            "ways": ways,
            "chosen": None if self.chosen is None else self.ways.index(self.chosen),
        }  # fmt: skip

    def table(self) -> Table:
        """Return a row per way."""
        names = ["on disk", "memory", "scratch files", "read"]
        columns = [Column(name, "left" if name == "on disk" else "right") for name in names]
        rows = [
            [
                Cell(way.kept or "nothing", bold=way is self.chosen),
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
        notes = [f"{self.shortage}."]
        if self.chosen:
            notes = [f"With {gigabytes(self.memory)}, training keeps {self.chosen.kept or 'nothing'} on disk."]
        kept = ", ".join(f"{name} {gigabytes(size)}" for name, size in self.prepared.items())
        notes.append(f"Files before training: {kept}. The program itself takes some 0.2 GB of memory.")
        if self.is_estimated:
            notes.append("The number of cells is an estimate.")
        return notes


def planned(
    model: Model, corpus: Corpus | None = None, *, tokens: float | None = None, words: float | None = None
) -> Plan:
    """Compute what training a model would take, on a corpus or on so many tokens with so many words.

    >>> from lexvec import LexVec
    >>> plan = planned(LexVec(memory="4GB", threads=16), tokens=4e9, words=300_000)
    >>> plan.chosen.on_disk, plan.is_estimated
    (('matrix',), True)
    """
    if corpus is None:
        if tokens is None or words is None:
            raise ParameterError(Given("tokens", tokens), " and ", Given("words", words), ": give a corpus, or both")
        _check_planned(tokens, words)
        counts, longest = likely_counts(int(tokens), int(words)), _LONGEST_SENTENCE
        sentences = int(tokens) // _SENTENCE + 1
    else:
        counts, sentences, longest = corpus.vocabulary.counts, len(corpus), corpus.longest_sentence
    contexts, counted, cells, row = _matrix(model, counts, longest)
    inputs = model.input_rows(corpus.vocabulary) if corpus and isinstance(model, SubwordParameters) else 0
    sizes = Sizes(counts, sentences, longest, contexts, available_threads(model.threads), cells, row, inputs)
    ways = model.footprints(sizes)
    if not ways:
        raise ParameterError(f"{model.name} does not say what it needs: add footprints to its class")
    prepared = {"corpus": 4 * sizes.tokens + 8 * sentences}
    prepared |= {name: 8 * size for name, size in (("counts", counted), ("matrix", cells)) if size}
    if model.recipe is not None and model.recipe.associator is None:
        prepared.pop("matrix", None)
    counting, most = 0, sizes
    if model.recipe is not None:
        counting, most = model.recipe.least_memory(sizes), model.recipe.most(sizes)
    least = max(counting, min(way.total for way in model.footprints(most)))
    memory = free_memory() if model.memory is None else bytes_of("memory", model.memory)
    return Plan(model.name, sizes.tokens, sizes.words, cells, prepared, ways, counting, least, memory, bool(cells))


def _check_planned(tokens: float, words: float) -> None:
    if not (1 <= words <= _MOST_WORDS and words % 1 == 0):
        raise ParameterError(Given("words", words), f": it must be a whole number from 1 to {_MOST_WORDS:,}")
    if not (words <= tokens <= _MOST_TOKENS and tokens % 1 == 0):
        within = f"from {words:,.0f}, a token per word, to 1e15"
        raise ParameterError(Given("tokens", tokens), f": it must be a whole number {within}")


def _matrix(model: Any, counts: Counts, longest: int) -> tuple[int, int, int, int]:
    """Return the contexts of a model's matrix, about how many cells its counts and itself have, and its longest row."""
    words = len(counts)
    if model.recipe is None:
        return words, 0, 0, 0
    widest, sides = min(model.window, longest), 1 if model.side != "both" else 2
    contexts = model.recipe.begun(Sizes(counts, 1, longest, words, 1)).contexts
    per_token = sides * (widest + 1) / 2 if model.recipe.counter.window_kind == "random" else sides * widest
    kept = counts * model.keep_probabilities(counts)
    # Positional contexts: each offset has the cells of so many fewer pairs.
    repeated = 1 if contexts == words else widest * sides
    counted = int(_MET * repeated * independent_cells(kept, float(kept.sum()) * per_token / repeated))
    cells = counted if model.recipe.associator is None else int(_POSITIVE * counted)
    return contexts, counted, cells, int(min(contexts, kept.max() * per_token, cells))


def independent_cells(counts: npt.NDArray[np.floating | np.integer], pairs: float) -> float:
    """Return how many different pairs to expect among so many, if words met in proportion to their counts alone.

    >>> round(independent_cells(np.ones(10), 1e6)), round(independent_cells(np.ones(1000), 10))
    (100, 10)
    """
    counts = np.sort(counts[counts > 0])[::-1].astype(np.float64)
    if not len(counts):
        return 0.0
    starts = np.unique(np.logspace(0, np.log10(len(counts) + 1), _BINS).astype(np.int64)) - 1
    starts = starts[starts < len(counts)]
    sizes = np.diff(starts, append=len(counts))
    shares = np.add.reduceat(counts, starts) / sizes / counts.sum()
    return float((np.outer(sizes, sizes) * -np.expm1(-pairs * np.outer(shares, shares))).sum())


def likely_counts(tokens: int, words: int) -> Counts:
    """Return counts of so many words that add up to about so many tokens.

    >>> likely_counts(1000, 5).tolist()
    [288, 227, 187, 159, 138]
    """
    ranks = np.arange(1, words + 1)
    shares = 1 / ((ranks + 2.7) * (1 + ranks / 8000) ** 0.8)
    counts: Counts = np.maximum(1, np.round(tokens * shares / shares.sum())).astype(np.int64)
    return counts
