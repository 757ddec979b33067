"""The stages before training on several machines: encoding, counting and association.

Each stage is cut into tasks that do not depend on one another, and their results go through files. So it makes no
difference who does what, and what a lost worker had to do is done again.
"""

import logging
import secrets
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..errors import ClusterError
from ..progress import Stage
from ..shared_work import Done, Job, Task
from . import worker as work
from .joining import TOKEN, Joining
from .links import PeerLostError, StoppedError

_PER_WORKER = 2  # tasks: fewer would leave workers waiting for the last one
_REPORTING = 2.0  # seconds for the last reports to arrive, once all workers have ended
_MOST_LOSSES = 3  # of workers, without a task done between them


class WorkerHelpers:
    """The workers that joined, as helpers."""

    def __init__(self, joining: Joining) -> None:
        self._joining = joining

    @property
    def shares(self) -> int:
        """How many tasks a stage should have."""
        return _PER_WORKER * max(1, len(self._joining.engine.workers()))

    def each(
        self,
        job: Job,
        settings: Mapping[str, Any],
        tasks: Sequence[Task],
        *,
        folder: Path,
        reads: Sequence[Path],
        stage: Stage,
    ) -> list[Done]:
        """Have all tasks done."""
        token = folder / TOKEN
        token.write_text(secrets.token_hex(16), encoding="utf-8")
        folders = [folder.absolute() / f"{job.__name__}-{number}" for number in range(len(tasks))]
        left, results, losses = dict(enumerate(tasks)), dict[int, Any](), 0
        while left:
            workers = self._joining.members([token, *reads], most=len(left))
            before = len(left)
            lost = self._attempt(partial(work.help_with, job, settings), workers, left, folders, results, stage)
            losses = losses + 1 if lost and len(left) == before else 0
            if losses >= _MOST_LOSSES:
                raise ClusterError(f"workers were lost {losses} times without doing anything ({lost}): check them")
            if lost:
                self._joining.progress.note(f"{lost}; going on with the workers that are left", logging.WARNING)
        return [Done(path, results[number]) for number, path in enumerate(folders)]

    def _attempt(
        self,
        function: Any,
        workers: dict[str, int],
        left: dict[int, Task],
        folders: list[Path],
        results: dict[int, Any],
        stage: Stage,
    ) -> str:
        """Work until all is done or a worker is lost; return which, or an empty text. What is done leaves ``left``."""
        numbers = list(left)
        messages = {
            worker: {
                "threads": threads,
                "tasks": [
                    [number, str(folders[number]), dict(left[number].arguments)]
                    for number in numbers[rank :: len(workers)]
                ],
            }
            for rank, (worker, threads) in enumerate(workers.items())
        }
        running = self._joining.engine.start(function, messages)
        until = None
        try:
            while until is None or (left and time.monotonic() < until):
                for _, message in running.messages():
                    if message["done"] in left:  # one that counted as lost may report late
                        results[message["done"]] = message["result"]
                        stage.advance(left.pop(message["done"]).size)
                if until is None and len(running.outcomes) == len(workers):
                    until = time.monotonic() + _REPORTING
        finally:
            running.stop()
        errors = [outcome for outcome in running.outcomes.values() if isinstance(outcome, BaseException)]
        for error in errors:
            if not isinstance(error, PeerLostError | StoppedError):
                raise error
        silent = "workers did not report what they have done" if left else ""
        return min((str(error).rpartition(":")[0] or str(error) for error in errors), default=silent)
