"""The driver of all models that learn step by step: epochs, learning rate, loss, progress, checkpoints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ..errors import DivergenceError
from ..progress import Note, Progress, Stage
from .executors import Executor, Step
from .rows import PartedArray, Rows
from .schedule import Clock, Schedule, State, Tally
from .sources import Source

#: Called after each epoch with its number and its losses; True stops the training.
EpochCallback = Callable[[int, dict[str, float]], bool | None]

_ABSURD = 1e12  # a loss per pair that no association of words explains, though it is finite


@dataclass(frozen=True)
class Learner:
    """Source, step and rows: what a model consists of once its corpus and matrix are there."""

    source: Source
    step: Step
    words: Rows
    contexts: Rows

    @property
    def arrays(self) -> dict[str, PartedArray]:
        """All that changes, and that a checkpoint has to hold."""
        sides = {"words": self.words, "contexts": self.contexts}
        return {f"{side}-{name}": array for side, rows in sides.items() for name, array in rows.arrays.items()}

    def work(self, executor: Executor, epoch: int, unit: int, rate: float) -> Tally:
        """Do one unit of work."""
        work = self.source.unit(epoch, unit, executor.threads)
        self.words.begin_unit(work.occurrences, rate, executor.threads)
        tally = executor.run(work, self.step, self.words, self.contexts, rate)
        self.words.finish_unit(executor.threads)
        return tally


@dataclass
class Training:
    """A learner on its way through all epochs of a schedule."""

    learner: Learner
    schedule: Schedule
    executor: Executor
    progress: Progress
    checkpoint: Callable[[State], None]
    clock: Clock  # says when a checkpoint is due
    callbacks: Sequence[EpochCallback] = ()
    state: State = field(default_factory=State)  # how far it is

    def run(self) -> None:
        """Run all epochs that are left, or until a callback stops it."""
        state = self.state
        self.learner.source.rewind(state.epoch, state.unit, self.executor.threads)
        self.clock.restart()
        self._rate = self.schedule.learning_rate
        while state.epoch < self.schedule.epochs:
            self._epoch(state)
            record = state.so_far.record()
            state.losses.append(record)
            state.epoch, state.unit, state.so_far = state.epoch + 1, 0, Tally()
            self._check_rows(state.epoch - 1)
            stopped = [callback(state.epoch, record) is True for callback in self.callbacks]
            # The last checkpoint is for what may go wrong when the model is saved.
            if state.epoch == self.schedule.epochs or any(stopped) or self.clock.is_due():
                self._save(state)
            if any(stopped):
                break

    def _epoch(self, state: State) -> None:
        source = self.learner.source
        name = f"epoch {state.epoch + 1}/{self.schedule.epochs}"
        with self.progress.stage(name, source.size, source.size_name) as stage:
            stage.advance(source.size * state.unit // source.units)
            while state.unit < source.units:
                self._unit(state, stage)
                if self.clock.is_due() and state.unit < source.units:
                    self._check_rows(state.epoch)
                    self._save(state)

    def _unit(self, state: State, stage: Stage) -> None:
        source, before = self.learner.source, state.unit
        self._rate = self.schedule.rate((state.epoch + state.unit / source.units) / self.schedule.epochs)
        tally = self.learner.work(self.executor, state.epoch, state.unit, self._rate)
        if not tally.mean < _ABSURD:  # nor is NaN
            raise self._diverged(f"the loss is {tally.mean:.3g}", state.epoch)
        state.so_far += tally
        state.unit += 1
        done = source.size * state.unit // source.units - source.size * before // source.units
        loss, rate = state.so_far.mean, self._rate
        figures = {"epoch": state.epoch + 1, "epochs": self.schedule.epochs, "loss": loss, "rate": rate}
        stage.advance(done, Note(f"loss {loss:.4f}, rate {rate:.4f}", **figures))

    def _save(self, state: State) -> None:
        self.checkpoint(state)
        self.clock.restart()

    def _check_rows(self, epoch: int) -> None:
        if not all(array.is_finite for array in self.learner.arrays.values()):
            raise self._diverged("the rows are not finite", epoch)

    def _diverged(self, what: str, epoch: int) -> DivergenceError:
        return DivergenceError(
            f"training diverged in epoch {epoch + 1} at learning rate {self._rate:.3g} ({what}); use a lower "
            "learning_rate"
        )
