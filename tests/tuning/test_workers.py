"""Trials in several processes, which may be killed."""

import os
import signal
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lexvec import MODELS, Corpus, LexvecError
from lexvec.errors import ResourceError
from lexvec.tuning import Space, Tuned
from lexvec.tuning.study import Study
from lexvec.tuning.trial import Outcome, Trials
from lexvec.tuning.worker import Worker, WorkerLostError
from searching import FIXED, SEARCHED, search

pytest.importorskip("optuna", reason="a search needs optuna (the extra tune)")


def test_workers(tmp_path: Path, topics: Corpus, topic_pairs: Path, finished: tuple[Path, Tuned]) -> None:
    tuned = search(tmp_path / "work", topics, topic_pairs, trials=3, workers=2)
    assert len(tuned.trials) == 3
    # The first trial does not depend on when the others end.
    assert tuned.trials[0] == finished[1].trials[0]


def test_a_killed_worker_loses_nothing(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    run = Worker.run
    kills: list[dict[str, Any]] = []

    def killed(worker: Worker, parameters: dict[str, Any], reported: Any) -> Outcome:
        if not kills:
            worker._send({"parameters": parameters})
            assert worker._process
            kills.append(parameters)
            os.kill(worker._process.pid, signal.SIGKILL)
            worker._process.wait()
        return run(worker, parameters, reported)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Worker, "run", killed)
        tuned = search(tmp_path / "work", topics, topic_pairs, trials=3, workers=2)
    assert len(tuned.trials) == 3
    assert kills[0] in [trial.parameters for trial in tuned.trials]


def test_a_search_that_was_killed_tries_the_defaults_again(tmp_path: Path) -> None:
    space = Space.from_model(MODELS["lexvec"], FIXED, SEARCHED)

    def study() -> Study:
        return Study(tmp_path / "trials.db", space, "", seed=1, prune=0.5, workers=2)

    with closing(study()) as killed:  # while the defaults were running, and after another trial had ended
        asked = [killed.ask(3), killed.ask(3)]
        assert asked[0] and asked[1] and asked[0][1]["window"] == 2
        killed.tell(asked[1][0], Outcome(0.5))
    with closing(study()) as resumed:
        again = resumed.ask(3)
        assert again and again[1] == asked[0][1]
        assert len(resumed.finished()) == 1


def test_workers_that_are_always_killed(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    def lost(*_: Any) -> Outcome:
        raise WorkerLostError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Worker, "run", lost)
        with pytest.raises(ResourceError, match="3 workers in a row were killed"):
            search(tmp_path / "work", topics, topic_pairs, workers=2)


def test_a_worker_reports_errors_in_one_line(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    trials = Trials(
        "lexvec", FIXED, str(tmp_path / "gone"), str(tmp_path / "m"), [str(topic_pairs)], {"x": 1.0}, ["word"], 1
    )
    with Worker(trials) as worker, pytest.raises(LexvecError, match="gone"):
        worker.run({}, lambda *_: False)
