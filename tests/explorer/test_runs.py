"""Runs under way: what is read from their folder, and that the page follows them to their end."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from explorer_data import ANIMALS, COLOURS
from explorer_fixtures import serious_violations
from lexvec import SGNS, CorpusBuilder, LexVec, Model, WordVectors
from lexvec.explorer.session import Session
from lexvec.explorer.shown_models import opened_models

if TYPE_CHECKING:
    from lexvec.explorer.server import Service

pytestmark = pytest.mark.usefixtures("cache")

EPOCHS = 4


class StoppedError(Exception):
    """Stands for a kill."""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    file = tmp_path / "text.txt"
    file.write_text("\n".join(f"{ANIMALS[n % 10]} {COLOURS[n % 10]} {ANIMALS[(n + 1) % 10]}." for n in range(300)))
    return file


def train(
    text: Path,
    output: Path,
    *,
    until: int = EPOCHS + 1,
    resume: bool = False,
    kind: Callable[..., Model] = SGNS,
    **more: Any,
) -> Model:
    """Train into a folder with a checkpoint after every unit, and stop in an epoch as if killed."""

    def stop(epoch: int, _: dict[str, float]) -> None:
        if epoch == until:
            raise StoppedError

    model = kind(dim=8, epochs=EPOCHS, subsample=0, parts=4, threads=1, checkpoint_every=0, **more)
    builder = None if resume else CorpusBuilder(min_count=1)
    corpus = None if resume else text
    return model.fit(corpus, output, builder=builder, resume=resume, callbacks=[stop])


@pytest.fixture
def run(text: Path, tmp_path: Path) -> Path:
    """A run that was stopped in its third epoch, and has a checkpoint of its second."""
    with pytest.raises(StoppedError):
        train(text, tmp_path / "model", until=3)
    return tmp_path / "model.run"


def test_progress_and_vectors_of_a_run(run: Path) -> None:
    (model,) = opened_models([run])
    session = Session([model])
    news: list[Any] = []
    session.listen = news.append
    session.look()
    state = session.run(0)
    assert state["state"] == "running"
    assert (state["epochs"], state["parameters"]["model"]) == (EPOCHS, "sgns")
    assert 0 < state["loss"] < 2 and 0 < state["rate"] <= 0.025 and state["speed"] > 0
    record = json.loads((run / "progress.json").read_text())
    assert {name: state[name] for name in ("epoch", "epochs", "loss", "rate")}.items() <= record.items()
    assert state["checkpoint"].startswith("checkpoint-00000")
    assert {record["kind"] for record in news} == {"run", "model"}
    assert sorted(model.ready.vectors.words) == sorted(ANIMALS + COLOURS)
    assert model.ready.vectors.counts is not None
    assert np.isfinite(model.ready.vectors.matrix).all()
    assert model.ready.generation == 0 and session.is_watching
    json.dumps(session.run(0), allow_nan=False)
    news.clear()
    session.look()
    assert news == []


def test_the_run_may_be_named_by_its_output(run: Path) -> None:
    (model,) = opened_models([run.with_suffix("")])
    assert model.run is not None and model.content is None


def test_the_checkpoint_is_that_of_training(run: Path, text: Path) -> None:
    session = Session(opened_models([run]))
    session.look()
    before = session.models[0].ready
    shown = before.vectors.matrix.copy()
    model = train(text, run.with_suffix(""), resume=True)
    session.look()  # the folder of the run is gone, and its result is there
    after = session.models[0].ready
    assert session.run(0)["state"] == "finished" and not session.is_watching
    assert after.generation == before.generation + 1
    assert (after.vectors.matrix == model.vectors().matrix).all()
    assert (before.vectors.matrix == shown).all()  # what was shown before is still what it was
    assert len(after.losses) == EPOCHS
    correlation = np.corrcoef(shown.ravel(), after.vectors.matrix.ravel())[0, 1]
    assert correlation > 0.5  # rows are in the order of words


SPECIAL: dict[str, Any] = {
    "n-grams": (SGNS, {"subwords": "ngrams"}, "word"),
    "floret": (LexVec, {"subwords": "ngrams", "subword_scheme": "floret", "buckets": 50}, "word"),
    "positional": (LexVec, {"contexts": "positional"}, "sum"),
    "n-grams with contexts": (SGNS, {"subwords": "ngrams"}, "sum"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "more", "combine"), SPECIAL.values(), ids=SPECIAL)
def test_checkpoints_with_subwords_and_positional_contexts(
    text: Path, tmp_path: Path, kind: Any, more: dict[str, Any], combine: Any
) -> None:
    """The last checkpoint of a run that is killed before it is saved has the vectors that the run would have saved."""
    saved = tmp_path / "model"
    with pytest.MonkeyPatch.context() as patch, pytest.raises(StoppedError):
        patch.setattr(Model, "save", _stopped)
        train(text, saved, kind=kind, **more)
    session = Session(opened_models([saved.with_suffix(".run")]), combine=combine)
    session.look()
    shown = session.models[0].ready.vectors
    model = train(text, saved, resume=True, kind=kind, **more)
    np.testing.assert_array_equal(shown.matrix, model.vectors(combine).matrix)
    assert "note" not in session.run(0)
    assert session.about()["models"][0]["composes"] == (combine == "word")
    if combine == "word":
        expected = model.vectors().composed(["catty"])
        assert shown.composer is not None and expected.any()
        np.testing.assert_array_equal(shown.composer.composed(["catty"]), expected)


def _stopped(*_: Any, **__: Any) -> None:
    raise StoppedError


def test_a_run_that_is_removed(run: Path) -> None:
    session = Session(opened_models([run]))
    session.look()
    shutil.rmtree(run)
    session.look()
    assert session.run(0)["state"] == "gone"
    assert session.models[0].ready.vectors.most_similar(ANIMALS[0], count=1)


@pytest.mark.parametrize(
    "damage",
    [
        *(b"", b"{", b"[]", b'{"stage": 1}', b'{"stage":"a","unit":"","done":1e999}'),
        b'{"unit":"","done":1,"seconds":1,"time":1,"epoch":1,"epochs":0,"loss":1,"rate":1,"total":1}',
        b'{"unit":"","done":1,"seconds":1,"time":1,"epoch":1,"epochs":2,"loss":"1","rate":1,"total":1}',
    ],
)
def test_damaged_progress_is_passed_over(run: Path, damage: bytes) -> None:
    (run / "progress.json").write_bytes(damage)
    session = Session(opened_models([run]))
    session.look()
    assert session.run(0)["state"] == "running" and "loss" not in session.run(0)


def test_a_checkpoint_that_is_being_removed_is_passed_over(run: Path) -> None:
    (checkpoint,) = run.glob("checkpoint-*")
    (checkpoint / "meta.json").unlink()
    session = Session(opened_models([run]))
    session.look()
    assert session.models[0].content is None
    assert session.about()["models"][0]["words"] == 0


def test_training_leaves_no_more_than_before(text: Path, tmp_path: Path) -> None:
    train(text, tmp_path / "model")
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith("model")) == ["model"]
    assert not (tmp_path / "model" / "progress.json").exists()


@pytest.mark.slow
def test_the_page_follows_a_run_to_its_end(
    run: Path, text: Path, serve: "Callable[[Session], Service]", open_page: Callable[..., Any]
) -> None:
    session = Session(opened_models([run]))
    session.look()
    page = open_page(f"{serve(session).url}#run")
    page.get_by_text("Training is under way.").wait_for()
    figure = page.locator("[data-figure=epoch]")
    assert figure.inner_text() == f"3 of {EPOCHS}"
    assert float(page.locator("[data-figure=loss]").inner_text()) > 0
    assert float(page.locator("[data-figure='learning rate']").inner_text()) > 0
    page.get_by_role("link", name="Words").click()
    page.get_by_role("combobox", name="Word or formula").fill("cat")
    page.keyboard.press("Enter")
    page.get_by_role("table", name="Nearest of 20 words").wait_for()
    page.get_by_role("link", name="Run").click()
    model = train(text, run.with_suffix(""), resume=True)  # while the page is open
    page.get_by_text("The run is finished; the page shows its result.").wait_for()
    assert page.get_by_role("progressbar").evaluate("bar => bar.value") == 1
    page.get_by_role("link", name="Words").click()
    shown = page.get_by_role("table", name="Nearest of 20 words")
    shown.wait_for()
    expected = [word for word, _ in WordVectors(model.vocabulary_.words, model.W_).most_similar("cat", count=20)]
    page.wait_for_function(
        "words => [...document.querySelectorAll('.answer tbody th a')].map(a => a.textContent).join() === words",
        arg=",".join(expected),
    )


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_screen_reader_can_read_the_run(
    run: Path, serve: "Callable[[Session], Service]", open_page: Callable[..., Any], theme: str
) -> None:
    session = Session(opened_models([run]))
    session.look()
    page = open_page(f"{serve(session).url}#run", color_scheme=theme, bypass_csp=True)
    page.get_by_text("Training is under way.").wait_for()
    page.get_by_role("heading", name="Run model.run").wait_for()
    page.get_by_role("progressbar", name="Progress of the run").wait_for()
    assert serious_violations(page) == []


@pytest.mark.slow
def test_what_is_typed_survives_a_new_checkpoint(
    run: Path, text: Path, serve: "Callable[[Session], Service]", open_page: Callable[..., Any]
) -> None:
    session = Session(opened_models([run]))
    session.look()
    page = open_page(f"{serve(session).url}#analogies?a=cat&b=dog&c=red")
    page.get_by_role("table", name="3CosAdd").wait_for()
    page.get_by_role("combobox", name="c", exact=True).fill("gree")
    page.get_by_role("option", name="green").wait_for()
    train(text, run.with_suffix(""), resume=True)
    page.get_by_role("status").get_by_text("There is a new checkpoint of model.run.").wait_for(state="attached")
    assert page.get_by_role("combobox", name="c", exact=True).input_value() == "gree"
    assert page.evaluate("document.activeElement.value") == "gree"
