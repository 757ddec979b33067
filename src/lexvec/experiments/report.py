"""The tables of an experiment, in the paper's order and beside its figures, and a page with svg."""

import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

from .._version import __version__
from ..evaluation import DATASETS
from ..presentation import svg
from ..presentation.render import html_page, html_table, render_table
from ..presentation.table import Cell, Column, Table
from ..storage.files import write_json, write_text
from .grid import Outcome, Outcomes

_SPEARMAN = "Spearman"
_SOLVERS = ("3CosAdd", "3CosMul")


class Report:
    """What an experiment has found."""

    def __init__(self, outcomes: Outcomes) -> None:
        self._outcomes = outcomes
        scored = {score["name"] for row in outcomes.rows for score in row.scores.record["scores"]}
        shown = scored.union(*(row.row.paper for row in outcomes.rows))
        sets = [dataset for dataset in DATASETS.values() if dataset.name in shown]  # the registry has the paper's order
        self._similarity = [(each.name, _SPEARMAN) for each in sets if each.kind == "similarity"]
        self._analogy = [(each.name, solver) for each in sets if each.kind == "analogy" for solver in _SOLVERS]

    def tables(self) -> list[Table]:
        """The paper's two tables, the intervals of all scores, and what each run took."""
        return [
            self._scores("Spearman rank correlation on word similarity tasks", self._similarity),
            self._scores("Results on word analogy tasks", self._analogy),
            self._intervals(),
            self._runs(),
        ]

    def _scores(self, title: str, columns: Sequence[tuple[str, str]]) -> Table:
        rows = self._outcomes.rows
        best = {which: max((row.scores[which]["value"] for row in rows), key=_or_least) for which in columns}
        cells = [
            [
                Cell(row.row.label),
                *(_cell(row, which, bold=row.scores[which]["value"] == best[which]) for which in columns),
            ]
            for row in rows
        ]
        about = "In parentheses: the paper's figure. The best of each column is in bold."
        return Table(title, _heads(columns), cells, [about, self._corpus(), *self._missing()])

    def _intervals(self) -> Table:
        columns = [*self._similarity, *self._analogy]
        cells = [
            [Cell(row.row.label), *(Cell.interval(row.scores[w]["low"], row.scores[w]["high"]) for w in columns)]
            for row in self._outcomes.rows
        ]
        coverage = self._outcomes.rows[0].scores
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
        for run, losses in self._outcomes.losses.items():
            loss = [f"{losses[at]['loss']:.4f}" if losses else "–" for at in (0, -1)]
            pairs = f"{sum(epoch['pairs'] for epoch in losses):,}" if losses else "–"
            cells.append([Cell(run), Cell(self._time(run)), *map(Cell, loss), Cell(pairs)])
        return Table("Runs", columns, cells, ["Times do not include the matrix, which runs share."])

    def _time(self, run: str) -> str:
        times = self._outcomes.times.get(run)
        if times is None:
            return "–"
        return f"{times.training:,.0f} s{' (the rest of a run that was stopped)' if times.resumed else ''}"

    def _corpus(self) -> str:
        facts = self._outcomes.corpus.meta["facts"]
        paper = self._outcomes.preset.corpus_of_paper
        here = f"Trained on {facts['tokens']:,} tokens, {facts['words']:,} words"
        return f"{here}; the paper's corpus: {paper}." if paper else f"{here}."

    def _missing(self) -> list[str]:
        missing = self._outcomes.rows[0].scores.record["missing"]
        return [f"Sets that were not found: {', '.join(missing)}."] if missing else []

    def write(self, folder: Path) -> list[Path]:
        """``report.md``, ``report.tex``, ``report.html`` and ``report.json``."""
        for form, suffix in (("markdown", "md"), ("latex", "tex")):
            text = "\n\n".join(render_table(table, form) for table in self.tables())
            write_text(folder / f"report.{suffix}", f"{text}\n")
        write_text(folder / "report.html", self.page())
        write_json(folder / "report.json", self.as_dict())
        return [folder / f"report.{suffix}" for suffix in ("md", "tex", "html", "json")]

    def as_dict(self) -> dict[str, Any]:
        """Everything, for programs."""
        outcomes = self._outcomes
        return {
            "title": outcomes.preset.title,
            "lexvec": __version__,
            "corpus": outcomes.corpus.meta["facts"],
            "rows": [
                {"label": row.row.label, "run": row.row.run, "combine": row.row.combine, "paper": row.row.paper}
                | {"scores": row.scores.record["scores"], "missing": row.scores.record["missing"]}
                for row in outcomes.rows
            ],
            "runs": {
                run: {"parameters": parameters, "losses": outcomes.losses[run]}
                | ({"times": vars(outcomes.times[run])} if run in outcomes.times else {})
                for run, parameters in outcomes.parameters.items()
            },
        }

    def page(self) -> str:
        """One page that needs nothing else: tables and svg."""
        outcomes, title = self._outcomes, self._outcomes.preset.title
        losses = {run: [epoch["loss"] for epoch in epochs] for run, epochs in outcomes.losses.items() if epochs}
        times = {run: times.training for run, times in outcomes.times.items() if run in outcomes.losses}
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
        """The mean of a table's columns for each method, ours as a bar and the paper's as a mark."""
        columns = [which for which in columns if not math.isnan(self._outcomes.rows[0].scores[which]["value"])]
        ours = {row.row.label: _mean([row.scores[which]["value"] for which in columns]) for row in self._outcomes.rows}
        paper = {row.row.label: _mean([_paper(row, which) for which in columns]) for row in self._outcomes.rows}
        ours, paper = ({k: v for k, v in values.items() if not math.isnan(v)} for values in (ours, paper))
        caption = "<p>The mean of the columns: bars are ours, red marks the paper's.</p>"
        return caption + svg.bars(ours, unit="", marks=paper) if ours else ""


def _heads(columns: Sequence[tuple[str, str]]) -> list[Column]:
    names = [f"{name} {measure}" if measure in _SOLVERS else name for name, measure in columns]
    return [Column("Method", "left"), *map(Column, names)]


def _or_least(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _paper(row: Outcome, which: tuple[str, str]) -> float:
    name, measure = which
    figures = row.row.paper.get(name, ())
    place = _SOLVERS.index(measure) if measure in _SOLVERS else 0
    return figures[place] if place < len(figures) else math.nan


def _cell(row: Outcome, which: tuple[str, str], *, bold: bool) -> Cell:
    figure = Cell.figure(row.scores[which]["value"], bold=bold)
    paper = _paper(row, which)
    aside = "" if math.isnan(paper) else f" ({Cell.figure(paper).text})"
    return Cell(figure.text, figure.bold, aside)


def _mean(values: Sequence[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if len(known) == len(values) and known else math.nan
