"""Progress on the terminal: a bar with rate and time left, or plain lines where nobody watches.

Work that is done within a second shows nothing. Everything goes to standard error.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import click
from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, Task, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars
from rich.text import Text

from ..progress import Progress, Silent, Stage

_SHOW_AFTER = 1.0
_LINE_EVERY = 10.0


def shown(quiet: bool) -> Progress:
    """What suits the terminal."""
    if quiet:
        return Silent()
    console = Console(stderr=True)
    return Terminal(console) if console.is_terminal else Lines()


def rate(done: float, seconds: float, unit: str) -> str:
    """Such as "12.3 M tokens/s"."""
    per_second = done / max(seconds, 1e-9)
    for scale, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if per_second >= scale:
            return f"{per_second / scale:.1f} {letter}{unit if unit == 'B' else f' {unit}'}/s"
    return f"{per_second:.3g} {unit}/s"


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(rate(task.completed, task.elapsed or 0.0, task.fields["unit"]))


class _Notes:
    def note(self, text: str) -> None:
        """Say something once."""
        click.echo(text, err=True)


class Terminal(_Notes):
    """A bar for each stage."""

    def __init__(self, console: Console) -> None:
        self._console = console

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        """Begin a piece of work."""
        columns = (
            TextColumn("{task.description:<12}"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            _Rate(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
        )
        bars = Bars(*columns, console=self._console, refresh_per_second=5)
        task = bars.add_task(name, total=total, unit=unit, note="")
        started = time.monotonic()

        class Shown:
            def advance(self, amount: int, note: str = "") -> None:
                bars.update(task, advance=amount, note=note)
                if not bars.live.is_started and time.monotonic() - started > _SHOW_AFTER:
                    bars.start()

        try:
            yield Shown()
        finally:
            if bars.live.is_started:
                bars.stop()


class Lines(_Notes):
    """A line every ten seconds, and one at the end of a stage that took longer than a second."""

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        """Begin a piece of work."""
        started = time.monotonic()
        done, next_line, last = 0, started + _LINE_EVERY, ""

        class Written:
            def advance(self, amount: int, note: str = "") -> None:
                nonlocal done, next_line, last
                done += amount
                last = f", {note}" if note else ""
                now = time.monotonic()
                if now >= next_line:
                    next_line = now + _LINE_EVERY
                    part = f"{100 * done / total:.0f}%, " if total else ""
                    left = f", {(now - started) * (total - done) / done:.0f} s left" if total and done else ""
                    click.echo(f"{name}: {part}{rate(done, now - started, unit)}{left}{last}", err=True)

        yield Written()
        seconds = time.monotonic() - started
        if seconds > _SHOW_AFTER:
            click.echo(f"{name}: done in {seconds:.1f} s, {rate(done, seconds, unit)}{last}", err=True)
