"""The tables of a paper's experiment, in the paper's order and beside its figures, and a page with plots."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from .._version import __version__
from ..errors import Given, ParameterError
from ..evaluation import DATASETS
from ..presentation import svg
from ..presentation.html_tables import html_page, html_table
from ..presentation.render import render_table
from ..presentation.table import MISSING, Cell, Column, Table
from ..storage.files import write_json, write_text
from .preset import Preset, Row
from .runner import Results, Scores

_SPEARMAN = "Spearman"
_SOLVERS = ("3CosAdd", "3CosMul")


@dataclass(frozen=True)
class _Scored:
    """A row of the tables with its scores."""

    row: Row
    scores: Scores

    def paper(self, which: tuple[str, str]) -> float:
        """Return the paper's figure for a set and a measure; NaN where it has none."""
        name, measure = which
        figures = self.row.paper.get(name, ())
        place = _SOLVERS.index(measure) if measure in _SOLVERS else 0
        return figures[place] if place < len(figures) else math.nan

    def figures(self) -> dict[str, list[float | None]]:
        """Return all figures of the paper for JSON, which has no NaN."""
        return {
            name: [None if math.isnan(figure) else figure for figure in figures]
            for name, figures in self.row.paper.items()
        }

    def cell(self, which: tuple[str, str], *, bold: bool) -> Cell:
        """Return our figure, with the paper's as an aside."""
        figure, paper = Cell.figure(self.scores[which]["value"], bold=bold), self.paper(which)
        return Cell(figure.text, figure.bold, "" if math.isnan(paper) else f" ({Cell.figure(paper).text})")


