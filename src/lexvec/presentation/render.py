"""Results in every format: a table for the terminal, JSON, Markdown, LaTeX, CSV and HTML."""

import csv
import html
import io
import json

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from ..errors import ParameterError
from .table import Cell, Table, Tabular

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "–": "--", "…": r"\dots{}", "<": "$<$",
    ">": "$>$", "[": "{[}", "*": "{*}",  # the last two mean something else behind the end of a row
}  # fmt: skip
_MARKDOWN = str.maketrans({"|": r"\|", "*": r"\*", "_": r"\_", "<": "&lt;"})
HTML_STYLE = (
    "body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}th,td{padding:.25em .8em}"
    "thead th{border-bottom:1px solid}.right{text-align:right;font-variant-numeric:tabular-nums}.left{text-align:left}"
)


def render(result: Tabular, form: str, *, terminal: bool = False) -> str:
    """A result as text, without a newline at its end; ``terminal`` allows bold print in a table."""
    if form == "json":
        return json.dumps(result.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    if form == "csv":
        return _csv(result)
    return render_table(result.table(), form, terminal=terminal)


def render_table(table: Table, form: str, *, terminal: bool = False) -> str:
    """A table as text: for a terminal, or in Markdown, LaTeX or HTML."""
    if form == "table":
        return _plain(table, terminal)
    if form not in _WRITERS:
        raise ParameterError(f"format={form!r}: it must be one of {', '.join(FORMATS)}")
    return _WRITERS[form](table)


def _plain(table: Table, terminal: bool) -> str:
    grid = RichTable(title=table.title or None, box=box.SIMPLE, show_edge=False, pad_edge=False)
    for column in table.columns:
        grid.add_column(Text(column.name), justify=column.align, no_wrap=True)
    for row in table.rows:
        grid.add_row(
            *(Text(cell.text, style="bold" if cell.bold else "").append(cell.aside, "not bold") for cell in row)
        )
    out = io.StringIO()
    # Wide enough for whatever there is: a narrow terminal may wrap lines, but never drops what they say.
    console = Console(
        file=out, width=500, force_terminal=terminal, highlight=False, color_system="standard" if terminal else None
    )
    console.print(grid)
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    return "\n".join([*lines, *(["", *table.notes] if table.notes else [])])


def _markdown(table: Table) -> str:
    def cell(each: Cell) -> str:
        text, aside = each.text.translate(_MARKDOWN), each.aside.translate(_MARKDOWN)
        return f"**{text}**{aside}" if each.bold else text + aside

    lines = [f"**{table.title}**", ""] if table.title else []
    lines.append(_barred([column.name.translate(_MARKDOWN) for column in table.columns]))
    lines.append(_barred(["---" if column.align == "left" else "---:" for column in table.columns]))
    lines += [_barred([cell(each) for each in row]) for row in table.rows]
    for note in table.notes:
        lines += ["", note.translate(_MARKDOWN)]
    return "\n".join(lines)


def _barred(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _latex(table: Table) -> str:
    def cell(each: Cell) -> str:
        text, aside = _escaped(each.text), _escaped(each.aside)
        return rf"\textbf{{{text}}}{aside}" if each.bold else text + aside

    lines = [
        rf"\begin{{tabular}}{{{''.join(column.align[0] for column in table.columns)}}}",
        r"\hline",
        " & ".join(_escaped(column.name) for column in table.columns) + r" \\",
        r"\hline",
        *(" & ".join(cell(each) for each in row) + r" \\" for row in table.rows),
        r"\hline",
        r"\end{tabular}",
    ]
    return "\n".join([*(f"% {line}" for line in [table.title, *table.notes] if line), *lines])


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(letter, letter) for letter in text)


def html_table(table: Table) -> str:
    """A table and its notes, as part of a page; its looks are in HTML_STYLE."""

    def cell(each: Cell, align: str) -> str:
        text = html.escape(each.text)
        return f'<td class="{align}">{f"<b>{text}</b>" if each.bold else text}{html.escape(each.aside)}</td>'

    heads = "".join(f'<th class="{column.align}">{html.escape(column.name)}</th>' for column in table.columns)
    rows = [
        f"<tr>{''.join(cell(each, column.align) for each, column in zip(row, table.columns, strict=True))}</tr>"
        for row in table.rows
    ]
    head = f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>"
    return "\n".join([head, *rows, "</tbody>\n</table>", *(f"<p>{html.escape(note)}</p>" for note in table.notes)])


def html_page(title: str, body: str, style: str = "") -> str:
    """A page that needs nothing else."""
    name = html.escape(title)
    head = f'<head><meta charset="utf-8"><title>{name}</title><style>{HTML_STYLE}{style}</style></head>'
    return f'<!DOCTYPE html>\n<html lang="en">\n{head}\n<body>\n{body}\n</body>\n</html>'


def _html(table: Table) -> str:
    heading = f"<h1>{html.escape(table.title)}</h1>\n" if table.title else ""
    return html_page(table.title or "lexvec", heading + html_table(table))


def _csv(result: Tabular) -> str:
    records = result.records()
    out = io.StringIO()
    writer = csv.DictWriter(out, list(records[0]) if records else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue().rstrip("\n")


_WRITERS = {"markdown": _markdown, "latex": _latex, "html": _html}
FORMATS = ("table", "json", "csv", *_WRITERS)
