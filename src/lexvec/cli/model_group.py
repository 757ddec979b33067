"""Several models of one method, trained with different seeds, as a command's argument names them."""

import contextlib
import glob
import logging
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from ..errors import ArtefactError, InputError
from ..evaluation import Evaluation, Evaluator
from ..progress import Progress
from ..storage.meta import read_meta
from ..trained import Combine
from ..vectors import WordVectors
from .set_flags import ChosenSets


@dataclass(frozen=True)
class ModelGroup:
    """A model, or several of one method."""

    given: str
    models: list[str]

    @classmethod
    def parse(cls, *arguments: str) -> Self:
        """Return what arguments name: each is a model, a list separated by commas, or a pattern."""
        models = [model for argument in arguments for model in _named(argument)]
        places = [os.path.realpath(model) for model in models]
        if double := next(
            (model for model, place in zip(models, places, strict=True) if places.count(place) > 1), None
        ):
            raise InputError(
                f"{double!r:.200} is named twice: name each model once, or its spread would look too small"
            )
        return cls(" ".join(arguments), models)

    @property
    def name(self) -> str:
        """What the names of all models begin with, such as "sgns" for "sgns" and "sgns-seed-2"."""
        names = [Path(model).name for model in self.models]
        return names[0] if len(names) == 1 else os.path.commonprefix(names).rstrip("-_. ")  # noqa: RUF071 (of texts, not of paths)

    @property
    def places(self) -> set[str]:
        """Where the models are, however they are named."""
        return {os.path.realpath(model) for model in self.models}

    def evaluations(
        self, evaluator: Evaluator, chosen: ChosenSets, combine: Combine, progress: Progress
    ) -> list[Evaluation]:
        """Score each model; warn if they are not models of one method."""
        if mixed := _differing(self.models):
            what = f"the models of {self.given} differ in {', '.join(mixed)}, not only in their seeds"
            progress.note(f"warning: {what}: their spread is not that of one method", logging.WARNING)
        found = []
        for model in self.models:
            vectors = WordVectors.load(model, combine=combine, progress=progress)
            found.append(evaluator.evaluate(vectors, sets=chosen.names, data=chosen.data, progress=progress))
        return found


def _named(given: str) -> list[str]:
    """Return the models that an argument names: one, a list separated by commas, or what a pattern matches."""
    if not given.strip():
        raise InputError("the name of a model is empty: name a folder or a file of vectors")
    if os.path.exists(given):
        return [given]
    models: list[str] = []
    for part in filter(None, given.split(",")):
        found = [part]
        if glob.has_magic(part) and not os.path.exists(part):
            found = [match for match in sorted(glob.glob(part)) if not match.endswith(".run")]  # those are unfinished
        if not found:
            raise InputError(f"no model matches {part!r:.200}: name folders or files of vectors")
        models += found
    return models or [given]


def _differing(models: Sequence[str]) -> list[str]:
    """Return what models differ in other than the seed, as far as they are folders that record it."""
    records: list[dict[str, Any]] = []
    for model in models:
        with contextlib.suppress(ArtefactError):
            meta = read_meta(Path(model))
            text = meta["provenance"].get("ids_sha256")
            records.append({"model": meta["facts"].get("model"), "corpus": text, **meta["parameters"]})
    names = dict.fromkeys(name for record in records for name in record)
    return [name for name in names if name != "seed" and any(r.get(name) != records[0].get(name) for r in records)]
