"""Numbers at the ends of their ranges: one word, one token, fewer words than parts, one dimension, no noise or much."""

from typing import Any

import numpy as np
import pytest

from lexvec import SGNS, Corpus, CorpusBuilder, GloVe, LexVec

TEXTS = {
    "one word": [["a"] * 5] * 8,
    "two tokens": [["a", "b"]],
    "fewer words than parts": [["a", "b", "c", "a"]] * 20,
}
MODELS: list[tuple[type[Any], dict[str, Any]]] = [
    (SGNS, {}),
    (SGNS, {"noise": "independent"}),
    (LexVec, {}),
    (LexVec, {"variant": "minibatch", "contexts": "positional"}),
    (GloVe, {}),
]
ODD: list[dict[str, Any]] = [
    {"dim": 1},
    {"dim": 17, "parts": 1},
    {"dim": 2000},
    {"window": 2**31 - 1},
    {"negative": 0},
    {"negative": 1000},
    {"noise_power": 0},
    {"noise_power": 5},
]
CASES = [
    (model, extra, odd)
    for model, extra in MODELS
    for odd in ODD
    if model is not GloVe or odd.keys().isdisjoint({"negative", "noise_power"})
]


@pytest.fixture(scope="module", params=TEXTS)
def corpus(request: pytest.FixtureRequest) -> Corpus:
    return CorpusBuilder(min_count=1).build(TEXTS[request.param])


@pytest.mark.parametrize(("model", "extra", "odd"), CASES, ids=str)
def test_odd_parameters_learn_the_same_on_any_number_of_threads(
    corpus: Corpus, model: type[Any], extra: dict[str, Any], odd: dict[str, Any]
) -> None:
    given = {"dim": 8, "parts": 8, "epochs": 1, "subsample": 0, **extra, **odd}
    made = [model(**given, threads=threads).fit(corpus, progress=False) for threads in (1, 8)]
    one, eight = made
    assert np.isfinite(one.W_).all() and np.isfinite(one.C_).all()
    assert one.W_.shape == (len(corpus.vocabulary), given["dim"])
    assert (one.W_.tobytes(), one.C_.tobytes()) == (eight.W_.tobytes(), eight.C_.tobytes())
    assert one.losses_ == eight.losses_


@pytest.mark.parametrize("per_pair", [True, False])
def test_the_amount_of_noise_is_what_was_asked_for(per_pair: bool) -> None:
    """Tiles have sixteen pairs: their number is rounded at random, by less than one per block."""
    corpus = CorpusBuilder(min_count=1).build([[f"w{(7 * i + j * j) % 40}" for j in range(12)] for i in range(600)])
    model = LexVec(
        dim=4, epochs=1, subsample=0, negative=7, parts=4, variant="minibatch" if per_pair else "stochastic"
    ).fit(corpus)
    pairs = model.losses_[0]["pairs"]
    contexts = sum(min(place, 2) + min(11 - place, 2) for place in range(12)) * 600
    noise = 7 * (contexts if per_pair else corpus.tokens)
    units, blocks = 24, 16
    assert abs(pairs - contexts - noise) < units * blocks * 16 / 4  # most roundings cancel out
