"""What a worker does: it joins, takes its place in the ring, and trains its word parts, like all others."""

import logging
import secrets
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..association import Association
from ..cluster.engine import Channel
from ..cluster.links import Links, Listener, StoppedError, connect
from ..cluster.ring import AgreedClock, RingExecutor
from ..cooccurrence import Cooccurrence, CooccurrenceCounter
from ..corpus import Corpus
from ..engine.rows import PartedArray
from ..engine.schedule import State
from ..engine.training import Learner, Training
from ..errors import ClusterError
from ..progress import Progress, Silent, Stage
from ..storage.checksums import file_record
from ..storage.disk import disk_errors
from ..storage.npy import ArrayWriter
from ..threads import Threads
from .base import MODELS
from .checkpoints import Checkpoint, write_piece
from .fit import Fit
from .inputs import Inputs
from .probe import probe
from .recipe import Recipe
from .scratch import Scratch
from .stepwise import StepwiseModel

_JOINING = 60.0  # seconds to find the neighbours
_GATHERING = 180.0  # seconds until all workers have begun: longer than the driver waits for them
_ANSWER = 3600.0  # seconds that callbacks of the driver may take
_REPORT_EVERY = 0.2  # seconds


def join(channel: Channel, *, model: str, files: Mapping[str, str]) -> dict[str, Any]:
    """Return what this worker is, and which files it does not see as the driver does (path → content)."""
    del channel
    if model not in MODELS:
        raise ClusterError(f"workers do not know the model {model!r:.60}: import what defines it on each worker")
    unseen = [path for path, content in files.items() if _text(Path(path)) != content]
    return {"unseen": unseen, "probe": {} if unseen else probe(MODELS[model])}


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def count(
    channel: Channel,
    *,
    parameters: dict[str, Any],
    memory: str | int | None,
    corpus: str,
    stretches: list[list[Any]],
    threads: int,
) -> None:
    """Count stretches of a corpus into files: each is a number, its first and last token, and a path."""
    counter, opened = CooccurrenceCounter.of({**parameters, "memory": memory}), Corpus.load(corpus)
    with Threads(threads) as pool:
        for number, start, stop, path in stretches:
            if not channel.is_wanted():
                raise StoppedError("the run was stopped")
            final = Path(path)
            own = final.with_name(f"{final.name}-{secrets.token_hex(4)}")
            counter.count_stretch(opened, (start, stop), path=own, threads=pool)
            # A worker that counted as lost may write the same, so files get their names when they are complete.
            for file in final.parent.glob(f"{own.name}.*"):
                file.rename(final.with_suffix(file.suffix))
            channel.report({"counted": number})


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
    progress: Progress = _Reported(channel) if executor.rank == 0 else Silent()
    inputs = Inputs(corpus, None, task["matrix"])
    with Scratch(None) as scratch:
        fit = _WorkerFit(inputs, executor, None, progress, [], 0, task["memory"], scratch)
        return _trained(channel, executor, task, model, model._learner(fit, corpus), progress)


def _trained(
    channel: Channel,
    executor: RingExecutor,
    task: dict[str, Any],
    model: StepwiseModel,
    learner: Learner,
    progress: Progress,
) -> tuple[int, int]:
    state = Checkpoint.load(task["checkpoint"]).fill(learner.arrays) if task["checkpoint"] else State()
    save = _Saving(channel, executor.rank, Path(task["pieces"]), learner.arrays)

    def ask(epoch: int, record: dict[str, float]) -> bool:
        """Let the driver call its callbacks, which may stop the training."""
        del epoch, record
        save(state)
        if executor.rank == 0:
            channel.report({"epoch": state.record()})
        # All wait for the driver, not for one another: a neighbour that is silent for so long would count as lost.
        return bool(channel.answer(_ANSWER)["stop"])

    clock = AgreedClock(task["every"], executor)
    callbacks = [ask] if task["asks"] else []
    Training(learner, model.schedule, executor, progress, save, clock, callbacks).run(state)
    save(state)  # there is none yet if the run was complete before
    return save.place


class _WorkerFit(Fit):
    """Opens what the driver has prepared and checked."""

    def matrix(self, recipe: Recipe, corpus: Corpus) -> Cooccurrence | Association:
        """Open the matrix that the driver found or made."""
        del corpus
        found: Cooccurrence | Association = recipe.open(self.inputs.matrix)
        return found


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
        self._channel.report({"advance": [self._amount, self._note]})
        self._amount, self._last = 0, time.monotonic()
