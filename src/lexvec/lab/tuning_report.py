"""The report of a search: tables, a page, and a configuration for ``lexvec train``."""

import csv
import io
import json
import math
import os
from html import escape
from pathlib import Path
from typing import Any

from .._version import __version__
from ..presentation import svg
from ..presentation.render import html_table, render_table, scrolling
from ..presentation.svg import Cloud, Point, scatters
from ..presentation.table import MISSING, Cell, Column, Table
from ..presentation.visible import visible
from .tuner import Tuned
from .workspace import report_page, write_report

_FEW_TRIALS = 50  # the best tenth of fewer is hardly a sample
_LABELS = {"word": "W", "context": "C", "sum": "W + C"}


class TuningReport:
    """The result of a search as tables, plots and files."""

    def __init__(self, tuned: Tuned) -> None:
        self._tuned = tuned

    def tables(self) -> list[Table]:
        """Return the scores on the test half, and the parameters."""
        return [self._scores(), self._parameters()]

    def _scores(self) -> Table:
        tuned = self._tuned
        columns = [Column("set", "left"), Column("measure", "left")]
        columns += [Column(f"{tuned.start}, {_LABELS[tuned.start_combine]}"), Column("95 % interval")]
        columns += [Column(f"best, {_LABELS[tuned.combine]}"), Column("95 % interval"), Column("items")]
        columns += [Column("difference"), Column("verdict", "left")]
        differences = {(each.key, each.measure): each for each in tuned.comparison().differences}
        rows = []
        for before, after in zip(tuned.start_test.scores, tuned.test.scores, strict=True):
            found = differences[after.key, after.measure]
            rows.append(
                [
                    Cell(after.name),
                    Cell(after.measure),
                    Cell.figure(before.value),
                    Cell.interval(before.low, before.high),
                    Cell.figure(after.value),
                    Cell.interval(after.low, after.high),
                    Cell(f"{after.covered:,} of {after.total:,}"),
                    Cell.figure(found.difference, signed=True),
                    Cell(found.verdict),
                ]
            )
        goal = [Cell.figure(tuned.objective.value(each)) for each in (tuned.start_test, tuned.test)]
        empty = Cell("")
        rows.append([Cell(str(tuned.objective)), empty, goal[0], empty, goal[1], empty, empty, empty, empty])
        notes = [
            "Scores are of the test half of each set, which the search has not seen.",
            "Intervals resample items and do not hold the noise between training runs: two seeds can differ clearly.",
        ]
        return Table("Scores on the test half", columns, rows, notes, labels=2)

    def _parameters(self) -> Table:
        tuned = self._tuned
        columns = [Column("parameter", "left"), Column("default"), Column("best"), Column("importance")]
        rows = [
            [
                Cell(name),
                Cell(_shown(tuned.space.start[name])),
                Cell(_shown(tuned.parameters[name])),
                Cell.figure(tuned.importances.get(name, math.nan)),
            ]
            for name in tuned.space.names
        ]
        scored = f"with {tuned.best.value:.3f} on the development half, by which it was chosen"
        notes = [f"Trial {tuned.best.number} is the best of {len(tuned.trials)}, {scored}."]
        if not tuned.importances:
            notes.append("Importances need ten complete trials with different scores.")
        elif len(tuned.trials) < _FEW_TRIALS:
            notes.append(f"Importances rest on the best tenth of trials: with fewer than {_FEW_TRIALS} they are rough.")
        return Table("Parameters", columns, rows, notes)

    def _trials(self) -> Table:
        names = self._tuned.space.names
        columns = [Column("trial"), Column("development"), Column("vectors"), Column("state", "left")]
        columns += map(Column, names)
        rows = [
            [
                Cell(str(trial.number)),
                Cell(MISSING) if trial.value is None else Cell.figure(trial.value, bold=trial == self._tuned.best),
                Cell(_LABELS[trial.combine] if trial.combine else MISSING),
                Cell(trial.state),
                *(Cell(_shown(trial.parameters.get(name))) for name in names),
            ]
            for trial in self._tuned.trials
        ]
        notes = ["Scores are of the development half; for a pruned trial, the score after the last epoch that it saw."]
        return Table("Trials", columns, rows, notes)

    def write(self, output: str | os.PathLike[str]) -> list[Path]:
        """Write ``best.toml``, ``trials.csv`` and ``report.md``, ``.html`` and ``.json``; return their paths."""
        markdown = "\n\n".join(render_table(table, "markdown") for table in [*self.tables(), self._trials()])
        texts = {
            "best.toml": self.configuration(),
            "trials.csv": self._csv(),
            "report.md": f"{markdown}\n",
            "report.html": self.page(),
        }
        return write_report(Path(output), texts, self.as_dict())

    def configuration(self) -> str:
        """Return TOML for ``lexvec --config best.toml train CORPUS -o DIR``."""
        tuned = self._tuned
        lines = [
            visible(f"# The best of {len(tuned.trials)} trials ({tuned.objective}, {_LABELS[tuned.combine]})."),
            "# Use it with: lexvec --config best.toml train CORPUS -o DIR",
            "[train]",
            f"model = {json.dumps(tuned.model)}",
        ]
        flags = {**tuned.text, **tuned.parameters}
        lines += [f"{name} = {json.dumps(value)}" for name, value in flags.items() if value is not None]
        for command in ("evaluate", "convert") if tuned.combine != "word" else ():
            lines += ["", f"[{command}]", f"combine = {json.dumps(tuned.combine)}"]
        return "\n".join([*lines, ""])

    def _csv(self) -> str:
        out = io.StringIO()
        tuned, names = self._tuned, self._tuned.space.names
        scored = [(combine, part) for combine in tuned.best.scores for part in tuned.objective.weights]
        writer = csv.writer(out, lineterminator="\n")
        columns = [f"{combine} {part}" for combine, part in scored]
        writer.writerow(["trial", "value", "combine", *columns, "state", "failure", *names])
        for trial in tuned.trials:
            parts = [trial.scores[combine][part] if trial.scores else None for combine, part in scored]
            given = [trial.parameters.get(name) for name in names]
            writer.writerow([trial.number, trial.value, trial.combine, *parts, trial.state, trial.failure, *given])
        return out.getvalue()

    def as_dict(self) -> dict[str, Any]:
        """Return the result for programs."""
        tuned = self._tuned
        return {
            "lexvec": __version__,
            "model": tuned.model,
            "combine": tuned.combine,
            "start": tuned.start,
            "start_combine": tuned.start_combine,
            "objective": tuned.objective.weights,
            "corpus": tuned.corpus.meta["facts"],
            "best": {"trial": tuned.best.number, "development": tuned.best.value, "parameters": tuned.parameters},
            "test": tuned.test.as_dict(),
            "start_test": tuned.start_test.as_dict(),
            "differences": tuned.comparison().records(),
            "importances": tuned.importances,
            "trials": [vars(trial) for trial in tuned.trials],
        }

    def page(self) -> str:
        """Return one page with all tables and plots, which needs no other file."""
        tuned = self._tuned
        facts = tuned.corpus.meta["facts"]
        about = (
            f"{len(tuned.trials)} trials on {facts['tokens']:,} tokens, {facts['words']:,} words. Objective: "
            f"{tuned.objective}, on the development half of the items. The best vectors are {_LABELS[tuned.combine]}."
        )
        scores, parameters = self.tables()
        sections = {
            scores.title: html_table(scores),
            parameters.title: html_table(parameters),
            "Importance": scrolling(svg.bars(tuned.importances, unit="")) if tuned.importances else "",
            "Score by parameter": self._slices(),
            "Score by trial": self._history(),
            "Trials": html_table(self._trials()),
            "best.toml": f"<pre>{escape(self.configuration())}</pre>",
        }
        return report_page(f"Search for parameters of {tuned.model}", [about], sections)

    def _slices(self) -> str:
        """Return a panel for each parameter: its value across, the score of each complete trial upwards."""
        tuned, clouds = self._tuned, {}
        for dimension in tuned.space.dimensions:
            name = dimension.name
            scored = [trial for trial in tuned.trials if trial.state == "complete" and name in trial.parameters]
            if listed := dimension.search.values:  # side by side, in the order of the list
                scored.sort(key=lambda trial: listed.index(trial.parameters[name]))
            points: list[Point] = [
                (_shown(value) if listed else float(value), trial.value or 0.0, trial == tuned.best)
                for trial in scored
                for value in [trial.parameters[name]]
            ]
            if points:
                clouds[name] = Cloud(points, log=dimension.search.log)
        caption = "<p>Each point is a complete trial; the best is red.</p>"
        return caption + scatters(clouds) if clouds else ""

    def _history(self) -> str:
        tuned, best, line = self._tuned, -math.inf, []
        points = [
            (trial.number, trial.value or 0.0, trial == tuned.best)
            for trial in tuned.trials
            if trial.state == "complete"
        ]
        for number, value, _ in points:
            best = max(best, value)
            line.append((float(number), best))
        cloud = Cloud(points, line=line, axis="trial")
        return scrolling(scatters({"complete trials, and the best so far": cloud}, width=720, height=260))


def _shown(value: Any) -> str:
    return MISSING if value is None else f"{value:g}" if isinstance(value, float) else str(value)
