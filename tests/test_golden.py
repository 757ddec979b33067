"""Golden digests: a change of shape must not change what is drawn, counted or learned.

Whole numbers are compared bit by bit, also pairs and their order. What goes through logarithms and fused
multiplications differs between processors in the last bit, so here losses are compared as printed; use
``benchmarks/bits.py --against REVISION`` to compare every bit of two revisions on one machine.
"""

from typing import Any

import digests
import numpy as np
import numpy.typing as npt
import pytest
from digest_material import digest

from lexvec import Corpus
from lexvec.engine import ThreadExecutor
from lexvec.engine.executors import Step
from lexvec.engine.rows import Rows
from lexvec.engine.schedule import Tally
from lexvec.engine.sources import Unit

DATA = {
    "corpus": "0f2d4241a59b985b",
    "counts fixed": "d9e92a1ed1362738",
    "counts random": "2b1e43ddbd1e2382",
    "counts harmonic": "f362e918a106ba34",
    "counts clean": "8346460b53ee1a67",
    "counts left": "411f602062b23adf",
    "counts positional": "b3174891e9eb5144",
}
PAIRS = {
    "lexvec stochastic ws_ppmi": "bcd8a7d88dacd558",
    "lexvec stochastic ws_sgns": "ba8ce3b73b6b7ebb",
    "lexvec minibatch ws_ppmi": "da0281997dffc5f7",
    "lexvec minibatch ws_sgns": "87a53d089791c6a4",
    "lexvec clipped_pmi raw noise": "9fe3b81e98619c7d",
    "lexvec without noise": "4ff1cf45b34d1619",
    "lexvec independent noise": "700905a1bee701f0",
    "sgns": "04820d1077ebca5e",
    "sgns independent noise": "0f2a9273e40c4c88",
    "sgns paper's keep rule": "da2a22ce684e0364",
    "lexvec stochastic positional": "16c7040f9f309346",
    "lexvec minibatch positional": "cc73bfaa850e9ee1",
    "lexvec subwords fasttext": "1905c17c919aa425",
    "lexvec subwords fasttext shared gradient": "1905c17c919aa425",
    "lexvec subwords lexvec": "1905c17c919aa425",
    "lexvec subwords floret": "1905c17c919aa425",
    "sgns subwords fasttext": "7156cc0796957393",
    "sgns subwords fasttext shared gradient": "7156cc0796957393",
    "sgns subwords lexvec": "7156cc0796957393",
    "sgns subwords floret": "7156cc0796957393",
    "lexvec subwords positional": "11fab7143b54e2ea",
    "lexvec noise of pairs, random windows": "980a5838efa269bb",
    "lexvec left, harmonic": "a100ac20466c4578",
    "lexvec minibatch independent noise": "45eb85a2d6962d7e",
    "lexvec short units": "4d02240751165a18",
    "lexvec cells above": "bcd8a7d88dacd558",
    "lexvec cells up to": "bcd8a7d88dacd558",
    "sgns right": "b6405e92dcffcb09",
}
LOSSES = {
    "lexvec stochastic ws_ppmi": ["1.1411 134540", "0.91912 135092"],
    "lexvec stochastic ws_sgns": ["0.91948 163508", "0.74943 164051"],
    "lexvec minibatch ws_ppmi": ["0.63478 291436", "0.45308 290964"],
    "lexvec minibatch ws_sgns": ["0.48124 406916", "0.37805 407379"],
    "lexvec clipped_pmi raw noise": ["1.9226 134492", "1.9221 135060"],
    "lexvec without noise": ["0.021158 72620", "0.021089 72708"],
    "lexvec independent noise": ["1.1455 133835", "0.92755 133989"],
    "sgns": ["0.69313 351450", "0.69288 351490"],
    "sgns independent noise": ["0.69313 350824", "0.69283 351432"],
    "sgns paper's keep rule": ["0.69298 511377", "0.68628 512051"],
    "glove": ["0.0055775 183550", "0.0053897 183550", "0.0053849 183550"],
    "glove subsampled": ["0.019975 90842", "0.018532 90842"],
    "lexvec stochastic positional": ["2.8564 134492", "2.8317 134932"],
    "lexvec minibatch positional": ["1.4285 291388", "1.4085 290788"],
    "lexvec subwords fasttext": ["0.77867 133884", "0.50535 134004"],
    "lexvec subwords fasttext shared gradient": ["0.95172 133884", "0.50784 134004"],
    "lexvec subwords lexvec": ["0.67463 133884", "0.49811 134004"],
    "lexvec subwords floret": ["0.65313 133884", "0.50223 134004"],
    "sgns subwords fasttext": ["0.67081 350714", "0.57195 351378"],
    "sgns subwords fasttext shared gradient": ["0.69264 350714", "0.6679 351378"],
    "sgns subwords lexvec": ["0.63406 350714", "0.56747 351378"],
    "sgns subwords floret": ["0.61776 350714", "0.56618 351378"],
    "lexvec subwords positional": ["2.3729 133868", "1.4639 134004"],
    "lexvec noise of pairs, random windows": ["0.86661 149962", "0.76266 150290"],
    "lexvec left, harmonic": ["1.123 128557", "1.0391 129109"],
    "lexvec minibatch independent noise": ["0.63737 290480", "0.45195 290832"],
    "lexvec short units": ["1.147 133980", "0.93947 133988"],
    "lexvec cells above": ["1.141 134540", "0.8799 135092"],
    "lexvec cells up to": ["0.0096557 134540", "0.0096592 135092"],
    "sgns right": ["0.69314 145661", "0.69314 144651"],
    "glove positional": ["0.003372 102096", "0.00077394 102096"],
}
#: Some singular values of PPMI-SVD, and numbers of W up to the sign of each dimension. Their bits depend on the BLAS.
FACTORS = {
    "ppmi-svd dense": (
        [180.8258, 37.68674, 36.1578, 32.06581],
        [0.63266, 0.13841, 0.17142, 0.11206, 0.65093, 0.070593, 0.054061, 0.22234],
    ),
    "ppmi-svd dense positional": (
        [173.173, 47.92072, 47.76166, 45.68872],
        [0.97082, 0.75557, 0.52123, 0.030736, 0.82598, 0.15293, 0.67179, 0.068224],
    ),
    "ppmi-svd krylov": (
        [186.5909, 61.41221, 60.8719, 49.64628],
        [0.049726, 0.024414, 0.11381, 0.04472, 0.042051, 0.015893, 0.023492, 0.047201],
    ),
}


