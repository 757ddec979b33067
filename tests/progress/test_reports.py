"""That all work reports, and to whom."""

import inspect
import logging
import re
from pathlib import Path

import numpy as np
import pytest

import lexvec
from children import run_code
from lexvec import CorpusBuilder, LexVec, WordVectors
from lexvec.progress import ProgressLike
from offered import offered

TEXT = [["a", "b", "c", "a"]] * 30

SCRIPT = """
import lexvec
builder = lexvec.CorpusBuilder(min_count=1)
lexvec.{model}.fit([["a", "b", "c", "a"]] * 30, builder=builder)
"""


def test_progress_is_asked_for_in_the_same_way_everywhere() -> None:
    taking = {}
    for name, thing in offered():
        parameters = inspect.signature(thing).parameters
        if "progress" in parameters:
            taking[name] = parameters["progress"]
    assert {"LexVec.fit", "CorpusBuilder.build", "evaluate", "fetch", "Runner.run", "WordVectors.load"} <= set(taking)
    for name, parameter in taking.items():
        assert parameter.annotation == ProgressLike, name
        assert parameter.default is None and parameter.kind is parameter.KEYWORD_ONLY, name


def test_each_part_of_a_fit_reports_under_its_own_name(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "lexvec")
    model = LexVec(dim=4, epochs=2, subsample=0)
    model.fit(TEXT, tmp_path / "model", builder=CorpusBuilder(min_count=1))
    infos = [(record.name, record.message) for record in caplog.records if record.levelno == logging.INFO]
    ended = [(name, message.split(":")[0]) for name, message in infos if ": done in " in message]
    assert ended == [
        ("lexvec.corpus.builder", "reading"),
        ("lexvec.corpus.builder", "encoding"),
        ("lexvec.cooccurrence.counter", "counting"),
        ("lexvec.association", "associating"),
        ("lexvec.models.base", "epoch 1/2"),
        ("lexvec.models.base", "epoch 2/2"),
    ]
    begun = [message.split(":")[0] for _, message in infos if ": done in " not in message]
    assert begun[:4] == ["reading", "encoding", "counting", "associating"]
    assert all(record.name.startswith("lexvec.") for record in caplog.records)
    details = "\n".join(record.message for record in caplog.records if record.levelno == logging.DEBUG)
    assert re.search(r"LexVec\(.*dim=4.*\) on \d+ threads", details)
    for detail in ("of memory are free", "compiled kernels in", "chunks of", "checkpoint after 2 epochs", "wrote "):
        assert detail in details


def test_reading_and_scoring_report_too(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "lexvec")
    vectors = WordVectors(list("abcdef"), np.random.default_rng(0).normal(size=(6, 3)))
    vectors.save(tmp_path / "v.txt")
    loaded = WordVectors.load(tmp_path / "v.txt")
    (tmp_path / "own.txt").write_text("a b c d\n")
    lexvec.evaluate(loaded, sets=[tmp_path / "own.txt"])
    said = {(record.name, record.message.split(":")[0]) for record in caplog.records if record.levelno == logging.INFO}
    assert said == {
        ("lexvec.vectors.word_vectors", "writing"),
        ("lexvec.vectors.word_vectors", "reading"),
        ("lexvec.vectors.analogies", "analogies"),
    }
    assert f"{tmp_path / 'v.txt'}: format word2vec" in caplog.messages


@pytest.mark.parametrize("progress", [False, True])
def test_other_progress_leaves_the_log_empty(
    progress: bool, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.INFO, "lexvec")
    model = LexVec(dim=4, epochs=1, subsample=1e-9)
    model.fit(TEXT, builder=CorpusBuilder(min_count=1), progress=progress)
    assert caplog.records == []
    shown = capfd.readouterr()
    assert shown.out == ""
    assert shown.err.count("there was no pair to learn from") == progress
    assert shown.err.count("training needs about") == progress


def run(script: str) -> tuple[str, str]:
    done = run_code(script, check=True)
    return done.stdout, done.stderr


def test_only_warnings_are_printed_by_default() -> None:
    well, badly = (SCRIPT.format(model=f"LexVec(dim=4, epochs=1, subsample={t})") for t in (0, 1e-9))
    out, err = run(well + badly)
    assert out == ""
    pairs, learned = err.splitlines()
    assert pairs.startswith("no pair is left") and learned.startswith("there was no pair to learn from")


def test_logging_shows_progress() -> None:
    setting = "import logging\nlogging.basicConfig(level=logging.INFO)\n"
    out, err = run(setting + SCRIPT.format(model="LexVec(dim=4, epochs=1, subsample=0)"))
    assert out == ""
    assert "INFO:lexvec.cooccurrence.counter:counting: 120 tokens\n" in err
    assert "INFO:lexvec.models.base:epoch 1/1: done in " in err
    assert "DEBUG" not in err
