"""Which workers take part: each must see the files of a run, and compute the same bits as the driver."""

import logging
import time
from pathlib import Path
from typing import Any

from ..errors import ClusterError
from ..models import Model
from ..progress import Progress
from ..storage.meta import META
from . import worker as work
from .engine import Engine, Running
from .links import PeerLostError
from .probe import difference, probe
from .worker import fingerprint

TOKEN = "token"  # a file that only the driver can have written

_JOINING = 600.0  # seconds for workers to compile kernels and answer
_NO_WORKERS = 30.0  # seconds to wait for a first worker
_REMINDER = 15.0  # seconds of waiting that are worth a line
_ADVICE = "put the corpus and the output on storage that all workers share"


class Joining:
    """Asks each worker once, when it is first needed. ``threads`` is the number for each; None: as many as it has."""

    def __init__(self, engine: Engine, model: type[Model], progress: Progress, threads: int | None = None) -> None:
        self.engine, self.progress, self._model, self._threads = engine, progress, model, threads
        self._joined: dict[str, bool] = {}  # workers that were asked, and whether they take part
        self._refused: list[str] = []  # why others do not

    def members(self, files: list[Path], *, most: int) -> dict[str, int]:
        """Return workers that are there and take part, with the threads to use on each; they must see ``files``."""
        until, reminded = time.monotonic() + _NO_WORKERS, False
        while True:
            there = self.engine.workers()
            self._ask([worker for worker in there if worker not in self._joined], files)
            alike = {worker: self._threads or own for worker, own in there.items() if self._joined.get(worker)}
            if alike:
                return dict(list(alike.items())[:most])
            if self._refused:
                raise ClusterError(self._refused[-1])
            if time.monotonic() > until:
                raise ClusterError("the cluster has no worker: start some, such as dask worker ADDRESS, then resume")
            if not reminded:
                self.progress.note("waiting for workers")
                reminded = True
            time.sleep(0.2)

    def threads(self) -> list[int]:
        """Return the threads of each worker that is there, as far as that is known; at least one worker."""
        there = self.engine.workers()
        return [self._threads or own for worker, own in there.items() if self._joined.get(worker, True)] or [1]

    def leave_out(self, worker: str) -> None:
        """Let a worker take part no longer."""
        self._joined[worker] = False

    def _ask(self, workers: list[str], files: list[Path]) -> None:
        if not workers:
            return
        task = {"model": self._model.name, "files": {str(path): fingerprint(path) for path in files}}
        running = self.engine.start(work.join, dict.fromkeys(workers, task))
        try:
            here = probe(self._model)
            self._wait(running, workers)
        finally:
            running.stop()
        for worker in workers:
            answer = running.outcomes.get(worker)
            reason = _reason(answer, here)
            self._joined[worker] = not reason
            if reason and not isinstance(answer, PeerLostError):
                self._refused.append(f"worker {worker} {reason}")
                self.progress.note(f"{self._refused[-1]}; training without it", logging.WARNING)

    def _wait(self, running: Running, workers: list[str]) -> None:
        """Wait until all workers have answered."""
        began, reminded = time.monotonic(), False
        while len(running.outcomes) < len(workers) and time.monotonic() - began < _JOINING:
            running.messages()
            if not reminded and time.monotonic() - began > _REMINDER:
                reminded = True
                missing = set(workers) - running.outcomes.keys()
                if missing:
                    self.progress.note(f"waiting for {len(missing)} workers to join ({min(missing)} is one)")


def _reason(answer: Any, here: dict[str, str]) -> str:
    """Return why a worker cannot take part, or an empty text."""
    if answer is None:
        return "did not answer"
    if isinstance(answer, BaseException):
        return f"cannot join ({type(answer).__name__}: {answer})"
    if answer["unseen"]:
        unseen = Path(answer["unseen"][0])
        return f"does not see {unseen.parent if unseen.name in (META, TOKEN) else unseen}: {_ADVICE}"
    differs = difference(here, answer["probe"])
    return f"would compute other bits ({differs}): use workers of one kind" if differs else ""
