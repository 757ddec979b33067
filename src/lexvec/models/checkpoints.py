"""Checkpoints of a model in training, so that it can resume after anything, to the same bits."""

import contextlib
import logging
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.rows import PartedArray
from ..engine.schedule import State
from ..errors import ArtefactError, Given
from ..progress import Progress
from ..storage.artefact import Artefact, ArtefactWriter

_log = logging.getLogger(__name__)

PREFIX = "checkpoint-"


class Checkpoint(Artefact):
    """The arrays of a model in training, part after part, and how far it is."""

    kind = "checkpoint"


class Checkpoints:
    """The checkpoints in the folder of a run; ``parameters`` are those of the model."""

    def __init__(self, folder: Path, parameters: dict[str, Any]) -> None:
        self._folder, self._parameters = folder, parameters

    def save(self, state: State, arrays: dict[str, PartedArray]) -> None:
        """Make a checkpoint, and then remove the one before."""
        path = self._folder / f"{PREFIX}{state.epoch:06}-{state.unit:09}"
        if path.exists():
            shutil.rmtree(path)  # it is damaged: otherwise training would have resumed after it
        older = sorted(self._folder.glob(f"{PREFIX}*"))
        with ArtefactWriter(path, Checkpoint.kind) as out:
            for name, array in arrays.items():
                writer = out.array(name, np.float32)
                for part in array.parts:
                    writer.append(part.reshape(-1))
            parts = {name: len(array.parts) for name, array in arrays.items()}
            out.seal(self._parameters, {**state.record(), "parts": parts}, {})
            _log.debug("checkpoint after %d epochs and %d units: %s", state.epoch, state.unit, out.path)
        for other in older:
            shutil.rmtree(other)

    def restore(self, arrays: dict[str, PartedArray], progress: Progress) -> State:
        """Fill the arrays from the latest checkpoint that is whole; without one, start at the beginning."""
        for path in sorted(self._folder.glob(f"{PREFIX}*"), reverse=True):
            try:
                checkpoint = Checkpoint.load(path)
                checkpoint.verify()
            except ArtefactError:
                progress.note(
                    f"{path.name} is damaged: resuming from an earlier one, or from the beginning", logging.WARNING
                )
                continue
            if checkpoint.meta["parameters"] != self._parameters:
                raise ArtefactError(f"{path} was made with other parameters: start again with ", Given("force", True))
            for name, array in arrays.items():
                _fill(array, checkpoint.array(name), path)
            state = State.from_record(checkpoint.meta["facts"])
            _log.debug("resuming after %d epochs and %d units, from %s", state.epoch, state.unit, path)
            return state
        return State()


def latest_checkpoint(folder: Path) -> Checkpoint | None:
    """Open the latest checkpoint of a run to read it, or return None if none is whole: training replaces them."""
    for path in sorted(folder.glob(f"{PREFIX}*"), reverse=True):
        with contextlib.suppress(ArtefactError, OSError):
            return Checkpoint.load(path)
    return None


def saved_rows(checkpoint: Checkpoint, side: str, words: int) -> npt.NDArray[np.float32]:
    """Return the rows of "words" or "contexts" as a checkpoint has them; raise unless there is one per word."""
    name = f"{side}-rows"
    parts = checkpoint.meta["facts"].get("parts", {}).get(name)
    if not isinstance(parts, int) or not 1 <= parts <= max(1, checkpoint.array(name).size):
        raise ArtefactError(f"{checkpoint.path} was written by an earlier version: its rows cannot be shown")
    array = PartedArray(parts, words, checkpoint.meta["parameters"]["dim"])
    _fill(array, checkpoint.array(name), checkpoint.path)
    return array.whole()


def _fill(array: PartedArray, saved: Any, path: Path) -> None:
    if saved.size != sum(part.size for part in array.parts):
        raise ArtefactError(f"{path} belongs to another vocabulary: start again with ", Given("force", True))
    start = 0
    for part in array.parts:
        np.copyto(part, saved[start : start + part.size].reshape(part.shape))
        start += part.size
