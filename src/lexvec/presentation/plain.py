"""Tables for a terminal: as wide as they are, or in blocks of columns that fit a width."""

import io
import textwrap

from .table import Cell, Table
from .visible import visible

_GAP = 1  # columns of a terminal between two of the table, where it has to fit
_SHORTEST = 14  # to which the text of the first column may be broken
_WIDE = 500  # enough for everything


def plain_table(table: Table, *, terminal: bool, width: int | None = None) -> str:
    """Return a table as text; with a width, columns go into blocks that fit it, each with those that name the row."""
    sizes = _sizes(table)
    if width:  # a narrower terminal may wrap lines, but must not drop what they hold
        width = max(width, _label_widths(table, sizes) + max(sizes[table.labels :], default=0))
    texts = [_printed(block, terminal, width) for block in _blocks(table, sizes, width)]
    notes = [visible(note) for note in table.notes]
    if width:
        notes = [line for note in notes for line in textwrap.wrap(note, width)]
    heading = [visible(table.title)] if table.title and len(texts) > 1 else []
    return "\n".join([*heading, "\n\n".join(texts), *(["", *notes] if notes else [])])


def _sizes(table: Table) -> list[int]:
    """Return how wide each column is."""
    heads = [len(visible(column.name)) for column in table.columns]
    return [max([head, *(_size(row[at]) for row in table.rows)]) for at, head in enumerate(heads)]


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
    return min(_sizes(table)[0], max([_SHORTEST, *map(len, words)]))


def _size(cell: Cell) -> int:
    return max(len(visible(line)) for line in (cell.text + cell.aside, *cell.below))


def _printed(table: Table, terminal: bool, width: int | None) -> str:
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
