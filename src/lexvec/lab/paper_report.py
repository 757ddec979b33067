"""The report of a paper's experiment: what was done, what the tests say, the tables, and a page with plots."""

import math
import shlex
import statistics
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from .._version import __version__
from ..errors import Given, ParameterError
from ..presentation import svg
from ..presentation.render import html_table, latex_comment, markdown_text, render_table, scrolling
from ..presentation.table import Cell, Table
from ..uncertainty import holm
from .paper_tables import CONFIDENCE, SOLVERS, Column, Sampled, ScoreTables, Vectors, averaged, mean_of, paper_figure
from .preset import Preset
from .runner import Results
from .workspace import SEED_SUFFIX, report_page, without_nan, write_report

_SIMILARITY = "Spearman rank correlation on word similarity tasks"
_ANALOGY = "Results on word analogy tasks"
_EQUAL = "W and W + C of every method"
_ONE_SEED = "Training noise is not in these tests: each method was trained with one seed. Use --seeds 3 to include it."


class Report:
    """The results of a preset's runs as the tables of its paper."""

    def __init__(self, preset: Preset, results: Results) -> None:
        if not isinstance(preset, Preset):
            raise ParameterError(Given("preset", preset), ": it must be a Preset, such as Preset.load('small')")
        if not isinstance(results, Results):
            raise ParameterError(Given("results", results), ": it must be the Results of a runner")
        self._preset, self._results = preset, results
        self._scores = ScoreTables(preset, results)
        self._rows = {Vectors(row.run, row.combine): row for row in preset.rows}

    def tables(self) -> list[Table]:
        """Return the paper's two tables, the same for W and W + C of every method, and losses and times of the runs."""
        scores = self._scores
        return [
            scores.papers(_SIMILARITY, scores.similarity),
            scores.papers(_ANALOGY, scores.analogy),
            scores.equals(f"{_EQUAL}: word similarity", scores.similarity),
            scores.equals(f"{_EQUAL}: word analogies", scores.analogy),
            scores.runs(),
        ]

    def about(self) -> list[str]:
        """Return what was done: the command, seeds, corpus, and what abbreviations mean."""
        facts = self._results.corpus.meta["facts"]
        paper = self._preset.corpus_of_paper
        corpus = f"Corpus: {facts['tokens']:,} tokens, {facts['words']:,} words"
        lines = [
            f"Command: {self.command()}",
            f"Preset: {self._preset.name}. {'Seeds' if len(self.seeds()) > 1 else 'Seed'}: {_range(self.seeds())}.",
            f"{corpus}; the paper's: {paper}." if paper else f"{corpus}.",
        ]
        legend = self._scores.legend()
        return [*lines, f"{legend}."] if legend else lines

    def seeds(self) -> list[int]:
        """Return the seeds that every run was trained with."""
        names = next(iter(self._scores.seeds.values()))
        return [self._results.runs[name].parameters["seed"] for name in names]

    def command(self) -> str:
        """Return the command that makes this report."""
        seeds = self.seeds()
        only = [part for run in self._preset.chosen for part in ("--only", run)]
        several = ["--seeds", str(len(seeds))] if len(seeds) > 1 else []
        given = ["--preset", self._preset.name, *only, "--seed", str(seeds[0]), *several]
        return f"lexvec reproduce CORPUS -o DIR {shlex.join(given)}"

    def conclusions(self) -> list[str]:
        """Return what follows from the tests, in words."""
        scores = self._scores
        count = len(scores.sampled.scored(scores.similarity, *scores.equal))
        topics: dict[str, Sequence[Column]] = {f"Similarity (mean of {count} sets)": scores.similarity}
        topics |= {
            f"{name} ({measure})": [(name, measure)] for name, measure in scores.analogy if measure == SOLVERS[0]
        }
        labels = {run: self._preset.labels[run] for run in self._preset.used}
        said = [standing(scores.sampled, scores.equal, columns, what) for what, columns in topics.items()]
        said += [of_the_sum(scores.sampled, labels, columns, what) for what, columns in topics.items()]
        said = [sentence for sentence in said if sentence]
        return [*said, _ONE_SEED] if said and len(self.seeds()) == 1 else said

    def write(self, folder: Path) -> list[Path]:
        """Write ``report.md``, ``report.tex``, ``report.html`` and ``report.json``; return their paths."""
        tables, about, said = self.tables(), self.about(), self.conclusions()
        bullets = "\n".join(f"- {markdown_text(line)}" for line in about)
        findings = "\n".join(f"- {markdown_text(line)}" for line in said)
        head = [f"# {markdown_text(self._preset.title)}", bullets, *(["## Conclusions", findings] if said else [])]
        markdown = [*head, "## Tables", *(render_table(table, "markdown") for table in tables)]
        comments = "\n".join(latex_comment(line) for line in [self._preset.title, *about, *said])
        latex = [comments, *(render_table(table, "latex") for table in tables)]
        texts = {
            "report.md": "\n\n".join(markdown) + "\n",
            "report.tex": "\n\n".join(latex) + "\n",
            "report.html": self.page(),
        }
        return write_report(folder, texts, self.as_dict())

    def as_dict(self) -> dict[str, Any]:
        """Return all results for programs. Times are not among them: equal runs give equal reports."""
        return {
            "title": self._preset.title,
            "lexvec": __version__,
            "command": self.command(),
            "preset": self._preset.name,
            "seeds": self.seeds(),
            "corpus": self._results.corpus.meta["facts"],
            "conclusions": self.conclusions(),
            "rows": [
                {"label": row.label, "run": row.run, "combine": row.combine, "paper": without_nan(row.paper)}
                | self._record(Vectors(row.run, row.combine))
                for row in self._preset.rows
            ],
            "equal": [
                {"label": label, "run": vectors.run, "combine": vectors.combine} | self._record(vectors)
                for vectors, label in self._scores.equal.items()
            ],
            "runs": {
                run: {"parameters": result.parameters, "losses": result.losses}
                for run, result in self._results.runs.items()
            },
        }

    def _record(self, vectors: Vectors) -> dict[str, Any]:
        """Return all scores of some vectors: the mean, the deviation, the interval, and the value of each seed."""
        first = self._scores.first(vectors)
        scores = []
        for score in first.record["scores"]:
            found = self._scores.sampled.figure(vectors, [(score["name"], score["measure"])])
            figures = {"value": found.mean, "deviation": found.deviation, "low": found.low, "high": found.high}
            scores.append({**score, **without_nan(figures), "values": list(found.values)})
        return {"scores": scores, "missing": first.record["missing"]}

    def page(self) -> str:
        """Return one page with all tables and plots, which needs no other file."""
        scores = self._scores
        runs = {run: result for run, result in self._results.runs.items() if not SEED_SUFFIX.search(run)}
        losses = {run: [epoch["loss"] for epoch in result.losses] for run, result in runs.items() if result.losses}
        times = {run: result.times.training for run, result in runs.items() if result.times}
        similarity, analogy, similar, analogous, details = self.tables()
        labels = {vectors: row.label for vectors, row in self._rows.items()}
        said = "".join(f"<li>{escape(line)}</li>" for line in self.conclusions())
        sections = {
            "Conclusions": f"<ul>{said}</ul>" if said else "",
            "Word similarity": html_table(similarity) + self._plot(labels, scores.similarity),
            "Word analogies": html_table(analogy) + self._plot(labels, scores.analogy),
            similar.title: html_table(similar) + self._plot(scores.equal, scores.similarity),
            analogous.title: html_table(analogous) + self._plot(scores.equal, scores.analogy),
            "Loss by epoch": scrolling(svg.panels(losses)) if losses else "",
            "Training time": scrolling(svg.bars(times, unit="s")) if times else "",
            "Runs": html_table(details),
        }
        return report_page(self._preset.title, self.about(), sections)

    def _plot(self, labels: Mapping[Vectors, str], columns: Sequence[Column]) -> str:
        """Return the mean of a table's columns for each row: ours as a bar with its interval, the paper's as a mark."""
        sampled = self._scores.sampled
        scored = {vectors: known for vectors in labels if (known := sampled.scored(averaged(columns), vectors))}
        if not scored:
            return ""
        figures = {labels[vectors]: sampled.figure(vectors, known) for vectors, known in scored.items()}
        rows = {vectors: self._rows[vectors] for vectors in scored if vectors in self._rows}
        papers = {  # of the same sets as ours
            labels[vectors]: statistics.mean(paper_figure(row, which) for which in scored[vectors])
            for vectors, row in rows.items()
        }
        marks = {label: mean for label, mean in papers.items() if not math.isnan(mean)}
        drawn = svg.bars(
            {label: figure.mean for label, figure in figures.items()},
            unit="",
            marks=marks,
            errors={label: (figure.low, figure.high) for label, figure in figures.items()},
        )
        red = "; red marks the paper's mean" if marks else ""
        return f"<p>{mean_of(columns)}, with its 95 % interval{red}.</p>{scrolling(drawn)}"


