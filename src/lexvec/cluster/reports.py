"""What workers report while they train: where they listen, pieces of checkpoints, progress, the end of epochs."""

import contextlib
import logging
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from ..engine.schedule import State
from ..engine.training import Training
from ..errors import ClusterError
from ..models.checkpoints import Checkpoints
from ..progress import Note, Stage
from .engine import Message, Running
from .links import PeerLostError, SilentWorkerError

_STARTING = 120.0  # seconds for all workers to be free for the training
_REMINDER = 15.0  # seconds of waiting that are worth a line
_SEALING = 60.0  # seconds for the last pieces to be reported


class WorkerReports:
    """Handles what workers report during one attempt."""

    def __init__(
        self, training: Training, checkpoints: Checkpoints, workers: list[str], take_over: Callable[[], None]
    ) -> None:
        self._training, self._progress = training, training.progress
        self._checkpoints, self._workers, self._take_over = checkpoints, workers, take_over
        self._unread: deque[tuple[str, Message]] = deque()
        self._listening: dict[str, Any] = {}
        self._pieces: dict[tuple[int, int], dict[int, Message]] = {}
        self._sealed: set[tuple[int, int]] = set()
        self.stopped = False  # whether a callback has said so
        self._stack = contextlib.ExitStack()
        self._stage: Stage | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.close()

    def until_all_have_ended(self, running: Running) -> None:
        """Return when all workers have ended, and their last checkpoint is sealed."""
        began, reminded = time.monotonic(), False
        while len(running.outcomes) < len(self._workers):
            self._handle(running)
            passed = time.monotonic() - began
            missing = [worker for worker in self._workers if worker not in self._listening]
            if missing and passed > _REMINDER and not reminded:
                self._progress.note(f"waiting for {missing[0]} to begin: it is busy with other work")
                reminded = True
            if missing and passed > _STARTING:
                text = (
                    f"worker {missing[0]} did not begin within {passed:.0f} s, because it is busy: free it, or resume"
                )
                for worker in self._workers:
                    kind = SilentWorkerError if worker in missing else PeerLostError
                    running.outcomes.setdefault(worker, kind(text))
        wanted = {tuple(outcome["saved"]) for outcome in running.outcomes.values() if isinstance(outcome, dict)}
        until = time.monotonic() + _SEALING
        while len(wanted) == 1 and not wanted <= self._sealed:
            if _any_failed(running):
                return
            self._handle(running)
            if time.monotonic() > until:
                raise ClusterError("workers did not report their last checkpoint: resume to train the rest again")

    def _handle(self, running: Running) -> None:
        # Handling one message may wait for others, which may have come along with it.
        self._unread.extend(running.messages())
        while self._unread:
            worker, message = self._unread.popleft()
            if "listening" in message:
                self._listening[worker] = message["listening"]
                if len(self._listening) == len(self._workers):
                    ring = [self._listening[each] for each in self._workers]
                    for each in self._workers:
                        running.send(each, {"ring": ring})
            elif "piece" in message:
                self._take_piece(message)
            elif "epoch" in message:
                stop = self._call_back(running, State.from_record(message["epoch"]))
                for each in self._workers:
                    running.send(each, {"stop": stop})
            else:
                self._show(message)

    def _show(self, message: Message) -> None:
        if "stage" in message:
            self._stack.close()
            self._stage = self._stack.enter_context(self._progress.stage(*message["stage"]))
        elif "advance" in message and self._stage:
            amount, text = message["advance"]
            self._stage.advance(amount, Note(text, **message["figures"]) if message["figures"] else text)
        elif "note" in message:
            self._progress.note(message["note"], logging.WARNING)

    def _take_piece(self, message: Message) -> None:
        """Remember a piece; when all workers have written theirs, make a checkpoint of them."""
        state = State.from_record(message["state"])
        place = (state.epoch, state.unit)
        pieces = self._pieces.setdefault(place, {})
        pieces[message["piece"]] = message
        if len(pieces) == len(self._workers):
            ordered = [pieces[rank] for rank in range(len(pieces))]
            files = {name: record for piece in ordered for name, record in piece["files"].items()}
            folders = [Path(piece["folder"]) for piece in ordered]
            self._checkpoints.adopt(state, folders, [piece["parts"] for piece in ordered], files)
            self._sealed.add(place)
            del self._pieces[place]

    def _call_back(self, running: Running, state: State) -> bool:
        """Call the user's callbacks with the model as it is after an epoch; True stops the training."""
        until = time.monotonic() + _SEALING
        while (state.epoch, state.unit) not in self._sealed:
            if _any_failed(running):
                return False  # the callbacks are called when the epoch has been trained again
            if time.monotonic() > until:
                raise ClusterError("workers did not report what they learned in an epoch: resume to train it again")
            self._handle(running)
        self._take_over()
        answers = [callback(state.epoch, state.losses[-1]) for callback in self._training.callbacks]
        self.stopped = any(answer is True for answer in answers)
        return self.stopped


def _any_failed(running: Running) -> bool:
    return any(isinstance(outcome, BaseException) for outcome in running.outcomes.values())
