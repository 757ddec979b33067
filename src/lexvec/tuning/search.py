"""Trials of a search, one after another or several at once, until there are enough."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import ExitStack
from functools import partial
from typing import Any

from ..errors import DivergenceError, ResourceError, TooLittleMemoryError
from ..progress import Progress, Stage
from .study import Study
from .trial import Outcome, Reported, Trials
from .worker import Worker, WorkerLostError

_LOST = 3  # workers killed in a row before a search gives up
_FAILED = 10  # trials without any score before a search gives up

_Run = Callable[[dict[str, Any], Reported], Outcome]


class Search:
    """Runs trials until there are enough."""

    def __init__(self, study: Study, target: int, progress: Progress) -> None:
        self._study, self._target, self._progress = study, target, progress
        self._lost = 0
        self._ended = threading.Event()
        self._lock = threading.Lock()

    def run(self, trials: Trials, workers: int) -> None:
        """Run the trials that are missing."""
        done = len(self._study.finished())
        with self._progress.stage("trials", self._target, "trials") as stage:
            stage.advance(min(done, self._target), self._summary())
            if workers == 1:
                self._work(stage, trials.run)
            elif done < self._target:
                self._work_together(stage, trials, min(workers, self._target - done))
        self._require_a_score(at_end=True)

    def _work_together(self, stage: Stage, trials: Trials, workers: int) -> None:
        with ExitStack() as stack:
            pool = stack.enter_context(ThreadPoolExecutor(workers))
            # Leaving this block stops the processes first, which ends the threads that wait for them.
            processes = [stack.enter_context(Worker(trials)) for _ in range(workers)]
            stack.callback(self._ended.set)
            futures = [pool.submit(self._work, stage, process.run) for process in processes]
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()

    def _work(self, stage: Stage, run: _Run) -> None:
        while not self._ended.is_set() and (asked := self._study.ask(self._target)):
            trial, parameters = asked
            if self._ended.is_set():  # while the trial was suggested
                return
            try:
                outcome = run(parameters, partial(self._study.report, trial))
            except WorkerLostError:
                self._lose(trial)
                continue
            self._study.tell(trial, outcome)
            with self._lock:
                self._lost = 0
                stage.advance(1, self._summary())
            self._require_a_score(at_end=False)

    def _lose(self, trial: Any) -> None:
        if self._ended.is_set():
            return  # the search is being stopped; the next one gives the trial up
        self._study.give_up(trial)
        with self._lock:
            self._lost += 1
            if self._lost >= _LOST:
                raise ResourceError(
                    f"{_LOST} workers in a row were killed, perhaps for lack of memory: use fewer workers; finished "
                    "trials are kept"
                )
        self._progress.note("a worker was killed: its trial is started again", logging.WARNING)

    def _summary(self) -> str:
        scored = [trial for trial in self._study.finished() if trial.state == "complete"]
        if not scored:
            return "no score yet"
        best = max(scored, key=lambda trial: trial.value or 0.0)
        return f"best {best.value:.3f} (trial {best.number})"

    def _require_a_score(self, *, at_end: bool) -> None:
        """Raise an error if no trial has a score, and none can be expected."""
        trials = self._study.finished()
        failed = [trial for trial in trials if trial.state == "failed"]
        if failed and len(failed) == len(trials) and (at_end or len(failed) >= _FAILED):
            problem = f"none of {len(trials)} trials has a score ({failed[-1].failure})"
            if failed[-1].lacked_memory:
                raise TooLittleMemoryError(f"{problem}: give more memory, or search other values in another output")
            raise DivergenceError(f"{problem}: search other values in another output")
