"""The result of a comparison: two models set by set, with verdicts, as a table and as records."""

import math
from dataclasses import dataclass
from typing import Any

from ..presentation import cards
from ..presentation.table import MISSING, Cell, Column, Table, percent
from ..uncertainty import least_p
from .datasets import Dataset
from .results import not_found

#: The verdict on a difference that other seeds might not show.
WITHIN = "within seed noise"
_ONE_RUN = (
    'Training noise is not tested: by this test, two seeds of one method can differ "significantly". Train both '
    "methods with several seeds and compare all models at once."
)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Two models on one set, scored on the items that both cover."""

    #: The key of the set, or the path of a user's own file.
    key: str
    #: The name in the columns of the paper's tables, or the name of the file without its suffix.
    name: str
    #: The measure, such as Spearman, 3CosAdd or 3CosMul.
    measure: str
    #: The score of the first model; the mean, if there are several seeds.
    first: float
    #: The score of the second model; the mean, if there are several seeds.
    second: float
    #: The standard deviation between the seeds of the first model; NaN for a single one.
    first_deviation: float = math.nan
    #: The standard deviation between the seeds of the second model; NaN for a single one.
    second_deviation: float = math.nan
    #: The second score minus the first.
    difference: float
    #: The lower bound of the confidence interval of the difference.
    low: float
    #: The upper bound of the confidence interval of the difference.
    high: float
    #: The number of items that both cover.
    shared: int
    #: The number of all items.
    total: int
    #: The two-sided p-value of the paired test.
    p: float
    #: The p-value after Holm's correction.
    p_corrected: float
    #: Which model is better, that there is no clear difference, or that it is within seed noise.
    verdict: str

    def as_dict(self) -> dict[str, Any]:
        """Return the figures, with None for NaN."""
        return {name: None if value != value else value for name, value in vars(self).items()}


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All differences between two models, as `lexvec.compare` returns them. It prints as a table."""

    #: The names of the two models.
    names: tuple[str, str]
    #: One difference for each set and measure.
    differences: tuple[Difference, ...]
    #: Sets that were not found.
    missing: tuple[Dataset, ...]
    #: The parameters of the comparison (confidence, resamples, seed).
    parameters: dict[str, Any]
    #: The number of models (seeds) on each side.
    models: tuple[int, int] = (1, 1)

    def as_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        return {
            "names": list(self.names),
            "models": list(self.models),
            "parameters": self.parameters,
            "differences": self.records(),
            "missing": [dataset.key for dataset in self.missing],
            "warnings": self.warnings,
        }

    @property
    def warnings(self) -> list[str]:
        """What the tests leave out, such as training noise on a side with a single model."""
        if max(self.models) == 1:
            return [*self._too_few_resamples(), _ONE_RUN]
        single = [name for name, count in zip(self.names, self.models, strict=True) if count == 1]
        noise = [f"{name} is a single model: its training noise is taken to be that of the other." for name in single]
        return [*self._too_few_resamples(), *noise]

    def _too_few_resamples(self) -> list[str]:
        """Return a warning if a difference has the least p that resampling can give, and still is not clear."""
        resamples, limit = self.parameters["resamples"], 1 - self.parameters["confidence"]
        limited = [
            each.name
            for each in self.differences
            if math.isclose(each.p, least_p(resamples)) and each.p_corrected >= limit
        ]
        if not limited:
            return []
        tests = sum(not math.isnan(each.p) for each in self.differences)
        enough = math.ceil(2 * tests / limit)
        problem = f"{resamples:,} resamples are too few for {tests} tests"
        return [f"{problem}: no difference on {', '.join(limited)} can be clear. Use at least {enough:,}."]

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each difference, for CSV."""
        return [difference.as_dict() for difference in self.differences]

    def table(self) -> Table:
        """Return a table for people to read."""
        columns = [
            Column("set", "left"),
            Column("measure", "left"),
            Column(self.names[0]),
            Column(self.names[1]),
            Column("difference"),
            Column(f"{percent(self.parameters['confidence'])} interval"),
            Column("items"),
            Column("p"),
            Column("p (Holm)"),
            Column("verdict", "left"),
        ]
        rows = [
            [
                Cell(each.name),
                Cell(each.measure),
                Cell.figure(each.first, bold=each.verdict == better(self.names[0]), deviation=each.first_deviation),
                Cell.figure(each.second, bold=each.verdict == better(self.names[1]), deviation=each.second_deviation),
                Cell.figure(each.difference, signed=True),
                Cell.interval(each.low, each.high, signed=True),
                Cell(f"{each.shared:,} of {each.total:,}"),
                Cell(_p(each.p)),
                Cell(_p(each.p_corrected)),
                Cell(each.verdict),
            ]
            for each in self.differences
        ]
        notes = ["Scores cover the items that both models have, and may differ from those of either model alone."]
        if max(self.models) > 1:
            notes.append(
                f"Means ± standard deviations of {self.models[0]} and {self.models[1]} models. Tests include training "
                f'noise; "{WITHIN}": clear between these models, but not between the methods.'
            )
        return Table("", columns, rows, [*notes, *self.warnings, *not_found(self.missing)], labels=2)

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{each.name} {each.measure}: {each.verdict}" for each in self.differences)
        return f"<Comparison: {verdicts}>"

    def _repr_html_(self) -> str:
        from ..presentation.render import html_table

        return cards.card(f"Comparison of {self.names[0]} and {self.names[1]}", html_table(self.table()))

    def __str__(self) -> str:
        from ..presentation.render import render

        return render(self, "table")


def better(name: str) -> str:
    """Return the verdict that a model is better."""
    return f"{name} better"


def _p(value: float) -> str:
    if math.isnan(value):
        return MISSING
    return "< .001" if value < 0.001 else f"{value:.3f}".replace("0.", ".", 1)
