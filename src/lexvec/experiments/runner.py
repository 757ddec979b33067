"""Runs named models on one corpus in a folder, and scores them: for the tables of a paper, a search, or several seeds.

Whatever is in the folder is not computed again, so the same call resumes after an interruption: an interrupted run
continues from its checkpoint, and what is damaged is rebuilt. Runs are found by their parameters, so a call with other
parameters or seeds trains only what is new.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_args

from ..corpus import Corpus, CorpusBuilder
from ..errors import ArtefactError, DivergenceError, Given, InputError, ParameterError
from ..evaluation import evaluate
from ..evaluation.sets import gather
from ..machine import available_threads
from ..models import Model
from ..progress import Progress, ProgressLike, resolved
from ..storage.atomic import locked
from ..storage.files import STDIN
from ..storage.outputs import write_json
from ..trained import Combine, ModelFolder
from .estimate import correction, counting_seconds, scoring_seconds, training_seconds
from .folder import LOCK, MATRICES, MODELS, RUN_NAME, SCORES, TIMES, begin, check_folder, pin, read_record
from .overall import Overall, duration, overall
from .scores import Scores, read_scores, scores_record, write_scores
from .training import (
    Times,
    describe_corpus,
    encode,
    is_finished,
    matrix_for,
    matrix_key,
    place_for,
    train,
)

_LONGEST = 1e9  # seconds of a run, in a record that is not damaged


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """The result of one run."""

    #: All parameters of the model.
    parameters: dict[str, Any]
    #: The losses of each epoch.
    losses: list[dict[str, float]]
    #: By the choice of vectors (``"word"``, ``"context"`` or ``"sum"``), their scores.
    scores: dict[Combine, Scores]
    #: How long it took; None if that is not known.
    times: Times | None


@dataclass(frozen=True)
class Results:
    """The results of all runs."""

    #: The encoded corpus.
    corpus: Corpus
    #: By the name of the run.
    runs: dict[str, RunResult]


@dataclass
class Runner:
    """Named models to train and score on one corpus, in a folder.

    >>> import tempfile
    >>> from lexvec import CorpusBuilder, PPMISVD
    >>> models = {f"dim-{dim}": PPMISVD(dim=dim, subsample=0) for dim in (2, 3)}
    >>> text = ["The cat sat on the mat. The dog sat on the log."] * 9
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     runner = Runner(Path(folder, "search"), models, builder=CorpusBuilder(min_count=1), combine=())
    ...     results = runner.run(text)
    >>> {name: run.parameters["dim"] for name, run in results.runs.items()}
    {'dim-2': 2, 'dim-3': 3}
    """

    #: Folder for everything that is made.
    folder: Path
    #: Models by the names of their runs, not fitted yet.
    models: Mapping[str, Model]
    #: What encodes the corpus, if it is text.
    builder: CorpusBuilder = field(default_factory=CorpusBuilder, kw_only=True)
    #: Which vectors of each model to score, or a choice by run; empty for no scores.
    combine: Sequence[Combine] | Mapping[str, Sequence[Combine]] = field(default=("word",), kw_only=True)
    #: More that must not change as long as the folder is used.
    fixed: Mapping[str, Any] = field(default_factory=dict, kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.folder, str | os.PathLike):
            raise ParameterError(Given("folder", self.folder), ": it must be a path")
        self.folder = Path(self.folder)
        if not isinstance(self.models, Mapping) or not self.models:
            raise ParameterError(Given("models", self.models), ": it must map names to models")
        for name, model in self.models.items():
            if not isinstance(name, str) or not RUN_NAME.fullmatch(name) or name.endswith(".run"):
                raise ParameterError(f"a run cannot be named {name!r:.40}: use letters, digits, - _ and .")
            if not isinstance(model, Model):
                raise ParameterError(f"models[{name!r}]={model!r:.40}: it must be a model, such as LexVec()")
        if not isinstance(self.builder, CorpusBuilder):
            raise ParameterError(Given("builder", self.builder), ": it must be a CorpusBuilder")
        for choice in {each for run in self.models for each in self.scored(run)}:
            if choice not in get_args(Combine):
                raise ParameterError(Given("combine", choice), f": it must be one of {', '.join(get_args(Combine))}")

    def scored(self, run: str) -> Sequence[Combine]:
        """Return which vectors of a run are scored."""
        chosen = self.combine.get(run, ()) if isinstance(self.combine, Mapping) else self.combine
        if isinstance(chosen, str) or not isinstance(chosen, Sequence):
            raise ParameterError(Given("combine", self.combine), ": it must list word, context or sum")
        return chosen

    def run(self, corpus: Any, *, sets: Any = None, data: Any = None, progress: ProgressLike = None) -> Results:
        """Train and score what is not done yet; ``sets`` and ``data`` choose test sets as in `lexvec.evaluate`."""
        progress = resolved(progress, __name__)
        if corpus == STDIN:
            raise InputError("an experiment may read its text again: encode standard input with lexvec corpus first")
        described = describe_corpus(corpus, self.builder)
        # Missing test sets are reported before anything is trained.
        found = gather(sets, data)[0] if any(map(self.scored, self.models)) else []
        digests = {each.key: each.sha256 for each in found}
        check_folder(self.folder, described["corpus"])
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder / LOCK, f"another experiment is running in {self.folder}: choose another output"):
            begin(self.folder, {**described, **self.fixed})
            encoded = encode(corpus, self.builder, self.folder, progress)
            pin(self.folder, {"content": encoded.meta["files"]})
            work = _Work(self, encoded, digests, progress)
            runs = work.done(sets=sets, data=data)
        return Results(encoded, runs)


class _Work:
    """The runs of an experiment under way: what is done already, what it costs to do the rest, and its progress."""

    def __init__(self, runner: Runner, corpus: Corpus, digests: dict[str, str], progress: Progress) -> None:
        self._runner, self._corpus, self._digests, self._progress = runner, corpus, digests, progress
        self._folder, self._models = runner.folder, runner.models
        self._times = self._known_times()
        self._places: dict[str, Path] = {}
        for run, model in self._models.items():
            # Two runs of equal parameters are one model under two names.
            equal = next((each for each in self._places if _same(self._models[each], model)), None)
            taken = self._places.values()
            self._places[run] = self._places[equal] if equal else place_for(run, model, self._folder / MODELS, taken)

    def done(self, *, sets: Any, data: Any) -> dict[str, RunResult]:
        """Train and score everything, in the order of the runs, and return the results."""
        costs = self._costs()
        to_train = [run for run in self._models if f"run {run}" in costs]
        if to_train:
            threads = available_threads(self._models[to_train[0]].threads)
            about = duration(sum(costs.values()))
            found = len(self._models) - len(to_train)
            runs = f"{_counted(len(to_train), 'run')} to train{f', {found} found' if found else ''}"
            self._progress.note(f"{runs}; all of it may take {about} on {_counted(threads, 'thread')}")
        with overall(self._progress, "all runs", costs) if costs else nullcontext(Overall(self._progress)) as shown:
            self._make_matrices(shown, costs)
            trained, diverged = self._all_trained(shown, to_train)
            scores = {
                run: {which: self._scores(run, which, model, shown, sets, data) for which in self._runner.scored(run)}
                for run, model in trained.items()
            }
        if diverged:
            names, first = ", ".join(diverged), next(iter(diverged.values()))
            kept = f"; {_counted(len(trained), 'other run')} kept" if trained else ""
            raise DivergenceError(f"{names:.200}: {first}, and run this again{kept}")
        times = self._known_times()
        return {
            run: RunResult(
                parameters=model.record(),
                losses=model.losses_,
                scores=scores[run],
                times=times.get(self._places[run].name),
            )
            for run, model in trained.items()
        }

    def _costs(self) -> dict[str, float]:
        """Return how long each part that is left may take: matrices, runs, and scores."""
        finished = {run for run, place in self._places.items() if is_finished(place)}
        costs: dict[str, float] = {}
        for run, model in self._models.items():
            estimate = training_seconds(model, self._corpus)
            if run not in finished:
                known = [
                    (training_seconds(other, self._corpus), self._times[self._places[name].name].training)
                    for name, other in self._models.items()
                    if other.name == model.name and self._places[name].name in self._times
                ]
                costs[f"run {run}"] = estimate * correction(known)
                if (key := matrix_key(model)) and f"matrix {key}" not in costs:
                    costs[f"matrix {key}"] = counting_seconds(model, self._corpus)
            for which in self._runner.scored(run):
                if run not in finished or self._found(run, which) is None:
                    costs[f"scores {run} {which}"] = scoring_seconds(model, self._corpus)
        return costs

    def _make_matrices(self, shown: Overall, costs: Mapping[str, float]) -> None:
        """Make the matrices of all runs that are left to train, each once."""
        made: set[str] = set()
        for run, model in self._models.items():
            key = matrix_key(model)
            if key and key not in made and f"run {run}" in costs:
                made.add(key)
                with shown.part(f"matrix {key}", f"matrix for {run}", stages=2) as progress:
                    matrix_for(model, self._corpus, self._folder / MATRICES, progress)

    def _all_trained(self, shown: Overall, to_train: list[str]) -> tuple[dict[str, Model], dict[str, DivergenceError]]:
        """Train all runs, and return those that succeeded and why the others did not: one must not stop the others."""
        trained: dict[str, Model] = {}
        diverged: dict[str, DivergenceError] = {}
        for run in self._models:
            try:
                trained[run] = self._trained(run, shown, to_train)
            except DivergenceError as error:
                diverged[run] = error
                self._progress.note(f"{run}: {error}; continuing with the other runs", logging.WARNING)
        return trained, diverged

    def _trained(self, run: str, shown: Overall, to_train: list[str]) -> Model:
        place, model = self._places[run], self._models[run]
        matrices = self._folder / MATRICES
        if run not in to_train:  # a damaged one is trained again, and reports it
            found, times = train(model, self._corpus, place, matrices, self._progress)
        else:
            label = f"run {to_train.index(run) + 1} of {len(to_train)}: {run}"
            with shown.part(f"run {run}", label, stages=getattr(model, "epochs", 1)) as progress:
                found, times = train(model, self._corpus, place, matrices, progress)
        if times is not None:
            known = {name: vars(value) for name, value in self._known_times().items()}
            write_json(self._folder / TIMES, {**known, place.name: vars(times)})
        return found

    def _known_times(self) -> dict[str, Times]:
        found = read_record(self._folder / TIMES) or {}
        names = [each.name for each in fields(Times)]
        return {
            run: Times(**times)
            for run, times in found.items()
            if isinstance(times, dict) and list(times) == names and _is_duration(times["training"])
        }

    def _file(self, run: str, which: Combine) -> Path:
        return self._folder / SCORES / f"{self._places[run].name}-{which}.json"

    def _about(self, run: str) -> dict[str, Any]:
        """Return what scores are made from: they are found again for the same vectors and test sets."""
        return {"vectors": ModelFolder.load(self._places[run]).meta["files"], "sets": self._digests}

    def _found(self, run: str, which: Combine) -> Scores | None:
        try:
            return read_scores(self._file(run, which), self._about(run))
        except ArtefactError:  # the model is damaged, and will be trained again
            return None

    def _scores(self, run: str, which: Combine, model: Model, shown: Overall, sets: Any, data: Any) -> Scores:
        if (found := self._found(run, which)) is not None:
            return found
        with shown.part(f"scores {run} {which}", f"scoring {run} ({which})") as progress:
            vectors = model.vectors(which)
            evaluation = evaluate(vectors, sets=sets, data=data, threads=model.threads, progress=progress)
        record = scores_record(evaluation)
        write_scores(self._file(run, which), record, self._about(run))
        return Scores(record)


def _same(one: Model, other: Model) -> bool:
    return (one.name, one.record()) == (other.name, other.record())


def _is_duration(value: Any) -> bool:
    return isinstance(value, int | float) and 0 <= value < _LONGEST


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
