"""Training one model of an experiment: the only place here that knows how `lexvec.models` prepares and resumes runs."""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..association import Association
from ..cooccurrence import Cooccurrence
from ..corpus import Corpus, CorpusBuilder
from ..corpus.inputs import fingerprint, text_inputs
from ..errors import ArtefactError
from ..models import Model
from ..models.inputs import Inputs
from ..models.preparation import prepared
from ..models.recipe import Recipe
from ..models.run import RunFolder
from ..progress import Progress
from ..storage.meta import read_meta
from ..trained import ModelFolder
from .folder import RUN_NAME, encoded_corpus


@dataclass(frozen=True)
class Times:
    """How long a run took."""

    #: Seconds of training; for a resumed run, only those since it was resumed.
    training: float
    #: Whether the run was interrupted and resumed.
    resumed: bool = False


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


def encode(corpus: Any, builder: CorpusBuilder, folder: Path, progress: Progress) -> Corpus:
    """Return the encoded corpus of an experiment; text is encoded once."""
    return _inputs(corpus, builder).encode(encoded_corpus(folder), progress)


def _inputs(corpus: Any, builder: CorpusBuilder) -> Inputs:
    given = Inputs(corpus)
    return given if given.corpus_path else Inputs(corpus, builder)


def place_for(name: str, model: Model, models: Path, taken: Collection[Path] = ()) -> Path:
    """Return the folder of a run: where a model with the same parameters is, or was begun; otherwise a free one.

    Those that are ``taken`` are for other runs that are not begun yet.

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


def train(model: Model, corpus: Corpus, output: Path, matrices: Path, progress: Progress) -> tuple[Model, Times | None]:
    """Train a model into ``output``, resume it, or find it finished; return it, and how long that took.

    Models that learn from the same matrix share it in ``matrices``. A damaged model is trained again.
    """
    times: Times | None = None

    def fit(output: Path) -> ModelFolder:
        nonlocal times
        matrix = matrix_for(model, corpus, matrices, progress)
        resume = RunFolder(output).is_resumable
        started = time.monotonic()
        model.fit(corpus, output, matrix=matrix, resume=resume, force=not resume, progress=progress)
        times = Times(time.monotonic() - started, resume)
        return ModelFolder.load(output)

    prepared(output, ModelFolder, fit, progress)
    # A kill after the model was written and before its checkpoints were removed leaves these for good.
    RunFolder(output).remove_finished()
    return Model.load(output), times


def matrix_for(model: Model, corpus: Corpus, matrices: Path, progress: Progress) -> Any:
    """Return the matrix that a model learns from, if any, made once for all models with the same recipe."""
    recipe = model.recipe
    if recipe is None:
        return None
    counter, associator, record = recipe.counter, recipe.associator, _counting(recipe)
    window = f"{record['window_kind']}-{record['window']}"
    place = matrices / f"counts-{window}-{digest_of(record)}"
    counts: Any = prepared(place, Cooccurrence, lambda to: counter.count(corpus, to, progress=progress), progress)
    if associator is None:
        return counts
    record |= associator.record()
    place = matrices / f"{record['measure']}-{window}-{digest_of(record)}"
    return prepared(place, Association, lambda to: associator.associate(counts, to, progress=progress), progress)


def matrix_key(model: Model) -> str | None:
    """Return what runs with the same matrix have in common; None for a model that learns from none."""
    recipe = model.recipe
    if recipe is None:
        return None
    return digest_of(_counting(recipe) | (recipe.associator.record() if recipe.associator else {}))


def _counting(recipe: Recipe) -> dict[str, Any]:
    """Return what decides the counts; the seed does not where nothing is drawn, so that all seeds share them."""
    record = recipe.counter.record()
    drawn = record["subsample"] or record["window_kind"] == "random"
    return {name: value for name, value in record.items() if drawn or name != "seed"}


def digest_of(record: Any) -> str:
    """Return a short digest of what JSON can hold, the same for equal records."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:8]
