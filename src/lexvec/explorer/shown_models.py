"""The models on a page, opened from what the command line names: vectors, trained models, experiments, runs under way.

A run is only read: its progress, loss and rate, and the vectors of its latest checkpoint, which are what
`WordVectors.load` gives of a finished model.
"""

import contextlib
import itertools
import json
import logging
import math
import os
import time
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..composition import Composition, OwnRow
from ..contexts import Contexts, recorded_contexts
from ..corpus import Corpus
from ..errors import ArtefactError, InputError, LexvecError, ParameterError, close_words
from ..lab import workspace as experiment
from ..models import MODELS
from ..models.checkpoints import PREFIX, Checkpoint, latest_checkpoint, saved_rows
from ..models.run import PROGRESS, RunFolder, Start
from ..models.window_model import SubwordParameters
from ..progress import ProgressLike
from ..storage.meta import read_meta
from ..trained import Combine, ModelFolder, Trained
from ..vectors import WordVectors
from ..vocabulary import Vocabulary

MOST_MODELS = 16
_STALE = 60.0  # seconds without news after which a run has probably been stopped
_KEPT = 2_000  # points of the loss curve
_LARGEST = 1 << 16  # bytes of progress.json
_NUMBERS = ("done", "seconds", "time", "epoch", "epochs", "loss", "rate")  # in it
_MANY = 100_000  # words with one prefix that are ranked
_log = logging.getLogger(__name__)
Record = dict[str, Any]
Losses = list[dict[str, float]]


class Suggestions:
    """The vocabulary sorted by its words without their case, so that a prefix is one range.

    >>> words = ["the", "Theatre", "cat", "them"]
    >>> suggestions = Suggestions(words, {word: row for row, word in enumerate(words)})
    >>> suggestions.beginning_with("THE", 2), suggestions.meant("cta", 1)
    (['the', 'Theatre'], ['cat'])
    """

    def __init__(self, words: Sequence[str], index: Mapping[str, int]) -> None:
        self._words, self._index = words, index

    @cached_property
    def _sorted(self) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.int64]]]:
        folded = [word.casefold() for word in self._words]
        order = sorted(range(len(folded)), key=folded.__getitem__)
        return [folded[row] for row in order], np.array(order, np.int64)

    def prepare(self) -> None:
        """Sort the words now, so that the first search need not wait."""
        self._sorted  # noqa: B018 (computed and kept)

    def beginning_with(self, text: str, count: int) -> list[str]:
        """Return the most frequent words that begin with a text, in any case; the word itself comes first."""
        prefix = text.strip().casefold()
        if not prefix:
            return []
        names, rows = self._sorted
        start = bisect_left(names, prefix)
        end = bisect_left(names, prefix + chr(0x10FFFF), lo=start)
        found = np.sort(rows[start : min(end, start + _MANY)])[: count + 1].tolist()
        own = self._index.get(text.strip())
        if own is not None:
            found = [own, *(row for row in found if row != own)]
        return [self._words[row] for row in found[:count]]

    def meant(self, text: str, count: int) -> list[str]:
        """Return words that were probably meant: another case first, then similar spellings."""
        return close_words(text.strip(), self._index, count)


class Content(NamedTuple):
    """What a model holds at one moment. It is replaced as a whole, so that an answer never mixes two."""

    vectors: WordVectors
    suggestions: Suggestions
    losses: Losses
    #: How often it was replaced; answers carry it, so that the page knows which are old.
    generation: int


class ShownModel:
    """A model on the page, addressed by its number; ``content`` is None until a run has its first checkpoint."""

    def __init__(self, name: str, content: Content | None, run: RunFolder | None = None) -> None:
        self.name, self.content, self.run = name, content, run

    def replace(self, vectors: WordVectors, losses: Losses) -> None:
        """Show other vectors from now on."""
        before, after = self.content, content_of(vectors, losses)
        if before is not None:
            # Checkpoints have the same words, which are sorted once.
            same = before.vectors.words == after.vectors.words
            suggestions = before.suggestions if same else after.suggestions
            after = after._replace(suggestions=suggestions, generation=before.generation + 1)
        self.content = after

    @property
    def ready(self) -> Content:
        """The content, or an error that says why there is none yet."""
        if self.content is None:
            raise InputError(f"{self.name} has no checkpoint yet: wait for the first one")
        return self.content