class Report:
    """The results of a preset's runs as the tables of its paper."""

    def __init__(self, preset: Preset, results: Results) -> None:
        if not isinstance(preset, Preset):
            raise ParameterError(Given("preset", preset), ": it must be a Preset, such as Preset.load('small')")
        if not isinstance(results, Results):
            raise ParameterError(Given("results", results), ": it must be the Results of a runner")
        self._preset, self._results = preset, results
        self._rows = [_Scored(row, results.runs[row.run].scores[row.combine]) for row in preset.rows]
        scored = {score["name"] for row in self._rows for score in row.scores.record["scores"]}
        shown = scored.union(*(row.row.paper for row in self._rows))
        sets = [dataset for dataset in DATASETS.values() if dataset.name in shown]  # the registry has the paper's order
        self._similarity = [(each.name, _SPEARMAN) for each in sets if each.kind == "similarity"]
        self._analogy = [(each.name, solver) for each in sets if each.kind == "analogy" for solver in _SOLVERS]

    def tables(self) -> list[Table]:
        """Return the paper's two tables, the intervals of all scores, and the losses and times of the runs."""
        return [
            self._scores("Spearman rank correlation on word similarity tasks", self._similarity),
            self._scores("Results on word analogy tasks", self._analogy),
            self._intervals(),
            self._runs(),
        ]

    def _scores(self, title: str, columns: Sequence[tuple[str, str]]) -> Table:
        rows = self._rows
        best = {which: max((row.scores[which]["value"] for row in rows), key=_or_least) for which in columns}
        cells = [
            [
                Cell(row.row.label),
                *(row.cell(which, bold=row.scores[which]["value"] == best[which]) for which in columns),
            ]
            for row in rows
        ]
        about = "In parentheses: the paper's figure. The best of each column is in bold."
        return Table(title, _heads(columns), cells, [about, self._corpus(), *self._missing()])

    def _intervals(self) -> Table:
        columns = [*self._similarity, *self._analogy]
        cells = [
            [Cell(row.row.label), *(Cell.interval(row.scores[w]["low"], row.scores[w]["high"]) for w in columns)]
            for row in self._rows
        ]
        coverage = self._rows[0].scores
        covered = ", ".join(
            f"{name} {coverage[name, measure]['covered']:g} of {coverage[name, measure]['total']:g}"
            for name, measure in columns
            if measure != _SOLVERS[1] and coverage[name, measure]["total"] > 0
        )
        notes = [f"Items whose words are all in the vocabulary: {covered}."]
        return Table("95 % bootstrap intervals", _heads(columns), cells, notes)

    def _runs(self) -> Table:
        columns = [
            Column("Run", "left"),
            Column("training"),
            Column("first loss"),
            Column("last loss"),
            Column("pairs"),
        ]
        cells = []
        for run, result in self._results.runs.items():
            losses = result.losses
            loss = [f"{losses[at]['loss']:.4f}" if losses else MISSING for at in (0, -1)]
            pairs = f"{sum(epoch['pairs'] for epoch in losses):,}" if losses else MISSING
            cells.append([Cell(run), Cell(self._time(run)), *map(Cell, loss), Cell(pairs)])
        return Table("Runs", columns, cells, ["Times exclude the matrix, which runs share."])

    def _time(self, run: str) -> str:
        times = self._results.runs[run].times
        if times is None:
            return MISSING
        return f"{times.training:,.0f} s{' (since it was resumed)' if times.resumed else ''}"

    def _corpus(self) -> str:
        facts = self._results.corpus.meta["facts"]
        paper = self._preset.corpus_of_paper
        here = f"Trained on {facts['tokens']:,} tokens, {facts['words']:,} words"
        return f"{here}; the paper's corpus: {paper}." if paper else f"{here}."

    def _missing(self) -> list[str]:
        missing = self._rows[0].scores.record["missing"]
        return [f"Sets that were not found: {', '.join(missing)}."] if missing else []

    def write(self, folder: Path) -> list[Path]:
        """Write ``report.md``, ``report.tex``, ``report.html`` and ``report.json``; return their paths."""
        for form, suffix in (("markdown", "md"), ("latex", "tex")):
            text = "\n\n".join(render_table(table, form) for table in self.tables())
            write_text(folder / f"report.{suffix}", f"{text}\n")
        write_text(folder / "report.html", self.page())
        write_json(folder / "report.json", self.as_dict())
        return [folder / f"report.{suffix}" for suffix in ("md", "tex", "html", "json")]

    def as_dict(self) -> dict[str, Any]:
        """Return all results for programs. Times are not among them: equal runs give equal reports."""
        return {
            "title": self._preset.title,
            "lexvec": __version__,
            "corpus": self._results.corpus.meta["facts"],
            "rows": [
                {"label": row.row.label, "run": row.row.run, "combine": row.row.combine, "paper": row.figures()}
                | {"scores": row.scores.record["scores"], "missing": row.scores.record["missing"]}
                for row in self._rows
            ],
            "runs": {
                run: {"parameters": result.parameters, "losses": result.losses}
                for run, result in self._results.runs.items()
            },
        }

    def page(self) -> str:
        """Return one page with all tables and plots, which needs no other file."""
        runs, title = self._results.runs, self._preset.title
        losses = {run: [epoch["loss"] for epoch in result.losses] for run, result in runs.items() if result.losses}
        times = {run: result.times.training for run, result in runs.items() if result.times}
        similarity, analogy, *rest = self.tables()
        sections = [
            ("Word similarity", html_table(similarity) + self._plot(self._similarity)),
            ("Word analogies", html_table(analogy) + self._plot(self._analogy)),
            ("Loss by epoch", svg.panels(losses) if losses else ""),
            ("Training time", svg.bars(times, unit="s") if times else ""),
            ("Details", "".join(f"<h3>{escape(table.title)}</h3>{html_table(table)}" for table in rest)),
        ]
        body = "\n".join(f"<h2>{name}</h2>\n{content}" for name, content in sections if content)
        heading = f"<h1>{escape(title)}</h1>\n<p>{escape(self._corpus())}</p>"
        return html_page(title, f"{heading}\n{body}\n<p>Made by lexvec {__version__}.</p>", svg.STYLE)

    def _plot(self, columns: Sequence[tuple[str, str]]) -> str:
        """Return a plot of the mean of a table's columns for each method: ours as a bar, the paper's as a mark."""
        columns = [which for which in columns if not math.isnan(self._rows[0].scores[which]["value"])]
        ours = {row.row.label: _mean([row.scores[which]["value"] for which in columns]) for row in self._rows}
        paper = {row.row.label: _mean([row.paper(which) for which in columns]) for row in self._rows}
        ours, paper = ({k: v for k, v in values.items() if not math.isnan(v)} for values in (ours, paper))
        caption = "<p>The mean of the columns: bars are ours, red marks the paper's.</p>"
        return caption + svg.bars(ours, unit="", marks=paper) if ours else ""


def _heads(columns: Sequence[tuple[str, str]]) -> list[Column]:
    names = [f"{name} {measure}" if measure in _SOLVERS else name for name, measure in columns]
    return [Column("Method", "left"), *map(Column, names)]


def _or_least(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if len(known) == len(values) and known else math.nan
