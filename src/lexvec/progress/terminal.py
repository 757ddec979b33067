"""Progress on a terminal: a bar with rate and time left, on standard error."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from .lines import Lines
from .meter import SHOW_AFTER, rate
from .protocol import Stage

#: Columns that a terminal needs to show the time, and then the rate, a bar, and the note of the work.
_SMALL, _MIDDLE, _BARRED, _FULL = 40, 56, 72, 98


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(rate(task.completed, task.elapsed or 0.0, task.fields["unit"]))


class Terminal:
    """A bar for each stage that takes longer than a second."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Report something once, above the bar."""
        Lines().note(text, level)

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        """Begin a stage."""
        columns: list[ProgressColumn] = [TextColumn("{task.description:<12}"), TextColumn("{task.percentage:>3.0f}%")]
        # The most important columns come first; a line that is too long would be cut anywhere.
        width = self._console.width
        if width >= _BARRED:
            columns.insert(1, BarColumn(bar_width=min(40, width - (_FULL if width >= _FULL else _BARRED) + 16)))
        columns += [TimeRemainingColumn(), TextColumn("left")] if width >= _SMALL else []
        # Work without a unit has no rate, which leaves room for its note.
        columns += [_Rate()] if unit and width >= _MIDDLE else []
        columns += [TextColumn("{task.fields[note]}")] if width >= (_FULL if unit else _MIDDLE) else []
        bars = Bars(*columns, console=self._console, refresh_per_second=5)
        task = bars.add_task(name, total=total, unit=unit, note="")
        started = time.monotonic()

        class Shown:
            def advance(self, amount: int, note: str = "") -> None:
                bars.update(task, advance=amount, note=note)
                if not bars.live.is_started and time.monotonic() - started > SHOW_AFTER:
                    bars.start()

        try:
            yield Shown()
            # A stage that ended is done, also where its total was a guess.
            done = bars.tasks[task].completed if total is None else total
            bars.update(task, total=done, completed=done)
        finally:
            if bars.live.is_started:
                bars.stop()
