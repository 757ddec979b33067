"""Progress as bars: on a terminal with rate and time left, on standard error; in a notebook redrawn in its place.

A notebook needs only IPython's display, which every notebook has, and no widgets.
"""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from .reports import SHOW_AFTER, Lines, Meter, Stage, rate

#: Columns that a terminal needs to show the time, and then the rate, a bar, and the note of the work.
_SMALL, _MIDDLE, _BARRED, _FULL = 40, 56, 72, 98
_DRAW_EVERY = 0.2  # seconds


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


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(rate(task.completed, task.elapsed or 0.0, task.fields["unit"]))


class Notebook:
    """A bar for each stage that takes longer than a second."""

    def __init__(self, display: Any = None) -> None:
        if display is None:
            display = sys.modules["IPython"].display.display
        self._display = display

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Report something once."""
        said = f"warning: {text}" if level >= logging.WARNING else text
        self._display({"text/plain": said, "text/html": f"<div>{escape(said)}</div>"}, raw=True)

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        """Begin a stage."""
        shown = _Bar(Meter(name, total, unit), self._display)
        whole = False
        try:
            yield shown
            whole = True
        finally:
            shown.close(whole=whole)


def bar(text: str, share: float | None) -> str:
    """Return a bar and the text beside it; without a share, the bar only moves."""
    value = "" if share is None else f' value="{share:.4f}"'
    return f'<div><progress max="1"{value} style="width:14em"></progress> {escape(text)}</div>'


class _Bar:
    """One stage, shown once it has taken a second."""

    def __init__(self, meter: Meter, display: Any) -> None:
        self._meter, self._display = meter, display
        self._handle: Any = None
        self._drawn = 0.0

    def advance(self, amount: int, note: str = "") -> None:
        self._meter.advance(amount, note)
        now = time.monotonic()
        if self._meter.lasting and now - self._drawn >= _DRAW_EVERY:
            self._drawn = now
            self.draw(self._meter.line(), self._meter.share)

    def close(self, *, whole: bool) -> None:
        if self._handle is not None or (whole and self._meter.lasting):
            share = 1.0 if whole else self._meter.share or 0.0
            self.draw(self._meter.ending() if whole else f"{self._meter.line()}, stopped", share)

    def draw(self, text: str, share: float | None) -> None:
        data = {"text/plain": text, "text/html": bar(text, share)}
        if self._handle is None:
            self._handle = self._display(data, raw=True, display_id=True)
        else:
            self._handle.update(data, raw=True)
