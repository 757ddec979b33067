"""Runs named models on one corpus in a folder, and scores them: for the tables of a paper, a search, or several seeds.

Whatever is in the folder is not computed again, so the same call resumes after an interruption: an interrupted run
continues from its checkpoint, and what is damaged is rebuilt.
"""

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, get_args

from ..corpus import Corpus, CorpusBuilder
from ..errors import Given, InputError, ParameterError
from ..evaluation import evaluate
from ..evaluation.finding import gather
from ..models import Model
from ..progress import Progress, ProgressLike, resolved
from ..storage.artefact import locked
from ..storage.files import STDIN, write_json
from ..vectors.model import Combine, ModelFolder
from .folder import LOCK, MATRICES, MODELS, RUN_NAME, SCORES, TIMES, check_folder, pin, read_record
from .training import Times, describe_corpus, encode, train


class Scores:
    """The scores of one set of vectors, by the name of the test set and the measure."""

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        self._scores = {(score["name"], score["measure"]): score for score in record["scores"]}

    def __getitem__(self, which: tuple[str, str]) -> dict[str, float]:
        """Return ``value``, ``low``, ``high``, ``covered`` and ``total``; NaN where there is no score."""
        none = dict.fromkeys(("value", "low", "high", "covered", "total"), math.nan)
        found = self._scores.get(which, {})
        return {name: missing if found.get(name) is None else found[name] for name, missing in none.items()}


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
        for choice in {each for run in self.models for each in self._scored(run)}:
            if choice not in get_args(Combine):
                raise ParameterError(Given("combine", choice), f": it must be one of {', '.join(get_args(Combine))}")

    def _scored(self, run: str) -> Sequence[Combine]:
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
        found = gather(sets, data)[0] if any(map(self._scored, self.models)) else []
        digests = {each.key: each.sha256 for each in found}
        check_folder(self.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder / LOCK, f"another experiment is running in {self.folder}: choose another output"):
            for name, value in {**described, **self.fixed}.items():
                pin(self.folder, name, value)
            encoded = encode(corpus, self.builder, self.folder, progress)
            pin(self.folder, "content", encoded.meta["files"])
            trained = {run: self._trained(run, encoded, progress) for run in self.models}
            scores = {
                run: {
                    which: self._scores(run, which, trained[run], digests, sets=sets, data=data, progress=progress)
                    for which in self._scored(run)
                }
                for run in self.models
            }
        times = self._times()
        runs = {
            run: RunResult(parameters=model.record(), losses=model.losses_, scores=scores[run], times=times.get(run))
            for run, model in trained.items()
        }
        return Results(encoded, runs)

    def _trained(self, run: str, corpus: Corpus, progress: Progress) -> Model:
        output = self.folder / MODELS / run
        model, times = train(self.models[run], corpus, output, self.folder / MATRICES, progress)
        if times is not None:
            known = {name: vars(value) for name, value in self._times().items()}
            write_json(self.folder / TIMES, {**known, run: vars(times)})
        return model

    def _times(self) -> dict[str, Times]:
        found = read_record(self.folder / TIMES) or {}
        names = [each.name for each in fields(Times)]
        return {run: Times(**times) for run, times in found.items() if isinstance(times, dict) and list(times) == names}

    def _scores(
        self,
        run: str,
        which: Combine,
        model: Model,
        digests: dict[str, str],
        *,
        sets: Any,
        data: Any,
        progress: Progress,
    ) -> Scores:
        """Return the scores of a run's vectors; they are found again for the same vectors and test sets."""
        path = self.folder / SCORES / f"{run}-{which}.json"
        about = {"vectors": ModelFolder.load(self.folder / MODELS / run).meta["files"], "sets": digests}
        found = read_record(path)
        if found and _is_whole(found) and all(found.get(name) == value for name, value in about.items()):
            return Scores(found)
        progress.note(f"scoring {run} ({which})")
        scores = evaluate(model.vectors(which), sets=sets, data=data, threads=model.threads, progress=progress)
        path.parent.mkdir(exist_ok=True)
        write_json(path, {**scores.as_dict(), **about})
        return Scores(scores.as_dict())


def _is_whole(record: dict[str, Any]) -> bool:
    """Whether a file of scores holds what a report reads from it; otherwise the vectors are scored again."""
    scores, missing = record.get("scores"), record.get("missing")
    if not isinstance(scores, list) or not isinstance(missing, list):
        return False
    figures = ("value", "low", "high", "covered", "total")
    return all(
        isinstance(score, dict)
        and isinstance(score.get("name"), str)
        and isinstance(score.get("measure"), str)
        and all(isinstance(score.get(name), int | float | None) for name in figures)
        for score in scores
    )
