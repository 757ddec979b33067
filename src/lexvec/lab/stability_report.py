"""The report on stability: tables, a picture, a page."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from .._version import __version__
from ..presentation import svg
from ..presentation.render import html_table, render_table, scrolling
from ..presentation.svg import Cloud, scatters
from ..presentation.table import Cell, Column, Table, percent
from .stability import Variation
from .workspace import report_page, without_nan, write_report

_BANDS = 6  # of frequency


class StabilityReport:
    """What varies between samples, as tables and a picture."""

    def __init__(self, variation: Variation) -> None:
        self._found = variation

    def tables(self) -> list[Table]:
        """Return the overlap by frequency and, of chosen words, neighbours and cosines."""
        tables = [self._frequencies()]
        if self._found.words:
            tables += [self._words(), self._neighbours()]
        return [*tables, self._pairs()] if self._found.pairs else tables

    @property
    def _span(self) -> str:
        return f"{percent(self._found.confidence)} of samples"

    def _bands(self) -> list[tuple[float, float, list[float]]]:
        """Return bands of frequency with equal ratios of counts: the lowest and highest count, and all overlaps."""
        found = self._found.by_frequency
        if not found:
            return []
        logs = np.log([count for count, _ in found])
        edges = np.linspace(logs.min(), logs.max(), _BANDS + 1)
        band = np.clip(np.searchsorted(edges, logs, side="right") - 1, 0, _BANDS - 1)
        groups = [[pair for pair, which in zip(found, band.tolist(), strict=True) if which == n] for n in range(_BANDS)]
        return [
            (min(count for count, _ in group), max(count for count, _ in group), [overlap for _, overlap in group])
            for group in reversed(groups)
            if group
        ]

    def _frequencies(self) -> Table:
        columns = [
            Column("count of the word"),
            Column("words"),
            Column("mean overlap"),
            Column("10 % to 90 % of words"),
        ]
        rows = [
            [
                Cell(f"{low:,.0f} … {high:,.0f}" if low < high else f"{low:,.0f}"),
                Cell(str(len(overlaps))),
                Cell.figure(float(np.mean(overlaps))),
                Cell.interval(*map(float, np.quantile(overlaps, [0.1, 0.9]))),
            ]
            for low, high, overlaps in self._bands()
        ]
        what = "Overlap: neighbours that two samples share, per all neighbours of both"
        notes = [f"{what}, of the {self._found.neighbors} nearest; {self._found.runs} bootstrap samples."]
        return Table("Overlap of neighbours by frequency", columns, rows, notes)

    def _words(self) -> Table:
        columns = [
            Column("word", "left"),
            Column("count"),
            Column("samples"),
            Column("mean overlap"),
            Column(self._span),
        ]
        rows = [
            [
                Cell(word.word),
                Cell(f"{word.count:,}"),
                Cell(f"{word.samples} of {self._found.runs}"),
                Cell.figure(word.overlap),
                Cell.interval(*word.span),
            ]
            for word in self._found.words
        ]
        return Table("Chosen words", columns, rows)

    def _neighbours(self) -> Table:
        columns = [Column("word", "left"), Column("neighbour", "left"), Column("cosine"), Column("mean of samples")]
        columns += [Column(self._span), Column("among the nearest")]
        rows = [
            [
                Cell(word.word),
                Cell(near.word),
                Cell.figure(near.cosine),
                Cell.figure(near.mean),
                Cell.interval(*near.span),
                Cell(f"{100 * near.kept:.0f} %"),
            ]
            for word in self._found.words
            for near in word.neighbours
        ]
        notes = ["Neighbours and cosines are those of the whole corpus. Last column: share of samples that agree."]
        return Table("Neighbours of chosen words", columns, rows, notes, labels=2)

    def _pairs(self) -> Table:
        columns = [Column("words", "left"), Column("cosine"), Column("mean of samples"), Column(self._span)]
        rows = [
            [
                Cell(" ".join(pair.words)),
                Cell.figure(pair.cosine),
                Cell.figure(pair.mean),
                Cell.interval(*pair.span),
            ]
            for pair in self._found.pairs
        ]
        return Table("Cosines of chosen words", columns, rows)

    def picture(self) -> str:
        """Return the picture of the overlap by frequency."""
        points = [(float(count), overlap, False) for count, overlap in self._found.by_frequency]
        line = [(float(np.sqrt(low * high)), float(np.mean(found))) for low, high, found in self._bands()]
        cloud = Cloud(points, log=True, line=line, axis="count of the word (logarithmic)")
        title = "Overlap of neighbours in two samples; the line is the mean of a band"
        return scatters({title: cloud}, width=720, height=360)

    def as_dict(self) -> dict[str, Any]:
        """Return the result for programs, with None for what is not known."""
        found = self._found
        return {
            "lexvec": __version__,
            "model": found.model,
            "parameters": found.parameters,
            "corpus": found.corpus.meta["facts"],
            "runs": found.runs,
            "neighbors": found.neighbors,
            "confidence": found.confidence,
            "words": [without_nan(asdict(word)) for word in found.words],
            "pairs": [without_nan(asdict(pair)) for pair in found.pairs],
            "overlap_by_count": found.by_frequency,
        }

    def write(self, output: str | os.PathLike[str]) -> list[Path]:
        """Write ``overlap.svg`` and ``report.md``, ``.html`` and ``.json``; return their paths."""
        picture = self.picture()
        alone = picture.replace(">", f"><style>{svg.STYLE}</style>", 1)
        markdown = "\n\n".join(render_table(table, "markdown") for table in self.tables())
        texts = {
            "overlap.svg": f"{alone}\n",
            "report.md": f"{markdown}\n",
            "report.html": self._page(picture),
        }
        return write_report(Path(output), texts, self.as_dict())

    def _page(self, picture: str) -> str:
        facts = self._found.corpus.meta["facts"]
        about = f"{self._found.runs} bootstrap samples of {facts['tokens']:,} tokens, {facts['words']:,} words."
        frequencies, *others = self.tables()
        sections = {frequencies.title: f"{scrolling(picture)}\n{html_table(frequencies)}"}
        sections |= {table.title: html_table(table) for table in others}
        return report_page(f"Stability of {self._found.model}", [about], sections)
