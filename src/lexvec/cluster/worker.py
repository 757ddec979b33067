"""What a worker does: it joins, takes its place in the ring, and trains its word parts, like all others."""

import hashlib
import logging
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from ..corpus import Corpus
from ..engine.rows import PartedArray
from ..engine.schedule import State
from ..engine.training import Training
from ..errors import ClusterError
from ..models import MODELS
from ..models.checkpoints import Checkpoint, write_piece
from ..models.memory import Memory
from ..models.run import Scratch
from ..models.stepwise import StepwiseModel
from ..models.training import Data, Task, Workplace
from ..progress import Note, Progress, Silent, Stage
from ..shared_work import Job
from ..storage.arrays import ArrayWriter
from ..storage.atomic import disk_errors
from ..storage.meta import file_record
from ..threads import Threads
from .engine import Channel
from .links import Links, Listener, StoppedError, connect
from .probe import probe
from .ring import AgreedClock, RingExecutor

_JOINING = 60.0  # seconds to find the neighbours
_GATHERING = 180.0  # seconds until all workers have begun: longer than the driver waits for them
_ANSWER = 3600.0  # seconds that callbacks of the driver may take
_REPORT_EVERY = 0.2  # seconds
_BEGINNING = 1 << 16  # bytes of a file that tell it from others


