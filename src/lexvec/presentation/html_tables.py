"""HTML: the one writer of tables, for pages and notebooks, and of pages that need no other file."""

from html import escape

from .table import Cell, Table

_PAGE = (
    "body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}th,td{padding:.25em .8em}"
    "thead th{border-bottom:1px solid}.right{text-align:right;font-variant-numeric:tabular-nums}.left{text-align:left}"
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
    return f"<table>{head}<tbody>{rows}</tbody></table>{notes}"


def _cell(cell: Cell, side: str) -> str:
    text = escape(cell.text)
    return f'<td class="{side}">{f"<b>{text}</b>" if cell.bold else text}{escape(cell.aside)}</td>'


def html_page(title: str, body: str, style: str = "") -> str:
    """Return a page that needs no other file."""
    head = f'<head><meta charset="utf-8"><title>{escape(title)}</title><style>{_PAGE}{style}</style></head>'
    return f'<!DOCTYPE html>\n<html lang="en">\n{head}\n<body>\n{body}\n</body>\n</html>'


def html_document(table: Table) -> str:
    """Return a page with a table."""
    heading = f"<h1>{escape(table.title)}</h1>\n" if table.title else ""
    return html_page(table.title or "lexvec", heading + html_table(table))
