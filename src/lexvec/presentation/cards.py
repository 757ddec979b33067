"""What objects look like in a notebook: a small card with a heading and tables. Whatever comes from data is escaped.

Cards use the page's own colours, so that they suit light and dark themes.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from .render import html_table
from .table import Cell, Column, Table

_STYLE = (
    ".lexvec table{border-collapse:collapse;margin:.3em 0;font-size:inherit}"
    ".lexvec th,.lexvec td{padding:.1em .8em .1em 0;border:none;background:none;vertical-align:top;"
    "white-space:pre-wrap;overflow-wrap:anywhere}"
    ".lexvec th{font-weight:bold}.lexvec thead th{border-bottom:1px solid}"
    ".lexvec p{margin:.3em 0;font-size:smaller}.lexvec summary{cursor:pointer}"
    # Notebooks have rules of their own for tables, which align all cells to the right.
    ".lexvec .right{text-align:right!important;font-variant-numeric:tabular-nums;white-space:nowrap}"
    ".lexvec .left{text-align:left!important}"
)
_WHOLE = 1e5  # larger numbers are shown without decimals
_LONGEST = 200  # characters of a word or value in a cell


def card(heading: str, *parts: str) -> str:
    """Return a heading and parts that are HTML already."""
    body = "".join(parts)
    return f'<div class="lexvec"><style>{_STYLE}</style><div><b>{escape(heading)}</b></div>{body}</div>'


def facts(rows: Mapping[str, object]) -> str:
    """Return a table of names and values."""
    cells = [[Cell(value_text(name), bold=True), Cell(value_text(value))] for name, value in rows.items()]
    return html_table(Table("", [Column("", "left"), Column("", "left")], cells))


def columns(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table with a word or name on the left and figures to the right of it."""
    first, *others = heads
    sides = [Column(first, "left"), *map(Column, others)]
    return html_table(Table("", sides, [[Cell(value_text(value)) for value in row] for row in rows]))


def folded(summary: str, part: str) -> str:
    """Return a part that opens with a click."""
    return f"<details><summary>{text(summary)}</summary>{part}</details>"


def paragraph(said: object) -> str:
    """Return a line of text."""
    return f"<p>{text(said)}</p>"


def text(value: object) -> str:
    """Return a value as escaped text."""
    return escape(value_text(value))


def value_text(value: object) -> str:
    """Return a value as people read it: thousands are separated, and long values are cut."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= _WHOLE else f"{value:.6g}"
    written = str(value)
    return written if len(written) <= _LONGEST else f"{written[:_LONGEST]}…"
