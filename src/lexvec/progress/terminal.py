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

#: Columns of a terminal that the time wants, and the rate, a bar, and what the work says of itself, too.
_SMALL, _MIDDLE, _BARRED, _FULL = 40, 56, 72, 98


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(rate(task.completed, task.elapsed or 0.0, task.fields["unit"]))


class Terminal:
    """A bar for each stage that takes longer than a second."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Say something once; a bar that is there gives way."""
        Lines().note(text, level)

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        """Begin a piece of work."""
        columns: list[ProgressColumn] = [TextColumn("{task.description:<12}"), TextColumn("{task.percentage:>3.0f}%")]
        # What there is room for, the most wanted first; a line that is too long would be cut anywhere.
        width = self._console.width
        if width >= _BARRED:
            columns.insert(1, BarColumn(bar_width=min(40, width - (_FULL if width >= _FULL else _BARRED) + 16)))
        columns += [TimeRemainingColumn(), TextColumn("left")] if width >= _SMALL else []
        columns += [_Rate()] if width >= _MIDDLE else []
        columns += [TextColumn("{task.fields[note]}")] if width >= _FULL else []
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
        finally:
            if bars.live.is_started:
                bars.stop()
