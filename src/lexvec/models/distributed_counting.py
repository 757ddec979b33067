"""Counting on several machines: workers count stretches of the corpus, and the driver adds them up.

Counts are whole numbers, so it makes no difference who counts what. What a lost worker had to count is counted again.
"""

import logging
import secrets
import time
from pathlib import Path

from ..cluster.links import PeerLostError, StoppedError
from ..cooccurrence import CooccurrenceCounter
from ..cooccurrence.counter import Stretch
from ..corpus import Corpus
from ..errors import ClusterError
from ..progress import Stage
from ..storage.artefact import META
from . import worker as work
from .joining import TOKEN, Joining

_PER_WORKER = 2  # stretches: more would be more to add up, fewer would leave workers waiting for the last one
_REPORTING = 2.0  # seconds for the last reports to arrive, once all workers have ended
_MOST_LOSSES = 3  # of workers, without a stretch counted between them


class ClusterCounting:
    """The workers that joined, as counters."""

    def __init__(self, joining: Joining) -> None:
        self._joining = joining

    @property
    def shares(self) -> int:
        """How many stretches the corpus should be cut into, at least."""
        return _PER_WORKER * max(1, len(self._joining.engine.workers()))

    def count(
        self, counter: CooccurrenceCounter, corpus: Corpus, stretches: list[tuple[Stretch, Path]], stage: Stage
    ) -> None:
        """Have all stretches counted."""
        token = stretches[0][1].with_name(TOKEN)
        token.write_text(secrets.token_hex(16), encoding="utf-8")
        left, losses = dict(enumerate(stretches)), 0
        while left:
            workers = self._joining.members([token, corpus.path / META], most=len(left))
            before = len(left)
            lost = self._attempt(counter, corpus, left, workers, stage)
            losses = losses + 1 if lost and len(left) == before else 0
            if losses >= _MOST_LOSSES:
                raise ClusterError(f"workers were lost {losses} times without counting anything ({lost}): check them")
            if lost:
                self._joining.progress.note(f"{lost}; counting with the workers that are left", logging.WARNING)

    def _attempt(
        self,
        counter: CooccurrenceCounter,
        corpus: Corpus,
        left: dict[int, tuple[Stretch, Path]],
        workers: dict[str, int],
        stage: Stage,
    ) -> str:
        """Count until all is done or a worker is lost; return which, or an empty text. What is done leaves ``left``."""
        shares = [list(left)[rank :: len(workers)] for rank in range(len(workers))]
        tasks = {
            worker: {
                "parameters": counter.record(),
                "memory": counter.memory,
                "corpus": str(corpus.path),
                "stretches": [[number, *left[number][0], str(left[number][1])] for number in share],
                "threads": counter.threads or threads,
            }
            for (worker, threads), share in zip(workers.items(), shares, strict=True)
        }
        running = self._joining.engine.start(work.count, tasks)
        until = None
        try:
            while until is None or (left and time.monotonic() < until):
                for _, message in running.messages():
                    (start, stop), _ = left.pop(message["counted"])
                    stage.advance(stop - start)
                if until is None and len(running.outcomes) == len(workers):
                    until = time.monotonic() + _REPORTING
        finally:
            running.stop()
        errors = [outcome for outcome in running.outcomes.values() if isinstance(outcome, BaseException)]
        for error in errors:
            if not isinstance(error, PeerLostError | StoppedError):
                raise error
        silent = "workers did not report what they counted" if left else ""
        return min((str(error).rpartition(":")[0] or str(error) for error in errors), default=silent)
