"""Runner."""

import logging
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_args

import numpy as np

from ..corpus import Corpus, CorpusBuilder
from ..draws import WindowParameters
from ..errors import ArtefactError, DivergenceError, Given, InputError, ParameterError
from ..evaluation import TASKS, Evaluation, evaluate
from ..evaluation.finding import gather
from ..machine import available_threads
from ..models import Model
from ..progress import Logged, Progress, ProgressLike, Stage, resolved
from ..storage.artefact import locked
from ..storage.files import STDIN, write_json
from ..trained import Combine, ModelFolder
from ..uncertainty import Array
from .workspace import (
    LOCK,
    MATRICES,
    MODELS,
    RUN_NAME,
    SCORES,
    TIMES,
    Times,
    begin,
    check_folder,
    describe_corpus,
    encode,
    is_finished,
    matrix_for,
    matrix_key,
    pin,
    place_for,
    read_record,
    read_sealed,
    train,
    write_sealed,
)

_LONGEST = 1e9  # seconds of a run, in a record that is not damaged


_FIGURES = ("value", "low", "high", "covered", "total")
_TEXTS = ("key", "name", "kind", "measure")


class Scores:
    """The scores of one set of vectors, by the name of the test set and the measure."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = {name: value for name, value in record.items() if name != "items"}
        keys = [(score["name"], score["measure"]) for score in record["scores"]]
        self._scores = dict(zip(keys, record["scores"], strict=True))
        self._items = dict(zip(keys, record["items"], strict=True))

    def __getitem__(self, which: tuple[str, str]) -> dict[str, float]:
        """Return ``value``, ``low``, ``high``, ``covered`` and ``total``; NaN where there is no score."""
        none = dict.fromkeys(_FIGURES, math.nan)
        found = self._scores.get(which, {})
        return {name: missing if found.get(name) is None else found[name] for name, missing in none.items()}

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


def scores_record(evaluation: Evaluation) -> dict[str, Any]:
    """Return what is written of an evaluation: its figures and, as texts, the outcomes and ratings of its items."""
    items = [[_text(score.outcomes), _text(score.ratings)] for score in evaluation.scores]
    return {**evaluation.as_dict(), "items": items}


def write_scores(path: Path, record: dict[str, Any], about: dict[str, Any]) -> None:
    """Write scores, with what they were made from."""
    path.parent.mkdir(exist_ok=True)
    write_sealed(path, {**record, **about})


def read_scores(path: Path, about: dict[str, Any]) -> Scores | None:
    """Return the scores in a file if it is whole and they were made from the same; otherwise they are made again."""
    found = read_sealed(path)
    if not found or not _is_whole(found) or any(found.get(name) != value for name, value in about.items()):
        return None
    return Scores(found)


def _is_whole(record: dict[str, Any]) -> bool:
    """Whether a file of scores holds what a report reads from it."""
    scores, missing, items = (record.get(name) for name in ("scores", "missing", "items"))
    if not isinstance(scores, list) or not isinstance(missing, list) or not isinstance(items, list):
        return False
    return len(items) == len(scores) and all(map(_is_score, scores, items))


def _is_score(score: Any, items: Any) -> bool:
    if not isinstance(score, dict) or not all(isinstance(score.get(name), str) for name in _TEXTS):
        return False
    if score["kind"] not in TASKS:
        return False
    if not all(isinstance(score.get(name), int | float | None) for name in _FIGURES):
        return False
    if not isinstance(items, list) or len(items) != 2 or not all(isinstance(text, str) for text in items):
        return False
    try:
        return all(len(_numbers(text)) == score["total"] for text in items)
    except ValueError:
        return False


def _text(values: Array) -> str:
    return " ".join(f"{value:.15g}" for value in values)


def _numbers(text: str) -> Array:
    return np.array(text.split(), np.float64)


# Seconds on one thread: for a pair or cell, and for each of its dimensions.
_PAIR, _CELL = (25e-9, 0.12e-9), (75e-9, 0.5e-9)
_PRODUCT = 0.15e-9  # seconds for a cell of the matrix and a column of the solver's basis
_START = 1.0  # seconds to begin and to save a run
_COUNT = 25e-9  # seconds per counted pair, on one thread
_SCORE = 0.1e-9  # seconds per question, word and dimension, on one thread
_QUESTIONS = 30_000


def training_seconds(model: Model, corpus: Corpus) -> float:
    """Return how long a run may take, without its matrix."""
    threads = available_threads(model.threads)
    epochs = _value(model, "epochs", 1)
    if hasattr(model, "negative"):  # windows and noise
        wide = _value(model, "window_sampling", "") == "sgns"
        window = _value(model, "sampling_window", 0) + 1 if wide else _window(model)
        noise = model.negative * (window if _value(model, "variant", "minibatch") == "minibatch" else 1)
        steps, cost = _kept(model, corpus) * (window + noise) * epochs, _PAIR
    elif hasattr(model, "epochs"):
        steps, cost = _cells(model, corpus) * epochs, _CELL
    else:
        steps, cost = _cells(model, corpus) * 6, (0.0, _PRODUCT)
    return float(_START + steps * (cost[0] + cost[1] * model.dim) / threads)


def counting_seconds(model: Model, corpus: Corpus) -> float:
    """Return how long the matrix of a run may take."""
    return float(_kept(model, corpus) * _window(model) * _COUNT / available_threads(model.threads))


def scoring_seconds(model: Model, corpus: Corpus) -> float:
    """Return how long it may take to score one choice of vectors."""
    return float(_QUESTIONS * len(corpus.vocabulary) * model.dim * _SCORE / available_threads(model.threads))


def correction(measured: Iterable[tuple[float, float]]) -> float:
    """Return how much longer than estimated runs took; ``measured`` has estimates and times."""
    estimates, times = np.array(list(measured) or [(1.0, 1.0)]).sum(axis=0)
    return float(times / estimates) if estimates > 0 else 1.0


def _value(model: Model, name: str, default: Any) -> Any:
    return getattr(model, name, default)


def _window(model: Model) -> float:
    """Return the mean number of contexts of a token."""
    window = _value(model, "window", 5)
    random = model.name == "sgns" or _value(model, "window_kind", "") == "random"
    return float(window + 1 if random else 2 * window)


def _kept(model: Model, corpus: Corpus) -> float:
    """Return about how many tokens subsampling keeps."""
    counts = corpus.vocabulary.counts
    kept = model.keep_probabilities(counts) if isinstance(model, WindowParameters) else 1.0
    return float((counts * kept).sum())


def _cells(model: Model, corpus: Corpus) -> float:
    """Return about how many cells of the matrix are not empty: the more pairs, the more of them were seen before."""
    pairs = _kept(model, corpus) * _window(model)
    repeated = 0.96 if _value(model, "subsample", 0) else 0.9  # frequent words meet the same contexts again
    return float(min(len(corpus.vocabulary) ** 2, pairs**repeated))


_SCALE = 1000  # steps of the bar per estimated second


class Overall:
    """Shows the parts of an experiment in one stage; each part advances it by what it is estimated to take."""

    def __init__(
        self, progress: Progress, shown: Stage | None = None, costs: Mapping[str, float] | None = None
    ) -> None:
        self._progress, self._shown, self._costs = progress, shown, costs or {}
        self._done = 0.0  # steps, of which whole ones are shown
        self._told = 0

    @contextmanager
    def part(self, key: str, label: str, *, stages: int = 1) -> Iterator[Progress]:
        """Begin a part of so many stages; yields what the work in it reports to."""
        self._progress.note(label)
        if self._shown is None:
            yield self._progress
            return
        end = self._done + self._costs.get(key, 0.0) * _SCALE
        yield _Part(self, self._progress, label, end, (end - self._done) / max(1, stages))
        self.advance_to(end, label)

    def advance_to(self, steps: float, note: str) -> None:
        """Show that so much of everything is done."""
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

    def __init__(self, overall: Overall, progress: Progress, label: str, end: float, each: float) -> None:
        self._overall, self._progress, self._label, self._end, self._each = overall, progress, label, end, each

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Report something once, if it may be a mistake."""
        if level >= logging.WARNING:
            self._progress.note(text, level)

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:  # noqa: ARG002 (the protocol's)
        """Begin a stage of the part."""
        overall, end, each, label = self._overall, self._end, self._each, f"{self._label}, {name}"
        start, done = overall.done, 0

        class Shown:
            def advance(self, amount: int, note: str = "") -> None:  # noqa: ARG002 (the protocol's)
                nonlocal done
                done += amount
                share = min(1.0, done / total) if total else 0.0
                overall.advance_to(min(end, start + each * share), label)

        yield Shown()
        overall.advance_to(min(end, start + each), label)


@contextmanager
def overall(progress: Progress, name: str, costs: Mapping[str, float]) -> Iterator[Overall]:
    """Show work whose parts cost so many seconds, as estimated; the log shows every stage of every part instead."""
    if isinstance(progress, Logged):
        yield Overall(progress, None, costs)
        return
    with progress.stage(name, max(1, int(sum(costs.values()) * _SCALE)), "") as shown:
        yield Overall(progress, shown, costs)


def duration(seconds: float) -> str:
    """Return a rough time, such as "about 25 minutes"."""
    if seconds < 60:
        return "less than a minute"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} minutes"
    return f"about {seconds / 3600:.1f} hours"


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
