"""Results in every format: a table for the terminal, JSON, CSV, Markdown, LaTeX, and HTML for pages and notebooks.

For a terminal, a table is as wide as it is, or goes into blocks of columns that fit a width.
"""

import csv
import io
import json
import textwrap
from html import escape

from ..errors import Given, ParameterError
from .table import Cell, Table, Tabular
from .visible import visible

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "±": r"$\pm$", "–": "--", "…": r"\dots{}",
    "<": "$<$", ">": "$>$", "[": "{[}", "*": "{*}",  # the last two have another meaning after the end of a row
}  # fmt: skip
_MARKDOWN = str.maketrans({"|": r"\|", "*": r"\*", "_": r"\_", "<": "&lt;"})
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
_GAP = 1  # columns of a terminal between two of the table, where it has to fit
_SHORTEST = 14  # to which the text of the first column may be broken
_WIDE = 500  # enough for everything


def render(result: Tabular, form: str, *, terminal: bool = False, width: int | None = None) -> str:
    """Return a result as text, without a newline at its end; ``terminal`` allows bold print in a table."""
    if not all(hasattr(result, name) for name in ("table", "records", "as_dict")):
        raise ParameterError(Given("result", result), ": it must be an Evaluation, a Comparison, or have their methods")
    if form == "json":
        return json.dumps(result.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    if form == "csv":
        return _csv(result)
    return render_table(result.table(), form, terminal=terminal, width=width)


def render_table(table: Table, form: str, *, terminal: bool = False, width: int | None = None) -> str:
    """Return a table as text: for a terminal (of this width, if one is given), or in Markdown, LaTeX or HTML."""
    if form == "table":
        return plain_table(table, terminal=terminal, width=width)
    if not isinstance(form, str) or form not in _WRITERS:
        raise ParameterError(Given("format", form), f": it must be one of {', '.join(FORMATS)}")
    return _WRITERS[form](table)


def markdown_text(text: str) -> str:
    """Return a text that Markdown shows as it is."""
    return text.translate(_MARKDOWN)


def latex_comment(text: str) -> str:
    """Return a text as lines that LaTeX leaves out."""
    return "\n".join(f"% {line}" for line in text.splitlines())


def html_table(table: Table) -> str:
    """Return a table and its notes as part of a page; without titles of columns it has no head."""
    sides = [column.align for column in table.columns]
    heads = "".join(f'<th class="{column.align}">{escape(column.name)}</th>' for column in table.columns)
    head = f"<thead><tr>{heads}</tr></thead>" if any(column.name for column in table.columns) else ""
    rows = "".join(
        f"<tr>{''.join(_html_cell(cell, side) for cell, side in zip(row, sides, strict=True))}</tr>"
        for row in table.rows
    )
    notes = "".join(f"<p>{escape(note)}</p>" for note in table.notes)
    return f"{scrolling(f'<table>{head}<tbody>{rows}</tbody></table>')}{notes}"


def html_document(table: Table) -> str:
    """Return a page with a table."""
    heading = f"<h1>{escape(table.title)}</h1>\n" if table.title else ""
    return html_page(table.title or "lexvec", heading + html_table(table))


def html_page(title: str, body: str, style: str = "") -> str:
    """Return a page that needs no other file."""
    screen = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<head><meta charset="utf-8">{screen}<title>{escape(title)}</title><style>{_PAGE}{style}</style></head>'
    return f'<!DOCTYPE html>\n<html lang="en">\n{head}\n<body>\n{body}\n</body>\n</html>'


def scrolling(part: str) -> str:
    """Return a part of a page that scrolls by itself where the screen is too narrow for it."""
    return f'<div class="wide">{part}</div>'


def _html_cell(cell: Cell, side: str) -> str:
    text = escape(cell.text)
    below = "".join(f"<br><small>{escape(line)}</small>" for line in cell.below)
    return f'<td class="{side}">{f"<b>{text}</b>" if cell.bold else text}{escape(cell.aside)}{below}</td>'


def _csv(result: Tabular) -> str:
    records = result.records()
    out = io.StringIO()
    writer = csv.DictWriter(out, list(records[0]) if records else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue().rstrip("\n")


def _markdown(table: Table) -> str:
    def cell(each: Cell) -> str:
        text, aside = markdown_text(each.text), markdown_text(each.aside)
        shown = f"**{text}**{aside}" if each.bold else text + aside
        return "<br>".join([shown, *map(markdown_text, each.below)])

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
        shown = rf"\textbf{{{text}}}{aside}" if each.bold else text + aside
        if not each.below:
            return shown
        below = "".join(rf"\\\footnotesize {_escaped(line)}" for line in each.below)
        return rf"\shortstack[r]{{{shown}{below}}}"

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


def plain_table(table: Table, *, terminal: bool, width: int | None = None) -> str:
    """Return a table as text; with a width, columns go into blocks that fit it, each with those that name the row."""
    sizes = _column_widths(table)
    if width:  # a narrower terminal may wrap lines, but must not drop what they hold
        width = max(width, _label_widths(table, sizes) + max(sizes[table.labels :], default=0))
    texts = [_grid(block, terminal, width) for block in _blocks(table, sizes, width)]
    notes = [visible(note) for note in table.notes]
    if width:
        notes = [line for note in notes for line in textwrap.wrap(note, width)]
    heading = [visible(table.title)] if table.title and len(texts) > 1 else []
    return "\n".join([*heading, "\n\n".join(texts), *(["", *notes] if notes else [])])


def _column_widths(table: Table) -> list[int]:
    """Return how wide each column is."""
    heads = [len(visible(column.name)) for column in table.columns]
    return [max([head, *(_cell_width(row[at]) for row in table.rows)]) for at, head in enumerate(heads)]


def _blocks(table: Table, sizes: list[int], width: int | None) -> list[Table]:
    labels, count = table.labels, len(sizes)
    if not width or count <= labels or sum(sizes) + _GAP * (count - 1) <= width:
        return [table]
    room = width - _label_widths(table, sizes) + _GAP
    parts = [[at] for at in range(labels, count)]
    for each in range(count - labels, 1, -1):  # as many columns in every block as fit in all of them
        tried = [list(range(start, min(start + each, count))) for start in range(labels, count, each)]
        if all(sum(sizes[at] + _GAP for at in part) <= room for part in tried):
            parts = tried
            break
    title = table.title if len(parts) == 1 else ""
    return [
        Table(title, [table.columns[at] for at in shown], [[row[at] for at in shown] for row in table.rows])
        for shown in ([*range(labels), *part] for part in parts)
    ]


def _label_widths(table: Table, sizes: list[int]) -> int:
    """Return how narrow the columns that name the row can be, with the gaps behind them."""
    return _label_width(table) + sum(sizes[1 : table.labels]) + _GAP * table.labels


def _label_width(table: Table) -> int:
    """Return how narrow the first column can be, if its texts are broken at spaces."""
    words = [word for row in table.rows for word in visible(row[0].text).split()]
    return min(_column_widths(table)[0], max([_SHORTEST, *map(len, words)]))


def _cell_width(cell: Cell) -> int:
    return max(len(visible(line)) for line in (cell.text + cell.aside, *cell.below))


def _grid(table: Table, terminal: bool, width: int | None) -> str:
    # rich takes a tenth of a second to import, which other formats need not wait for.
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    narrow = width is not None
    grid = RichTable(
        title=table.title or None,
        box=box.SIMPLE_HEAD if narrow else box.SIMPLE,
        show_edge=False,
        pad_edge=False,
        padding=(0, 0, 0, 0) if narrow else (0, 1),
        title_justify="left" if narrow else "center",
    )
    for place, column in enumerate(table.columns):
        broken = narrow and place == 0
        least = _label_width(table) if broken else None
        grid.add_column(Text(visible(column.name)), justify=column.align, no_wrap=not broken, min_width=least)
    for row in table.rows:
        texts = [Text(visible(cell.text), style="bold" if cell.bold else "") for cell in row]
        for text, cell in zip(texts, row, strict=True):
            text.append("\n".join(map(visible, (cell.aside, *cell.below))), "not bold")
        grid.add_row(*texts)
    out = io.StringIO()
    console = Console(
        file=out,
        width=width or _WIDE,
        force_terminal=terminal,
        highlight=False,
        color_system="standard" if terminal else None,
    )
    console.print(grid)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


_WRITERS = {"markdown": _markdown, "latex": _latex, "html": html_document}
FORMATS = ("table", "json", "csv", *_WRITERS)
