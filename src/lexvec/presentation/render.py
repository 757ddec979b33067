"""Results in every format: a table for the terminal, JSON, CSV, Markdown, LaTeX and HTML (see `html_tables`)."""

import csv
import io
import json

from ..errors import Given, ParameterError
from .html_tables import html_document
from .html_tables import html_table as html_table
from .plain import plain_table
from .table import Cell, Table, Tabular

_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "−": "$-$", "±": r"$\pm$", "–": "--", "…": r"\dots{}",
    "<": "$<$", ">": "$>$", "[": "{[}", "*": "{*}",  # the last two have another meaning after the end of a row
}  # fmt: skip
_MARKDOWN = str.maketrans({"|": r"\|", "*": r"\*", "_": r"\_", "<": "&lt;"})


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


def _csv(result: Tabular) -> str:
    records = result.records()
    out = io.StringIO()
    writer = csv.DictWriter(out, list(records[0]) if records else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue().rstrip("\n")


_WRITERS = {"markdown": _markdown, "latex": _latex, "html": html_document}
FORMATS = ("table", "json", "csv", *_WRITERS)