def _range(seeds: Sequence[int]) -> str:
    return str(seeds[0]) if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"


_NAMED = 5  # in one list


def standing(sampled: Sampled, labels: Mapping[Vectors, str], columns: Sequence[Column], what: str) -> str:
    """Return which vectors are best in the mean of some columns, and which differ from them; "" without scores."""
    means = {vectors: sampled.figure(vectors, columns).mean for vectors in labels}
    means = {vectors: mean for vectors, mean in means.items() if mean == mean}
    if len(means) < 2:
        return ""
    best = max(means, key=lambda vectors: means[vectors])
    others = sorted((vectors for vectors in means if vectors != best), key=lambda vectors: -means[vectors])
    corrected = holm([sampled.p(best, other, columns) for other in others])
    clear = {other for other, p in zip(others, corrected, strict=True) if p < 1 - CONFIDENCE}

    def named(vectors: Vectors) -> str:
        return f"{labels[vectors]} ({Cell.figure(means[vectors]).text})"

    tied = [named(other) for other in others if other not in clear]
    if not tied:
        return f"{what}: {named(best)} is better than all others, the next being {named(others[0])}."
    first = f"{what}: no clear difference between {_listed([named(best), *tied])}."
    behind = [named(other) for other in others if other in clear]
    return f"{first} {labels[best]} is better than {_listed(behind)}." if behind else first


