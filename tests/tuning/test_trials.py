"""Single trials: what they score, when they are stopped, and those that fail."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lexvec import MODELS, Corpus
from lexvec.errors import DivergenceError, ResourceError
from lexvec.lab import Space, Tuned, Tuner
from lexvec.lab.study import Study
from lexvec.lab.trials import Outcome, Trials
from lexvec.lab.tuning_report import TuningReport
from searching import FIXED, OBJECTIVE, SEARCHED, scored, search

pytest.importorskip("optuna", reason="a search needs optuna (the extra tune)")


def test_the_better_vectors_count(
    finished: tuple[Path, Tuned], tmp_path: Path, topics: Corpus, topic_pairs: Path
) -> None:
    for trial in finished[1].trials:
        if trial.state == "complete":
            values = {combine: parts[str(topic_pairs)] for combine, parts in trial.scores.items()}
            assert list(values) == ["word", "sum"] and values["word"] != values["sum"]
            assert trial.combine and trial.value == values[trial.combine] == max(values.values())
    words = search(tmp_path / "word", topics, topic_pairs, trials=1, combine="word")
    assert words.combine == words.start_combine == "word"
    assert words.best.value == finished[1].trials[0].scores["word"][str(topic_pairs)]


def test_parts_of_a_weighted_mean(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("".join(reversed(topic_pairs.read_text().splitlines(keepends=True)[:200])))
    tuned = search(
        tmp_path / "work", topics, topic_pairs, trials=1, objective=[f"{topic_pairs}=3", str(other)], combine="sum"
    )
    parts = tuned.best.scores["sum"]
    assert tuned.best.value == pytest.approx((3 * parts[str(topic_pairs)] + parts[str(other)]) / 4)
    TuningReport(tuned).write(tmp_path)
    names = (tmp_path / "trials.csv").read_text().splitlines()[0].split(",")
    assert names[:5] == ["trial", "value", "combine", f"sum {topic_pairs}", f"sum {other}"]


def test_hopeless_trials_are_pruned(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    values = iter([0.5, 0.6, 0.7, 0.8, 0.9, 0.1])

    class Scored(Trials):
        def run(self, parameters: dict[str, Any], reported: Any) -> Outcome:
            value = next(values)
            return Outcome() if reported(1, value) else scored(value, str(topic_pairs))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lexvec.lab.tuner.Trials", Scored)
        tuned = search(tmp_path / "work", topics, topic_pairs, trials=6)
    assert [trial.state for trial in tuned.trials] == ["complete"] * 5 + ["pruned"]
    assert tuned.trials[-1].value == 0.1 and tuned.best.number == 5


def test_training_stops_when_a_trial_is_hopeless(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    name = str(topic_pairs)
    fixed = {**FIXED, "epochs": 9}
    trials = Trials("lexvec", fixed, str(topics.path), str(tmp_path), [name], {name: 1.0}, ["word"], 1)
    seen: list[int] = []

    def reported(epoch: int, value: float) -> bool:
        seen.append(epoch)
        return epoch == 4

    assert trials.run({}, reported) == Outcome()
    assert seen == [1, 2, 4]


def test_equal_matrices_are_shared(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    matrices, sets = str(tmp_path / "m"), [str(topic_pairs)]
    trials = Trials("lexvec", FIXED, str(topics.path), matrices, sets, {str(topic_pairs): 1.0}, ["word"], 1)
    for parameters in ({}, {"negative": 3}, {"smoothing": 0.9}):
        trials.run(parameters, lambda *_: False)
    assert sorted(path.name.split("-")[0] for path in (tmp_path / "m").iterdir() if path.is_dir()) == [
        "counts",
        "ppmi",
        "ppmi",
    ]


def test_all_trials_fail(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    with pytest.raises(DivergenceError, match=r"none of 10 trials has a score \(training diverged.*: search other"):
        search(tmp_path / "work", topics, topic_pairs, trials=12, searched=["learning_rate=1e6..1e8:log"])


def test_a_trial_that_lacks_memory_fails_alone(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    fixed = {"subsample": 0.0, "epochs": 1}
    tuned = search(
        tmp_path / "work", topics, topic_pairs, trials=4, fixed=fixed, searched=["dim=4,1000000000", "window=1..4"]
    )
    failed = [trial for trial in tuned.trials if trial.lacked_memory]
    assert failed and all(trial.state == "failed" and trial.parameters["dim"] > 4 for trial in failed)
    assert tuned.best.parameters["dim"] == 4


def test_trials_that_lacked_memory_are_tried_again_with_more(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    def tuned(memory: str, trials: int = 2) -> Tuned:
        fixed = {**FIXED, "memory": memory}
        return search(tmp_path / "work", topics, topic_pairs, trials=trials, fixed=fixed, searched=["window=1..4"])

    with pytest.raises(
        ResourceError, match=r"none of 2 trials has a score \(memory='1kB' is too small.*give more memory"
    ):
        tuned("1kB")
    finished = tuned("1GB")
    assert [trial.state for trial in finished.trials] == ["complete", "complete"]
    assert finished.trials[0].parameters["window"] == 2  # the default is still the first
    assert tuned("2GB").trials == finished.trials


def test_memory_that_runs_out_fails_a_trial_alone(
    tmp_path: Path, topics: Corpus, topic_pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    score, scored = Trials.score, iter(range(99))

    def exhausted(self: Trials, model: Any) -> Outcome:
        if next(scored) == 0:
            raise MemoryError
        return score(self, model)

    monkeypatch.setattr(Trials, "score", exhausted)
    tuned = search(
        tmp_path / "work", topics, topic_pairs, trials=2, fixed={**FIXED, "epochs": 1}, searched=["window=1..4"]
    )
    assert [trial.failure for trial in tuned.trials] == ["memory ran out", None]


def test_trials_are_tried_again_when_memory_is_free(tmp_path: Path) -> None:
    space = Space.from_model(MODELS["lexvec"], FIXED, SEARCHED)

    def study() -> Study:
        return Study(tmp_path / "trials.db", space, OBJECTIVE, "", seed=1, prune=0.5, workers=1, memory="None")

    lacking = Outcome(failure="no room", lacked="None")
    with closing(study()) as full:
        first = full.ask(2)
        assert first
        full.tell(first[0], lacking)
    with closing(study()) as later:
        again, other = later.ask(2), later.ask(2)
        assert again and other and again[1] == first[1] and later.ask(2) is None
        later.tell(again[0], lacking)
        later.tell(other[0], scored(0.5))
    with closing(study()) as finished:  # with a score, only another limit is worth the time
        assert finished.ask(2) is None
        assert [trial.lacked_memory for trial in finished.finished()] == [True, False]


def test_defaults_that_cannot_be_trained(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    """Such as those that diverge, or that need more memory than there is."""
    searched = ["window=1..4", "learning_rate=0.01..0.1"]
    tested = Tuner._tested

    def diverging(self: Tuner, *given: Any) -> Any:
        if given[-1] == {}:
            raise DivergenceError("training diverged")
        return tested(self, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tuner, "_tested", diverging)
        tuned = search(tmp_path / "work", topics, topic_pairs, trials=2, searched=searched)
    assert tuned.start == "trial 1"
    TuningReport(tuned).write(tmp_path)
    assert "trial 1, W" in (tmp_path / "report.md").read_text()
    assert json.loads((tmp_path / "report.json").read_text())["start"] == "trial 1"


def test_no_parameters_are_tried_twice_as_long_as_there_are_others(tmp_path: Path) -> None:
    space = Space.from_model(MODELS["lexvec"], FIXED, ["window=1,2,3", "negative=1,2"])
    with closing(Study(tmp_path / "trials.db", space, OBJECTIVE, "", seed=1, prune=0.5, workers=1)) as study:
        for number in range(7):
            asked = study.ask(7)
            assert asked
            study.tell(asked[0], scored(number / 10))
        tried = [tuple(trial.parameters.items()) for trial in study.finished()]
    assert len(set(tried[:6])) == 6 and len(tried) == 7
