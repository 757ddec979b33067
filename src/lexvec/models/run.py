"""A training run on disk: what it was started with, so that it can resume after anything.

While a model trains into DIR, the folder DIR.run beside it holds ``run.json`` (model, parameters, corpus), whatever the
run prepared (an encoded corpus, counts, a matrix), the latest checkpoint, and ``progress.json`` for programs that watch
it. DIR itself appears when all is done, and DIR.run goes. A run that was killed resumes from its latest checkpoint, to
the same bits.
"""

import contextlib
import json
import logging
import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from ..corpus import CorpusBuilder
from ..errors import ArtefactError, Given
from ..parameters import path_from
from ..progress import Note, Progress, Stage
from ..records import conforms
from ..storage.atomic import locked, temporary_folder
from ..storage.bounded import read_record
from ..storage.meta import read_meta
from ..storage.outputs import write_json
from .checkpoints import PREFIX
from .inputs import Inputs

#: What a run writes only for itself, within its folder.
SCRATCH = "scratch"
#: How far the work is, for programs that watch it (`lexvec explore`). It is written at most once a second and never
#: synced: losing it loses nothing.
PROGRESS = "progress.json"
_EVERY = 1.0  # seconds
_RECORD = "run.json"
_LOCK = "lock"
_ORDER = "order of steps"
_LEFT = (".partial", ".replaced")
_PREPARED = ("corpus", "counts", "matrix", SCRATCH)
_FORCE = Given("force", True)


@dataclass(frozen=True)
class Start:
    """What a run was started with; what is None was not given."""

    model: str
    parameters: dict[str, Any]
    corpus: str | None = None
    text: str | None = None
    builder: dict[str, Any] | None = None
    matrix: str | None = None
    force: bool = False
    pinned: dict[str, Any] = field(default_factory=dict)  # what must not change until the run is done

    @classmethod
    def from_inputs(cls, model: str, parameters: dict[str, Any], inputs: Inputs, *, force: bool) -> Self:
        """Write down what the user gave."""
        corpus, text, matrix = (
            str(path) if path else None for path in (inputs.corpus_path, inputs.text_path, inputs.matrix_path)
        )
        builder = None if inputs.builder is None else inputs.builder.record()
        return cls(model, parameters, corpus, text, builder, matrix, force)

    def check_resumable_with(self, given: "Start", folder: Path, defaults: dict[str, Any]) -> None:
        """Refuse to resume with anything else than what the run was started with; what is not given is as before.

        A parameter that an older run does not record had its default.
        """
        started = replace(self, parameters={**defaults, **self.parameters})
        for name in ("model", "parameters", "corpus", "text", "builder", "matrix"):
            value = getattr(given, name)
            if value is not None and getattr(started, name) != value:
                other = "other parameters" if name == "parameters" else f"another {name}"
                raise ArtefactError(
                    f"{folder} was started with {other}: resume with what it was started with, or start again"
                )