def of_the_sum(sampled: Sampled, labels: Mapping[str, str], columns: Sequence[Column], what: str) -> str:
    """Return for which runs W + C is better or worse than W, in the mean of some columns; "" without scores."""
    pairs = {run: (Vectors(run, "word"), Vectors(run, "sum")) for run in labels}
    known = {run: pair for run, pair in pairs.items() if sampled.figure(pair[0], columns).values}
    if not known:
        return ""
    groups: dict[str, list[str]] = {"better": [], "worse": [], "same": []}
    corrected = holm([sampled.p(*pair, columns) for pair in known.values()])
    for (run, (word, total)), p in zip(known.items(), corrected, strict=True):
        gain = sampled.figure(total, columns).mean - sampled.figure(word, columns).mean
        group = ("better" if gain > 0 else "worse") if p < 1 - CONFIDENCE else "same"
        groups[group].append(f"{labels[run]} ({Cell.figure(gain, signed=True).text})")
    parts = [
        f"{verdict} {whole if len(groups[group]) == len(known) > 1 else _listed(groups[group])}"
        for group, verdict, whole in (
            ("better", "is better than W for", "every method"),
            ("worse", "is worse than W for", "every method"),
            ("same", "does not clearly differ from W for", "any method"),
        )
        if groups[group]
    ]
    return f"{what}: W + C {', and '.join(parts)}."


def _listed(names: Sequence[str]) -> str:
    """Return names in one line; labels have commas, and after a few the tables say more than a line."""
    named, left = (names, 0) if len(names) <= _NAMED else (names[: _NAMED - 1], len(names) - _NAMED + 1)
    parts = [*named, f"{left} others"] if left else list(named)
    return parts[0] if len(parts) == 1 else f"{'; '.join(parts[:-1])} and {parts[-1]}"
