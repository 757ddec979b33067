"""Training one model of an experiment: the only place here that knows how `lexvec.models` prepares and resumes runs."""

import hashlib
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..corpus import Corpus, CorpusBuilder
from ..errors import ArtefactError
from ..models import Model
from ..models.inputs import Inputs
from ..models.preparation import prepared
from ..models.run import RunFolder
from ..progress import Progress
from ..vectors.model import ModelFolder


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
    if inputs.text_path and inputs.text_path.is_file():
        described["size"] = inputs.text_path.stat().st_size
    return described


def encode(corpus: Any, builder: CorpusBuilder, folder: Path, progress: Progress) -> Corpus:
    """Return the encoded corpus; text is encoded into a folder, once."""
    return _inputs(corpus, builder).encode(folder, progress)


def _inputs(corpus: Any, builder: CorpusBuilder) -> Inputs:
    given = Inputs(corpus)
    return given if given.corpus_path else Inputs(corpus, builder)


def train(model: Model, corpus: Corpus, output: Path, matrices: Path, progress: Progress) -> tuple[Model, Times | None]:
    """Train a model into ``output``, resume it, or find it finished; return it, and how long that took.

    Models that learn from the same matrix share it in ``matrices``. A damaged model is trained again.
    """
    times: Times | None = None

    def fit(output: Path) -> ModelFolder:
        nonlocal times
        progress.note(f"{output.name}:")
        matrix = _matrix(model, corpus, matrices, progress)
        resume = RunFolder(output).is_resumable
        started = time.monotonic()
        model.fit(corpus, output, matrix=matrix, resume=resume, force=not resume, progress=progress)
        times = Times(time.monotonic() - started, resume)
        return ModelFolder.load(output)

    meta = prepared(output, ModelFolder, fit, progress).meta
    if (meta["facts"]["model"], meta["parameters"]) != (model.name, model.record()):
        raise ArtefactError(f"{output} has other parameters than the run {output.name}: choose another output")
    # A kill after the model was written and before its checkpoints were removed leaves these for good.
    RunFolder(output).remove_finished()
    return Model.load(output), times


def _matrix(model: Model, corpus: Corpus, matrices: Path, progress: Progress) -> Any:
    """Return the matrix that a model learns from, if any, made once for all models with the same recipe."""
    recipe = model.recipe
    if recipe is None:
        return None
    record = recipe.record()
    digest = hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:8]
    name = f"{record.get('measure', 'counts')}-{record['window_kind']}-{record['window']}-{digest}"
    return recipe.make(corpus, matrices / name, progress)
