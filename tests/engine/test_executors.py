"""A block depends on its two parts and its pairs alone: who runs it, where and in which order makes no difference."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import planted
import pytest

from lexvec import SGNS, CooccurrenceCounter, Corpus, GloVe, LexVec, Model, ParameterError
from lexvec.engine import ThreadExecutor
from lexvec.engine.executors import Crew, Step, Wave
from lexvec.engine.losses import adagrad, sgd
from lexvec.engine.part_files import PartFolder
from lexvec.engine.rows import Rows, adaptive_rows, plain_rows, uniform
from lexvec.engine.schedule import Clock, Schedule, Tally
from lexvec.engine.sources import CellSource, Unit
from lexvec.engine.training import Learner, Training
from lexvec.kernels.steps import Block, CellWeights
from lexvec.kernels.tiles import Tiles
from lexvec.progress import Silent
from lexvec.threads import Threads

MODELS: list[Model] = [
    LexVec(dim=8, epochs=2, subsample=1e-2, variant="minibatch"),
    SGNS(dim=8, epochs=2, subsample=1e-2, parts=64),
    SGNS(dim=8, epochs=2, subsample=1e-2, noise="independent", parts=1),
    GloVe(dim=8, epochs=2),
]
WEIGHTS = CellWeights(3.0, 0.75, 1.0)
NO_TILES = Tiles(np.empty((0, 4), np.int32), np.empty((0, 4), np.int32), np.empty((0, 16), np.float32))


class PlainCells(CellSource):
    """Cells in the form that plain descent takes."""

    def block(self, epoch: int, i: int, j: int) -> Any:
        return Block(super().block(epoch, i, j), NO_TILES)


class Elsewhere:
    """Runs the blocks of a round backwards, on copies of their parts, as another machine would."""

    def __init__(self) -> None:
        self.threads = Threads(1)
        self.holds_parts, self.workers = False, 1
        self.crew: Crew | None = None

    def own(self, parts: int) -> range:
        return range(parts)

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        parts = words.parts
        for part in reversed(range(parts)):
            unit.prepare(0, part)
        losses = np.zeros((parts, parts, 2))
        for shift in unit.rounds:
            for i in reversed(range(parts)):
                j = (i + shift) % parts
                own: list[Any] = [words.part(i), contexts.part(j)]
                sent = [type(part)(*(array.copy() for array in part)) for part in own]
                step(sent[0], sent[1], unit.block(i, j), rate, losses[i, j])
                for part, back in zip(own, sent, strict=True):
                    for array, moved in zip(part, back, strict=True):
                        array[:] = moved
        return unit.tally(losses, unit.counts())


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(500)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_any_executor_gives_the_same_bits(model: Model, corpus: Corpus) -> None:
    with ThreadExecutor(3) as threads:
        there = model.fit(corpus, executor=threads)
        W, C, losses = there.W_.copy(), there.C_.copy(), there.losses_
    here = model.fit(corpus, executor=Elsewhere())
    assert here.W_.tobytes() == W.tobytes()
    assert here.C_.tobytes() == C.tobytes()
    assert here.losses_ == losses


def test_an_error_in_a_block_reaches_the_caller(corpus: Corpus) -> None:
    class Broken(ThreadExecutor):
        def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
            def fail(*_: Any) -> None:
                raise RuntimeError("a block failed")

            return super().run(unit, fail, words, contexts, rate)

    with Broken(2) as executor, pytest.raises(RuntimeError, match="a block failed"):
        MODELS[0].fit(corpus, executor=executor)


def test_threads_do_not_wait_for_a_caller_that_was_interrupted(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    reach = Wave._reach

    def interrupted(wave: Wave, i: int, j: int) -> bool:
        if threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        return reach(wave, i, j)

    monkeypatch.setattr(Wave, "_reach", interrupted)
    with ThreadExecutor(3) as executor, pytest.raises(KeyboardInterrupt):
        MODELS[0].fit(corpus, executor=executor)


def test_what_is_not_an_executor_is_refused(corpus: Corpus) -> None:
    with pytest.raises(ParameterError, match="threads=0: it must be a whole number of at least 1"):
        ThreadExecutor(0)
    with pytest.raises(ParameterError, match=r"executor=2: it must be an executor, such as ThreadExecutor\(2\)"):
        MODELS[0].fit(corpus, executor=2)  # type: ignore[arg-type]


@pytest.mark.parametrize("on_disk", [False, True])
@pytest.mark.parametrize("make", [plain_rows, adaptive_rows])
def test_rows_with_the_factor_0_are_frozen(make: Any, on_disk: bool, corpus: Corpus, tmp_path: Path) -> None:
    """A model whose contexts are frozen: its words learn, whatever number of threads there is."""
    counts = CooccurrenceCounter(window=2, subsample=0).count(corpus)
    dim, parts, words = 8, 16, len(corpus.vocabulary)
    learned = []
    for threads in (1, 3):
        files = PartFolder(tmp_path / f"{threads}", 8) if on_disk else None
        (tmp_path / f"{threads}").mkdir()
        W = make(parts, words, dim, uniform(np.uint64(1), dim))
        C = make(parts, words, dim, uniform(np.uint64(2), dim), files=files, factors=np.zeros(words, np.float32))
        before = [C.arrays["rows"].whole().tobytes(), W.arrays["rows"].whole()]
        plain = make is plain_rows
        step = sgd("squared", factored=True) if plain else adagrad("squared", WEIGHTS, factored=True)
        learner = Learner((PlainCells if plain else CellSource)(counts, parts, 1), step, W, C)
        with ThreadExecutor(threads) as executor:
            Training(learner, Schedule(2, 0.05, True), executor, Silent(), lambda _: None, Clock(9.0)).run()
        assert C.arrays["rows"].whole().tobytes() == before[0]
        assert not np.allclose(W.arrays["rows"].whole(), before[1])
        learned.append(W.arrays["rows"].whole().tobytes())
    assert learned[0] == learned[1]
