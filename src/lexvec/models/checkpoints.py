"""Checkpoints of a model in training, so that it can resume after anything, to the same bits.

Each array is stored part by part. Every process that trains writes a piece: a file per array, with the parts that it
holds. One process has one piece. A process that resumes reads the parts that it needs, however many pieces there are.
"""

import contextlib
import logging
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.rows import PartedArray
from ..engine.schedule import State
from ..errors import ArtefactError, Given
from ..progress import Progress
from ..storage.arrays import ArrayWriter
from ..storage.artefact import Artefact, ArtefactWriter

_log = logging.getLogger(__name__)

PREFIX = "checkpoint-"

#: The numbers of the parts in a piece, in the order in which its files have them, by the name of the array.
PieceParts = dict[str, list[int]]


class Checkpoint(Artefact):
    """The arrays of a model in training, part after part, and how far it is."""

    kind = "checkpoint"

    def pieces(self, name: str) -> list[list[int]]:
        """Return the numbers of the parts in each piece of an array."""
        try:
            return [list(map(int, piece[name])) for piece in self.meta["facts"]["pieces"]]
        except (KeyError, TypeError, ValueError):
            raise ArtefactError(f"{self.path} does not say which parts of {name} it has: rebuild it") from None

    def fill(self, arrays: Mapping[str, PartedArray]) -> State:
        """Fill the parts that the arrays hold here, and return how far training was."""
        for name, array in arrays.items():
            self._fill(name, array)
        return State.from_record(self.meta["facts"])

    def _fill(self, name: str, array: PartedArray) -> None:
        found = set()
        for piece, numbers in enumerate(self.pieces(name)):
            if not any(number in array.parts for number in numbers):
                continue
            # Not mapped: a mapping that can be written to counts as memory where memory is limited.
            saved = self.file(f"{name}-{piece}", dtype=np.float32)
            ends = np.cumsum([array.size(number) for number in numbers]).tolist()
            if len(saved) != ends[-1]:
                break
            for number, end in zip(numbers, ends, strict=True):
                if number in array.parts:
                    part = array.parts[number]
                    saved.read(end - part.size, end, part.reshape(-1))
                    found.add(number)
            saved.close()
        if found != array.parts.keys():
            raise ArtefactError(f"{self.path} belongs to another vocabulary: start again with ", Given("force", True))


class Checkpoints:
    """The checkpoints in the folder of a run; ``parameters`` are those of the model."""

    def __init__(self, folder: Path, parameters: dict[str, Any]) -> None:
        self._folder, self._parameters = folder, parameters

    def save(self, state: State, arrays: dict[str, PartedArray]) -> None:
        """Make a checkpoint of arrays that are all here, and then remove the one before."""
        self._seal(state, lambda out: ([write_piece(arrays, lambda name: out.array(f"{name}-0", np.float32))], {}))

    def adopt(self, state: State, folders: Sequence[Path], pieces: list[PieceParts], files: dict[str, Any]) -> None:
        """Make a checkpoint of pieces that others wrote, each into its folder; ``files`` describes their files."""

        def move(out: ArtefactWriter) -> tuple[list[PieceParts], dict[str, Any]]:
            for folder in folders:
                for path in sorted(folder.iterdir()):
                    path.rename(out.folder / path.name)
            return pieces, files

        self._seal(state, move)

    def _seal(self, state: State, write: Callable[[ArtefactWriter], tuple[list[PieceParts], dict[str, Any]]]) -> None:
        path = self._folder / f"{PREFIX}{state.epoch:06}-{state.unit:09}"
        if path.exists():
            shutil.rmtree(path)  # it is damaged: otherwise training would have resumed after it
        older = sorted(self._folder.glob(f"{PREFIX}*"))
        with ArtefactWriter(path, Checkpoint.kind) as out:
            pieces, files = write(out)
            out.seal(self._parameters, {**state.record(), "pieces": pieces}, {}, known=files)
            _log.debug("checkpoint after %d epochs and %d units: %s", state.epoch, state.unit, out.path)
        for other in older:
            shutil.rmtree(other)

    def latest(self, progress: Progress) -> Checkpoint | None:
        """Return the latest checkpoint that is whole, if there is one."""
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
            return checkpoint
        return None

    def restore(self, arrays: dict[str, PartedArray], progress: Progress) -> State:
        """Fill the arrays from the latest checkpoint that is whole; without one, start at the beginning."""
        checkpoint = self.latest(progress)
        if checkpoint is None:
            return State()
        state = checkpoint.fill(arrays)
        _log.debug("resuming after %d epochs and %d units, from %s", state.epoch, state.unit, checkpoint.path)
        return state


def write_piece(arrays: Mapping[str, PartedArray], begin: Callable[[str], ArrayWriter]) -> PieceParts:
    """Write the parts that are held here to a file per array, which ``begin`` opens, and return their numbers."""
    for name, array in arrays.items():
        writer = begin(name)
        for number in sorted(array.parts):
            writer.append(array.parts[number].reshape(-1))
    return {name: sorted(array.parts) for name, array in arrays.items()}


def latest_checkpoint(folder: Path) -> Checkpoint | None:
    """Open the latest checkpoint of a run to read it, or return None if none is whole: training replaces them."""
    for path in sorted(folder.glob(f"{PREFIX}*"), reverse=True):
        with contextlib.suppress(ArtefactError, OSError):
            return Checkpoint.load(path)
    return None


def saved_rows(checkpoint: Checkpoint, side: str, words: int) -> npt.NDArray[np.float32]:
    """Return the rows of "words" or "contexts" as a checkpoint has them; raise unless there is one per word."""
    name = f"{side}-rows"
    numbers = [number for piece in checkpoint.pieces(name) for number in piece]
    array = PartedArray(max(1, len(numbers)), words, checkpoint.meta["parameters"]["dim"])
    checkpoint.fill({name: array})
    return array.whole()
