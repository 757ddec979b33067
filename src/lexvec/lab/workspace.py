"""The folder that an experiment works in: held by one process, and found again by the same call.

It holds ``experiment.json`` (what the experiment was started with), the corpus if it had to be encoded, ``matrices/``
that runs share, ``models/`` with a folder for each run, and reports. `Runner` adds ``scores/`` and ``times.json``,
apart from all results; `Tuner` adds ``sets/`` and its trials; `Stability` adds ``runs/``.
"""

import contextlib
import fnmatch
import glob
import hashlib
import json
import math
import os
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, Self

from .._version import __version__
from ..association import Association
from ..cooccurrence import Cooccurrence
from ..corpus import Corpus, CorpusBuilder
from ..corpus.inputs import fingerprint, text_inputs
from ..errors import ArtefactError, InputError
from ..models import Model
from ..models.inputs import Inputs, digest_of, prepared
from ..models.run import RunFolder
from ..presentation import svg
from ..presentation.render import html_page
from ..progress import Progress
from ..storage import bounded
from ..storage.atomic import locked, remove_abandoned
from ..storage.files import STDIN
from ..storage.meta import checksum_of, read_meta
from ..storage.outputs import check_apart, output_place, write_json, write_text
from ..trained import ModelFolder

#: Changes when folders of earlier versions cannot be used any more.
LAYOUT = 2
#: The name of the folder of the encoded corpus, in the record of an experiment, if it is not the usual one.
ENCODED = "encoded"
EXPERIMENT, TIMES, LOCK = "experiment.json", "times.json", ".lock"
MODELS, SCORES, MATRICES, SETS = "models", "scores", "matrices", "sets"
#: Names of runs, which are names of folders, too.
RUN_NAME = re.compile(r"\w[\w.-]*")
#: How the runs of further seeds end; the first has the plain name.
SEED_SUFFIX = re.compile(r"-seed-\d+$")
_CORPUS = "corpus"
_SEAL = "sha256"  # of what else is in a file of results
_CORPUS_NAME = re.compile(f"{_CORPUS}(-[0-9a-f]{{8}})?")
_PLURALS = {
    "fixed": "other fixed parameters",
    **{name: f"other {name}" for name in ("parameters", "words", "neighbors", "sets")},
}
_NAMED = 4  # values that differ, in an error
_REPORTS = ("report.md", "report.tex", "report.html", "report.json")


@dataclass(frozen=True)
class Times:
    """How long a run took."""

    #: Seconds of training; for a resumed run, only those since it was resumed.
    training: float
    #: Whether the run was interrupted and resumed.
    resumed: bool = False


@dataclass(frozen=True)
class Workspace:
    """The folder of an experiment, and its encoded corpus."""

    folder: Path
    corpus: Corpus

    @classmethod
    @contextlib.contextmanager
    def held(
        cls,
        folder: Path,
        corpus: Any,
        builder: CorpusBuilder,
        progress: Progress,
        *,
        command: str | None = None,
        fixed: Mapping[str, Any] | None = None,
    ) -> Iterator[Self]:
        """Hold a folder for this process: begin there, or resume what was started with the same corpus and values.

        ``command`` is what the folder is for (None: the tables of a paper), and ``fixed`` are more values that must not
        change.
        """
        if corpus == STDIN:
            raise InputError("an experiment may read its text again: encode standard input with lexvec corpus first")
        described = describe_corpus(corpus, builder)
        check_folder(folder, described["corpus"], command)
        folder.mkdir(parents=True, exist_ok=True)
        with locked(folder / LOCK, f"another experiment is running in {folder}: choose another output"):
            remove_abandoned(folder)
            begin(folder, {**({"command": command} if command else {}), **described, **(fixed or {})})
            encoded = _inputs(corpus, builder).encode(encoded_corpus(folder), progress)
            pin(folder, {"content": encoded.meta["files"]})
            yield cls(folder, encoded)

    def matrix(self, model: Model, progress: Progress) -> Cooccurrence | Association | None:
        """Return the matrix that a model learns from, if any, made once for all models with the same recipe."""
        recipe = model.recipe
        return recipe.make(self.corpus, self.folder / MATRICES, progress, shared=True) if recipe else None

    def train(self, model: Model, output: Path, progress: Progress) -> tuple[Model, Times | None]:
        """Train a model into ``output``, resume it, or find it finished; return it, and how long that took.

        Models that learn from the same matrix share it. A damaged model is trained again.
        """
        times: Times | None = None

        def fit(output: Path) -> ModelFolder:
            nonlocal times
            matrix = self.matrix(model, progress)
            resume = RunFolder(output).is_resumable
            started = time.monotonic()
            model.fit(self.corpus, output, matrix=matrix, resume=resume, force=not resume, progress=progress)
            times = Times(time.monotonic() - started, resume)
            return ModelFolder.load(output)

        prepared(output, ModelFolder, fit, progress)
        # A kill after the model was written and before its checkpoints were removed leaves these for good.
        RunFolder(output).remove_finished()
        return Model.load(output), times