def content_of(vectors: WordVectors, losses: Losses, generation: int = 0) -> Content:
    """Return what the page needs of vectors. A row is a rank on it, so the most frequent words come first."""
    counts = vectors.counts
    if counts is not None and np.any(counts[1:] > counts[:-1]):
        vectors = vectors.subset([vectors.words[row] for row in np.argsort(-counts, kind="stable").tolist()])
    return Content(vectors, Suggestions(vectors.words, vectors.index), losses, generation)


def opened_models(
    paths: Sequence[Path], *, combine: Combine = "word", limit: int | None = None, progress: ProgressLike = None
) -> list[ShownModel]:
    """Open all that was named, in this order; an experiment stands for all its finished runs."""
    models: list[ShownModel] = []
    for path, name in zip(paths, _names(paths), strict=True):
        if experiment.is_experiment(path):
            finished = [run for run, state in experiment.summary(path)["runs"].items() if state == "finished"]
            if not finished:
                raise ArtefactError(f"{path} has no finished run yet: wait for one, or name the folder of a run")
            places = [(path / experiment.MODELS / run, run) for run in finished]
        else:
            places = [(path, name)]
        for place, called in places:
            run = run_at(place)
            if run:
                models.append(ShownModel(called, None, run))
            else:
                vectors = WordVectors.load(place, combine=combine, limit=limit, progress=progress)
                models.append(ShownModel(called, content_of(vectors, losses_of(place))))
    if len(models) > MOST_MODELS:
        raise ParameterError(f"{len(models)} models are too many for one page: give at most {MOST_MODELS}")
    return models


def run_at(path: Path) -> RunFolder | None:
    """Return the run in a folder DIR.run, also if only DIR is named and does not exist yet."""
    output = path.with_name(path.name.removesuffix(".run")) if path.name.endswith(".run") else path
    if path == output and os.path.exists(path):
        return None
    run = RunFolder(output) if output.name else None
    return run if run and (run.is_resumable or path.name.endswith(".run")) else None


def losses_of(path: Path) -> Losses:
    """Return the losses of a trained model; other vectors have none."""
    try:
        if read_meta(path)["format"] != f"lexvec-{ModelFolder.kind}":
            return []
    except ArtefactError:
        return []
    return ModelFolder.load(path).losses


class Watch:
    """Follows one run: `look` reads what has changed since the last time."""

    def __init__(self, model: ShownModel, combine: Combine) -> None:
        assert model.run is not None
        self._model, self._run, self._combine = model, model.run, combine
        self._checkpoint = ""
        self._reader: tuple[Start, CheckpointVectors] | None = None
        self._points: list[Record] = []
        self._parameters: Record = {}
        self.over = False
        self.state: Record = {"state": "waiting", "checkpoint": None, "points": []}

    def look(self) -> bool:
        """Read the folder of the run. Return whether anything has changed."""
        if self.over:
            return False
        before = json.dumps(self.state)
        with contextlib.suppress(OSError, LexvecError):  # files come and go while they are read: look again later
            self._look()
        return json.dumps(self.state) != before

    def _look(self) -> None:
        if self._run.path.exists() and self._run.is_resumable:
            start = self._run.start
            self._parameters = {"model": start.model, **start.parameters}
            self.state = {**self.state, "state": "running", **self._progress(), "parameters": self._parameters}
            self._take_checkpoint(start)
            return
        if self._run.output.exists():
            vectors = WordVectors.load(self._run.output, combine=self._combine)
            self._model.replace(vectors, losses_of(self._run.output))
            self.over = True
            self.state = {**self.state, "state": "finished", "done": 1.0, "epochs_done": self._losses_record()}
        elif self.state["state"] != "waiting":
            self.state = {**self.state, "state": "gone"}

    def _progress(self) -> Record:
        record = _read(self._run.path / PROGRESS)
        if not record:
            return {}
        epoch, epochs = int(record["epoch"]), int(record["epochs"])
        part = min(1.0, record["done"] / record["total"]) if record["total"] else 0.0
        done = (epoch - 1 + part) / epochs
        point = {"done": round(done, 5), "loss": round(record["loss"], 4)}
        if not self._points or self._points[-1] != point:
            self._points = [*self._points, point][-_KEPT:]
        return {
            "epoch": epoch,
            "epochs": epochs,
            "done": done,
            "loss": record["loss"],
            "rate": record["rate"],
            "speed": record["done"] / record["seconds"] if record["seconds"] > 0 else None,
            "unit": str(record["unit"]),
            "stale": time.time() - record["time"] > _STALE,
            "points": self._points,
        }

    def _take_checkpoint(self, start: Start) -> None:
        """Show the vectors of the latest checkpoint, if it is a new one."""
        newest = max((path.name for path in self._run.path.glob(f"{PREFIX}*")), default="")
        if not newest or newest == self._checkpoint:
            return
        checkpoint = latest_checkpoint(self._run.path)
        if checkpoint is None:
            return
        if self._reader is None or self._reader[0] != start:  # a run may be started again in the same folder
            self._reader = start, CheckpointVectors(self._run, start, self._combine)
        try:
            vectors = self._reader[1].read(checkpoint)
        except LexvecError as error:
            if not checkpoint.path.exists():
                return  # training has replaced it while it was read: the next look finds the newer one
            _log.debug("no vectors from %s: %s", checkpoint.path, error)
            self._checkpoint = newest
            self.state = {
                **self.state,
                "note": f"Neighbours follow when the run is finished: {error.for_command_line()}",
            }
            return
        losses: Losses = list(checkpoint.meta["facts"]["losses"])
        self._checkpoint = checkpoint.path.name
        self._model.replace(vectors, losses)
        self.state = {**self.state, "checkpoint": self._checkpoint, "epochs_done": self._losses_record()}

    def _losses_record(self) -> list[Record]:
        return [] if self._model.content is None else list(self._model.content.losses)


