"""The tables of a paper: its figures beside ours, W and W + C of every method, and the runs, with their noise.

All vectors of an experiment are scored on the same resamples of the items, and vectors of one run come from the same
models. So differences are paired where they can be, and an interval holds the noise of the items and that of training.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..evaluation import DATASETS, TASKS, Dataset
from ..presentation.table import MISSING, Cell, Table
from ..presentation.table import Column as Heading
from ..trained import Combine
from ..uncertainty import (
    Array,
    bootstrap_p,
    deviation,
    differences_with_seed_noise,
    generator,
    interval,
    with_seed_noise,
)
from .preset import EQUAL, Preset, Row
from .runner import Results, Scores
from .workspace import SEED_SUFFIX

CONFIDENCE = 0.95
_RESAMPLES, _SEED = 1000, 1
# The least p is 2 / (resamples + 1), and Holm's correction multiplies it by the number of tests, which is at most that
# of vectors: with fewer resamples than this for each, no difference between many could be clear.
_RESAMPLES_EACH = 60

Column = tuple[str, str]  # a test set and a measure


class Vectors(NamedTuple):
    """Which vectors of which run."""

    run: str
    combine: Combine


class Figure(NamedTuple):
    """A score: its mean over seeds, their standard deviation, and the interval that holds items and seeds."""

    mean: float
    deviation: float
    low: float
    high: float
    values: tuple[float, ...]  # one for each seed


class Sampled:
    """The scores of vectors, by seed, with resamples behind their intervals."""

    def __init__(self, scores: Mapping[Vectors, Sequence[Scores]]) -> None:
        self._scores = scores
        self._resamples = max(_RESAMPLES, _RESAMPLES_EACH * len(scores))
        self._drawn: dict[Column, dict[Vectors, Array]] = {}

    @cached_property
    def columns(self) -> list[Column]:
        """The sets and measures that all vectors have a score for."""
        every = [each for seeds in self._scores.values() for each in seeds]
        return [which for which in every[0].columns() if all(which in each for each in every)] if every else []

    def figure(self, vectors: Vectors, columns: Sequence[Column]) -> Figure:
        """Return the mean of the columns that have a score; NaN if none has."""
        known = self.scored(columns, vectors)
        if not known:
            return Figure(math.nan, math.nan, math.nan, math.nan, ())
        values = [float(np.mean([scores[which]["value"] for which in known])) for scores in self._scores[vectors]]
        samples = with_seed_noise(self._samples(vectors, known), generator(_SEED, vectors.run))
        task = TASKS[self._scores[vectors][0].kind(known[0])]
        low, high = interval(np.clip(samples, *task.bounds), CONFIDENCE)
        return Figure(float(np.mean(values)), deviation(values), low, high, tuple(values))

    def p(self, one: Vectors, other: Vectors, columns: Sequence[Column]) -> float:
        """Return the two-sided p-value of the difference between two means of columns."""
        known = self.scored(columns, one, other)
        if not known:
            return math.nan
        first, second = self._samples(one, known), self._samples(other, known)
        random = generator(_SEED, one.run, other.run)
        if one.run == other.run:  # the same models
            return bootstrap_p(with_seed_noise(second - first, random))
        return bootstrap_p(differences_with_seed_noise(first, second, random))

    def scored(self, columns: Sequence[Column], *some: Vectors) -> list[Column]:
        """Return the columns that have a score for some vectors: a set with hardly any covered items has none."""
        scores = [each for vectors in some for each in self._scores[vectors]]
        known = (which for which in columns if which in self.columns)
        return [which for which in known if not any(math.isnan(each[which]["value"]) for each in scores)]

    def _samples(self, vectors: Vectors, columns: Sequence[Column]) -> Array:
        """Return the mean of columns on resampled items, with a row for each seed."""
        samples: Array = np.mean([self._of_column(which)[vectors] for which in columns], axis=0)
        return samples

    def _of_column(self, which: Column) -> dict[Vectors, Array]:
        if which not in self._drawn:
            self._drawn[which] = self._resampled(which)
        return self._drawn[which]

    def _resampled(self, which: Column) -> dict[Vectors, Array]:
        """Return the scores of all vectors and seeds on one set, on resamples of the items that all cover."""
        models = [scores for seeds in self._scores.values() for scores in seeds]
        outcomes = np.array([scores.items(which)[0] for scores in models])
        covered = ~np.isnan(outcomes).any(axis=0)
        ratings = models[0].items(which)[1]
        task = TASKS[models[0].kind(which)]
        samples = task.resampled_together(
            outcomes[:, covered], ratings[covered], resamples=self._resamples, random=generator(_SEED, which[0])
        )
        ends = np.cumsum([len(seeds) for seeds in self._scores.values()])[:-1]
        return dict(zip(self._scores, np.split(samples, ends), strict=True))


SOLVERS = TASKS["analogy"].measures
_SUFFIXES = {"word": "W", "context": "C", "sum": "W + C"}
_LEGEND = {
    "MB": "minibatch, noise for each pair",
    "St.": "stochastic, noise once per window",
    "WS_PPMI": "windows of the matrix",
    "WS_SGNS": "windows of SGNS, of random size",
    "W": "word vectors",
    "W+C": "the sum of word and context vectors",
}


class ScoreTables:
    """The scores of a preset's runs, by seed, and the tables that show them."""

    def __init__(self, preset: Preset, results: Results) -> None:
        self._preset, self._results = preset, results
        self.seeds = {run: [name for name in results.runs if SEED_SUFFIX.sub("", name) == run] for run in preset.used}
        self.by_seed = {
            Vectors(run, combine): [results.runs[name].scores[combine] for name in names]
            for run, names in self.seeds.items()
            for combine in preset.vectors(run)
        }
        self.sampled = Sampled(self.by_seed)
        scored = {name for scores in self.by_seed.values() for name, _ in scores[0].columns()}
        shown = scored.union(*(row.paper for row in preset.rows))
        sets = [dataset for dataset in DATASETS.values() if dataset.name in shown]  # the registry has the paper's order
        self.similarity, self.analogy = (_columns(sets, kind) for kind in ("similarity", "analogy"))
        self.equal = {
            Vectors(run, combine): f"{preset.labels[run]}, {_SUFFIXES[combine]}"
            for run in preset.used
            for combine in EQUAL
        }

    def first(self, vectors: Vectors) -> Scores:
        """Return the scores of the first seed, for what all seeds have in common."""
        return self.by_seed[vectors][0]

    def papers(self, title: str, columns: Sequence[Column]) -> Table:
        """Return one of the paper's tables, with its figures beside ours."""
        rows = {Vectors(row.run, row.combine): row for row in self._preset.rows}
        best = self._best(rows, columns)
        cells = [
            [Cell(row.label), *(self._cell(vectors, which, best, row) for which in columns)]
            for row in self._preset.rows
            for vectors in [Vectors(row.run, row.combine)]
        ]
        has_paper = any(not math.isnan(paper_figure(row, which)) for row in self._preset.rows for which in columns)
        notes = ["In parentheses: the paper's figure."] if has_paper else []
        return Table(title, _headings(columns), cells, [*notes, *self._notes(columns)])

    def equals(self, title: str, columns: Sequence[Column]) -> Table:
        """Return a table with W and W + C of every method, and their mean."""
        best = self._best(self.equal, columns)
        means = {vectors: self.sampled.figure(vectors, averaged(columns)) for vectors in self.equal}
        top = max((figure.mean for figure in means.values()), key=_or_least)
        cells = [
            [
                Cell(label),
                figure_cell(means[vectors], bold=means[vectors].mean == top),
                *(self._cell(vectors, which, best) for which in columns),
            ]
            for vectors, label in self.equal.items()
        ]
        method, *rest = _headings(columns)
        return Table(title, [method, Heading("mean"), *rest], cells, [f"{mean_of(columns)}.", *self._notes(columns)])

    def _best(
        self, rows: Sequence[Vectors] | dict[Vectors, Row] | dict[Vectors, str], columns: Sequence[Column]
    ) -> dict[Column, float]:
        means = {which: [self.sampled.figure(vectors, [which]).mean for vectors in rows] for which in columns}
        return {which: max(values, key=_or_least) for which, values in means.items()}

    def _cell(self, vectors: Vectors, which: Column, best: dict[Column, float], row: Row | None = None) -> Cell:
        figure = self.sampled.figure(vectors, [which])
        paper = paper_figure(row, which) if row else math.nan
        return figure_cell(figure, bold=figure.mean == best[which], paper=paper)

    def _notes(self, columns: Sequence[Column]) -> list[str]:
        count = max(map(len, self.seeds.values()))
        noise = "items, with training noise" if count > 1 else "items; one seed, so that training noise is not in it"
        scores = f"Mean ± standard deviation of {count} seeds" if count > 1 else "The score"
        notes = [f"{scores}; below it the 95 % bootstrap interval of {noise}. The best of each column is in bold."]
        first = next(iter(self.by_seed.values()))[0]
        covered = ", ".join(
            f"{name} {first[name, measure]['covered']:g} of {first[name, measure]['total']:g}"
            for name, measure in columns
            if measure != SOLVERS[1] and first[name, measure]["total"] > 0
        )
        notes += [f"Items whose words are all in the vocabulary: {covered}."] if covered else []
        missing = first.record["missing"]
        return [*notes, *([f"Sets that were not found: {', '.join(missing)}."] if missing else [])]

    def legend(self) -> str:
        """Return what the abbreviations in labels mean; "" if there are none."""
        words = " ".join([*self.equal.values(), *(row.label for row in self._preset.rows)])
        parts = words.replace("(W+C)", "W+C").replace("W + C", "W+C").replace(",", " ").split()
        return "; ".join(f"{name}: {meaning}" for name, meaning in _LEGEND.items() if name in parts)

    def runs(self) -> Table:
        """Return the losses and times of all runs."""
        heads = [Heading("Run", "left"), *map(Heading, ("seed", "training", "first loss", "last loss", "pairs"))]
        cells = []
        for run, result in self._results.runs.items():
            losses, times = result.losses, result.times
            time = MISSING if times is None else f"{times.training:,.0f} s{'*' if times.resumed else ''}"
            loss = [f"{losses[at]['loss']:.4f}" if losses else MISSING for at in (0, -1)]
            pairs = f"{sum(epoch['pairs'] for epoch in losses):,}" if losses else MISSING
            cells.append(
                [Cell(run), Cell(str(result.parameters.get("seed", MISSING))), *map(Cell, (time, *loss, pairs))]
            )
        notes = ["Times exclude the matrix, which runs share."]
        if any(result.times and result.times.resumed for result in self._results.runs.values()):
            notes.append("* since it was resumed")
        return Table("Runs", heads, cells, notes)


