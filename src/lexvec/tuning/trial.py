"""One trial of a search: train with the parameters that it suggests, and score the vectors after some epochs."""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from ..association import Association
from ..cooccurrence import Cooccurrence
from ..corpus import Corpus
from ..errors import DivergenceError, ParameterError, TooLittleMemoryError
from ..evaluation import Evaluator
from ..models import MODELS, Model
from ..models.preparation import prepared
from ..models.recipe import Recipe
from ..progress import Silent
from ..storage.atomic import try_lock
from ..trained import Combine
from .objective import Objective

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
            matrix = self._matrix(model.recipe) if model.recipe else None
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

    def _matrix(self, recipe: Recipe) -> Cooccurrence | Association:
        """Return the matrix of a recipe, and its counts: each is made once for all trials that need it."""
        counter, associator, corpus = recipe.counter, recipe.associator, self._encoded
        with self._shared("counts", counter.record()) as place:
            counts = prepared(place, Cooccurrence, lambda to: counter.count(corpus, to, progress=False), Silent())
        if associator is None:
            return counts
        with self._shared("matrix", recipe.record()) as place:
            return prepared(place, Association, lambda to: associator.associate(counts, to, progress=False), Silent())

    @contextmanager
    def _shared(self, kind: str, record: dict[str, Any]) -> Iterator[Path]:
        """Return the folder of an artefact with these parameters; only one process at a time may make it."""
        digest = hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:16]
        place = Path(self.matrices, f"{kind}-{digest}")
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.with_suffix(".lock").open("ab") as lock:
            while not try_lock(lock):
                time.sleep(0.1)
            yield place
