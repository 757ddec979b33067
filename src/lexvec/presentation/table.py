"""Tables of results: their content, apart from how it is shown (see `render`)."""

import math
import re
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

MISSING = "–"
_LEADING_ZERO = re.compile(r"^([+-]?)0\.")


@dataclass(frozen=True)
class Cell:
    """A piece of text, perhaps in bold; an aside after it and lines below it never are."""

    text: str
    bold: bool = False
    aside: str = ""
    below: tuple[str, ...] = ()

    @classmethod
    def figure(cls, value: float, *, bold: bool = False, signed: bool = False, deviation: float = math.nan) -> "Cell":
        """Return a cell with a score as the paper writes it: .763, or .763 ± .004 with a standard deviation."""
        if math.isnan(value):
            return cls(MISSING)
        text = f"{value:+.3f}" if signed else f"{value:.3f}"
        aside = "" if math.isnan(deviation) else f" ± {cls.figure(deviation).text}"
        return cls(_LEADING_ZERO.sub(r"\1.", text).replace("-", "−"), bold, aside)

    @classmethod
    def interval(cls, low: float, high: float, *, signed: bool = False) -> "Cell":
        """Return a cell with the bounds of an interval."""
        if math.isnan(low):
            return cls(MISSING)
        return cls(" … ".join(cls.figure(bound, signed=signed).text for bound in (low, high)))


@dataclass(frozen=True)
class Column:
    """A heading, and the side on which the text below it is aligned."""

    name: str
    align: Literal["left", "right"] = "right"


@dataclass(frozen=True)
class Table:
    """Rows and columns, and notes below them."""

    title: str
    columns: list[Column]
    rows: list[list[Cell]]
    notes: list[str] = field(default_factory=list)
    #: How many columns name the row; they are repeated where a table is broken into blocks of columns.
    labels: int = 1


class Tabular(Protocol):
    """A result that can be shown in every format."""

    def table(self) -> Table:
        """Return the result for people."""

    def records(self) -> list[dict[str, Any]]:
        """Return the result for spreadsheets: every record has the same names."""

    def as_dict(self) -> dict[str, Any]:
        """Return the result for programs."""


def percent(share: float) -> str:
    """Return a share in percent, such as "95 %"."""
    return f"{100 * share:g} %"