def _columns(sets: Sequence[Dataset], kind: str) -> list[Column]:
    return [(each.name, measure) for each in sets if each.kind == kind for measure in TASKS[kind].measures]


def averaged(columns: Sequence[Column]) -> list[Column]:
    """Return the columns that a mean is of: each set once, so that analogies count by the first solver only."""
    return [which for which in columns if which[1] != SOLVERS[1]]


def mean_of(columns: Sequence[Column]) -> str:
    """Return what the mean of a table's columns is."""
    solved = any(measure in SOLVERS for _, measure in columns)
    return f"The mean is of all sets with a score{f', by {SOLVERS[0]}' if solved else ''}"


def paper_figure(row: Row, which: Column) -> float:
    """Return the paper's figure for a set and a measure; NaN where it has none."""
    name, measure = which
    figures = row.paper.get(name, ())
    place = SOLVERS.index(measure) if measure in SOLVERS else 0
    return figures[place] if place < len(figures) else math.nan


def figure_cell(figure: Figure, *, bold: bool = False, paper: float = math.nan) -> Cell:
    """Return a score with its deviation and the paper's figure beside or below it, and its interval below it."""
    cell = Cell.figure(figure.mean, bold=bold, deviation=figure.deviation)
    papers = "" if math.isnan(paper) else f"({Cell.figure(paper).text})"
    bounds = () if math.isnan(figure.low) else (f"{Cell.figure(figure.low).text}–{Cell.figure(figure.high).text}",)
    if cell.aside:
        return Cell(cell.text, cell.bold, cell.aside, (*bounds, *([papers] if papers else [])))
    return Cell(cell.text, cell.bold, f" {papers}" if papers else "", bounds)


def _headings(columns: Sequence[Column]) -> list[Heading]:
    names = [f"{name} {measure}" if measure in SOLVERS else name for name, measure in columns]
    return [Heading("Method", "left"), *map(Heading, names)]


def _or_least(value: float) -> float:
    return -math.inf if math.isnan(value) else value
