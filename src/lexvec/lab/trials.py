"""One trial of a search: train with the suggested parameters, and score the vectors after some epochs.

A trial runs here, or in a worker process that exchanges lines of JSON with the search. The search sends what trials
share, then the parameters of each trial. The worker answers with scores after epochs, asks whether to stop, and sends
the outcome. A worker whose search is gone ends by itself.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from ..corpus import Corpus
from ..errors import DivergenceError, LexvecError, ParameterError, TooLittleMemoryError
from ..evaluation import Evaluator
from ..models import MODELS, Model
from ..progress import Silent
from ..trained import Combine
from .search_space import Objective

#: Called with the number of an epoch and the score after it; returns whether to stop the trial.
Reported = Callable[[int, float], bool]


@dataclass(frozen=True)
class Outcome:
    """How a trial ended."""

    #: The score of the development half, unless the trial was stopped.
    value: float | None = None
    #: The vectors that have this score.
    combine: Combine | None = None
    #: The parts of the objective, by the vectors that were scored.
    scores: dict[Combine, dict[str, float]] = field(default_factory=dict)
    #: Why a trial has no score, such as that training diverged; None for one that was pruned.
    failure: str | None = None
    #: The limit of memory that it did not fit into, if that is why it failed.
    lacked: str | None = None


def memory_limit(fixed: Mapping[str, Any]) -> str:
    """Return the limit of memory of all trials; with another one, trials that lacked memory are tried again."""
    return str(fixed.get("memory"))


class _PrunedError(Exception):
    """Leaves the training of a trial."""


@dataclass(frozen=True)
class Trials:
    """What all trials of a search share; the texts and numbers in it can be sent to another process."""

    model: str
    #: Parameters that are not searched.
    fixed: dict[str, Any]
    #: Folder of the encoded corpus.
    corpus: str
    #: Folder of the matrices that trials share.
    matrices: str
    #: Files of the development half.
    sets: list[str]
    weights: dict[str, float]
    #: The vectors that are scored; where there are several, the better ones count.
    combine: Sequence[Combine]
    threads: int | None

    def as_json(self) -> str:
        """Return a line for another process."""
        return json.dumps(asdict(self))

    def run(self, parameters: dict[str, Any], reported: Reported) -> Outcome:
        """Train and score; a trial that diverges, lacks memory, or whose parameters do not fit, has no score."""

        def stop_or_go_on(epoch: int, _: dict[str, float]) -> None:
            # After epochs 1, 2, 4, … only: scoring takes time, and hopeless trials show early.
            if epoch.bit_count() == 1 and epoch < getattr(model, "epochs", 0):
                value = self.score(model).value
                if value is not None and reported(epoch, value):
                    raise _PrunedError

        try:
            model = self.new_model(parameters)
            matrix = model.recipe and model.recipe.make(self._encoded, Path(self.matrices), Silent(), shared=True)
            model.fit(self._encoded, matrix=matrix, progress=False, callbacks=[stop_or_go_on])
            return self.score(model)
        except _PrunedError:
            return Outcome()
        except (TooLittleMemoryError, MemoryError) as error:
            return Outcome(failure=str(error) or "memory ran out", lacked=memory_limit(self.fixed))
        except (DivergenceError, ParameterError) as error:
            return Outcome(failure=str(error))

    def new_model(self, parameters: dict[str, Any]) -> Model:
        """Return the model of a trial, not fitted yet."""
        return MODELS[self.model].of({**self.fixed, **parameters, "threads": self.threads})

    @cached_property
    def _encoded(self) -> Corpus:
        return Corpus.load(self.corpus).check()

    def score(self, model: Model) -> Outcome:
        """Score the vectors of a model on the development half."""
        evaluator, objective = Evaluator(resamples=1, threads=self.threads), Objective(self.weights)
        scores = {
            combine: objective.parts(evaluator.evaluate(model.vectors(combine), sets=self.sets, progress=False))
            for combine in self.combine
        }
        best = objective.best(scores)
        return Outcome(*best, scores) if best else Outcome(failure="the vectors have no score")


_PATIENCE = 0.5  # seconds between two looks whether the search is still there


class WorkerLostError(Exception):
    """A worker was killed, or is stopped."""


class Worker:
    """A worker process, started when it is first needed and again after it was killed, until it is stopped."""

    def __init__(self, trials: Trials) -> None:
        self._trials = trials
        self._process: subprocess.Popen[str] | None = None
        self._stopped = False
        self._starting = threading.Lock()  # so that no process starts while another thread stops the worker

    def run(self, parameters: dict[str, Any], reported: Reported) -> Outcome:
        """Run a trial as `Trials.run` does, in the other process."""
        try:
            self._send({"parameters": parameters})
            while True:
                answer = self._receive()
                if "error" in answer:
                    raise LexvecError(answer["error"])
                if "outcome" in answer:
                    return Outcome(**answer["outcome"])
                self._send({"stop": reported(answer["epoch"], answer["value"])})
        except (OSError, EOFError, ValueError) as error:
            self._end()
            raise WorkerLostError from error

    def _send(self, message: dict[str, Any]) -> None:
        process = self._process or self._start()
        assert process.stdin
        process.stdin.write(f"{json.dumps(message)}\n")
        process.stdin.flush()

    def _start(self) -> subprocess.Popen[str]:
        # One thread per worker: the libraries that numpy calls would otherwise take all cores.
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        with self._starting:
            if self._stopped:
                raise EOFError
            # -P: nothing is imported from the current folder. A process group of its own: Ctrl-C is for the search
            # alone, which stops its workers.
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", f"from {__name__} import main; main()"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=environment,
                process_group=0 if os.name == "posix" else None,
            )  # fmt: skip
        assert self._process.stdin
        self._process.stdin.write(f"{self._trials.as_json()}\n")
        return self._process

    def _receive(self) -> dict[str, Any]:
        assert self._process
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line.endswith("\n"):
            raise EOFError
        answer: dict[str, Any] = json.loads(line)
        return answer

    def stop(self) -> None:
        """End the process, whatever it does, and start no other."""
        with self._starting:
            self._stopped = True
        self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if pipe:
                    pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.stop()


def serve(given: IO[str], answers: IO[str]) -> None:
    """Run trials until there are no more."""

    def answer(message: dict[str, Any]) -> None:
        answers.write(f"{json.dumps(message)}\n")
        answers.flush()

    def reported(epoch: int, value: float) -> bool:
        answer({"epoch": epoch, "value": value})
        line = given.readline()
        if not line:
            raise EOFError
        return bool(json.loads(line)["stop"])

    trials = Trials(**json.loads(given.readline()))
    for line in given:
        try:
            answer({"outcome": asdict(trials.run(json.loads(line)["parameters"], reported))})
        except LexvecError as error:
            answer({"error": str(error)})
        except (EOFError, BrokenPipeError):
            raise  # the search is gone
        except Exception as error:
            what = " ".join(f"{type(error).__name__}: {error}".split())
            answer({"error": f"a trial failed unexpectedly ({what:.200}): please report this"})


def _end_with(parent: int) -> None:
    """End this process as soon as the search is gone, whatever a trial does."""
    while os.getppid() == parent:
        time.sleep(_PATIENCE)
    os._exit(1)


def main() -> None:
    """Be a worker."""
    threading.Thread(target=_end_with, args=[os.getppid()], daemon=True).start()
    with contextlib.suppress(EOFError, BrokenPipeError):  # the search that started this process may be gone
        serve(sys.stdin, sys.stdout)
    os._exit(0)
