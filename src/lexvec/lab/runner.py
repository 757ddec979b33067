"""Runs named models on one corpus in a folder, and scores them: for the tables of a paper, a search, or several seeds.

Whatever is in the folder is not computed again, so the same call resumes after an interruption: an interrupted run
continues from its checkpoint, and what is damaged is rebuilt. Runs are found by their parameters, so a call with other
parameters or seeds trains only what is new.
"""

import logging
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..corpus import Corpus, CorpusBuilder
from ..errors import ArtefactError, DivergenceError, Given, ParameterError
from ..evaluation import TASKS, Evaluation, evaluate
from ..evaluation.sets import gather
from ..models import Model
from ..progress import Logged, Progress, ProgressLike, Stage, resolved
from ..records import conforms
from ..storage.outputs import write_json
from ..trained import Combine, ModelFolder, check_combine
from ..uncertainty import Array
from .workspace import (
    MODELS,
    RUN_NAME,
    SCORES,
    TIMES,
    Times,
    Workspace,
    is_finished,
    place_for,
    read_record,
    read_sealed,
    write_sealed,
)

_LONGEST = 1e9  # seconds of a run, in a record that is not damaged
_FIGURES = ("value", "low", "high", "covered", "total")
_STEPS = 1000  # of the bar, for each run