class CheckpointVectors:
    """Reads the checkpoints of one run; what all of them share (words, subwords, contexts) is read once."""

    def __init__(self, run: RunFolder, start: Start, combine: Combine) -> None:
        self._run, self._start, self._combine = run, start, combine

    def read(self, checkpoint: Checkpoint) -> WordVectors:
        """Return the vectors of a checkpoint, in memory: training removes its files."""
        W = saved_rows(checkpoint, "words", self._composition.rows)
        C = saved_rows(checkpoint, "contexts", len(self._contexts)) if self._combine != "word" else W[:0]
        trained = Trained(W, C, self._vocabulary, self._contexts, self._composition, self._corpus.normalisation)
        return WordVectors.of_rows(trained.rows(self._combine))

    @cached_property
    def _corpus(self) -> Corpus:
        return Corpus.load(self._start.corpus or self._run.path / "corpus")

    @property
    def _vocabulary(self) -> Vocabulary:
        return self._corpus.vocabulary

    @cached_property
    def _composition(self) -> Composition:
        model = MODELS[self._start.model].of(self._start.parameters)
        if isinstance(model, SubwordParameters):
            return model.composition_of(self._vocabulary)
        return OwnRow(self._vocabulary.words)

    @cached_property
    def _contexts(self) -> Contexts:
        given = self._start.parameters
        made = {"context_kind": given.get("contexts", "words"), "context_reach": given.get("window", 0)}
        facts = read_meta(Path(self._start.matrix))["facts"] if self._start.matrix else made
        return recorded_contexts(facts, self._vocabulary, self._run.path)


def _names(paths: Sequence[Path]) -> list[str]:
    """Return the last part of each path, or more of it where two would be the same."""
    short = [path.name or str(path) for path in paths]
    names = [name if short.count(name) == 1 else str(path) for name, path in zip(short, paths, strict=True)]
    numbers = itertools.count(2)
    for place, name in enumerate(names):
        if name in names[:place]:
            names[place] = f"{name} ({next(numbers)})"
    return names


def _read(path: Path) -> Record | None:
    """Return what a run reports of itself; None if it is not there, or not what we write."""
    try:
        with path.open("rb") as file:
            record = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or "unit" not in record:
        return None
    numbers = [record.get(name) for name in _NUMBERS]
    total = record.get("total")
    plain = all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)
    return record if plain and record["epochs"] >= 1 and (total is None or isinstance(total, int)) else None
