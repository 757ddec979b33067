"""Golden digests: a change of shape must not change what is drawn, counted or learned.

Whole numbers are compared bit by bit, also pairs and their order. What goes through logarithms and fused
multiplications differs between processors in the last bit, so here losses are compared as printed; use
``benchmarks/bits.py --against REVISION`` to compare every bit of two revisions on one machine.
"""

import digests
import numpy as np
import numpy.typing as npt
import pytest

from lexvec import Corpus
from lexvec.engine import ThreadExecutor
from lexvec.engine.executors import Step
from lexvec.engine.rows import PARTS, Rows
from lexvec.engine.schedule import Tally
from lexvec.engine.sources import Unit

DATA = {
    "corpus": "0f2d4241a59b985b",
    "counts fixed": "d9e92a1ed1362738",
    "counts random": "2b1e43ddbd1e2382",
    "counts harmonic": "f362e918a106ba34",
    "counts clean": "8346460b53ee1a67",
    "counts left": "411f602062b23adf",
}
PAIRS = {
    "lexvec stochastic ws_ppmi": "ccd92049d97b2773",
    "lexvec stochastic ws_sgns": "9c139fb19a82b138",
    "lexvec minibatch ws_ppmi": "d861fa35698a9464",
    "lexvec minibatch ws_sgns": "95de8cd1648c524c",
    "lexvec clipped_pmi raw noise": "fc502915e16cc481",
    "lexvec without noise": "eaa4a12228e652ed",
    "sgns": "83f193d3ce3b93d6",
    "sgns paper's keep rule": "c9411b2de530be01",
}
LOSSES = {
    "lexvec stochastic ws_ppmi": ["1.1455 133835", "0.92761 133989"],
    "lexvec stochastic ws_sgns": ["0.92213 162803", "0.75188 162948"],
    "lexvec minibatch ws_ppmi": ["0.63748 290480", "0.45204 290832"],
    "lexvec minibatch ws_sgns": ["0.48129 406352", "0.3786 406668"],
    "lexvec clipped_pmi raw noise": ["1.9241 133835", "1.9204 133989"],
    "lexvec without noise": ["0.021158 72620", "0.021089 72708"],
    "sgns": ["0.69313 350824", "0.69283 351432"],
    "sgns paper's keep rule": ["0.69298 510660", "0.68623 511692"],
    "glove": ["0.005571 183550", "0.0053892 183550", "0.0053845 183550"],
    "glove subsampled": ["0.019968 90842", "0.018529 90842"],
    "ppmi-svd dense": [],
    "ppmi-svd krylov": [],
}


@pytest.fixture(scope="module")
def corpora() -> dict[str, Corpus]:
    return digests.corpora()


@pytest.mark.parametrize("threads", digests.THREADS)
def test_counts(corpora: dict[str, Corpus], threads: int) -> None:
    assert digests.data_digests(corpora["small"], threads) == DATA


class Recording(ThreadExecutor):
    """Keeps the pairs of the last unit, as ids, block by block in the order in which they are learned from."""

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        done = super().run(unit, step, words, contexts, rate)
        self.pairs: list[npt.NDArray[np.int32]] = []
        for i in range(PARTS):
            blocks = [unit.block(i, j) for j in range(PARTS)]
            self.pairs.append(np.concatenate([block.words * PARTS + i for block in blocks]))
            self.pairs.append(np.concatenate([_ids(block.contexts, j) for j, block in enumerate(blocks)]))
        return done


def _ids(rows: npt.NDArray[np.int32], part: int) -> npt.NDArray[np.int32]:
    return np.where(rows >= 0, rows * PARTS + part, ~(~rows * PARTS + part))


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_and_their_order(name: str, corpora: dict[str, Corpus]) -> None:
    with Recording(2) as executor:
        digests.MODELS[name].fit(corpora["small"], executor=executor)
        assert digests.digest(*executor.pairs) == PAIRS[name]


@pytest.mark.parametrize("name", digests.MODELS)
def test_losses(name: str, corpora: dict[str, Corpus]) -> None:
    model = digests.MODELS[name].set_params(threads=3)
    model.fit(corpora["large" if "krylov" in name else "small"])
    assert [f"{epoch['loss']:.5g} {epoch['pairs']}" for epoch in model.losses_] == LOSSES[name]
