"""A training run on disk: what it was started with, and its checkpoints, so that it can go on after anything.

While a model trains into DIR, the folder DIR.run beside it holds ``run.json`` (model, parameters, corpus), whatever the
run prepared (an encoded corpus, counts, a matrix) and the latest checkpoint. DIR itself appears when all is done, and
DIR.run goes. A run that was killed goes on from its latest checkpoint, to the same bits.
"""

import contextlib
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..errors import ArtefactError
from ..progress import Progress
from ..storage.artefact import Artefact, ArtefactWriter, locked, read_meta
from ..storage.files import write_json
from .engine import Array, State

_log = logging.getLogger(__name__)

_RUN = "run.json"
_LOCK = "lock"
_LEFT = (".partial", ".replaced")
_KEYS = {"model", "parameters", "corpus", "text", "builder", "matrix", "force"}

A = TypeVar("A", bound=Artefact)


class Checkpoint(Artefact):
    """The arrays of a model in training, and how far it is."""

    kind = "checkpoint"


class Run:
    """The folder of a run under way."""

    def __init__(self, output: Path) -> None:
        self.output = Path(os.path.realpath(output))
        if not self.output.name:
            raise ArtefactError(f"{output} cannot be made: choose another output")
        self.folder = self.output.with_name(f"{self.output.name}.run")

    @property
    def record(self) -> dict[str, Any]:
        """What the run was started with."""
        try:
            record = json.loads((self.folder / _RUN).read_text(encoding="utf-8"))
        except OSError:
            if self.output.exists():
                raise ArtefactError(f"{self.output} is finished: there is nothing to resume") from None
            raise ArtefactError(f"{self.folder} has no {_RUN}: there is no run to resume; start one") from None
        except ValueError:
            record = None
        if not isinstance(record, dict) or not record.keys() >= _KEYS:
            raise ArtefactError(f"{self.folder / _RUN} is damaged: begin anew with --force (force=True)")
        return record

    @property
    def resumable(self) -> bool:
        """Whether there is a run to go on with."""
        try:
            return bool(self.record)
        except ArtefactError:
            return False

    def corpus(self, given: Any) -> Any:
        """What the run learns from: an encoded corpus, its own or another's, or the text to make it from."""
        record = self.record
        own = self.folder / "corpus"
        found = record["corpus"] or (str(own) if own.exists() else record["text"]) or given
        if found is None:
            raise ArtefactError(f"{self.folder} was stopped before its text was encoded: begin anew with --force")
        return found

    @contextlib.contextmanager
    def started(self, record: dict[str, Any], *, resume: bool, force: bool) -> Iterator[None]:
        """Hold the folder while the run lasts; a new run writes its record, a resumed one must fit what is in it."""
        self._check(resume=resume, force=force)
        self.folder.mkdir(parents=True, exist_ok=True)
        with locked(self.folder / _LOCK, f"another run is training into {self.output}: choose another output"):
            if resume:
                self._compare(record)
            else:
                self._clear()
                write_json(self.folder / _RUN, record | {"force": force})
            try:
                yield
            except BaseException:
                if {path.name for path in self.folder.iterdir()} <= {_RUN, _LOCK}:
                    shutil.rmtree(self.folder)  # nothing was done yet that could be gone on with
                raise
            shutil.rmtree(self.folder)

    def _check(self, *, resume: bool, force: bool) -> None:
        if resume:
            if self.output.exists() and not self.record["force"]:
                if not self._finished():
                    raise ArtefactError(f"{self.output} is not what this run was to make: move it away, then resume")
                shutil.rmtree(self.folder)  # it was killed after its last step
                raise ArtefactError(f"{self.output} is finished: there is nothing to resume")
            return
        if not self.folder.exists():
            return
        if not all(_ours(path.name) for path in self.folder.iterdir()):
            raise ArtefactError(f"{self.folder} holds what lexvec did not make: choose another output")
        if (self.folder / _RUN).exists() and not force:
            raise ArtefactError(
                f"{self.folder} holds a run that was not finished: go on with --resume {self.output}, "
                "or begin anew with --force (force=True)"
            )

    def _finished(self) -> bool:
        """Whether the output is what this run was to make."""
        try:
            meta = read_meta(self.output)
        except ArtefactError:
            return False
        record = self.record
        return (meta["facts"].get("model"), meta["parameters"]) == (record["model"], record["parameters"])

    def _compare(self, given: dict[str, Any]) -> None:
        before = self.record
        for key, value in given.items():
            if before[key] != value:
                other = "other parameters" if key == "parameters" else f"another {key}"
                raise ArtefactError(
                    f"{self.folder} was started with {other}: resume with what it was started with, or begin anew"
                )

    def _clear(self) -> None:
        for path in self.folder.iterdir():
            if path.name != _LOCK:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def pin(self, name: str, value: Any) -> None:
        """Remember something of the input, so that a resumed run can tell whether it is still the same."""
        record = self.record
        if record.setdefault("pinned", {}).setdefault(name, value) != value:
            raise ArtefactError(f"the {name} has changed since {self.folder} was started: begin anew with --force")
        write_json(self.folder / _RUN, record)

    def save(self, state: State, arrays: dict[str, Array]) -> None:
        """Make a checkpoint, and then remove the one before."""
        older = sorted(self.folder.glob("checkpoint-*"))
        with ArtefactWriter(self.folder / f"checkpoint-{state.epoch:06}-{state.unit:09}", Checkpoint.kind) as out:
            for name, array in arrays.items():
                out.array(name, array.dtype).append(array.reshape(-1))
            out.seal(self.record["parameters"], state.record(), {})
            _log.debug("checkpoint after %d epochs and %d units: %s", state.epoch, state.unit, out.path)
        for path in older:
            shutil.rmtree(path)

    def restore(self, arrays: dict[str, Array], progress: Progress) -> State:
        """Fill the arrays from the latest checkpoint that is whole; from none, begin at the beginning."""
        for path in sorted(self.folder.glob("checkpoint-*"), reverse=True):
            try:
                checkpoint = Checkpoint.load(path)
                checkpoint.verify()
            except ArtefactError:
                progress.note(
                    f"{path.name} is damaged: going on from an earlier one, or from the beginning", logging.WARNING
                )
                continue
            if checkpoint.meta["parameters"] != self.record["parameters"]:
                raise ArtefactError(f"{path} was made with other parameters: begin anew with --force")
            for name, array in arrays.items():
                np.copyto(array, checkpoint.array(name).reshape(array.shape))
            state = State.of(checkpoint.meta["facts"])
            _log.debug("going on after %d epochs and %d units, from %s", state.epoch, state.unit, path)
            return state
        return State()


def prepared(path: Path, kind: type[A], make: Callable[[Path], A], progress: Progress) -> A:
    """An artefact that work needs: made once, found again when the work is resumed, and made anew if damaged."""
    if path.exists():
        try:
            found = kind.load(path)
            found.verify()
            _log.debug("%s is there from before", path)
            return found
        except ArtefactError as error:
            progress.note(f"{error}: doing so", logging.WARNING)
            shutil.rmtree(path)
    return make(path)


def _ours(name: str) -> bool:
    known = (_RUN, _LOCK, "corpus", "counts", "matrix")
    return name in known or name.startswith("checkpoint-") or (name.startswith(".") and name.endswith(_LEFT))
