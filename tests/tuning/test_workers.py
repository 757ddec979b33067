"""Trials in several processes, which may be killed."""

import io
import json
import os
import signal
import sys
import time
from contextlib import closing
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from children import running, wait_until
from lexvec import MODELS, Corpus, LexvecError
from lexvec.errors import ResourceError
from lexvec.lab import Space, Tuned
from lexvec.lab.study import Study
from lexvec.lab.trials import Outcome, Trials, Worker, WorkerLostError, serve
from searching import FIXED, OBJECTIVE, SEARCHED, scored, search

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
        return Study(tmp_path / "trials.db", space, OBJECTIVE, "", seed=1, prune=0.5, workers=2)

    with closing(study()) as killed:  # while the defaults were running, and after another trial had ended
        asked = [killed.ask(3), killed.ask(3)]
        assert asked[0] and asked[1] and asked[0][1]["window"] == 2
        killed.tell(asked[1][0], scored(0.5))
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


def test_an_unexpected_error_in_a_worker_is_reported_as_what_it_is(tmp_path: Path) -> None:
    given = Trials("lexvec", FIXED, str(tmp_path), str(tmp_path), [], {"x": 1.0}, ["word"], 1)
    lines, answers = io.StringIO(f'{given.as_json()}\n{{"parameters": {{}}}}\n'), io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Trials, "run", lambda *_: 1 / 0)
        serve(lines, answers)
    message = json.loads(answers.getvalue())["error"]
    assert message == "a trial failed unexpectedly (ZeroDivisionError: division by zero): please report this"


def test_a_worker_imports_nothing_from_the_current_folder(
    tmp_path: Path, topics: Corpus, topic_pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "uuid.py").write_text("raise ImportError('from the current folder')")
    monkeypatch.chdir(tmp_path)
    assert len(search(tmp_path / "work", topics, topic_pairs, trials=2, workers=2).trials) == 2


def test_a_stopped_worker_starts_no_process(tmp_path: Path) -> None:
    worker = Worker(Trials("lexvec", FIXED, str(tmp_path), str(tmp_path), [], {"x": 1.0}, ["word"], 1))
    worker.stop()
    with pytest.raises(WorkerLostError):
        worker.run({}, lambda *_: False)
    assert worker._process is None


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_a_worker_ends_with_its_search(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    name = str(topic_pairs)
    fixed = {**FIXED, "epochs": 10_000_000}
    trials = Trials("lexvec", fixed, str(topics.path), str(tmp_path / "m"), [name], {name: 1.0}, ["word"], 1)
    code = (
        "import sys, time; from lexvec.lab.trials import Trials; from lexvec.lab.trials import Worker\n"
        f"worker = Worker(Trials(**__import__('json').loads({trials.as_json()!r})))\n"
        "worker._send({'parameters': {}}); print(worker._process.pid, flush=True)\n"
        "while True: worker._receive(); worker._send({'stop': False})\n"
    )
    with running([sys.executable, "-c", code], stdout=PIPE) as search_process:
        assert search_process.stdout
        worker = int(search_process.stdout.readline())
        time.sleep(2)  # it trains
        search_process.kill()
    for _ in range(200):
        if not is_alive(worker):
            return
        time.sleep(0.1)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the worker is still there")


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z" if Path("/proc").exists() else True


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_ctrl_c_reaches_the_search_alone(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    fixed = [f"--{name}={value}" for name, value in {**FIXED, "epochs": 100_000}.items()]
    command = [sys.executable, "-m", "lexvec", "tune", str(topics.path), "-o", str(tmp_path / "work"), *fixed]
    command += ["--objective", str(topic_pairs), "--search", "window=1..4", "--trials", "9", "--workers", "2"]
    with running(command, stderr=PIPE) as started:
        wait_until((tmp_path / "work" / "trials.db").exists, started)
        time.sleep(0.5)  # workers are being started, or train
        os.killpg(started.pid, signal.SIGINT)
        _, said = started.communicate(timeout=30)
    assert started.returncode == 130 and "Traceback" not in said
    assert said.splitlines()[-1] == "lexvec: stopped; run the same command to resume"
