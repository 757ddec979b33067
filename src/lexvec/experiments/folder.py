"""The folder of an experiment: what it was started with, and which of its runs are finished.

It holds ``experiment.json`` (what the experiment was started with), the corpus if it had to be encoded, ``matrices/``
that runs share, ``models/`` with a folder for each run, ``scores/``, and ``times.json``, apart from all results.
"""

import fnmatch
import glob
import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..errors import ArtefactError
from ..storage import bounded
from ..storage.meta import checksum_of
from ..storage.outputs import check_apart, output_place, write_json

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

    One that has come to nothing but an encoded corpus may start again with other values, such as a smaller min_count.
    Nothing is removed: another corpus is encoded beside the first.
    """
    if is_experiment(folder) and not _has_results(folder):
        record = started_with(folder)
        encoded = record.get(ENCODED, _CORPUS)
        if any(record.get(name) != value for name, value in values.items()):
            digest = hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()
            encoded = f"{_CORPUS}-{digest[:8]}"
        # What else was recorded, such as an objective, may change, too.
        write_json(folder / EXPERIMENT, {"layout": LAYOUT, ENCODED: encoded, **values})
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
