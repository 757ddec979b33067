"""Work that takes longer than a page should wait: one after another, on a thread of its own."""

import logging
import queue
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from ..errors import LexvecError

_log = logging.getLogger(__name__)

Record = dict[str, Any]
Work = Callable[[], Record]
#: What a result was made from: another one means that it has to be made again.
Version = tuple[int, ...]


class _Result(NamedTuple):
    version: Version
    record: Record


class Jobs:
    """Results by name: asking for one starts its work, and ``finished`` is called with the name when it is there.

    A result of an older version is answered until the newer one is there, and a name never waits twice: checkpoints
    that follow one another faster than work is done cannot pile up.
    """

    def __init__(self, finished: Callable[[str], None]) -> None:
        self._finished = finished
        self._results: dict[str, _Result] = {}
        self._under_way: set[str] = set()
        self._lock = threading.Lock()
        self._waiting: queue.SimpleQueue[tuple[str, Version, Work]] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    def ask(self, name: str, version: Version, work: Work) -> Record:
        """Return ``{"state": "running"}``, or the result with "state" ``ready``, or ``failed`` with an "error"."""
        with self._lock:
            result = self._results.get(name)
            if (result is None or result.version != version) and name not in self._under_way:
                self._under_way.add(name)
                self._waiting.put((name, version, work))
                if self._thread is None:
                    # A daemon, so that Ctrl-C ends the program at once.
                    self._thread = threading.Thread(target=self._run, name="lexvec-explorer", daemon=True)
                    self._thread.start()
            return {"state": "running"} if result is None else result.record

    def _run(self) -> None:
        while True:
            name, version, work = self._waiting.get()
            try:
                record = {"state": "ready", **work()}
            except LexvecError as error:
                record = {"state": "failed", "error": error.for_command_line()}
            except Exception as error:  # a job must not end the thread that all jobs share
                _log.exception("%s failed", name)
                record = {"state": "failed", "error": f"it failed ({type(error).__name__}): see the log of the server"}
            with self._lock:
                self._results[name] = _Result(version, record)
                self._under_way.discard(name)
            self._finished(name)
