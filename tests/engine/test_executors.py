"""A block depends on its two parts and its pairs alone: who runs it, where and in which order makes no difference."""

import threading
from typing import Any

import numpy as np
import planted
import pytest

from lexvec import SGNS, Corpus, GloVe, LexVec, Model, ParameterError
from lexvec.engine import ThreadExecutor
from lexvec.engine.executors import Crew, Step, Wave
from lexvec.engine.rows import Rows
from lexvec.engine.schedule import Tally
from lexvec.engine.sources import Unit
from lexvec.threads import Threads

MODELS: list[Model] = [
    LexVec(dim=8, epochs=2, subsample=1e-2, variant="minibatch"),
    SGNS(dim=8, epochs=2, subsample=1e-2, parts=64),
    SGNS(dim=8, epochs=2, subsample=1e-2, noise="independent", parts=1),
    GloVe(dim=8, epochs=2),
]


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
