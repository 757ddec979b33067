"""HTML: the one writer of tables, for pages and notebooks, and of pages that need no other file."""

from html import escape

from .table import Cell, Table

_PAGE = (
    "body{font-family:sans-serif;margin:2em auto;padding:0 1em;max-width:1240px;line-height:1.35}"
    "table{border-collapse:collapse}th,td{padding:.25em .55em;vertical-align:top}"
    "thead th{border-bottom:1px solid;vertical-align:bottom}td small{opacity:.75}"
    ".right{text-align:right;font-variant-numeric:tabular-nums}td.right{white-space:nowrap}.left{text-align:left}"
    # A table that is too wide scrolls by itself, and its first column stays in sight.
    ".wide{overflow-x:auto;max-width:100%}.wide svg{min-width:34em}"
    ".wide tr>:first-child{position:sticky;left:0;background:#fff;min-width:7em}"
    "@media (max-width:600px){body{margin:1em auto;padding:0 .6em}table{font-size:.85em}}"
)


def html_table(table: Table) -> str:
    """Return a table and its notes as part of a page; without titles of columns it has no head."""
    sides = [column.align for column in table.columns]
    heads = "".join(f'<th class="{column.align}">{escape(column.name)}</th>' for column in table.columns)
    head = f"<thead><tr>{heads}</tr></thead>" if any(column.name for column in table.columns) else ""
    rows = "".join(
        f"<tr>{''.join(_cell(cell, side) for cell, side in zip(row, sides, strict=True))}</tr>" for row in table.rows
    )
    notes = "".join(f"<p>{escape(note)}</p>" for note in table.notes)
    return f"{scrolling(f'<table>{head}<tbody>{rows}</tbody></table>')}{notes}"


def scrolling(part: str) -> str:
    """Return a part of a page that scrolls by itself where the screen is too narrow for it."""
    return f'<div class="wide">{part}</div>'


def _cell(cell: Cell, side: str) -> str:
    text = escape(cell.text)
    below = "".join(f"<br><small>{escape(line)}</small>" for line in cell.below)
    return f'<td class="{side}">{f"<b>{text}</b>" if cell.bold else text}{escape(cell.aside)}{below}</td>'


def html_page(title: str, body: str, style: str = "") -> str:
    """Return a page that needs no other file."""
    screen = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<head><meta charset="utf-8">{screen}<title>{escape(title)}</title><style>{_PAGE}{style}</style></head>'
    return f'<!DOCTYPE html>\n<html lang="en">\n{head}\n<body>\n{body}\n</body>\n</html>'


def html_document(table: Table) -> str:
    """Return a page with a table."""
    heading = f"<h1>{escape(table.title)}</h1>\n" if table.title else ""
    return html_page(table.title or "lexvec", heading + html_table(table))
