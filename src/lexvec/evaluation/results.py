"""Results of an evaluation: a score per set and measure, with interval, coverage, and the outcome of each item."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from ..errors import ParameterError
from ..presentation import cards
from ..presentation.table import Cell, Column, Table, percent
from ..uncertainty import Array, deviation
from ..vectors import WordVectors
from .datasets import Dataset
from .sets import ADVICE
from .tasks import TASKS, Task

_UNKNOWN_VERSION = "not the known version"


@dataclass(frozen=True, kw_only=True)
class Score:
    """The score of vectors on one set, by one measure."""

    #: The key of the set, or the path of a user's own file.
    key: str
    #: The name in the columns of the paper's tables, or the name of the file without its suffix.
    name: str
    #: The kind of task, such as similarity or analogy.
    kind: str
    #: The measure, such as Spearman, 3CosAdd or 3CosMul.
    measure: str
    #: The correlation, or the share of questions answered right; NaN if there are too few items. The mean, if there are
    #: several models.
    value: float
    #: The standard deviation between models; NaN for a single one.
    deviation: float = math.nan
    #: The score of each model, if there are several.
    values: tuple[float, ...] = ()
    #: The lower bound of the confidence interval.
    low: float
    #: The upper bound of the confidence interval.
    high: float
    #: The number of items whose words are all in the vocabulary.
    covered: int
    #: The number of all items.
    total: int
    #: Whether the items have the checksum in `DATASETS`.
    known: bool
    #: The SHA-256 of the items.
    sha256: str
    #: The outcome of each item in sorted order (its cosine, or 1 for right and 0 for wrong; NaN if it is left out).
    outcomes: Array = field(repr=False, compare=False)
    #: The rating of each item.
    ratings: Array = field(repr=False, compare=False)

    @property
    def task(self) -> Task:
        """The task of this kind."""
        return TASKS[self.kind]

    def as_dict(self) -> dict[str, Any]:
        """Return the figures, with None for NaN."""
        values = {"values": [_number(value) for value in self.values]} if self.values else {}
        return {**self.record(), **values}

    def record(self) -> dict[str, Any]:
        """Return the figures that are single numbers or texts, with None for NaN."""
        seeds = ["deviation"] if self.values else []
        names = [
            "key",
            "name",
            "kind",
            "measure",
            "value",
            *seeds,
            "low",
            "high",
            "covered",
            "total",
            "known",
            "sha256",
        ]
        return {name: _number(getattr(self, name)) for name in names}


@dataclass(frozen=True)
class Composed:
    """Words of test sets that are not in the vocabulary: those whose vectors are composed, and those that have none."""

    #: Words whose vectors are composed from n-grams.
    words: frozenset[str]
    #: Words that have no n-gram to compose a vector from.
    without_ngrams: frozenset[str]

    @classmethod
    def of(cls, vectors: WordVectors, words: Iterable[str]) -> Self:
        """Compose vectors of the words that are not in the vocabulary."""
        unknown = list(dict.fromkeys(word for word in words if word not in vectors))
        there = np.flatnonzero(vectors.composed(unknown).any(axis=1))
        with_vector = frozenset(unknown[place] for place in there.tolist())
        return cls(with_vector, frozenset(unknown) - with_vector)


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    r"""All scores of one set of vectors; ``evaluation["simlex-999"]`` and ``evaluation["msr", "3CosMul"]`` pick one.

    It prints as a table; `lexvec.evaluation.render` has other formats. `lexvec.evaluation.average` makes one from those
    of several models.

    >>> import pathlib, tempfile
    >>> from lexvec import WordVectors, evaluate
    >>> vectors = WordVectors(["cat", "dog", "car", "bus"], np.array([[3, 0], [3, 1], [0, 3], [1, 3]]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pets = pathlib.Path(folder, "pets.txt")
    ...     size = pets.write_text("cat dog 9\ncat car 1\ndog bus 5\n")
    ...     scores = evaluate(vectors, sets=[pets])
    >>> scores
    <Evaluation: 4 words, 1 set, mean similarity 1.000>
    >>> [(score.name, score.measure, score.value) for score in scores.scores]
    [('pets', 'Spearman', 1.0)]
    """

    #: One score for each set and measure.
    scores: tuple[Score, ...]
    #: Sets that were not found.
    missing: tuple[Dataset, ...]
    #: The number of words.
    words: int
    #: The number of dimensions of the vectors.
    dim: int
    #: The parameters of the evaluation (oov, lowercase, confidence, resamples, seed).
    parameters: dict[str, Any]
    #: The number of models that the scores are means over.
    models: int = 1
    #: The same with composed vectors of out-of-vocabulary words; None if the vectors compose none.
    with_composed: "Evaluation | None" = None
    #: The out-of-vocabulary words; None if the vectors compose none.
    composed: Composed | None = field(default=None, repr=False)

    def __getitem__(self, which: str | tuple[str, str]) -> Score:
        key, measure = which if isinstance(which, tuple) and len(which) == 2 else (which, None)
        for score in self.scores:
            if key in (score.key, score.name) and measure in (None, score.measure):
                return score
        known = ", ".join(dict.fromkeys(score.key for score in self.scores))
        raise ParameterError(f"there is no score for {which!r:.60}: choose one of {known}")

    def mean(self, kind: str) -> float:
        """Return the mean of all scores of one kind of task that are numbers, or NaN if there are none."""
        values = [score.value for score in self.scores if score.kind == kind and not math.isnan(score.value)]
        return float(np.mean(values)) if values else math.nan

    def mean_deviation(self, kind: str) -> float:
        """Return the standard deviation of `mean` between models, or NaN if there is a single one."""
        values = [score.values for score in self.scores if score.kind == kind and not math.isnan(score.value)]
        return deviation([float(np.mean(of_model)) for of_model in zip(*values, strict=True)])

    @property
    def mean_similarity(self) -> float:
        """The mean correlation over all similarity sets that have one."""
        return self.mean("similarity")

    def as_dict(self) -> dict[str, Any]:
        """Return everything except the outcomes of single items, for JSON."""
        record = {
            "words": self.words,
            "dim": self.dim,
            **({"models": self.models} if self.models > 1 else {}),
            "parameters": self.parameters,
            **self._figures(),
            "missing": [dataset.key for dataset in self.missing],
        }
        if self.with_composed and self.composed:
            record["with_composed"] = {
                "composed_words": len(self.composed.words),
                "words_without_ngrams": sorted(self.composed.without_ngrams),
                **self.with_composed._figures(),
            }
        return record

    def _figures(self) -> dict[str, Any]:
        figures: dict[str, Any] = {}
        for kind in (kind for kind, task in TASKS.items() if task.averaged):
            name = f"mean_{kind.replace('-', '_')}"
            figures[name] = _number(self.mean(kind))
            if self.models > 1:
                figures[f"deviation_of_{name}"] = _number(self.mean_deviation(kind))
        return {**figures, "scores": [score.as_dict() for score in self.scores]}

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each score, for CSV."""
        if not self.with_composed:
            return [score.record() for score in self.scores]
        both = ((False, self.scores), (True, self.with_composed.scores))
        return [{**score.record(), "with_composed": composed} for composed, scores in both for score in scores]

    def table(self) -> Table:
        """Return a table for people to read."""
        columns = [
            Column("set", "left"),
            Column("measure", "left"),
            Column("score"),
            Column(f"{percent(self.parameters['confidence'])} interval"),
            Column("covered"),
        ]
        rows = self._rows()
        if self.with_composed:
            columns += [Column("with composed"), *columns[-2:]]
            rows = [row + more[2:] for row, more in zip(rows, self.with_composed._rows(), strict=True)]
        return Table("", columns, rows, self._notes(), labels=2)

    def _rows(self) -> list[list[Cell]]:
        rows = [
            [
                Cell(f"{score.name} *" if not score.known else score.name),
                Cell(score.measure),
                Cell.figure(score.value, deviation=score.deviation),
                Cell.interval(score.low, score.high),
                Cell(f"{score.covered:,} of {score.total:,}"),
            ]
            for score in self.scores
        ]
        last = {score.kind: place for place, score in enumerate(self.scores)}
        for kind, place in sorted(last.items(), key=lambda entry: -entry[1]):
            if self.scores[place].task.averaged and sum(score.kind == kind for score in self.scores) > 1:
                mean = [Cell(f"mean {kind}"), Cell(self.scores[place].measure)]
                figure = Cell.figure(self.mean(kind), deviation=self.mean_deviation(kind))
                rows.insert(place + 1, [*mean, figure, Cell(""), Cell("")])
        return rows

    def _notes(self) -> list[str]:
        unknown = {"skip": "left out", "zero": "scored as 0"}.get(self.parameters["oov"])
        kinds = {score.task.looked_up for score in self.scores}
        notes = [f"Items with an out-of-vocabulary word are {unknown}."] if unknown and True in kinds else []
        notes += ["Sentences are scored by their words with vectors."] if False in kinds else []
        if self.models > 1:
            items = "" if self.parameters["oov"] == "zero" else ", on the items that all cover"
            what = f"Means ± standard deviations of {self.models} models{items}"
            notes.append(f"{what}. Intervals resample items and include training noise.")
        if self.composed is not None:
            notes.append(
                f"With composed: vectors of {len(self.composed.words):,} out-of-vocabulary words are composed from "
                f"n-grams; {len(self.composed.without_ngrams):,} have none."
            )
        if any(not score.known for score in self.scores):
            notes.append(f"* {_UNKNOWN_VERSION} of this set: do not compare these scores with published ones.")
        return notes + not_found(self.missing)

    def __repr__(self) -> str:
        sets = len({score.key for score in self.scores})
        mean = f", mean similarity {self.mean_similarity:.3f}" if not math.isnan(self.mean_similarity) else ""
        models = f"{self.models} models, " if self.models > 1 else ""
        return f"<Evaluation: {models}{self.words:,} words, {sets} set{'s' * (sets != 1)}{mean}>"

    def _repr_html_(self) -> str:
        from ..presentation.render import html_table

        models = f"{self.models} models, " if self.models > 1 else ""
        title = f"Evaluation: {models}{self.words:,} words × {self.dim} dimensions"
        return cards.card(title, html_table(self.table()))

    def __str__(self) -> str:
        from ..presentation.render import render

        return render(self, "table")


def not_found(missing: Sequence[Dataset]) -> list[str]:
    """Return a note that lists the sets that were not found."""
    return [f"Not found: {', '.join(dataset.key for dataset in missing)} ({ADVICE})."] if missing else []


def _number(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value
