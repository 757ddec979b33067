"""Scores, paired tests and losses of the models on the page: tables of ``evaluate``, ``compare`` and ``reproduce``."""

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..evaluation import TASKS, Comparer, Evaluator
from ..evaluation.sets import gather
from ..lab.workspace import is_experiment, read_record
from ..presentation.table import Cell, Column, Table
from ..vectors import WordVectors
from .shown_models import Record, ShownModel

_PAIRS = 6  # of models that are tested against each other


@dataclass(frozen=True)
class Scorer:
    """Which test sets to use, as ``lexvec evaluate`` takes them."""

    sets: Sequence[str | os.PathLike[str]] | None = None
    data: Path | None = None

    def check(self) -> None:
        """Raise if a set or folder that somebody named cannot be used, before a page promises scores."""
        if self.sets is not None or self.data is not None:
            gather(self.sets, self.data)

    def tables(self, models: Sequence[tuple[str, WordVectors]]) -> list[Record]:
        """Return the scores of each model, and a test of each pair, as tables."""
        evaluator, comparer = Evaluator(), Comparer()
        found = {name: evaluator.evaluate(vectors, sets=self.sets, data=self.data) for name, vectors in models}
        tables = [table_record(result.table(), f"Scores of {name}") for name, result in found.items()]
        pairs = itertools.islice(itertools.combinations(found, 2), _PAIRS)
        for one, other in pairs:
            table = comparer.compare(found[one], found[other], names=(one, other)).table()
            tables.append(table_record(table, f"{one} and {other}, on the items that both cover"))
        return tables


def losses(models: Sequence[ShownModel]) -> list[Record]:
    """Return the losses of each model that recorded them, epoch by epoch."""
    return [
        {"model": number, "name": model.name, "losses": model.content.losses}
        for number, model in enumerate(models)
        if model.content and model.content.losses
    ]


def table_record(table: Table, title: str = "") -> Record:
    """Return a table for the page, which shows its texts as they are."""
    return {
        "title": title or table.title,
        "columns": [{"name": column.name, "align": column.align} for column in table.columns],
        "rows": [[{"text": f"{cell.text}{cell.aside}", "bold": cell.bold} for cell in row] for row in table.rows],
        "notes": table.notes,
    }


def reproduced(paths: Sequence[Path]) -> list[Record]:
    """Return the tables of the experiments among these folders, from the reports that they hold."""
    tables = []
    for path in paths:
        report = read_record(path / "report.json") if is_experiment(path) else None
        if report and isinstance(report.get("rows"), list):
            tables += [table_record(table) for table in _report_tables(str(report.get("title", path.name)), report)]
    return tables


def _report_tables(title: str, report: dict[str, Any]) -> list[Table]:
    """Return a table per kind of task: methods down, sets across, with the paper's figures in parentheses."""
    tables = []
    kinds = dict.fromkeys(score["kind"] for row in report["rows"] for score in row["scores"])
    for kind in kinds:
        measures = TASKS[kind].measures if kind in TASKS else ()
        heads = dict.fromkeys(
            (score["name"], score["measure"])
            for row in report["rows"]
            for score in row["scores"]
            if score["kind"] == kind
        )
        columns = [Column("Method", "left"), *(Column(f"{name} {measure}") for name, measure in heads)]
        rows = []
        for row in report["rows"]:
            own = {(score["name"], score["measure"]): score["value"] for score in row["scores"]}
            papers = {
                (name, measure): figure
                for name, figures in row["paper"].items()
                for measure, figure in zip(measures, figures, strict=False)
            }
            rows.append([Cell(row["label"]), *(_cell(own.get(head), papers.get(head)) for head in heads)])
        tables.append(Table(f"{title}: {kind}", columns, rows, ["In parentheses: the paper's figure."]))
    return tables


def _cell(value: float | None, paper: float | None) -> Cell:
    figure = Cell.figure(float("nan") if value is None else value)
    return Cell(figure.text, aside="" if paper is None else f" ({Cell.figure(paper).text})")