def is_experiment(folder: Path) -> bool:
    """Return whether an experiment was started in a folder."""
    return os.path.isfile(folder / EXPERIMENT)


def check_folder(folder: Path, corpus: str, command: str | None = None) -> None:
    """Raise an error if a folder overlaps the corpus, or holds anything but an experiment of this command.

    Tables of a paper have no command.
    """
    place = output_place(folder)
    check_apart(place, [corpus] if os.path.exists(corpus) else [])
    if glob.has_magic(corpus) and not os.path.exists(corpus) and _would_match(corpus, place):
        raise ArtefactError(f"the output {place} would match the input {corpus}: choose another output")
    if is_experiment(folder) and started_with(folder).get("command") != command:
        raise ArtefactError(f"{folder} holds another experiment: choose another output")
    if not folder.exists() or is_experiment(folder):
        return
    ours = (LOCK, f".{EXPERIMENT}")  # the second is what a kill in the first moment leaves
    if not folder.is_dir() or not all(path.name.startswith(ours) for path in folder.iterdir()):
        raise ArtefactError(f"{folder} holds something else: choose another output")


def _would_match(pattern: str, place: Path) -> bool:
    """Return whether a pattern of input files would find what is written to a folder."""
    before, deep, _ = pattern.partition("**")
    if deep:  # all folders below one
        return place.is_relative_to(Path(f"{before}any").parent)
    return fnmatch.fnmatch(str(place), pattern)


def begin(folder: Path, values: Mapping[str, Any]) -> None:
    """Record what an experiment starts with, or make sure that it is the same.

    An experiment with no results yet may restart with other values, such as a smaller min_count.
    Nothing is removed: another corpus is encoded beside the first.
    """
    if is_experiment(folder) and not _has_results(folder):
        record = started_with(folder)
        encoded = record.get(ENCODED, _CORPUS)
        if any(record.get(name) != value for name, value in values.items()):
            digest = hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()
            encoded = f"{_CORPUS}-{digest[:8]}"
        # What else was recorded, such as an objective, may change, too.
        named = {} if encoded == _CORPUS else {ENCODED: encoded}
        write_json(folder / EXPERIMENT, {"layout": LAYOUT, **named, **values})
    pin(folder, values)


def encoded_corpus(folder: Path) -> Path:
    """Return where an experiment keeps its encoded corpus, if it had to be encoded."""
    name = started_with(folder).get(ENCODED, _CORPUS)
    if not isinstance(name, str) or not _CORPUS_NAME.fullmatch(name):  # it must not lead out of the folder
        raise ArtefactError(f"{folder / EXPERIMENT} is damaged: restore it, or choose another output")
    return folder / name


def _has_results(folder: Path) -> bool:
    names = [path.name for path in folder.iterdir()]
    return any(not name.startswith((".", _CORPUS)) and name not in (EXPERIMENT, SETS) for name in names)


def pin(folder: Path, values: Mapping[str, Any]) -> None:
    """Record what the experiment was started with, or make sure that it is the same."""
    record = started_with(folder) if is_experiment(folder) else {"layout": LAYOUT}
    for name, value in values.items():
        known = record.setdefault(name, value)
        if known != value:
            raise ArtefactError(f"{folder} was started with {_other(name, known, value)}: choose another output")
    write_json(folder / EXPERIMENT, record)


def _other(name: str, known: Any, value: Any) -> str:
    """Return what an experiment was started with instead, and which of several values differ."""
    if name in ("text", "content"):
        return "other text"
    what = _PLURALS.get(name, f"another {name}")
    if not isinstance(known, dict) or not isinstance(value, dict):
        return what
    differing = sorted(key for key in {*known, *value} if known.get(key) != value.get(key))
    listed = f"{', '.join(differing[:_NAMED])}{', …' if len(differing) > _NAMED else ''}"
    return f"another {listed}" if name == "builder" else f"{what} ({listed})"


def started_with(folder: Path) -> dict[str, Any]:
    """Return what the experiment was started with."""
    record = read_record(folder / EXPERIMENT)
    if record is None:
        raise ArtefactError(f"{folder / EXPERIMENT} is damaged: restore it, or choose another output")
    if record.get("layout") != LAYOUT:
        raise ArtefactError(f"{folder} is an experiment of another version of lexvec: choose another output")
    return record