class Scores:
    """The scores of one set of vectors, by the name of the test set and the measure."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = {name: value for name, value in record.items() if name != "items"}
        keys = [(score["name"], score["measure"]) for score in record["scores"]]
        self._scores = dict(zip(keys, record["scores"], strict=True))
        self._items = dict(zip(keys, record["items"], strict=True))

    def __getitem__(self, which: tuple[str, str]) -> dict[str, float]:
        """Return ``value``, ``low``, ``high``, ``covered`` and ``total``; NaN where there is no score."""
        score = self._scores.get(which, {})
        return {name: math.nan if score.get(name) is None else score[name] for name in _FIGURES}

    def columns(self) -> list[tuple[str, str]]:
        """Return the sets and measures that have a score."""
        return list(self._scores)

    def __contains__(self, which: object) -> bool:
        return which in self._scores

    def kind(self, which: tuple[str, str]) -> str:
        """Return the kind of task of a set."""
        return str(self._scores[which]["kind"])

    def items(self, which: tuple[str, str]) -> tuple[Array, Array]:
        """Return the outcome of each item of a set (NaN if it is not covered) and its rating."""
        outcomes, ratings = self._items[which]
        return _numbers(outcomes), _numbers(ratings)


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
        for combine in {each for run in self.models for each in self.scored(run)}:
            check_combine(combine)

    def scored(self, run: str) -> Sequence[Combine]:
        """Return which vectors of a run are scored."""
        chosen = self.combine.get(run, ()) if isinstance(self.combine, Mapping) else self.combine
        if isinstance(chosen, str) or not isinstance(chosen, Sequence):
            raise ParameterError(Given("combine", self.combine), ": it must list word, context or sum")
        return chosen

    def run(self, corpus: Any, *, sets: Any = None, data: Any = None, progress: ProgressLike = None) -> Results:
        """Train and score what is not done yet; ``sets`` and ``data`` choose test sets as in `lexvec.evaluate`."""
        progress = resolved(progress, __name__)
        # Missing test sets are reported before anything is trained.
        tests = gather(sets, data)[0] if any(map(self.scored, self.models)) else []
        digests = {test.key: test.sha256 for test in tests}
        with Workspace.held(self.folder, corpus, self.builder, progress, fixed=self.fixed) as work:
            return Results(work.corpus, _Runs(self, work, digests, progress).finish(sets=sets, data=data))


class _Runs:
    """The runs of an experiment: what is done already, and what is left."""

    def __init__(self, runner: Runner, work: Workspace, digests: dict[str, str], progress: Progress) -> None:
        self._runner, self._work, self._digests, self._progress = runner, work, digests, progress
        self._models = runner.models
        self._places: dict[str, Path] = {}
        for run, model in self._models.items():
            # Two runs of equal parameters are one model under two names.
            equal = next((other for other in self._places if _same(self._models[other], model)), None)
            taken = self._places.values()
            self._places[run] = self._places[equal] if equal else place_for(run, model, work.folder / MODELS, taken)

    def finish(self, *, sets: Any, data: Any) -> dict[str, RunResult]:
        """Train everything that is left, then score it; return the results in the order of the runs."""
        to_train = [run for run, place in self._places.items() if not is_finished(place)]
        to_score = {
            (run, which)
            for run in self._models
            for which in self._runner.scored(run)
            if run in to_train or self._found(run, which) is None
        }
        if to_train:
            done = len(self._models) - len(to_train)
            self._progress.note(f"{_counted(len(to_train), 'run')} to train{f', {done} found' if done else ''}")
        # Matrices and scores take little time beside training: scores move the bar only where no run is left to train.
        bar = [f"run {run}" for run in to_train] or [f"scores {run} {which}" for run, which in sorted(to_score)]
        with _overall(self._progress, bar) as shown:
            self._make_matrices(shown, to_train)
            trained, diverged = self._train(shown, to_train)
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

    def _make_matrices(self, shown: "_Overall", to_train: list[str]) -> None:
        """Make the matrices of all runs that are left to train, each once."""
        names: set[str] = set()
        for run in to_train:
            recipe = self._models[run].recipe
            if recipe and (name := recipe.shared_names()[1]) not in names:
                names.add(name)
                with shown.part(f"matrix {name}", f"matrix for {run}") as progress:
                    self._work.matrix(self._models[run], progress)

    def _train(self, shown: "_Overall", to_train: list[str]) -> tuple[dict[str, Model], dict[str, DivergenceError]]:
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

    def _trained(self, run: str, shown: "_Overall", to_train: list[str]) -> Model:
        place, model = self._places[run], self._models[run]
        if run not in to_train:  # a damaged one is trained again, and reports it
            trained, times = self._work.train(model, place, self._progress)
        else:
            label = f"run {to_train.index(run) + 1} of {len(to_train)}: {run}"
            with shown.part(f"run {run}", label, stages=getattr(model, "epochs", 1)) as progress:
                trained, times = self._work.train(model, place, progress)
        if times is not None:
            known = {name: asdict(value) for name, value in self._known_times().items()}
            write_json(self._work.folder / TIMES, {**known, place.name: asdict(times)})
        return trained

    def _known_times(self) -> dict[str, Times]:
        record = read_record(self._work.folder / TIMES) or {}
        return {
            run: Times(times["training"], times["resumed"])
            for run, times in record.items()
            if conforms(times, Times, extra=True) and 0 <= times["training"] < _LONGEST
        }

    def _file(self, run: str, which: Combine) -> Path:
        return self._work.folder / SCORES / f"{self._places[run].name}-{which}.json"

    def _about(self, run: str) -> dict[str, Any]:
        """Return what scores are made from: they are found again for the same vectors and test sets."""
        return {"vectors": ModelFolder.load(self._places[run]).meta["files"], "sets": self._digests}

    def _found(self, run: str, which: Combine) -> Scores | None:
        try:
            return read_scores(self._file(run, which), self._about(run))
        except ArtefactError:  # the model is damaged, and will be trained again
            return None

    def _scores(self, run: str, which: Combine, model: Model, shown: "_Overall", sets: Any, data: Any) -> Scores:
        if (found := self._found(run, which)) is not None:
            return found
        with shown.part(f"scores {run} {which}", f"scoring {run} ({which})") as progress:
            vectors = model.vectors(which)
            evaluation = evaluate(vectors, sets=sets, data=data, threads=model.threads, progress=progress)
        record = scores_record(evaluation)
        path = self._file(run, which)
        path.parent.mkdir(exist_ok=True)
        write_sealed(path, {**record, **self._about(run)})
        return Scores(record)


def _same(one: Model, other: Model) -> bool:
    return (one.name, one.record()) == (other.name, other.record())


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


@dataclass(frozen=True)
class _ScoreRecord:
    """What a report reads from the record of a score; `_FIGURES` are some of it."""

    key: str
    name: str
    kind: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    covered: int
    total: int


@dataclass(frozen=True)
class _ScoresRecord:
    """What a report reads from a file of scores."""

    scores: list[_ScoreRecord]
    missing: list[str]
    items: list[tuple[str, str]]


def scores_record(evaluation: Evaluation) -> dict[str, Any]:
    """Return what is written of an evaluation: its figures and, as texts, the outcomes and ratings of its items."""
    items = [[_text(score.outcomes), _text(score.ratings)] for score in evaluation.scores]
    return {**evaluation.as_dict(), "items": items}


def read_scores(path: Path, about: dict[str, Any]) -> Scores | None:
    """Return the scores in a file if it is whole and they were made from the same; otherwise they are made again."""
    record = read_sealed(path)
    if record is None or not conforms(record, _ScoresRecord, extra=True):
        return None
    scores, items = record["scores"], record["items"]
    if len(items) != len(scores) or any(record.get(name) != value for name, value in about.items()):
        return None
    return Scores(record) if all(map(_fits, scores, items)) else None


def _fits(score: dict[str, Any], items: list[str]) -> bool:
    """Return whether a score has an outcome and a rating for each of its items."""
    try:
        return score["kind"] in TASKS and all(len(_numbers(text)) == score["total"] for text in items)
    except ValueError:
        return False


def _text(values: Array) -> str:
    return " ".join(f"{value:.15g}" for value in values)


def _numbers(text: str) -> Array:
    return np.array(text.split(), np.float64)


class _Overall:
    """Shows the parts of an experiment in one stage, in which those of the bar take the same room each."""

    def __init__(self, progress: Progress, bar: Sequence[str], shown: Stage | None) -> None:
        self._progress, self._bar, self._shown = progress, bar, shown
        self._done = 0.0  # steps, of which whole ones are shown
        self._told = 0

    @contextmanager
    def part(self, key: str, label: str, *, stages: int = 1) -> Iterator[Progress]:
        """Begin a part with a number of stages; yield what the work in it reports to."""
        self._progress.note(label)
        if self._shown is None:
            yield self._progress
            return
        size = _STEPS if key in self._bar else 0
        end = self._done + size
        yield _Part(self, self._progress, label, end, size / max(1, stages))
        self.advance_to(end, label)

    def advance_to(self, steps: float, note: str) -> None:
        """Show how much of everything is done."""
        self._done = max(self._done, steps)
        if self._shown is not None:
            self._shown.advance(int(self._done) - self._told, note)
            self._told = int(self._done)

    @property
    def done(self) -> float:
        """The steps that are done."""
        return self._done


class _Part:
    """What the work in one part reports to: its stages move the one bar, and only warnings are shown beside it."""

    def __init__(self, overall: _Overall, progress: Progress, label: str, end: float, stage_steps: float) -> None:
        self._overall, self._progress, self._label = overall, progress, label
        self._end, self._stage_steps = end, stage_steps

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Report something once, if it may be a mistake."""
        if level >= logging.WARNING:
            self._progress.note(text, level)

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:  # noqa: ARG002 (the protocol's)
        """Begin a stage of the part."""
        overall, end, label, steps = self._overall, self._end, f"{self._label}, {name}", self._stage_steps
        start, done = overall.done, 0

        class Shown:
            def advance(self, amount: int, note: str = "") -> None:  # noqa: ARG002 (the protocol's)
                nonlocal done
                done += amount
                share = min(1.0, done / total) if total else 0.0
                overall.advance_to(min(end, start + steps * share), label)

        yield Shown()
        overall.advance_to(min(end, start + steps), label)


@contextmanager
def _overall(progress: Progress, bar: Sequence[str]) -> Iterator[_Overall]:
    """Show work as one bar; the log shows every stage of every part instead."""
    if isinstance(progress, Logged) or not bar:
        yield _Overall(progress, bar, None)
        return
    with progress.stage("all runs", len(bar) * _STEPS, "") as stage:
        yield _Overall(progress, bar, stage)
