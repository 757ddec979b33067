"""Runs all models of an experiment on one corpus, each once, and scores them.

The folder of an experiment holds ``experiment.json`` (what it was started with), the corpus if it had to be encoded,
``matrices/`` that runs share, ``models/`` with a folder for each run, ``scores/`` and ``times.json``. Whatever is there
is not done again, so the same command goes on after anything; a run that was killed goes on from its checkpoint, and
what is damaged is made anew.
"""

import hashlib
import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from ..corpus import Corpus
from ..errors import ArtefactError, InputError
from ..evaluation import evaluate
from ..evaluation.finding import gather
from ..models import Model
from ..models.inputs import Inputs
from ..models.preparation import prepared
from ..models.recipe import Recipe
from ..models.run import RunFolder
from ..progress import Progress, ProgressLike, resolved
from ..storage.artefact import locked
from ..storage.files import STDIN, write_json
from ..vectors.model import ModelFolder
from .preset import Preset, Row

_EXPERIMENT, _TIMES, _LOCK = "experiment.json", "times.json", ".lock"


class Scores:
    """The scores of a row, by the name of the set and the measure."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self._scores = {(score["name"], score["measure"]): score for score in record["scores"]}

    def __getitem__(self, which: tuple[str, str]) -> dict[str, float]:
        """``value``, ``low``, ``high``, ``covered`` and ``total``; NaN where there is nothing."""
        none = dict.fromkeys(("value", "low", "high", "covered", "total"), math.nan)
        found = self._scores.get(which, {})
        return {name: missing if found.get(name) is None else found[name] for name, missing in none.items()}


@dataclass(frozen=True)
class Outcome:
    """What came out of a row of the table."""

    #: The row.
    row: Row
    #: Its scores.
    scores: Scores


@dataclass(frozen=True)
class Times:
    """How long a run took."""

    #: Seconds of training; what was done before it was killed is not in them.
    training: float
    #: Whether it was killed, and gone on with.
    resumed: bool = False


@dataclass(frozen=True)
class Outcomes:
    """All that came out of an experiment."""

    #: The experiment.
    preset: Preset
    #: The encoded corpus.
    corpus: Corpus
    #: What came out, row by row.
    rows: list[Outcome]
    #: By run, the losses of each epoch.
    losses: dict[str, list[dict[str, float]]]
    #: By run, how long it took.
    times: dict[str, Times]
    #: By run, all parameters of the model.
    parameters: dict[str, dict[str, Any]]


@dataclass
class Grid:
    """An experiment on a corpus, in a folder.

    >>> import tempfile
    >>> from lexvec import InputError
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     grid = Grid(Preset.load("small").only(("ppmi-svd",)), Path(folder, "tables"), effort={"threads": 1})
    ...     try:
    ...         grid.run("-")
    ...     except InputError as error:
    ...         print(error)
    an experiment may read its text again: encode standard input with lexvec corpus first
    """

    #: What to do.
    preset: Preset
    #: Where; it holds all that is made.
    folder: Path
    #: Threads and memory, which change no result.
    effort: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    #: Of all random numbers.
    seed: int = field(default=1, kw_only=True)

    def run(self, corpus: Any, *, data: Any = None, progress: ProgressLike = None) -> Outcomes:
        """Do all that is not done yet. ``data`` is where the evaluation sets are."""
        progress = resolved(progress, __name__)
        if corpus == STDIN:
            raise InputError("an experiment may read its text again: encode standard input with lexvec corpus first")
        inputs = Inputs(corpus)
        if not inputs.corpus_path:
            inputs = Inputs(corpus, self.preset.builder())
        inputs.check(None)
        found, _ = gather(None, data)  # that there is nothing to score with is to be told before anything is trained
        sets = {each.key: each.sha256 for each in found}
        self._check_folder()
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder / _LOCK, f"another experiment is running in {self.folder}: choose another output"):
            self._begin(inputs)
            encoded = inputs.encode(self.folder, progress)
            self._pin("content", encoded.meta["files"])
            models = {run: self._trained(run, encoded, progress) for run in self.preset.runs}
            rows = [Outcome(row, self._scored(row, models[row.run], sets, data, progress)) for row in self.preset.rows]
        losses = {run: model.losses_ for run, model in models.items()}
        parameters = {run: model.record() for run, model in models.items()}
        return Outcomes(self.preset, encoded, rows, losses, self._times(), parameters)

    def _check_folder(self) -> None:
        if self.folder.exists() and not (self.folder / _EXPERIMENT).exists():
            ours = (_LOCK, f".{_EXPERIMENT}")  # the second is what a kill in the first moment leaves
            if not all(path.name.startswith(ours) for path in self.folder.iterdir()):
                raise ArtefactError(f"{self.folder} holds something else: choose another output")

    def _begin(self, inputs: Inputs) -> None:
        """Write down what the experiment is started with, or make sure that it is the same."""
        self._pin("corpus", str(inputs.corpus_path or inputs.text_path))
        self._pin("builder", self.preset.builder().record())
        self._pin("seed", self.seed)
        if inputs.text_path and inputs.text_path.is_file():
            self._pin("size", inputs.text_path.stat().st_size)

    def _pin(self, name: str, value: Any) -> None:
        path = self.folder / _EXPERIMENT
        record = _found(path)
        if record is None and path.exists():
            raise ArtefactError(f"{path} is damaged: restore it, or choose another output")
        record = record or {}
        if record.setdefault(name, value) != value:
            what = f"text of another {name}" if name in ("size", "content") else f"another {name}"
            raise ArtefactError(f"{self.folder} was started with {what}: choose another output")
        write_json(path, record)

    def _trained(self, run: str, corpus: Corpus, progress: Progress) -> Model:
        """The model of a run: trained, gone on with, or found finished."""
        model = self.preset.model(run, seed=self.seed, **self.effort)
        folder = self.folder / "models" / run

        def train(output: Path) -> ModelFolder:
            progress.note(f"{run}:")
            matrix = self._matrix(model.recipe, corpus, progress)
            resume = RunFolder(output).is_resumable
            started = time.monotonic()
            model.fit(corpus, output, matrix=matrix, resume=resume, force=not resume, progress=progress)
            times = {name: vars(value) for name, value in self._times().items()}
            write_json(self.folder / _TIMES, {**times, run: vars(Times(time.monotonic() - started, resume))})
            return ModelFolder.load(output)

        meta = prepared(folder, ModelFolder, train, progress).meta
        if (meta["facts"]["model"], meta["parameters"]) != (model.name, model.record()):
            raise ArtefactError(f"{folder} has other parameters than {run} in this preset: choose another output")
        return Model.load(folder)

    def _matrix(self, recipe: Recipe | None, corpus: Corpus, progress: Progress) -> Any:
        """The matrix of a recipe, shared by all runs that have it."""
        if recipe is None:
            return None
        record = recipe.record()
        digest = hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:8]
        name = f"{record.get('measure', 'counts')}-{record['window_kind']}-{record['window']}-{digest}"
        return recipe.make(corpus, self.folder / "matrices" / name, progress)

    def _times(self) -> dict[str, Times]:
        found = _found(self.folder / _TIMES) or {}
        names = [each.name for each in fields(Times)]
        return {run: Times(**times) for run, times in found.items() if isinstance(times, dict) and list(times) == names}

    def _scored(self, row: Row, model: Model, sets: dict[str, str], data: Any, progress: Progress) -> Scores:
        """The scores of a row; found again if they are of the same vectors, on the same sets."""
        path = self.folder / "scores" / f"{row.run}-{row.combine}.json"
        about = {"vectors": ModelFolder.load(self.folder / "models" / row.run).meta["files"], "sets": sets}
        found = _found(path)
        if found and all(found.get(name) == value for name, value in about.items()):
            return Scores(found)
        progress.note(f"scoring {row.label}")
        vectors, threads = model.vectors(row.combine), self.effort.get("threads")
        scores = evaluate(vectors, data=data, threads=threads, progress=progress).as_dict()
        path.parent.mkdir(exist_ok=True)
        write_json(path, {**scores, **about})
        return Scores(scores)


def _found(path: Path) -> dict[str, Any] | None:
    """What a file of ours says, or None if it is not there or not whole: it is written anew then."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) else None
