"""Results in every format: a table for the terminal, JSON, CSV, Markdown, LaTeX and HTML (see `html_tables`)."""

import csv
import io
import json

from ..errors import Given, ParameterError
from .html_tables import html_document
from .html_tables import html_table as html_table
from .table import Cell, Table, Tabular
from .visible import visible

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "–": "--", "…": r"\dots{}", "<": "$<$",
    ">": "$>$", "[": "{[}", "*": "{*}",  # the last two have another meaning after the end of a row
}  # fmt: skip
_MARKDOWN = str.maketrans({"|": r"\|", "*": r"\*", "_": r"\_", "<": "&lt;"})


def render(result: Tabular, form: str, *, terminal: bool = False) -> str:
    """Return a result as text, without a newline at its end; ``terminal`` allows bold print in a table."""
    if not all(hasattr(result, name) for name in ("table", "records", "as_dict")):
        raise ParameterError(Given("result", result), ": it must be an Evaluation, a Comparison, or have their methods")
    if form == "json":
        return json.dumps(result.as_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    if form == "csv":
        return _csv(result)
    return render_table(result.table(), form, terminal=terminal)


def render_table(table: Table, form: str, *, terminal: bool = False) -> str:
    """Return a table as text: for a terminal, or in Markdown, LaTeX or HTML."""
    if form == "table":
        return _plain(table, terminal)
    if not isinstance(form, str) or form not in _WRITERS:
        raise ParameterError(Given("format", form), f": it must be one of {', '.join(FORMATS)}")
    return _WRITERS[form](table)


def _plain(table: Table, terminal: bool) -> str:
    # rich takes a tenth of a second to import, which other formats need not wait for.
    from rich import box
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    grid = RichTable(title=table.title or None, box=box.SIMPLE, show_edge=False, pad_edge=False)
    for column in table.columns:
        grid.add_column(Text(visible(column.name)), justify=column.align, no_wrap=True)
    for row in table.rows:
        texts = (Text(visible(cell.text), style="bold" if cell.bold else "") for cell in row)
        asides = (visible(cell.aside) for cell in row)
        grid.add_row(*(text.append(aside, "not bold") for text, aside in zip(texts, asides, strict=True)))
    out = io.StringIO()
    # Wide enough for everything: a narrow terminal may wrap lines, but must not drop what they hold.
    console = Console(
        file=out, width=500, force_terminal=terminal, highlight=False, color_system="standard" if terminal else None
    )
    console.print(grid)
    lines = [line.rstrip() for line in out.getvalue().splitlines()]
    notes = [visible(note) for note in table.notes]
    return "\n".join([*lines, *(["", *notes] if notes else [])])


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


def _csv(result: Tabular) -> str:
    records = result.records()
    out = io.StringIO()
    writer = csv.DictWriter(out, list(records[0]) if records else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue().rstrip("\n")


_WRITERS = {"markdown": _markdown, "latex": _latex, "html": html_document}
FORMATS = ("table", "json", "csv", *_WRITERS)
