"""What an evaluation finds: a score per set and measure, with interval, coverage, and the outcome of each item."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..presentation import cards
from ..presentation.table import Cell, Column, Table, percent
from .bootstrap import Array
from .finding import ADVICE
from .parsing import Kind
from .registry import Dataset

_UNKNOWN_VERSION = "not the known version"


@dataclass(frozen=True, kw_only=True)
class Score:
    """How well vectors do on one set, by one measure."""

    #: The set's key, or the path of a file of one's own.
    key: str
    #: As in the columns of the paper's tables, or the name of the file without its suffix.
    name: str
    #: Similarity or analogy.
    kind: Kind
    #: Spearman, 3CosAdd or 3CosMul.
    measure: str
    #: Correlation, or the share of questions that were answered right; NaN where nothing can be said.
    value: float
    #: Where the interval begins.
    low: float
    #: Where it ends.
    high: float
    #: Items whose words are all in the vocabulary.
    covered: int
    #: All items.
    total: int
    #: Whether the items are those that the registry knows.
    known: bool
    #: The SHA-256 of the items.
    sha256: str
    #: The cosine of each item in sorted order, or 1 (right) or 0 (wrong); NaN where it was left out.
    outcomes: Array = field(repr=False, compare=False)
    #: Of each pair, what people said.
    ratings: Array = field(repr=False, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Figures only; None where there is none."""
        names = ("key", "name", "kind", "measure", "value", "low", "high", "covered", "total", "known", "sha256")
        return {name: _number(getattr(self, name)) for name in names}


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    r"""All scores of one set of vectors; ``evaluation["simlex-999"]`` and ``evaluation["msr", "3CosMul"]`` pick one.

    Printed, it is a table; `lexvec.evaluation.render` has other forms.

    >>> import pathlib, tempfile
    >>> from lexvec import WordVectors, evaluate
    >>> vectors = WordVectors(["cat", "dog", "car", "bus"], np.array([[3, 0], [3, 1], [0, 3], [1, 3]]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pets = pathlib.Path(folder, "pets.txt")
    ...     size = pets.write_text("cat dog 9\ncat car 1\ndog bus 5\n")
    ...     scores = evaluate(vectors, sets=[pets])
    >>> scores
    <Evaluation: 4 words, 1 sets, mean similarity 1.000>
    >>> [(score.name, score.measure, score.value) for score in scores.scores]
    [('pets', 'Spearman', 1.0)]
    """

    #: One for each set and measure.
    scores: tuple[Score, ...]
    #: Sets that were not found.
    missing: tuple[Dataset, ...]
    #: How many words there are.
    words: int
    #: Dimensions of the vectors.
    dim: int
    #: The parameters of the evaluation (oov, lowercase, confidence, resamples, seed).
    parameters: dict[str, Any]

    def __getitem__(self, which: str | tuple[str, str]) -> Score:
        key, measure = (which, None) if isinstance(which, str) else which
        for score in self.scores:
            if key in (score.key, score.name) and measure in (None, score.measure):
                return score
        raise KeyError(f"no score of {which}: there are {', '.join(dict.fromkeys(s.key for s in self.scores))}")

    @property
    def mean_similarity(self) -> float:
        """The mean of the correlations of all similarity sets that have one."""
        values = [score.value for score in self.scores if score.kind == "similarity" and not math.isnan(score.value)]
        return float(np.mean(values)) if values else math.nan

    def as_dict(self) -> dict[str, Any]:
        """Everything but the outcomes of single items, for JSON."""
        return {
            "words": self.words,
            "dim": self.dim,
            "parameters": self.parameters,
            "mean_similarity": _number(self.mean_similarity),
            "scores": self.records(),
            "missing": [dataset.key for dataset in self.missing],
        }

    def records(self) -> list[dict[str, Any]]:
        """A record for each score, for CSV."""
        return [score.as_dict() for score in self.scores]

    def table(self) -> Table:
        """For people."""
        columns = [
            Column("set", "left"),
            Column("measure", "left"),
            Column("score"),
            Column(f"{percent(self.parameters['confidence'])} interval"),
            Column("covered"),
        ]
        rows = [
            [
                Cell(f"{score.name} *" if not score.known else score.name),
                Cell(score.measure),
                Cell.figure(score.value),
                Cell.interval(score.low, score.high),
                Cell(f"{score.covered:,} of {score.total:,}"),
            ]
            for score in self.scores
        ]
        similarity = [place for place, score in enumerate(self.scores) if score.kind == "similarity"]
        if len(similarity) > 1:
            mean = [Cell("mean similarity"), Cell("Spearman"), Cell.figure(self.mean_similarity), Cell(""), Cell("")]
            rows.insert(similarity[-1] + 1, mean)
        return Table("", columns, rows, self._notes())

    def _notes(self) -> list[str]:
        unknown = {"skip": "left out", "zero": "scored as 0"}.get(self.parameters["oov"])
        notes = [f"Items with a word that is not in the vocabulary are {unknown}."] if unknown else []
        if any(not score.known for score in self.scores):
            notes.append(f"* {_UNKNOWN_VERSION} of this set: figures cannot be compared with those of others.")
        return notes + not_found(self.missing)

    def __repr__(self) -> str:
        sets = len({score.key for score in self.scores})
        mean = f", mean similarity {self.mean_similarity:.3f}" if not math.isnan(self.mean_similarity) else ""
        return f"<Evaluation: {self.words:,} words, {sets} sets{mean}>"

    def _repr_html_(self) -> str:
        from ..presentation.render import html_table

        return cards.card(f"Evaluation: {self.words:,} words × {self.dim} dimensions", html_table(self.table()))

    def __str__(self) -> str:
        from ..presentation.render import render

        return render(self, "table")


def not_found(missing: Sequence[Dataset]) -> list[str]:
    """What to say of sets that are missing."""
    return [f"Not found: {', '.join(dataset.key for dataset in missing)} ({ADVICE})."] if missing else []


def _number(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
