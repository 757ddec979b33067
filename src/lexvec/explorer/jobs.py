"""Work that takes longer than a page should wait: done once, one after another, on a thread of its own."""

import logging
import queue
import threading
from collections.abc import Callable
from typing import Any

from ..errors import LexvecError

_log = logging.getLogger(__name__)

Record = dict[str, Any]


class Jobs:
    """Results by name: asking for one starts its work, and ``finished`` is called with the name when it is there."""

    def __init__(self, finished: Callable[[str], None]) -> None:
        self._finished = finished
        self._states: dict[str, Record] = {}
        self._lock = threading.Lock()
        self._waiting: queue.SimpleQueue[tuple[str, Callable[[], Record]]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def ask(self, name: str, work: Callable[[], Record]) -> Record:
        """Return ``{"state": "running"}``, or the result with "state" ``ready``, or ``failed`` with an "error"."""
        with self._lock:
            if name not in self._states:
                self._states[name] = {"state": "running"}
                self._waiting.put((name, work))
                if self._thread is None:
                    # A daemon, so that Ctrl-C ends the program at once.
                    self._thread = threading.Thread(target=self._run, name="lexvec-explorer", daemon=True)
                    self._thread.start()
            return self._states[name]

    def forget(self, prefix: str) -> None:
        """Drop results whose names begin so: they belong to vectors that were replaced."""
        with self._lock:
            for name in [name for name in self._states if name.startswith(prefix)]:
                del self._states[name]

    def _run(self) -> None:
        while True:
            name, work = self._waiting.get()
            try:
                state = {"state": "ready", **work()}
            except LexvecError as error:
                state = {"state": "failed", "error": error.for_command_line()}
            except Exception as error:  # a job must not end the thread that all jobs share
                _log.exception("%s failed", name)
                state = {"state": "failed", "error": f"it failed ({type(error).__name__}): see the log of the server"}
            with self._lock:
                if name in self._states:
                    self._states[name] = state
            self._finished(name)
