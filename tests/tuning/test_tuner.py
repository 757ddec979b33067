"""A search on a tiny corpus: deterministic, resumable, honest about its halves."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import planted
import pytest

from lexvec import MODELS, PPMISVD, ArtefactError, Corpus, InputError, LexvecError, ParameterError
from lexvec.errors import DivergenceError, ResourceError
from lexvec.experiments import Runner
from lexvec.experiments.folder import started_with
from lexvec.tuning import Space, Tuned, Tuner
from lexvec.tuning.report import TuningReport
from lexvec.tuning.study import Study
from lexvec.tuning.trial import Outcome, Trials
from lexvec.tuning.worker import Worker, WorkerLostError

pytest.importorskip("optuna", reason="a search needs optuna (the extra tune)")

FIXED = {"dim": 4, "subsample": 0.0, "epochs": 2}
SEARCHED = ["window=1..4", "learning_rate=0.01..0.2:log", "variant"]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(200)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sets") / "topics.txt"
    words = [(topic, word) for topic in range(6) for word in range(4)]
    lines = [
        f"t{a}w{b} t{c}w{d} {10 * (a == c) + (b + d) / 10}\n"
        for place, (a, b) in enumerate(words)
        for c, d in words[place + 1 :]
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def search(folder: Path, corpus: Any, pairs: Path, trials: int = 4, **more: Any) -> Tuned:
    options: dict[str, Any] = {
        "fixed": FIXED,
        "searched": SEARCHED,
        "objective": [str(pairs)],
        "progress": False,
    } | more
    parameters = {name: options.pop(name) for name in ("workers", "prune", "seed") if name in options}
    return Tuner(trials=trials, threads=1, **parameters).tune("lexvec", corpus, folder, **options)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory, corpus: Corpus, pairs: Path) -> tuple[Path, Tuned]:
    folder = tmp_path_factory.mktemp("search") / "work"
    return folder, search(folder, corpus, pairs)


def test_the_result(done: tuple[Path, Tuned], corpus: Corpus) -> None:
    folder, tuned = done
    assert len(tuned.trials) == 4 and tuned.trials[0].parameters["window"] == 2  # the first are the defaults
    assert tuned.best.value == max(trial.value or 0 for trial in tuned.trials if trial.state == "complete")
    assert {name: tuned.parameters[name] for name in tuned.best.parameters} == tuned.best.parameters
    development, test = ((folder / "sets" / half / "topics.txt").read_text() for half in ("development", "test"))
    assert not set(development.splitlines()[1:]) & set(test.splitlines()[1:])
    assert tuned.test.scores[0].total == len(test.splitlines()) - 1
    assert tuned.test.scores[0].low < tuned.test.scores[0].value < tuned.test.scores[0].high
    assert not (folder / "matrices").exists()
    assert started_with(folder)["space"]["window"]["high"] == 4


def test_the_better_vectors_count(done: tuple[Path, Tuned], tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    for trial in done[1].trials:
        if trial.state == "complete":
            values = {combine: parts[str(pairs)] for combine, parts in trial.scores.items()}
            assert list(values) == ["word", "sum"] and values["word"] != values["sum"]
            assert trial.combine and trial.value == values[trial.combine] == max(values.values())
    words = search(tmp_path / "word", corpus, pairs, trials=1, combine="word")
    assert words.combine == words.start_combine == "word"
    assert words.best.value == done[1].trials[0].scores["word"][str(pairs)]


def test_parts_of_a_weighted_mean(tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("".join(reversed(pairs.read_text().splitlines(keepends=True)[:200])))
    tuned = search(tmp_path / "work", corpus, pairs, trials=1, objective=[f"{pairs}=3", str(other)], combine="sum")
    parts = tuned.best.scores["sum"]
    assert tuned.best.value == pytest.approx((3 * parts[str(pairs)] + parts[str(other)]) / 4)
    TuningReport(tuned).write(tmp_path)
    names = (tmp_path / "trials.csv").read_text().splitlines()[0].split(",")
    assert names[:5] == ["trial", "value", "combine", f"sum {pairs}", f"sum {other}"]


def test_same_seed_same_trials(done: tuple[Path, Tuned], tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    assert search(tmp_path / "again", corpus, pairs).trials == done[1].trials
    assert search(tmp_path / "other", corpus, pairs, seed=2).trials[1:] != done[1].trials[1:]


def test_a_killed_search_resumes_to_the_same_trials(
    done: tuple[Path, Tuned], tmp_path: Path, corpus: Corpus, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, run = [], Trials.run

    def killed(trials: Trials, *given: Any) -> Outcome:
        runs.append(given)
        if len(runs) in (1, 3):
            raise KeyboardInterrupt
        return run(trials, *given)

    monkeypatch.setattr(Trials, "run", killed)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            search(tmp_path / "work", corpus, pairs)
    assert search(tmp_path / "work", corpus, pairs).trials == done[1].trials
    assert len(runs) == 4 + 2


def test_more_trials_extend_a_search(tmp_path: Path, corpus: Corpus, pairs: Path, done: tuple[Path, Tuned]) -> None:
    first = search(tmp_path / "work", corpus, pairs, trials=2)
    more = search(tmp_path / "work", corpus, pairs, trials=4)
    assert more.trials[:2] == first.trials and more.trials == done[1].trials


def test_a_folder_keeps_its_search(tmp_path: Path, done: tuple[Path, Tuned], corpus: Corpus, pairs: Path) -> None:
    others: dict[str, dict[str, Any]] = {
        r"another space \(learning_rate, variant, window\)": {"searched": ["window"]},
        "another seed": {"seed": 9},
        "another combine": {"combine": "sum"},
        r"other fixed parameters \(dim\)": {"fixed": {**FIXED, "dim": 5}},
    }
    for message, other in others.items():
        with pytest.raises(ArtefactError, match=f"started with {message}: choose another output"):
            search(done[0], corpus, pairs, **other)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear all")
    with pytest.raises(ArtefactError, match="holds something else"):
        search(tmp_path / "full", corpus, pairs)


def test_another_experiment_does_not_work_in_the_folder_of_a_search(done: tuple[Path, Tuned], corpus: Corpus) -> None:
    with pytest.raises(ArtefactError, match="holds another experiment: choose another output"):
        Runner(done[0], {"svd": PPMISVD(dim=2)}, combine=()).run(corpus)


def test_any_path_will_do(tmp_path: Path, done: tuple[Path, Tuned], corpus: Corpus, pairs: Path) -> None:
    folder = tmp_path / "100%20 sure? #1"
    assert search(folder, corpus, pairs, trials=2).trials == done[1].trials[:2]
    assert (folder / "trials.db").stat().st_size and list(tmp_path.iterdir()) == [folder]


def test_trials_of_another_search(tmp_path: Path, done: tuple[Path, Tuned], corpus: Corpus, pairs: Path) -> None:
    search(tmp_path / "work", corpus, pairs, trials=1, seed=7)
    shutil.copy(done[0] / "trials.db", tmp_path / "work" / "trials.db")
    with pytest.raises(ArtefactError, match=r"trials.db belongs to another search: choose another output"):
        search(tmp_path / "work", corpus, pairs, trials=1, seed=7)


def test_models_are_found_by_their_parameters(tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    first = search(tmp_path / "work", corpus, pairs, trials=1)
    models = tmp_path / "work" / "models"
    (models / "defaults").rename(models / f"best-{first.best.number}")
    again = search(tmp_path / "work", corpus, pairs, trials=1)
    assert again.start_test.scores[0].value == first.start_test.scores[0].value
    assert [path.name for path in models.iterdir()] == [f"best-{first.best.number}"]  # which are the defaults


def test_defaults_that_cannot_be_trained(tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    """Such as those that diverge, or that need more memory than there is."""
    searched = ["window=1..4", "learning_rate=0.01..0.1"]
    tested = Tuner._tested

    def diverging(self: Tuner, *given: Any) -> Any:
        if given[-1] == {}:
            raise DivergenceError("training diverged")
        return tested(self, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tuner, "_tested", diverging)
        tuned = search(tmp_path / "work", corpus, pairs, trials=2, searched=searched)
    assert tuned.start == "trial 1"
    TuningReport(tuned).write(tmp_path)
    assert "trial 1, W" in (tmp_path / "report.md").read_text()
    assert json.loads((tmp_path / "report.json").read_text())["start"] == "trial 1"


def test_hopeless_trials_are_pruned(tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    values = iter([0.5, 0.6, 0.7, 0.8, 0.9, 0.1])

    class Scored(Trials):
        def run(self, parameters: dict[str, Any], reported: Any) -> Outcome:
            value = next(values)
            return Outcome() if reported(1, value) else Outcome(value)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lexvec.tuning.tuner.Trials", Scored)
        tuned = search(tmp_path / "work", corpus, pairs, trials=6)
    assert [trial.state for trial in tuned.trials] == ["complete"] * 5 + ["pruned"]
    assert tuned.trials[-1].value == 0.1 and tuned.best.number == 5


def test_training_stops_when_a_trial_is_hopeless(tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    trials = Trials("lexvec", {**FIXED, "epochs": 9}, str(corpus.path), str(tmp_path), [str(pairs)], {str(pairs): 1.0},
                    ["word"], 1)  # fmt: skip
    seen: list[int] = []

    def reported(epoch: int, value: float) -> bool:
        seen.append(epoch)
        return epoch == 4

    assert trials.run({}, reported) == Outcome()
    assert seen == [1, 2, 4]


def test_equal_matrices_are_shared(tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    matrices, sets = str(tmp_path / "m"), [str(pairs)]
    trials = Trials("lexvec", FIXED, str(corpus.path), matrices, sets, {str(pairs): 1.0}, ["word"], 1)
    for parameters in ({}, {"negative": 3}, {"smoothing": 0.9}):
        trials.run(parameters, lambda *_: False)
    assert sorted(path.name.split("-")[0] for path in (tmp_path / "m").iterdir() if path.is_dir()) == [
        "counts",
        "matrix",
        "matrix",
    ]


def test_all_trials_fail(tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    with pytest.raises(DivergenceError, match=r"none of 10 trials has a score \(training diverged.*: search other"):
        search(tmp_path / "work", corpus, pairs, trials=12, searched=["learning_rate=1e6..1e8:log"])


def test_a_trial_that_lacks_memory_fails_alone(tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    fixed = {"subsample": 0.0, "epochs": 1}
    tuned = search(
        tmp_path / "work", corpus, pairs, trials=4, fixed=fixed, searched=["dim=4,1000000000", "window=1..4"]
    )
    failed = [trial for trial in tuned.trials if trial.lacked_memory]
    assert failed and all(trial.state == "failed" and trial.parameters["dim"] > 4 for trial in failed)
    assert tuned.best.parameters["dim"] == 4


def test_trials_that_lacked_memory_are_tried_again_with_more(tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    def tuned(memory: str, trials: int = 2) -> Tuned:
        fixed = {**FIXED, "memory": memory}
        return search(tmp_path / "work", corpus, pairs, trials=trials, fixed=fixed, searched=["window=1..4"])

    with pytest.raises(
        ResourceError, match=r"none of 2 trials has a score \(memory='1kB' is too small.*give more memory"
    ):
        tuned("1kB")
    done = tuned("1GB")
    assert [trial.state for trial in done.trials] == ["complete", "complete"]
    assert done.trials[0].parameters["window"] == 2  # the default is still the first
    assert tuned("2GB").trials == done.trials


def test_memory_that_runs_out_fails_a_trial_alone(
    tmp_path: Path, corpus: Corpus, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score, scored = Trials.score, iter(range(99))

    def exhausted(self: Trials, model: Any) -> Outcome:
        if next(scored) == 0:
            raise MemoryError
        return score(self, model)

    monkeypatch.setattr(Trials, "score", exhausted)
    tuned = search(tmp_path / "work", corpus, pairs, trials=2, fixed={**FIXED, "epochs": 1}, searched=["window=1..4"])
    assert [trial.failure for trial in tuned.trials] == ["memory ran out", None]


def test_trials_are_tried_again_when_memory_is_free(tmp_path: Path) -> None:
    space = Space.from_model(MODELS["lexvec"], FIXED, SEARCHED)

    def study() -> Study:
        return Study(tmp_path / "trials.db", space, "", seed=1, prune=0.5, workers=1, memory="None")

    lacking = Outcome(failure="no room", lacked="None")
    with closing(study()) as full:
        first = full.ask(2)
        assert first
        full.tell(first[0], lacking)
    with closing(study()) as later:
        again, other = later.ask(2), later.ask(2)
        assert again and other and again[1] == first[1] and later.ask(2) is None
        later.tell(again[0], lacking)
        later.tell(other[0], Outcome(0.5))
    with closing(study()) as finished:  # with a score, only another limit is worth the time
        assert finished.ask(2) is None
        assert [trial.lacked_memory for trial in finished.finished()] == [True, False]


@pytest.mark.parametrize("model", sorted(MODELS.present))
def test_every_model_has_a_space(tmp_path: Path, corpus: Corpus, pairs: Path, model: str) -> None:
    tuner = Tuner(trials=2, threads=1)
    tuned = tuner.tune(model, corpus, tmp_path, fixed={"dim": 3}, objective=[str(pairs)], combine="sum", progress=False)
    assert len(tuned.trials) == 2 and tuned.space.names


def test_workers(tmp_path: Path, corpus: Corpus, pairs: Path, done: tuple[Path, Tuned]) -> None:
    tuned = search(tmp_path / "work", corpus, pairs, trials=3, workers=2)
    assert len(tuned.trials) == 3
    # The first trial does not depend on when the others end.
    assert tuned.trials[0] == done[1].trials[0]


def test_a_killed_worker_loses_nothing(tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
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
        tuned = search(tmp_path / "work", corpus, pairs, trials=3, workers=2)
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


def test_no_parameters_are_tried_twice_as_long_as_there_are_others(tmp_path: Path) -> None:
    space = Space.from_model(MODELS["lexvec"], FIXED, ["window=1,2,3", "negative=1,2"])
    with closing(Study(tmp_path / "trials.db", space, "", seed=1, prune=0.5, workers=1)) as study:
        for number in range(7):
            asked = study.ask(7)
            assert asked
            study.tell(asked[0], Outcome(number / 10))
        tried = [tuple(trial.parameters.items()) for trial in study.finished()]
    assert len(set(tried[:6])) == 6 and len(tried) == 7


def test_workers_that_are_always_killed(tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    def lost(*_: Any) -> Outcome:
        raise WorkerLostError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Worker, "run", lost)
        with pytest.raises(ResourceError, match="3 workers in a row were killed"):
            search(tmp_path / "work", corpus, pairs, workers=2)


def test_a_worker_reports_errors_in_one_line(tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    trials = Trials("lexvec", FIXED, str(tmp_path / "gone"), str(tmp_path / "m"), [str(pairs)], {"x": 1.0}, ["word"], 1)
    with Worker(trials) as worker, pytest.raises(LexvecError, match="gone"):
        worker.run({}, lambda *_: False)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "update alembic_version set version_num = 'v9.9'; update version_info set schema_version = 99",
            "written by another version of optuna",
        ),
        ("update study_user_attributes set value_json = '99'", "written by another version of lexvec"),
        ("drop table study_user_attributes; create table study_user_attributes (x)", "cannot use .*trials.db"),
    ],
)
def test_a_storage_that_cannot_be_used(tmp_path: Path, corpus: Corpus, pairs: Path, change: str, message: str) -> None:
    search(tmp_path / "work", corpus, pairs, trials=1)
    with sqlite3.connect(tmp_path / "work" / "trials.db") as database:
        database.executescript(change)
    database.close()
    with pytest.raises(ArtefactError, match=message) as caught:
        search(tmp_path / "work", corpus, pairs, trials=2)
    assert len(str(caught.value).splitlines()) == 1


def test_sets_without_a_score_are_refused(tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    small, unknown = tmp_path / "small.txt", tmp_path / "unknown.txt"
    small.write_text("".join(f"t0w{a} t1w{b} {a + b}\n" for a in range(5) for b in range(5)))
    unknown.write_text("".join(f"x{a} y{b} {a + b}\n" for a in range(9) for b in range(9)))
    with pytest.raises(InputError, match=r"small has only \d+ different items in one half, and 20 are needed"):
        search(tmp_path / "work", corpus, small)
    with pytest.raises(InputError, match="unknown has only 0 different items with all words in the vocabulary"):
        search(tmp_path / "work", corpus, unknown)
    repeated = tmp_path / "repeated.txt"
    repeated.write_text("t0w1 t0w2 1\nt0w1 t0w2 2\nt1w1 t0w2 3\n" * 40)
    with pytest.raises(InputError, match=r"repeated has only \d different items in one half"):
        search(tmp_path / "work", corpus, repeated)
    equal = tmp_path / "equal.txt"
    equal.write_text("".join(f"{line.rsplit(' ', 1)[0]} 5\n" for line in pairs.read_text().splitlines()))
    with pytest.raises(InputError, match="equal has only one rating in one half: choose a set with different ratings"):
        search(tmp_path / "work", corpus, equal)
    assert search(tmp_path / "work", corpus, pairs, trials=1).trials  # the folder is not spoiled


def test_an_empty_space(tmp_path: Path, corpus: Corpus, pairs: Path) -> None:
    every: dict[str, Any] = {"dim": 3, "window": 2, "subsample": 0.0, "power": 0.5, "smoothing": 0.5}
    every |= {"measure": "ppmi", "contexts": "words"}
    with pytest.raises(ParameterError, match="the search space is empty"):
        Tuner(trials=1).tune("ppmi-svd", corpus, tmp_path / "work", fixed=every, objective=[str(pairs)])
    assert not (tmp_path / "work").exists()


def test_files(done: tuple[Path, Tuned], tmp_path: Path, corpus: Corpus) -> None:
    report = TuningReport(done[1])
    written = report.write(tmp_path)
    assert [path.name for path in written] == ["best.toml", "trials.csv", "report.md", "report.html", "report.json"]
    assert len((tmp_path / "trials.csv").read_text().splitlines()) == 1 + 4
    page = (tmp_path / "report.html").read_text()
    assert page.count("<svg") == len(done[1].space.names) + 1 and "learning_rate" in page  # and the history
    assert json.loads((tmp_path / "report.json").read_text())["best"]["trial"] == done[1].best.number


def test_best_toml_trains_the_best_model(done: tuple[Path, Tuned], tmp_path: Path, corpus: Corpus) -> None:
    TuningReport(done[1]).write(tmp_path)
    command = [sys.executable, "-m", "lexvec", "--config", str(tmp_path / "best.toml"), "train", str(corpus.path)]
    subprocess.run([*command, "-o", str(tmp_path / "model"), "-q"], check=True)
    kept = done[0] / "models" / ("defaults" if done[1].best.number == 1 else f"best-{done[1].best.number}")
    assert (tmp_path / "model" / "W.npy").read_bytes() == (kept / "W.npy").read_bytes()
