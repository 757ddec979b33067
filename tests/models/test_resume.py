"""Runs that were stopped go on to the same bits."""

import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import planted
import pytest
from click.testing import CliRunner

from children import running, wait_until
from lexvec import (
    SGNS,
    ArtefactError,
    CooccurrenceCounter,
    Corpus,
    CorpusBuilder,
    DivergenceError,
    GloVe,
    InputError,
    LexVec,
    Model,
    ParameterError,
)
from lexvec.cli import main
from lexvec.engine.rows import PartedArray
from lexvec.engine.schedule import State
from lexvec.models.checkpoints import Checkpoints
from lexvec.models.run import RunFolder, Start
from lexvec.progress import Silent
from notes import Notes
from restamped import restamp

CASES: list[tuple[type[Model], dict[str, Any]]] = [
    (LexVec, {"epochs": 3, "subsample": 1e-2}),
    (SGNS, {"epochs": 2, "subsample": 1e-2}),
    (SGNS, {"epochs": 2, "subsample": 1e-2, "subwords": "ngrams"}),
    (GloVe, {"epochs": 3, "window": 4}),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return planted.corpus(1000)


class Stopped(BaseException):
    pass


def damage(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize(("cls", "parameters"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_a_run_stopped_anywhere_ends_with_the_same_bits(
    cls: type[Model], parameters: dict[str, Any], corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = cls(dim=12, **parameters).fit(corpus)
    save = Checkpoints.save
    for stop_after in (1, 7, 40):
        saved = [0]

        def stopping(own: Checkpoints, *rest: Any, saved: list[int] = saved, stop_after: int = stop_after) -> None:
            save(own, *rest)
            saved[0] += 1
            if saved[0] == stop_after:
                raise Stopped

        monkeypatch.setattr(Checkpoints, "save", stopping)
        output = tmp_path / f"model-{stop_after}"
        with pytest.raises(Stopped):
            cls(dim=12, **parameters, checkpoint_every=0).fit(corpus, output)
        assert not output.exists()
        monkeypatch.setattr(Checkpoints, "save", save)
        resumed = cls(dim=12, **parameters, threads=1).fit(None, output, resume=True)
        assert resumed.W_.tobytes() == whole.W_.tobytes()
        assert resumed.C_.tobytes() == whole.C_.tobytes()
        assert resumed.losses_ == whole.losses_


def _train(*arguments: object) -> None:
    done = CliRunner().invoke(main, ["train", "-q", *map(str, arguments)])
    assert (done.exit_code, done.output) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    ["", "--model sgns --subwords ngrams", "--subwords ngrams --subword-scheme floret --contexts positional"],
    ids=["lexvec", "sgns with n-grams", "lexvec with floret"],
)
def test_kill_9_and_resume_from_the_command_line(model: str, corpus: Corpus, tmp_path: Path) -> None:
    flags = ["--dim", 100, "--epochs", 12, "--subsample", 0, "--threads", 2, *model.split()]
    _train(corpus.path, "-o", tmp_path / "whole", *flags)
    command = [sys.executable, "-m", "lexvec", "train", "-q", corpus.path, "-o", tmp_path / "killed", *flags]
    folder = tmp_path / "killed.run"
    with running([*command, "--checkpoint-every", "0"]) as process:
        wait_until(lambda: list(folder.glob("checkpoint-*")), process)
        time.sleep(0.2)
        process.kill()
    assert not (tmp_path / "killed").exists()
    _train("--resume", tmp_path / "killed")
    assert not folder.exists()
    files = {file.name for file in (tmp_path / "whole").iterdir()}
    assert files >= {"W.npy", "C.npy", "vocab.tsv", "meta.json"}
    assert {file.name for file in (tmp_path / "killed").iterdir()} == files
    for name in files:
        assert (tmp_path / "killed" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_what_stands_in_the_way_of_a_run(corpus: Corpus, tmp_path: Path) -> None:
    output = tmp_path / "model"
    model = LexVec(dim=8, epochs=1, subsample=0)
    with pytest.raises(ArtefactError, match="there is no run to resume; start one"):
        model.fit(None, output, resume=True)
    with pytest.raises(ParameterError, match="resume=True needs the output"):
        model.fit(corpus, resume=True)
    run = RunFolder(output)
    start = Start("lexvec", model.record(), str(corpus.path.resolve()))
    with pytest.raises(Stopped), run.begun(start):
        for resume in (True, False):
            with pytest.raises(ArtefactError, match="another run is training into"):
                model.fit(corpus, output, resume=resume)
        counter = CooccurrenceCounter(subsample=0)
        counter.count(corpus, run.path / "counts")
        damage(run.path / "counts" / "data.npy")
        raise Stopped
    with pytest.raises(
        ArtefactError, match=r"holds a run that was not finished: resume it with resume=True, or start again"
    ):
        model.fit(corpus, output)
    with pytest.raises(ArtefactError, match="was started with other parameters"):
        LexVec(dim=9, epochs=1, subsample=0).fit(corpus, output, resume=True)
    progress = Notes()
    model.fit(corpus, output, resume=True, progress=progress)
    assert "rebuilding counts" in progress.texts[0]
    assert np.array_equal(model.W_, type(model)(**model.record()).fit(corpus).W_)
    with pytest.raises(ArtefactError, match="exists: choose another output"):
        model.fit(corpus, output)
    with pytest.raises(ArtefactError, match="is finished: there is nothing to resume"):
        model.fit(None, output, resume=True)


def test_a_damaged_checkpoint_is_not_used(tmp_path: Path) -> None:
    arrays = {"words-rows": PartedArray(4, 5, 3), "contexts-bias": PartedArray(4, 5, value=2)}
    checkpoints = Checkpoints(tmp_path, {})
    checkpoints.save(State(epoch=1, unit=2), arrays)
    restored = {"words-rows": PartedArray(4, 5, 3, value=1), "contexts-bias": PartedArray(4, 5)}
    assert checkpoints.restore(restored, Silent()).epoch == 1
    assert all(np.array_equal(restored[name].whole(), arrays[name].whole()) for name in arrays)
    with pytest.raises(ArtefactError, match="belongs to another vocabulary"):
        checkpoints.restore({"words-rows": PartedArray(4, 6, 17)}, Silent())
    (checkpoint,) = tmp_path.glob("checkpoint-*")
    damage(checkpoint / "words-rows-0.npy")
    progress = Notes()
    assert checkpoints.restore(arrays, progress) == State()
    assert "is damaged" in progress.texts[0]
    # A run that starts from the beginning comes to the same place again.
    checkpoints.save(State(epoch=1, unit=2), arrays)
    assert checkpoints.restore(restored, Silent()).unit == 2


def test_divergence_is_named(corpus: Corpus, tmp_path: Path) -> None:
    with pytest.raises(
        DivergenceError, match=r"training diverged in epoch 1 at learning rate .*; use a lower learning_rate"
    ):
        LexVec(dim=8, epochs=2, subsample=0, learning_rate=50.0).fit(corpus, tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_callbacks_see_each_epoch(corpus: Corpus) -> None:
    seen: list[int] = []
    model = LexVec(dim=8, epochs=3, subsample=0).fit(corpus, callbacks=[lambda epoch, losses: seen.append(epoch)])
    assert seen == [1, 2, 3]
    assert set(model.losses_[0]) == {"loss", "seen", "noise", "pairs"}


def test_nothing_of_the_users_is_replaced(corpus: Corpus, tmp_path: Path) -> None:
    model = LexVec(dim=4, epochs=1, subsample=0)
    (tmp_path / "a.run").mkdir()
    (tmp_path / "a.run" / "thesis.tex").write_text("mine")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mine.txt").write_text("mine")
    (tmp_path / "c.run").write_text("mine")
    for name in ("a", "b", "c"):
        with pytest.raises(ArtefactError, match="holds (what|files that) lexvec did not make: choose another output"):
            model.fit(corpus, tmp_path / name, force=True)
    own = CorpusBuilder(min_count=1).build(["a b a c"], tmp_path / "corpus")
    with pytest.raises(ArtefactError, match="overlaps the input"):
        model.fit(own, tmp_path / "corpus", force=True)
    assert (tmp_path / "a.run" / "thesis.tex").exists()
    assert (tmp_path / "c.run").is_file()
    assert len(Corpus.load(tmp_path / "corpus")) == 1


def test_a_run_that_replaces_a_model_can_be_resumed(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = LexVec(dim=4, epochs=1, subsample=0).fit(corpus, tmp_path / "model")
    new = LexVec(dim=4, epochs=2, subsample=0, checkpoint_every=0)
    with monkeypatch.context() as patch:
        patch.setattr(Model, "save", lambda *_, **__: (_ for _ in ()).throw(Stopped()))
        with pytest.raises(Stopped):
            new.fit(corpus, tmp_path / "model", force=True)
    assert Model.load(tmp_path / "model").W_.tobytes() == old.W_.tobytes()
    with pytest.raises(InputError, match="nosuch does not exist"):
        new.fit(tmp_path / "nosuch", tmp_path / "model", force=True)
    resumed = LexVec(dim=4, epochs=2, subsample=0).fit(None, tmp_path / "model", resume=True)
    assert Model.load(tmp_path / "model").W_.tobytes() == resumed.W_.tobytes() == new.W_.tobytes()


def test_a_run_killed_while_it_removed_its_folder(tmp_path: Path) -> None:
    model = LexVec(dim=4, epochs=1, subsample=0, checkpoint_every=0)
    run = tmp_path / "model.run"
    model.fit([["a", "b"]] * 200, tmp_path / "model")
    run.mkdir()
    (run / "lock").touch()
    with pytest.raises(ArtefactError, match="is finished: there is nothing to resume"):
        model.fit(None, tmp_path / "model", resume=True)
    assert os.listdir(tmp_path) == ["model"]


def test_a_run_stopped_while_its_text_was_encoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text.txt").write_text("the cat sat on the mat. The dog sat on the log.\n" * 50)
    model = LexVec(dim=4, epochs=1, subsample=0)
    builder = CorpusBuilder(min_count=2)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)  # as after kill -9, nothing is cleared away
        patch.setattr(RunFolder, "_remove", lambda _: None)
        patch.setattr(CorpusBuilder, "_build", lambda *_, **__: (_ for _ in ()).throw(Stopped()))
        with pytest.raises(Stopped):
            model.fit(tmp_path / "text.txt", tmp_path / "model", builder=builder)
    resumed = LexVec(dim=4, epochs=1, subsample=0).fit(None, tmp_path / "model", resume=True)
    whole = LexVec(dim=4, epochs=1, subsample=0).fit(tmp_path / "text.txt", builder=builder)
    assert resumed.W_.tobytes() == whole.W_.tobytes()


@pytest.mark.parametrize(
    ("rate", "problem"),
    [
        (1e40, r"\(the (rows are not finite|loss is (nan|inf))\)"),
        (5, r"\(the loss is \d.*e\+\d\d\)"),  # which is finite
    ],
)
def test_what_diverged_is_not_kept(rate: float, problem: str) -> None:
    with pytest.raises(DivergenceError, match=problem):
        LexVec(dim=2, window=1, negative=0, subsample=0, epochs=1, learning_rate=rate).fit(
            [["a", "b"] * 3], builder=CorpusBuilder(min_count=1)
        )


def test_a_run_goes_on_with_what_it_was_started_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, other, output = tmp_path / "text.txt", tmp_path / "other.txt", tmp_path / "model"
    text.write_text("a b c d " * 50, encoding="utf-8")
    other.write_text("a b c d " * 60, encoding="utf-8")
    builder = CorpusBuilder(min_count=1)
    few: dict[str, Any] = {"dim": 4, "epochs": 2, "subsample": 0}
    save = Checkpoints.save

    def stopping(own: Checkpoints, *rest: Any) -> None:
        save(own, *rest)
        raise Stopped

    monkeypatch.setattr(Checkpoints, "save", stopping)
    with pytest.raises(Stopped):
        LexVec(**few, checkpoint_every=0).fit(text, output, builder=builder)
    monkeypatch.undo()
    with pytest.raises(ArtefactError, match="was started with another text: resume with what it was started with"):
        LexVec(**few).fit(other, output, resume=True)
    with pytest.raises(ArtefactError, match="was started with another builder"):
        LexVec(**few).fit(text, output, builder=CorpusBuilder(min_count=2), resume=True)
    output.mkdir()
    with pytest.raises(ArtefactError, match="model is not what this run makes: move it away, then resume"):
        LexVec(**few).fit(None, output, resume=True)
    output.rmdir()
    resumed = LexVec(**few).fit(text, output, resume=True)
    assert resumed.W_.tobytes() == LexVec(**few).fit(text, builder=builder).W_.tobytes()


def _stopped(model: Model, corpus: Corpus, output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Train until the first checkpoint."""
    save = Checkpoints.save

    def stopping(own: Checkpoints, *rest: Any) -> None:
        save(own, *rest)
        raise Stopped

    with monkeypatch.context() as patch:
        patch.setattr(Checkpoints, "save", stopping)
        with pytest.raises(Stopped):
            model.fit(corpus, output)


def test_a_run_keeps_its_order_of_steps_when_defaults_change(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few: dict[str, Any] = {"dim": 4, "epochs": 1, "subsample": 0}
    output, order = tmp_path / "model", dict[str, Any](parts=4, unit_pairs=1 << 12)
    with monkeypatch.context() as patch:
        patch.setattr("lexvec.models.window_model.default_unit_pairs", lambda words: 1 << 12)
        patch.setattr("lexvec.models.stepwise.default_parts", lambda words: 4)
        _stopped(SGNS(**few, checkpoint_every=0), corpus, output, monkeypatch)
    resumed = SGNS(**few).fit(None, output, resume=True)
    assert resumed.order_ == order
    assert Model.load(output).order_ == order
    assert resumed.W_.tobytes() == SGNS(**few, **order).fit(corpus).W_.tobytes()
    assert resumed.W_.tobytes() != SGNS(**few).fit(corpus).W_.tobytes()


@pytest.mark.parametrize(
    "order", [3, {}, {"parts": 16}, {"parts": 0, "unit_pairs": 9}, {"parts": 16, "unit_pairs": "9"}]
)
def test_a_damaged_order_of_steps(order: Any, corpus: Corpus, tmp_path: Path) -> None:
    model = SGNS(dim=4, epochs=1, subsample=0)
    start = Start("sgns", model.record(), str(corpus.path.resolve()), pinned={"order of steps": order})
    with pytest.raises(Stopped), RunFolder(tmp_path / "model").begun(start):
        (tmp_path / "model.run" / "scratch").mkdir()
        raise Stopped
    with pytest.raises(ArtefactError, match=r"run.json is damaged: start again"):
        model.fit(None, tmp_path / "model", resume=True)


def test_a_damaged_record_of_a_run(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "model")
    run.path.mkdir()
    for text in ("{", "{}", "[]", "[" * 100_000):
        (run.path / "run.json").write_text(text, encoding="utf-8")
        with pytest.raises(ArtefactError, match=r"run.json is damaged: start again"):
            LexVec().fit(None, tmp_path / "model", resume=True)


def test_a_parameter_that_an_older_run_does_not_record_had_its_default(corpus: Corpus, tmp_path: Path) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    model = LexVec(dim=4, epochs=2, subsample=0, checkpoint_every=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(corpus, tmp_path / "model", callbacks=[stop])
    record = tmp_path / "model.run" / "run.json"
    started = json.loads(record.read_text())
    del started["parameters"]["noise_power"]
    record.write_text(json.dumps(started))
    with pytest.raises(ArtefactError, match="was started with other parameters"):
        LexVec(dim=4, epochs=2, subsample=0, noise_power=0.5).fit(None, tmp_path / "model", resume=True)
    for checkpoint in (tmp_path / "model.run").glob("checkpoint-*"):
        restamp(checkpoint, lambda meta: meta["parameters"].pop("noise_power"))
    model.fit(None, tmp_path / "model", resume=True)
    assert Model.load(tmp_path / "model").W_.tobytes() == model.fit(corpus).W_.tobytes()
