"""``progress.json`` in the folder of a run: how far the work is, for other programs that watch it (`lexvec explore`).

It is written at most once a second and never synced: losing it loses nothing.
"""

import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..progress import Note, Progress, Stage

FILE = "progress.json"
EVERY = 1.0  # seconds


class LiveProgress:
    """Reports to another progress, and keeps a record of the current stage in a folder."""

    def __init__(self, shown: Progress, folder: Path) -> None:
        self._shown, self._folder = shown, folder

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        """Begin a stage."""
        with self._shown.stage(name, total, unit) as stage:
            yield _LiveStage(stage, self._folder / FILE, {"stage": name, "total": total, "unit": unit})

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Report something once."""
        self._shown.note(text, level)


class _LiveStage:
    def __init__(self, shown: Stage, file: Path, about: dict[str, Any]) -> None:
        self._shown, self._file, self._about = shown, file, about
        self._done, self._started, self._due = 0, time.time(), 0.0

    def advance(self, amount: int, note: str = "") -> None:
        self._shown.advance(amount, note)
        self._done += amount
        now = time.time()
        if isinstance(note, Note) and now >= self._due:  # without figures there is no loss yet
            self._due = now + EVERY
            times = {"seconds": now - self._started, "time": now}
            self._write({**self._about, "done": self._done, **note.figures, **times})

    def _write(self, record: dict[str, Any]) -> None:
        partial = self._file.with_name(f".{FILE}.partial")
        with suppress(OSError):  # a full disk must not stop the work; saving the model will report it
            partial.write_text(json.dumps(record), encoding="utf-8")
            partial.replace(self._file)
