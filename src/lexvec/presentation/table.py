"""Tables of results: what stands in them, apart from how it is shown (see `render`)."""

import math
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

MISSING = "–"


@dataclass(frozen=True)
class Cell:
    """A piece of text, perhaps to be stressed, and what follows it that never is."""

    text: str
    bold: bool = False
    aside: str = ""

    @classmethod
    def figure(cls, value: float, *, bold: bool = False, signed: bool = False) -> "Cell":
        """A score as the paper writes it: .763."""
        if math.isnan(value):
            return cls(MISSING)
        text = f"{value:+.3f}" if signed else f"{value:.3f}"
        return cls(text.replace("0.", ".", 1).replace("-", "−"), bold)

    @classmethod
    def interval(cls, low: float, high: float, *, signed: bool = False) -> "Cell":
        """Its bounds."""
        if math.isnan(low):
            return cls(MISSING)
        return cls(" … ".join(cls.figure(bound, signed=signed).text for bound in (low, high)))


@dataclass(frozen=True)
class Column:
    """A heading, and where the text under it is aligned."""

    name: str
    align: Literal["left", "right"] = "right"


@dataclass(frozen=True)
class Table:
    """Rows and columns, and what is to be said below them."""

    title: str
    columns: list[Column]
    rows: list[list[Cell]]
    notes: list[str] = field(default_factory=list)


class Tabular(Protocol):
    """A result that can be shown in every format."""

    def table(self) -> Table:
        """For people."""

    def records(self) -> list[dict[str, Any]]:
        """For spreadsheets: the same names in every record."""

    def as_dict(self) -> dict[str, Any]:
        """For programs."""


def percent(share: float) -> str:
    """Such as "95 %"."""
    return f"{100 * share:g} %"
