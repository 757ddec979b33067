"""A training run under way, only read: its progress, loss and rate, and the vectors of its latest checkpoint."""

import contextlib
import json
import logging
import math
import re
import time
from pathlib import Path
from typing import Any

from ..errors import LexvecError
from ..models.checkpoints import PREFIX, latest_checkpoint
from ..models.live_progress import FILE
from ..models.run import Start
from ..trained import Combine
from ..vectors import WordVectors
from .checkpoint_vectors import CheckpointVectors
from .opening import Losses, ShownModel, losses_of

_log = logging.getLogger(__name__)

_NOTE = re.compile(r"loss ([0-9.e+-]+), rate ([0-9.e+-]+)")
_EPOCH = re.compile(r"epoch (\d+)/(\d+)")
_STALE = 60.0  # seconds without news after which a run has probably been stopped
_KEPT = 2_000  # points of the loss curve
_LARGEST = 1 << 16  # bytes of progress.json

Record = dict[str, Any]


class Watch:
    """Follows one run: `look` reads what has changed since the last time."""

    def __init__(self, model: ShownModel, combine: Combine) -> None:
        assert model.run is not None
        self._model, self._run, self._combine = model, model.run, combine
        self._checkpoint = ""
        self._reader: tuple[Start, CheckpointVectors] | None = None
        self._points: list[Record] = []
        self._parameters: Record = {}
        self.over = False
        self.state: Record = {"state": "waiting", "checkpoint": None, "points": []}

    def look(self) -> bool:
        """Read the folder of the run. Return whether anything has changed."""
        if self.over:
            return False
        before = json.dumps(self.state)
        with contextlib.suppress(OSError, LexvecError):  # files come and go while they are read: look again later
            self._look()
        return json.dumps(self.state) != before

    def _look(self) -> None:
        if self._run.path.exists() and self._run.is_resumable:
            start = self._run.start
            self._parameters = {"model": start.model, **start.parameters}
            self.state = {**self.state, "state": "running", **self._progress(), "parameters": self._parameters}
            self._take_checkpoint(start)
            return
        if self._run.output.exists():
            vectors = WordVectors.load(self._run.output, combine=self._combine)
            self._model.replace(vectors, losses_of(self._run.output))
            self.over = True
            self.state = {**self.state, "state": "finished", "done": 1.0, "epochs_done": self._losses_record()}
        elif self.state["state"] != "waiting":
            self.state = {**self.state, "state": "gone"}

    def _progress(self) -> Record:
        record = _read(self._run.path / FILE)
        if not record:
            return {}
        epoch, note = _EPOCH.match(str(record["stage"])), _NOTE.search(str(record["note"]))
        if not epoch or not note:
            return {}
        number, epochs = int(epoch[1]), int(epoch[2])
        part = min(1.0, record["done"] / record["total"]) if record["total"] else 0.0
        done = (number - 1 + part) / epochs
        point = {"done": round(done, 5), "loss": float(note[1])}
        if not self._points or self._points[-1] != point:
            self._points = [*self._points, point][-_KEPT:]
        return {
            "epoch": number,
            "epochs": epochs,
            "done": done,
            "loss": float(note[1]),
            "rate": float(note[2]),
            "speed": record["done"] / record["seconds"] if record["seconds"] > 0 else None,
            "unit": str(record["unit"]),
            "stale": time.time() - record["time"] > _STALE,
            "points": self._points,
        }

    def _take_checkpoint(self, start: Start) -> None:
        """Show the vectors of the latest checkpoint, if it is a new one."""
        newest = max((path.name for path in self._run.path.glob(f"{PREFIX}*")), default="")
        if not newest or newest == self._checkpoint:
            return
        checkpoint = latest_checkpoint(self._run.path)
        if checkpoint is None:
            return
        if self._reader is None or self._reader[0] != start:  # a run may be started again in the same folder
            self._reader = start, CheckpointVectors(self._run, start, self._combine)
        try:
            vectors = self._reader[1].read(checkpoint)
        except LexvecError as error:
            if not checkpoint.path.exists():
                return  # training has replaced it while it was read: the next look finds the newer one
            _log.debug("no vectors from %s: %s", checkpoint.path, error)
            self._checkpoint = newest
            self.state = {
                **self.state,
                "note": f"Neighbours follow when the run is finished: {error.for_command_line()}",
            }
            return
        losses: Losses = list(checkpoint.meta["facts"]["losses"])
        self._checkpoint = checkpoint.path.name
        self._model.replace(vectors, losses)
        self.state = {**self.state, "checkpoint": self._checkpoint, "epochs_done": self._losses_record()}

    def _losses_record(self) -> list[Record]:
        return [] if self._model.content is None else list(self._model.content.losses)


def _read(path: Path) -> Record | None:
    """Return what a run reports of itself; None if it is not there, or not what we write."""
    try:
        with path.open("rb") as file:
            record = json.loads(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or not {"stage", "note", "unit"} <= record.keys():
        return None
    numbers = [record.get(name) for name in ("done", "seconds", "time")]
    total = record.get("total")
    plain = all(isinstance(number, int | float) and math.isfinite(number) for number in numbers)
    return record if plain and (total is None or isinstance(total, int)) else None
