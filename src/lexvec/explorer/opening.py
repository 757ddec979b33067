"""What the command line names, opened: vectors in any format, trained models, runs under way, experiments."""

import itertools
import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..errors import ArtefactError, InputError, ParameterError
from ..lab.workspace import MODELS, is_experiment, summary
from ..models.run import RunFolder
from ..progress import ProgressLike
from ..storage.artefact import read_meta
from ..trained import Combine, ModelFolder
from ..vectors import WordVectors
from .suggestions import Suggestions

MOST_MODELS = 16
Losses = list[dict[str, float]]


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
        if is_experiment(path):
            finished = [run for run, state in summary(path)["runs"].items() if state == "finished"]
            if not finished:
                raise ArtefactError(f"{path} has no finished run yet: wait for one, or name the folder of a run")
            places = [(path / MODELS / run, run) for run in finished]
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


def _names(paths: Sequence[Path]) -> list[str]:
    """Return the last part of each path, or more of it where two would be the same."""
    short = [path.name or str(path) for path in paths]
    names = [name if short.count(name) == 1 else str(path) for name, path in zip(short, paths, strict=True)]
    numbers = itertools.count(2)
    for place, name in enumerate(names):
        if name in names[:place]:
            names[place] = f"{name} ({next(numbers)})"
    return names