@pytest.fixture(scope="module")
def corpora() -> dict[str, Corpus]:
    return digests.corpora()


@pytest.mark.parametrize("threads", digests.THREADS)
def test_counts(corpora: dict[str, Corpus], threads: int) -> None:
    assert digests.data_digests(corpora["small"], threads) == DATA


class Recording(ThreadExecutor):
    """Keeps the pairs and tiles of the last unit, as ids, block by block in the order in which they are learned."""

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        done = super().run(unit, step, words, contexts, rate)
        self.pairs: list[npt.NDArray[np.int32]] = []
        for i in range(words.parts):
            blocks: list[Any] = [unit.block(i, j) for j in range(words.parts)]
            for kind in ("pairs", "tiles"):
                of_kind = [getattr(block, kind) for block in blocks]
                self.pairs.append(np.concatenate([each.words * words.parts + i for each in of_kind]))
                contexts_of = [_ids(each.contexts, j, words.parts) for j, each in enumerate(of_kind)]
                self.pairs.append(np.concatenate(contexts_of))
        return done


def _ids(rows: npt.NDArray[np.int32], part: int, parts: int) -> npt.NDArray[np.int32]:
    return np.where(rows >= 0, rows * parts + part, ~(~rows * parts + part))


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_and_their_order(name: str, corpora: dict[str, Corpus]) -> None:
    with Recording(2) as executor:
        digests.MODELS[name].fit(corpora["small"], executor=executor)
        assert digest(*executor.pairs) == PAIRS[name]


def test_every_model_has_golden_digits() -> None:
    assert {*LOSSES, *FACTORS} == set(digests.MODELS) and not {*LOSSES} & {*FACTORS}


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name: str, corpora: dict[str, Corpus]) -> None:
    model = digests.MODELS[name].set_params(threads=3)
    model.fit(corpora["small"])
    assert model.losses_
    assert [f"{epoch['loss']:.5g} {epoch['pairs']}" for epoch in model.losses_] == LOSSES[name]


@pytest.mark.parametrize("name", FACTORS)
def test_factors(name: str, corpora: dict[str, Corpus]) -> None:
    values, numbers = FACTORS[name]
    model: Any = digests.MODELS[name].set_params(threads=3)
    model.fit(corpora["large" if "krylov" in name else "small"])
    np.testing.assert_allclose(model.singular_values_[[0, 1, 2, -1]], values, rtol=1e-5)
    np.testing.assert_allclose(np.abs(model.W_[[0, 7], :4]).ravel(), numbers, rtol=1e-3)