class RunFolder:
    """The folder of a run under way."""

    def __init__(self, output: str | os.PathLike[str]) -> None:
        self.output = Path(os.path.realpath(path_from(output, "output")))
        if not self.output.name:
            raise ArtefactError(f"{output} cannot be made: choose another output")
        self.path = self.output.with_name(f"{self.output.name}.run")

    @property
    def start(self) -> Start:
        """What the run was started with."""
        try:
            record = json.loads(read_record(self.path / _RECORD))
        except OSError:
            if self.output.exists():
                raise ArtefactError(f"{self.output} is finished: there is nothing to resume") from None
            raise ArtefactError(f"{self.path} has no {_RECORD}: there is no run to resume; start one") from None
        except (ValueError, RecursionError):
            record = None
        if not conforms(record, Start):
            raise ArtefactError(f"{self.path / _RECORD} is damaged: start again with ", _FORCE)
        return Start(**record)

    @property
    def is_resumable(self) -> bool:
        """Return whether there is a run to resume."""
        try:
            return bool(self.start)
        except ArtefactError:
            return False

    @property
    def corpus(self) -> Path:
        """Where text is encoded."""
        return self.path / "corpus"

    def inputs(self, given: Inputs) -> Inputs:
        """Return what the run learns from: an encoded corpus, its own or another's, or the text to encode."""
        start, own = self.start, self.corpus
        corpus = start.corpus or (str(own) if own.exists() else start.text) or given.corpus
        if corpus is None:
            raise ArtefactError(f"{self.path} was stopped before its text was encoded: start again with ", _FORCE)
        encoded = start.corpus or own.exists()
        builder = None if encoded or start.builder is None else CorpusBuilder.of(start.builder)
        return Inputs(corpus, builder, start.matrix)

    @contextlib.contextmanager
    def begun(self, start: Start) -> Iterator[None]:
        """Hold the folder while a new run lasts."""
        if self.path.exists() and not (self.path.is_dir() and all(_is_ours(path.name) for path in self.path.iterdir())):
            raise ArtefactError(f"{self.path} holds files that lexvec did not make: choose another output")
        with self._held():
            if (self.path / _RECORD).exists() and not start.force:
                raise ArtefactError(
                    f"{self.path} holds a run that was not finished: resume it with ",
                    Given("resume", True),
                    ", or start again with ",
                    _FORCE,
                )
            self._clear()
            if start.corpus is None and start.builder is None:
                start = replace(start, builder=CorpusBuilder().record())
            write_json(self.path / _RECORD, asdict(start))
            yield from self._working()

    @contextlib.contextmanager
    def resumed(self, given: Start, defaults: dict[str, Any]) -> Iterator[None]:
        """Hold the folder while a resumed run lasts; ``given`` must fit what the run was started with."""
        start = self.start
        with self._held():
            if self.output.exists() and not start.force:
                if not self._is_finished(start):
                    raise ArtefactError(f"{self.output} is not what this run makes: move it away, then resume")
                self._remove()  # it was killed after its last step
                raise ArtefactError(f"{self.output} is finished: there is nothing to resume")
            start.check_resumable_with(given, self.path, defaults)
            yield from self._working()

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        self.path.mkdir(parents=True, exist_ok=True)
        with locked(self.path / _LOCK, f"another run is training into {self.output}: choose another output"):
            yield

    def _working(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            if {path.name for path in self.path.iterdir()} <= {_RECORD, _LOCK, PROGRESS, f".{PROGRESS}.partial"}:
                self._remove()  # nothing was done yet that could be resumed
            raise
        self._remove()

    def remove_finished(self) -> None:
        """Remove what a run left that was killed after its output was complete."""
        self.remove_emptied()
        with contextlib.suppress(ArtefactError):
            if self.path.exists() and self._is_finished(self.start):
                with self._held():
                    self._remove()

    def remove_emptied(self) -> None:
        """Remove what a run left that was killed while it removed this folder."""
        with contextlib.suppress(ArtefactError):  # another run has just begun
            if self.path.is_dir() and all(path.name == _LOCK for path in self.path.iterdir()):
                with self._held():
                    self._remove()

    def _is_finished(self, start: Start) -> bool:
        """Return whether the output is what this run was to make."""
        try:
            meta = read_meta(self.output)
        except ArtefactError:
            return False
        return (meta["facts"].get("model"), meta["parameters"]) == (start.model, start.parameters)

    def _remove(self) -> None:
        self._clear()
        shutil.rmtree(self.path)

    def _clear(self) -> None:
        """Remove all but the lock. The record goes last: with it, the next run knows what a killed one has left."""
        for path in sorted(self.path.iterdir(), key=lambda path: path.name == _RECORD):
            if path.name != _LOCK:
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def reporting(self, progress: Progress) -> Progress:
        """Return a progress that also keeps a record in this folder, for programs that watch the run."""
        return LiveProgress(progress, self.path)

    def settle(self, order: dict[str, int]) -> dict[str, int]:
        """Record the order of steps of a new run and return it, or return that of the run."""
        recorded = self.start.pinned.get(_ORDER, order)
        self.pin(_ORDER, recorded)
        if not _is_order(recorded, order):
            raise ArtefactError(f"{self.path / _RECORD} is damaged: start again with ", _FORCE)
        return dict(recorded)

    def pin(self, name: str, value: Any) -> None:
        """Remember something of the input, so that a resumed run can tell whether it is still the same."""
        start = self.start
        if start.pinned.get(name, value) != value:
            raise ArtefactError(f"the {name} has changed since {self.path} was started: start again with ", _FORCE)
        write_json(self.path / _RECORD, asdict(replace(start, pinned={**start.pinned, name: value})))


def _is_order(record: Any, like: dict[str, int]) -> bool:
    """Return whether a record has the same names as another, and positive whole numbers."""
    return conforms(record, dict[str, int]) and record.keys() == like.keys() and min(record.values(), default=1) > 0


def _is_ours(name: str) -> bool:
    known = (_RECORD, _LOCK, PROGRESS, *_PREPARED)
    return name in known or name.startswith(PREFIX) or (name.startswith(".") and name.endswith(_LEFT))


class Scratch:
    """Makes its folder when it is first asked for, and removes it at the end of a block.

    What a killed run left is removed at the beginning: it can be made again sooner than checked.
    """

    def __init__(self, run: Path | None) -> None:
        self._run, self._stack = run, contextlib.ExitStack()

    def __enter__(self) -> Self:
        if self._run:
            shutil.rmtree(self._run / SCRATCH, ignore_errors=True)
        return self

    @cached_property
    def folder(self) -> Path:
        """The folder."""
        if self._run is None:
            temporary = temporary_folder()
            self._stack.callback(temporary.discard)
            return temporary.path
        folder = self._run / SCRATCH
        folder.mkdir()
        self._stack.callback(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()


class LiveProgress:
    """Reports to another progress, and keeps a record of the current stage in a folder."""

    def __init__(self, shown: Progress, folder: Path) -> None:
        self._shown, self._folder = shown, folder

    @contextlib.contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        """Begin a stage."""
        with self._shown.stage(name, total, unit) as stage:
            yield _LiveStage(stage, self._folder / PROGRESS, {"stage": name, "total": total, "unit": unit})

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Report something once."""
        self._shown.note(text, level)


class _LiveStage:
    def __init__(self, shown: Stage, file: Path, about: dict[str, Any]) -> None:
        self._shown, self._file, self._about = shown, file, about
        self._done, self._started, self._due = 0, time.time(), 0.0

    def advance(self, amount: int, note: str = "") -> None:
        self._shown.advance(amount, note)
        self._done += amount
        now = time.time()
        if isinstance(note, Note) and now >= self._due:  # without figures there is no loss yet
            self._due = now + _EVERY
            times = {"seconds": now - self._started, "time": now}
            self._write({**self._about, "done": self._done, **note.figures, **times})

    def _write(self, record: dict[str, Any]) -> None:
        partial = self._file.with_name(f".{PROGRESS}.partial")
        with contextlib.suppress(OSError):  # a full disk must not stop the work; saving the model will report it
            partial.write_text(json.dumps(record), encoding="utf-8")
            partial.replace(self._file)