def read_record(path: Path) -> dict[str, Any] | None:
    """Return the content of a JSON file of ours, or None if it is missing or damaged, so that it is rebuilt."""
    try:
        record = json.loads(bounded.read_record(path))
    except (OSError, ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def write_sealed(path: Path, record: Mapping[str, Any]) -> None:
    """Write a JSON file of results with a checksum of itself."""
    write_json(path, {**record, _SEAL: checksum_of(record)})


def read_sealed(path: Path) -> dict[str, Any] | None:
    """Return the content of a file of results, or None if it is missing, damaged or edited, so that it is rebuilt."""
    record = read_record(path)
    seal = record.pop(_SEAL, None) if record else None
    return record if record and seal == checksum_of(record) else None


def write_report(folder: Path, texts: Mapping[str, str], record: Any) -> list[Path]:
    """Write texts by the names of their files, and ``report.json``; return the paths."""
    for name, text in texts.items():
        write_text(folder / name, text)
    write_json(folder / "report.json", record)
    return [folder / name for name in (*texts, "report.json")]


def without_nan(value: Any) -> Any:
    """Return a value with None for NaN, all the way down."""
    if isinstance(value, dict):
        return {name: without_nan(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [without_nan(inner) for inner in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def report_page(title: str, about: Sequence[str], sections: Mapping[str, str]) -> str:
    """Return a page that needs no other file: paragraphs, and those sections that have any content."""
    head = "\n".join([f"<h1>{escape(title)}</h1>", *(f"<p>{escape(line)}</p>" for line in about)])
    body = "\n".join(
        f"<section><h2>{escape(name)}</h2>\n{content}</section>" for name, content in sections.items() if content
    )
    style = f"{svg.STYLE}section{{overflow-x:auto}}"
    return html_page(title, f"{head}\n{body}\n<p>Made by lexvec {__version__}.</p>", style)


def summary(folder: Path) -> dict[str, Any]:
    """Return what ``lexvec info`` shows of an experiment."""
    record = started_with(folder)
    for name in ("text", "content", "layout", ENCODED):  # checksums, and what only lexvec needs
        record.pop(name, None)
    places = sorted((folder / MODELS).iterdir()) if (folder / MODELS).is_dir() else []
    runs = {path.name: "finished" for path in places if path.is_dir() and RUN_NAME.fullmatch(path.name)}
    for name in [name for name in runs if name.endswith(".run")]:
        del runs[name]
        runs.setdefault(name.removesuffix(".run"), "not finished")
    return {"started_with": record, "runs": runs, "reports": [name for name in _REPORTS if (folder / name).is_file()]}


def describe_corpus(corpus: Any, builder: CorpusBuilder) -> dict[str, Any]:
    """Return what identifies a corpus or text, after checking that it can be read."""
    inputs = _inputs(corpus, builder)
    inputs.check(None)
    described: dict[str, Any] = {"corpus": str(inputs.corpus_path or inputs.text_path), "builder": builder.record()}
    if inputs.text_path:
        described["text"] = fingerprint(text_inputs(inputs.text_path))
    elif not inputs.corpus_path and iter(corpus) is not corpus:  # an iterator can be read only once
        described["text"] = fingerprint(text_inputs(corpus))
    return described


def _inputs(corpus: Any, builder: CorpusBuilder) -> Inputs:
    given = Inputs(corpus)
    return given if given.corpus_path else Inputs(corpus, builder)


def place_for(name: str, model: Model, models: Path, taken: Collection[Path] = ()) -> Path:
    """Return the folder of a run: where a model with the same parameters is, or was begun; otherwise a free one.

    ``taken`` are the folders of other runs, some of which are not begun yet.

    Runs are found by their parameters, whatever they are called. So a change to one run, or to the seed, leaves all
    others as they are, and nothing is overwritten.
    """
    wanted = (model.name, model.record())
    for path in sorted(models.iterdir()) if models.is_dir() else []:
        if RUN_NAME.fullmatch(path.name) and _begun_with(models / path.name.removesuffix(".run")) == wanted:
            return models / path.name.removesuffix(".run")

    def is_free(place: Path) -> bool:  # also one that cannot be read: it is damaged, and is rebuilt in its place
        return place not in taken and _begun_with(place) is None

    plain, with_seed = models / name, models / f"{name}-seed-{model.seed}"
    there = _begun_with(plain)
    if is_free(plain):
        return plain
    only_the_seed = there == (model.name, {**model.record(), "seed": there[1].get("seed")}) if there else False
    return with_seed if only_the_seed and is_free(with_seed) else models / f"{name}-{digest_of([*wanted])}"


def is_finished(path: Path) -> bool:
    """Return whether a model is in its folder, by its description."""
    return os.path.isfile(path / "meta.json")


def _begun_with(path: Path) -> tuple[str, dict[str, Any]] | None:
    """Return the model and parameters that a folder holds or was begun with; None if there is nothing to read."""
    with contextlib.suppress(ArtefactError):
        meta = read_meta(path)
        return meta["facts"].get("model"), meta["parameters"]
    with contextlib.suppress(ArtefactError):
        start = RunFolder(path).start
        return start.model, start.parameters
    return None
