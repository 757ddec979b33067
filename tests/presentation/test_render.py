"""Every format, read back."""

import csv
import json
import re
from html.parser import HTMLParser
from io import StringIO
from typing import Any

import pytest

from lexvec import ParameterError
from lexvec.evaluation import FORMATS, render
from lexvec.presentation import svg
from lexvec.presentation.render import render_table
from lexvec.presentation.table import Cell, Column, Table, percent


class Result:
    """Whatever has a table."""

    def table(self) -> Table:
        rows = [
            [Cell("A & B_1 | <x> 50%"), Cell.figure(0.7634, bold=True), Cell.interval(-0.25, 1.0)],
            [Cell("[bold]plain[/bold]"), Cell.figure(float("nan")), Cell.interval(float("nan"), 0)],
        ]
        return Table("A title", [Column("set", "left"), Column("score"), Column("interval")], rows, ["A note: 5 < 6."])

    def records(self) -> list[dict[str, Any]]:
        return [{"set": 'A, "B"', "value": 0.7634}, {"set": "C", "value": None}]

    def as_dict(self) -> dict[str, Any]:
        return {"scores": self.records()}


def test_figures() -> None:
    assert Cell.figure(0.7634).text == ".763"
    assert Cell.figure(-0.05).text == "−.050"
    assert Cell.figure(1.0).text == "1.000"
    assert Cell.figure(10.5).text == "10.500"  # a task or a preset of somebody else's may have other scales
    assert Cell.figure(0.05, signed=True).text == "+.050"
    assert Cell.interval(-0.25, 1).text == "−.250 … 1.000"
    assert Cell.figure(float("nan"), bold=True) == Cell("–")
    assert (percent(0.95), percent(0.999)) == ("95 %", "99.9 %")


def test_table() -> None:
    lines = render(Result(), "table").splitlines()
    assert [re.split(r"\s{3,}", line.strip()) for line in lines[1:5] if "──" not in line] == [
        ["set", "score", "interval"],
        ["A & B_1 | <x> 50%", ".763", "−.250 … 1.000"],
        ["[bold]plain[/bold]", "–", "–"],
    ]
    assert lines[-1] == "A note: 5 < 6."
    assert "\x1b" not in render(Result(), "table")
    assert "\x1b[1m.763" in render(Result(), "table", terminal=True).replace(" ", "")


def test_json_and_csv() -> None:
    assert json.loads(render(Result(), "json")) == Result().as_dict()
    assert list(csv.DictReader(StringIO(render(Result(), "csv")))) == [
        {"set": 'A, "B"', "value": "0.7634"},
        {"set": "C", "value": ""},
    ]


def test_markdown() -> None:
    assert render(Result(), "markdown").splitlines() == [
        "**A title**",
        "",
        "| set | score | interval |",
        "| --- | ---: | ---: |",
        r"| A & B\_1 \| &lt;x> 50% | **.763** | −.250 … 1.000 |",
        "| [bold]plain[/bold] | – | – |",
        "",
        "A note: 5 &lt; 6.",
    ]


def test_latex() -> None:
    assert render(Result(), "latex").splitlines() == [
        "% A title",
        "% A note: 5 < 6.",
        r"\begin{tabular}{lrr}",
        r"\hline",
        r"set & score & interval \\",
        r"\hline",
        r"A \& B\_1 | $<$x$>$ 50\% & \textbf{.763} & $-$.250 \dots{} 1.000 \\",
        r"{[}bold]plain{[}/bold] & -- & -- \\",
        r"\hline",
        r"\end{tabular}",
    ]


def test_html() -> None:
    class Reader(HTMLParser):
        open: list[str] = []  # noqa: RUF012
        cells: list[str] = []  # noqa: RUF012

        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag != "meta":
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

        def handle_data(self, data: str) -> None:
            if data.strip() and self.open[-1] in ("th", "td", "b", "p"):
                self.cells.append(f"{self.open[-1]}: {data}")

    reader = Reader()
    reader.feed(render(Result(), "html"))
    assert reader.open == []
    assert reader.cells == [
        "th: set", "th: score", "th: interval", "td: A & B_1 | <x> 50%", "b: .763", "td: −.250 … 1.000",
        "td: [bold]plain[/bold]", "td: –", "td: –", "p: A note: 5 < 6.",
    ]  # fmt: skip


