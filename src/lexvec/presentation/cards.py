"""What objects look like in a notebook: a small card with a heading and a table. Whatever comes from data is escaped.

No colours but the page's own, so that light and dark themes are as good as each other.
"""

from collections.abc import Iterable, Mapping, Sequence
from html import escape

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
_WHOLE = 1e5  # what follows the point of larger numbers says nothing
_LONGEST = 200  # letters of a word or value; nobody reads more in a cell


def card(heading: str, *parts: str) -> str:
    """A heading and parts that are HTML already."""
    body = "".join(parts)
    return f'<div class="lexvec"><style>{_STYLE}</style><div><b>{escape(heading)}</b></div>{body}</div>'


def facts(rows: Mapping[str, object]) -> str:
    """A table of names and values."""
    cells = (f'<tr><th class="left">{text(name)}</th><td class="left">{text(rows[name])}</td></tr>' for name in rows)
    return f"<table><tbody>{''.join(cells)}</tbody></table>"


def columns(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a word or name on the left and figures to the right of it."""
    sides = ["left", *["right"] * (len(heads) - 1)]

    def line(tag: str, cells: Sequence[object]) -> str:
        inner = "".join(f'<{tag} class="{side}">{text(cell)}</{tag}>' for side, cell in zip(sides, cells, strict=True))
        return f"<tr>{inner}</tr>"

    body = "".join(line("td", row) for row in rows)
    return f"<table><thead>{line('th', heads)}</thead><tbody>{body}</tbody></table>"


def folded(summary: str, part: str) -> str:
    """A part that is shown when it is asked for."""
    return f"<details><summary>{text(summary)}</summary>{part}</details>"


def paragraph(said: object) -> str:
    """A line of text."""
    return f"<p>{text(said)}</p>"


def text(value: object) -> str:
    """A value as escaped text: whole numbers with thousands marked, long ones cut."""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= _WHOLE else f"{value:.6g}"
    written = str(value)
    return escape(written if len(written) <= _LONGEST else f"{written[:_LONGEST]}…")
