"""The engine computes what the reference says: the same draws and pairs in the same order, and rows up to rounding."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import planted
import pytest

import reference
from lexvec import SGNS, Corpus, GloVe, LexVec
from lexvec.engine import ThreadExecutor
from lexvec.engine.executors import Step
from lexvec.engine.rows import Rows
from lexvec.engine.schedule import Tally
from lexvec.engine.sources import Unit

P = 4
COMMON: dict[str, Any] = {"dim": 6, "epochs": 2, "seed": 3, "parts": P, "threads": 2}
MODELS: list[LexVec | SGNS] = [
    LexVec(**COMMON, subsample=0.05, learning_rate=0.1),
    LexVec(**COMMON, subsample=0, variant="minibatch", window=3, negative=2),
    LexVec(**COMMON, subsample=0.05, unit_pairs=1024, negative=9),
    SGNS(**COMMON, subsample=0.05, window=4, learning_rate=0.2),
    SGNS(**COMMON, subsample=0, keep_rule="paper", window=2, negative=1),
]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(40)


def sentences_of(corpus: Corpus) -> list[list[int]]:
    return [[corpus.vocabulary[word] for word in sentence] for sentence in corpus]


def parameters_of(model: Any) -> SimpleNamespace:
    given = model.get_params()
    per_pair = model.name == "sgns" or given.get("variant") == "minibatch"
    defaults = {"name": model.name, "P": P, "per_pair": per_pair, "window_kind": "fixed"}
    return SimpleNamespace(**{**defaults, **given, "unit_pairs": given.get("unit_pairs") or 1 << 23})


class Recording(ThreadExecutor):
    """Keeps the pairs and tiles of all blocks of all units, as ids."""

    def __init__(self) -> None:
        super().__init__(2)
        self.units: list[Any] = []

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        done = super().run(unit, step, words, contexts, rate)
        blocks = {}
        for i, j in np.ndindex(P, P):
            block: Any = unit.block(i, j)
            pairs = zip((block.pairs.words * P + i).tolist(), (block.pairs.contexts * P + j).tolist(), strict=True)
            tiles = zip((block.tiles.words * P + i).tolist(), (block.tiles.contexts * P + j).tolist(), strict=True)
            blocks[i, j] = list(pairs), list(tiles)
        self.units.append(blocks)
        return done


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_windows_and_noise(model: LexVec | SGNS, corpus: Corpus) -> None:
    trace: list[Any] = []
    W, C = reference.train(parameters_of(model), sentences_of(corpus), len(corpus.vocabulary), trace)
    with Recording() as executor:
        model.fit(corpus, executor=executor)
    assert executor.units == trace
    assert any(tiles for blocks in trace for _, tiles in blocks.values())
    np.testing.assert_allclose(model.W_, W, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(model.C_, C, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("x_max", [3.0, 100.0])
def test_glove(x_max: float, corpus: Corpus) -> None:
    model = GloVe(**COMMON, window=4, x_max=x_max)
    W, C, b, b_context = reference.train_glove(parameters_of(model), sentences_of(corpus), len(corpus.vocabulary))
    model.fit(corpus)
    for found, expected in ((model.W_, W), (model.C_, C), (model.word_bias_, b), (model.context_bias_, b_context)):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