def join(channel: Channel, *, model: str, files: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Return what this worker is, and which files it does not see as the driver does (path → fingerprint)."""
    del channel
    if model not in MODELS:
        raise ClusterError(f"workers do not know the model {model!r:.60}: import what defines it on each worker")
    unseen = [path for path, expected in files.items() if fingerprint(Path(path)) != expected]
    return {"unseen": unseen, "probe": {} if unseen else probe(MODELS[model])}


def fingerprint(path: Path) -> list[Any] | None:
    """Return what tells a file from others without reading all of it: its size, and a digest of its beginning."""
    try:
        with path.open("rb") as file:
            return [path.stat().st_size, hashlib.sha256(file.read(_BEGINNING)).hexdigest()]
    except OSError:
        return None


def help_with(job: Job, settings: Mapping[str, Any], channel: Channel, *, threads: int, tasks: list[list[Any]]) -> None:
    """Do some tasks of a stage: each has a number, the folder to make, and its arguments."""
    with Threads(threads) as pool:
        do = job(pool, **settings)
        for number, name, arguments in tasks:
            if not channel.is_wanted():
                raise StoppedError("the run was stopped")
            # One that counted as lost may do the same task, so folders get their names when they are complete.
            final = Path(name)
            own = final.with_name(f"{final.name}-{secrets.token_hex(4)}")
            own.mkdir()
            try:
                with disk_errors(own):
                    result = do(own, **arguments)
                with suppress(OSError):
                    own.rename(final)
                if not final.exists():
                    raise ClusterError(f"cannot make {final}: check the storage that workers share")
            finally:
                shutil.rmtree(own, ignore_errors=True)
            channel.report({"done": number, "result": result})


def train(
    channel: Channel, *, rank: int, size: int, threads: int, secret: str, patience: float, task: dict[str, Any]
) -> dict[str, Any]:
    """Train the word parts of one worker, from the checkpoint on; return what it cost."""
    with _ring(channel, rank, size, bytes.fromhex(secret), patience) as links:
        with RingExecutor(rank, size, links, threads, channel.is_wanted) as executor:
            began = time.perf_counter()
            saved = _run(channel, executor, task)
            seconds = time.perf_counter() - began
        return {
            "saved": saved,
            "bytes_sent": links.bytes_sent if links else 0,
            "seconds": seconds,
            "sweeping": executor.sweeping,
            "stepping": executor.stepping,
            "adding": executor.adding,
        }


@contextmanager
def _ring(channel: Channel, rank: int, size: int, secret: bytes, patience: float) -> Iterator[Links | None]:
    """Connect to the neighbours; a worker alone has none."""
    listener = Listener(channel.host, wrap=channel.wrap_incoming)
    try:
        channel.report({"listening": list(listener.address)})
        addresses = [tuple(address) for address in channel.answer(_GATHERING)["ring"]]
        if size == 1:
            yield None
            return
        deadline = time.monotonic() + _JOINING
        with ThreadPoolExecutor(1) as pool:  # encrypted connections need both ends at once
            accepted = pool.submit(listener.accept, secret, deadline)
            outgoing = connect(addresses[(rank - 1) % size], secret, deadline, channel.wrap_outgoing)
            incoming = accepted.result()
    finally:
        listener.close()

    def report(text: str) -> None:
        channel.report({"note": f"worker {rank} is {text}"})

    links = Links(outgoing, incoming, patience=patience, is_wanted=channel.is_wanted, report=report)
    try:
        yield links
    finally:
        links.close()


def _run(channel: Channel, executor: RingExecutor, task: dict[str, Any]) -> tuple[int, int]:
    """Train to the end; return the place of the last checkpoint."""
    model = MODELS[task["model"]].of(task["parameters"])
    assert isinstance(model, StepwiseModel)
    corpus = Corpus.load(task["corpus"])
    matrix = model.recipe.open(task["matrix"]) if model.recipe else None  # the driver has checked it
    progress: Progress = _Reported(channel) if executor.rank == 0 else Silent()
    with Scratch(None) as scratch:
        place = Workplace(executor, Memory(task["memory"], executor, progress), scratch, progress)
        learner = model._learner(
            Task.planned(model, Data(corpus, model._compose(corpus.vocabulary, place), matrix), place)
        )
        save = _Saving(channel, executor.rank, Path(task["pieces"]), learner.arrays)

        def ask(epoch: int, record: dict[str, float]) -> bool:
            """Let the driver call its callbacks, which may stop the training."""
            del epoch, record
            save(training.state)
            if executor.rank == 0:
                channel.report({"epoch": training.state.record()})
            # All wait for the driver, not for one another: a neighbour that is silent for so long would count as lost.
            return bool(channel.answer(_ANSWER)["stop"])

        training = Training(
            learner,
            model.schedule,
            executor,
            progress,
            save,
            AgreedClock(task["every"], executor),
            [ask] if task["asks"] else [],
            Checkpoint.load(task["checkpoint"]).fill(learner.arrays) if task["checkpoint"] else State(),
        )
        training.run()
        save(training.state)  # there is none yet if the run was complete before
        return save.place


class _Saving:
    """Writes the parts that this worker holds, and reports them to the driver, which makes a checkpoint of all."""

    def __init__(self, channel: Channel, rank: int, folder: Path, arrays: dict[str, PartedArray]) -> None:
        self._channel, self._rank, self._folder, self._arrays = channel, rank, folder, arrays
        self.place = (-1, -1)

    def __call__(self, state: State) -> None:
        if (state.epoch, state.unit) == self.place:
            return
        self.place = (state.epoch, state.unit)
        folder = self._folder / f"{state.epoch:06}-{state.unit:09}" / str(self._rank)
        folder.mkdir(parents=True, exist_ok=True)
        writers: list[ArrayWriter] = []

        def begin(name: str) -> ArrayWriter:
            writers.append(ArrayWriter(folder / f"{name}-{self._rank}.npy", np.float32))
            return writers[-1]

        with disk_errors(folder):
            parts = write_piece(self._arrays, begin)
            for writer in writers:
                writer.close()
        files = {path.name: file_record(path) for path in folder.iterdir()}
        self._channel.report(
            {"piece": self._rank, "folder": str(folder), "state": state.record(), "parts": parts, "files": files}
        )


class _Reported:
    """Progress that the driver shows."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        """Begin a stage."""
        self._channel.report({"stage": [name, total, unit]})
        stage = _ReportedStage(self._channel)
        yield stage
        stage.flush()

    def note(self, text: str, level: int = logging.INFO) -> None:
        """Report something once; the driver has said all but warnings already."""
        if level >= logging.WARNING:
            self._channel.report({"note": text})


class _ReportedStage:
    def __init__(self, channel: Channel) -> None:
        self._channel, self._amount, self._note, self._last = channel, 0, "", 0.0

    def advance(self, amount: int, note: str = "") -> None:
        self._amount, self._note = self._amount + int(amount), note
        if time.monotonic() - self._last >= _REPORT_EVERY:
            self.flush()

    def flush(self) -> None:
        figures = dict(self._note.figures) if isinstance(self._note, Note) else {}
        self._channel.report({"advance": [self._amount, str(self._note)], "figures": figures})
        self._amount, self._last = 0, time.monotonic()