def test_no_other_format() -> None:
    assert set(FORMATS) == {"table", "json", "csv", "markdown", "latex", "html"}
    with pytest.raises(ParameterError, match="format='pdf': it must be one of table"):
        render(Result(), "pdf")
    with pytest.raises(ParameterError, match=r"format=\['html'\]: it must be one of table"):
        render(Result(), ["html"])  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="result=3: it must be an Evaluation"):
        render(3, "table")  # type: ignore[arg-type]


def test_words_in_tables_cannot_command_a_terminal() -> None:
    class Hostile(Result):
        def table(self) -> Table:
            return Table("", [Column("\x1b[2J", "left")], [[Cell("a\u202eb\nc", aside="\x07")]], ["\x9b31m"])

    shown = render(Hostile(), "table", terminal=True)
    for letter in ("\x1b[2J", "\u202e", "\x07", "\x9b"):
        assert letter not in shown
    assert "\\x1b[2J" in shown and "a\\u202eb\\nc\\x07" in shown and shown.endswith("\\x9b31m")
    assert "a\u202eb\nc" in render(Hostile(), "html")  # a file holds what is there


class Stacked(Result):
    """A wide table whose cells have lines below their figures."""

    def table(self) -> Table:
        cell = Cell.figure(0.7634, bold=True, deviation=0.0041)
        row = [Cell(cell.text, cell.bold, cell.aside, (".712–.803", "(.770)"))] * 9
        heads = [Column("Method", "left"), *(Column(f"set {n}") for n in range(9))]
        return Table("Wide", heads, [[Cell("LexVec + MB + WS_PPMI + (W+C)"), *row]] * 2, ["A note that goes on. " * 9])


def test_lines_below_a_figure() -> None:
    assert r"| **.763** ± .004<br>.712–.803<br>(.770) |" in render(Stacked(), "markdown")
    assert r"\shortstack[r]{\textbf{.763} $\pm$ .004\\\footnotesize .712--.803" in render(Stacked(), "latex")
    html = render(Stacked(), "html")
    assert "<b>.763</b> ± .004<br><small>.712–.803</small><br><small>(.770)</small></td>" in html
    assert '<div class="wide"><table>' in html and 'name="viewport"' in html
    wide = render(Stacked(), "table").splitlines()
    assert wide[3].count(".763 ± .004") == 9 and wide[4].split() == [".712–.803"] * 9


@pytest.mark.parametrize("width", [80, 60, 40, 20])
def test_a_table_fits_a_terminal(width: int) -> None:
    shown = render_table(Stacked().table(), "table", width=width)
    assert all(len(line) <= max(width, 31) for line in shown.splitlines())
    assert shown.count(".763 ± .004") == 18  # nothing is dropped
    assert [f"set {n}" in shown for n in range(9)] == [True] * 9
    assert shown.startswith("Wide")
    small = render_table(Result().table(), "table", width=80)
    assert "A & B_1 | <x> 50%" in small and small.count("set") == 1


def test_what_names_a_row_is_in_every_block() -> None:
    heads = [Column("set", "left"), Column("measure", "left"), *(Column(f"figure {n}") for n in range(12))]
    rows = [[Cell("GSem"), Cell(measure), *[Cell(".500")] * 12] for measure in ("3CosAdd", "3CosMul")]
    shown = render_table(Table("", heads, rows, labels=2), "table", width=60)
    blocks = shown.split("\n\n")
    assert len(blocks) == 3 and all("3CosAdd" in block and "3CosMul" in block for block in blocks)
    assert shown.count(".500") == 24 and all(len(line) <= 60 for line in shown.splitlines())


def test_error_bars() -> None:
    drawn = svg.bars({"a": 0.5, "b": 0.2}, unit="", errors={"a": (0.4, 0.8), "b": (float("nan"), float("nan"))})
    assert drawn.count('class="error"') == 3 and "nan" not in drawn
    assert svg.bars({"a": 0.0}, unit="").count("<rect") == 1  # nothing to show is no error


def test_bars_below_zero() -> None:
    drawn = svg.bars({"a": 0.5, "b": -0.25}, unit="", errors={"a": (-0.25, 0.75)})
    (left, up), (down, right) = re.findall(r'<rect class="bar" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', drawn)
    zero = float(left)
    assert float(down) + float(right) == pytest.approx(zero, abs=0.2)  # the bar below zero ends where the other begins
    assert float(up) == pytest.approx(2 * float(right), abs=0.2)
    begin, end = map(float, re.findall(r'class="error" x1="([\d.]+)" y1="[\d.]+" x2="([\d.]+)"', drawn)[0])
    assert begin == pytest.approx(zero - float(right), abs=0.2) and end == pytest.approx(
        zero + 1.5 * float(up), abs=0.2
    )
