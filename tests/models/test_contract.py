"""What every model must do. A new model gets a line in CASES."""

from pathlib import Path
from typing import Any

import numpy as np
import planted
import pytest

from lexvec import PPMISVD, SGNS, Corpus, CorpusBuilder, GloVe, InputError, LexVec, LexvecError, Model, ParameterError
from lexvec.models import Trained

CASES: dict[str, tuple[type[Model], dict[str, Any]]] = {
    "lexvec": (LexVec, {"epochs": 3, "subsample": 0}),
    "lexvec minibatch": (LexVec, {"epochs": 2, "subsample": 0, "variant": "minibatch"}),
    "lexvec sgns windows": (LexVec, {"epochs": 3, "subsample": 1e-2, "window_sampling": "sgns", "sampling_window": 4}),
    "lexvec minibatch sgns": (LexVec, {"epochs": 2, "subsample": 0, "variant": "minibatch", "window_sampling": "sgns"}),
    "lexvec clipped pmi": (LexVec, {"epochs": 3, "subsample": 0, "measure": "clipped_pmi"}),
    "sgns": (SGNS, {"epochs": 6, "subsample": 0, "window": 4, "learning_rate": 0.05}),
    "sgns ngrams": (SGNS, {"epochs": 4, "subsample": 0, "window": 4, "learning_rate": 0.05, "subwords": "ngrams"}),
    "lexvec floret": (LexVec, {"epochs": 3, "subsample": 0, "subwords": "ngrams", "subword_scheme": "floret"}),
    "glove": (GloVe, {"epochs": 15, "window": 4, "x_max": 10.0}),
    "ppmi-svd": (PPMISVD, {"subsample": 0}),
}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus()


@pytest.fixture(scope="module")
def short() -> Corpus:
    """A corpus too short to learn much from, for tests that do not ask what was learned."""
    return planted.corpus(500)


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> tuple[type[Model], dict[str, Any]]:
    return CASES[request.param]


def make(case: tuple[type[Model], dict[str, Any]], **more: Any) -> Model:
    return case[0](**{"dim": 16, **case[1], **more})


def test_planted_neighbours_are_found_and_loss_falls(case: tuple[type[Model], dict[str, Any]], corpus: Corpus) -> None:
    model = make(case).fit(corpus)
    assert planted.precision(model.vectors()) > 0.95
    losses = [epoch["loss"] for epoch in model.losses_]
    if losses:
        assert losses[-1] < losses[0]
        assert len(losses) == case[1]["epochs"]


@pytest.mark.slow
def test_threads_make_no_difference_and_seeds_do(case: tuple[type[Model], dict[str, Any]], corpus: Corpus) -> None:
    one = make(case, threads=1).fit(corpus)
    for threads in (2, 8):
        other = make(case, threads=threads).fit(corpus)
        assert one.W_.tobytes() == other.W_.tobytes()
        assert one.C_.tobytes() == other.C_.tobytes()
        assert one.losses_ == other.losses_
    if case[0] is not PPMISVD or case[1]["subsample"]:
        assert make(case, seed=2).fit(corpus).W_.tobytes() != one.W_.tobytes()


def test_saved_loaded_and_combined(case: tuple[type[Model], dict[str, Any]], short: Corpus, tmp_path: Path) -> None:
    model = make(case).fit(short, tmp_path / "model")
    loaded = Model.load(tmp_path / "model")
    assert type(loaded) is type(model)
    assert loaded.record() == model.record()
    assert loaded.losses_ == model.losses_
    for combine in ("word", "context", "sum"):
        matrix = loaded.vectors(combine).matrix
        assert np.array_equal(matrix, model.vectors(combine).matrix)
        assert matrix.shape == (len(short.vocabulary), 16)
    assert np.array_equal(loaded.vectors("sum").matrix, loaded.vectors().matrix + loaded.C_)
    assert np.array_equal(np.load(tmp_path / "model" / "W.npy", allow_pickle=False), model.W_)
    for name in model.also:
        assert np.array_equal(getattr(loaded, f"{name}_"), getattr(model, f"{name}_"))
    assert not (tmp_path / "model.run").exists()


def test_small_corpora(case: tuple[type[Model], dict[str, Any]]) -> None:
    """One word; sentences shorter than the window; more dimensions than words."""
    builder = CorpusBuilder(min_count=1)
    for text in ([["a"]], [["a", "a", "a"]], [["a", "b"], ["c"]], [["a", "b", "c"]] * 30):
        model = make(case).fit(text, builder=builder)
        assert np.isfinite(model.W_).all()
        assert np.isfinite(model.C_).all()
        assert model.W_.shape == (model.composition_.rows, 16)
        assert model.vectors().matrix.shape == (len(model.vocabulary_), 16)


def test_windows_larger_than_any_sentence(short: Corpus) -> None:
    for huge in (SGNS(dim=4, epochs=1, window=2**31 - 1), LexVec(dim=4, epochs=1, window=2**31 - 1, subsample=0)):
        assert np.isfinite(huge.fit(short).W_).all()


def test_nothing_is_given_away_before_fit(case: tuple[type[Model], dict[str, Any]], short: Corpus) -> None:
    with pytest.raises(LexvecError, match="has learned nothing yet: call fit first"):
        make(case).vectors()
    with pytest.raises(ParameterError, match="combine='both': it must be one of word, context, sum"):
        make(case).fit(short).vectors("both")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="dim=0: it must be at least 1"):
        make(case, dim=0)


def test_parameters_in_the_manner_of_scikit_learn(case: tuple[type[Model], dict[str, Any]]) -> None:
    model = make(case)
    parameters = model.get_params(deep=False)
    twin = type(model)(**parameters)  # as sklearn.clone does it, which wants the very same objects back
    assert all(twin.get_params()[name] is value for name, value in parameters.items())
    assert model.set_params(dim=4, seed=9) is model
    assert (model.dim, model.seed) == (4, 9)
    with pytest.raises(ParameterError, match="dim=0: it must be at least 1"):
        model.set_params(seed=1, dim=0)
    with pytest.raises(ParameterError, match=r"has no parameter sed: did you mean 'seed'\?"):
        model.set_params(sed=1)
    assert (model.dim, model.seed) == (4, 9)


def test_what_was_learned_can_be_saved_without_its_model(
    case: tuple[type[Model], dict[str, Any]], tmp_path: Path
) -> None:
    model = make(case).fit([["a", "b", "a", "c"]] * 50)
    model.save(tmp_path / "model")
    Trained.load(tmp_path / "model").check().save(tmp_path / "again", model.name, model.record())
    assert (tmp_path / "again" / "W.npy").read_bytes() == (tmp_path / "model" / "W.npy").read_bytes()
    assert Model.load(tmp_path / "again").trained_.more.keys() == model.trained_.more.keys()


def test_what_a_model_returns_is_checked() -> None:
    corpus = CorpusBuilder(min_count=1).build([["a", "b"]])
    good = np.zeros((2, 3), np.float32)
    Trained.of_words(good, good, corpus).check()
    for W, C in ((good.astype(float), good), (good, good[:1]), (good[:, :2], good), (good[0], good), (None, good)):
        with pytest.raises(InputError, match="learn 2 rows of float32"):
            Trained.of_words(W, C, corpus).check()  # type: ignore[arg-type]
