"""Progress in a notebook: a bar that is redrawn in its place.

It needs only IPython's display, which every notebook has, and no widgets.
"""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

from .meter import Meter
from .protocol import Stage

_DRAW_EVERY = 0.2  # seconds


def in_notebook() -> bool:
    """Return whether this runs in the kernel of a notebook. (If it does, IPython is imported already.)"""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return getattr(shell, "kernel", None) is not None


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


def bar(text: str, share: float | None) -> str:
    """Return a bar and the text beside it; without a share, the bar only moves."""
    value = "" if share is None else f' value="{share:.4f}"'
    return f'<div><progress max="1"{value} style="width:14em"></progress> {escape(text)}</div>'


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
