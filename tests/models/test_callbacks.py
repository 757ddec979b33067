"""Callbacks of fit: they see the model, may stop it, and an interrupted fit leaves what it has learned."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lexvec import SGNS, GloVe, LexVec, Model

SENTENCES = [["a", "b", "a", "c"], ["b", "c", "d", "a"]] * 100
OTHER = [["x", "y", "z", "x", "y"]] * 100


def model(**more: Any) -> LexVec:
    return LexVec(dim=4, epochs=4, subsample=0, **more)


@pytest.mark.parametrize("kind", [LexVec, SGNS, GloVe])
def test_callbacks_get_the_model_as_it_is(kind: type[Model]) -> None:
    seen: list[tuple[int, int, np.ndarray]] = []

    def look(epoch: int, losses: dict[str, float], now: Any) -> None:
        assert now.losses_[-1] == losses
        seen.append((epoch, len(now.losses_), now.vectors()["a"]))

    fitted = kind(dim=4, epochs=3, **({} if kind is GloVe else {"subsample": 0})).fit(SENTENCES, callbacks=[look])  # type: ignore[call-arg]
    assert [(epoch, losses) for epoch, losses, _ in seen] == [(1, 1), (2, 2), (3, 3)]
    assert not np.array_equal(seen[0][2], seen[1][2])
    np.testing.assert_array_equal(seen[2][2], fitted.vectors()["a"])


def test_a_callback_stops_the_training(tmp_path: Path) -> None:
    whole = model().fit(SENTENCES, callbacks=[lambda epoch, losses: None])
    stopped = model().fit(SENTENCES, tmp_path / "model", callbacks=[lambda epoch, losses: epoch == 2])
    assert stopped.losses_ == whole.losses_[:2]
    loaded = Model.load(tmp_path / "model")
    assert loaded.losses_ == stopped.losses_
    np.testing.assert_array_equal(loaded.W_, stopped.W_)
    assert len(model().fit(SENTENCES, callbacks=[lambda epoch, losses: 1]).losses_) == 4  # type: ignore[list-item,return-value]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_interrupted_fit_can_be_looked_at(error: type[BaseException]) -> None:
    def interrupt(epoch: int, losses: dict[str, float]) -> None:
        if epoch == 2:
            raise error

    whole = model().fit(SENTENCES)
    stopped = model().fit(OTHER)
    with pytest.raises(error):
        stopped.fit(SENTENCES, callbacks=[interrupt])
    assert stopped.losses_ == whole.losses_[:2]
    assert stopped.vocabulary_.words == whole.vocabulary_.words
    assert stopped.W_.shape == whole.W_.shape
    assert len(stopped.vectors()) == 4


def test_a_fit_that_fails_before_training_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = model().fit(OTHER)
    words, before = fitted.vocabulary_.words, fitted.W_.copy()

    def fail(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(LexVec, "_learner", fail)
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(SENTENCES)
    assert fitted.vocabulary_.words == words
    np.testing.assert_array_equal(fitted.W_, before)
    np.testing.assert_array_equal(fitted.vectors().matrix, before)


def test_what_a_callback_writes_is_not_in_the_model(tmp_path: Path) -> None:
    def write(_: int, losses: dict[str, Any], fitted: Any) -> None:
        losses["when"] = "today"
        losses.pop("pairs")
        fitted.losses_[-1].clear()
        with pytest.raises(AttributeError, match="no setter"):
            fitted.W_ = fitted.W_ + 1

    made = model().fit(SENTENCES, tmp_path / "model", callbacks=[write])
    assert Model.load(tmp_path / "model").losses_ == made.losses_ == model().fit(SENTENCES).losses_


def test_the_true_of_numpy_stops_training() -> None:
    assert len(model().fit(SENTENCES, callbacks=[lambda *_: np.float64(1.0) > 0.5]).losses_) == 1  # type: ignore[list-item]
    assert len(model().fit(SENTENCES, callbacks=[lambda *_: 1]).losses_) > 1  # type: ignore[list-item]


def test_what_an_unfitted_model_says() -> None:
    with pytest.raises(AttributeError, match="this LexVec has learned nothing yet: call fit first"):
        _ = model().W_
