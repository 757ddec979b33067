"""Several seeds of one experiment: what is trained, what is found again, and what the report says about noise."""

import json
import math
from pathlib import Path
from typing import Any

import planted
import pytest

from lexvec import ArtefactError, Corpus, Model, ParameterError
from lexvec.lab import Preset, Report
from lexvec.progress import Silent

PRESET = """
title = "Seeds"
[models.lexvec]
dim = 6
epochs = 1
parts = 4
[runs.st]
label = "LexVec + St."
model = "lexvec"
subsample = 0.01
[runs.glove]
model = "glove"
dim = 6
epochs = 3
[runs.unused]
model = "sgns"
[[rows]]
label = "LexVec + St. + (W+C)"
run = "st"
combine = "sum"
similarity = { MC = 0.5 }
[[rows]]
label = "GloVe"
run = "glove"
combine = "sum"
"""


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(300)


@pytest.fixture
def data(tmp_path: Path, corpus: Corpus, no_sets: None) -> Path:
    words = corpus.vocabulary.words[:25]
    return planted.write_sets(tmp_path / "data", words, [words[n : n + 4] for n in range(12)])


@pytest.fixture
def fitted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """What is trained, by model and seed."""
    trained: list[tuple[str, int]] = []
    fit = Model.fit

    def counted(model: Model, *given: Any, **more: Any) -> Model:
        trained.append((model.name, model.seed))
        return fit(model, *given, **more)

    monkeypatch.setattr(Model, "fit", counted)
    return trained


def preset(folder: Path, text: str = PRESET) -> Preset:
    path = folder / "own.toml"
    path.write_text(text, encoding="utf-8")
    return Preset.load(path)


def report(folder: Path, corpus: Corpus, data: Path, text: str = PRESET, **given: Any) -> Report:
    own = preset(folder, text)
    return Report(own, own.runner(folder / "work", **given).run(corpus, data=data))


def test_each_cell_has_a_mean_a_deviation_and_an_interval(
    tmp_path: Path, corpus: Corpus, data: Path, fitted: list[tuple[str, int]]
) -> None:
    made = report(tmp_path, corpus, data, seeds=3)
    assert fitted == [(name, seed) for seed in (1, 2, 3) for name in ("lexvec", "glove")]  # and no unused run
    matrices = sorted(path.name.split("-")[0] for path in (tmp_path / "work" / "matrices").iterdir())
    assert matrices == ["counts"] * 4 + ["ppmi"] * 3  # GloVe's counts draw nothing, and are shared by all seeds
    score = made.as_dict()["rows"][0]["scores"][0]
    assert len(score["values"]) == 3 and len(set(score["values"])) == 3
    assert score["value"] == pytest.approx(sum(score["values"]) / 3)
    spread = math.sqrt(sum((value - score["value"]) ** 2 for value in score["values"]) / 2)
    assert score["deviation"] == pytest.approx(spread)
    assert -1 <= score["low"] < score["value"] < score["high"] <= 1
    cell = made.tables()[0].rows[0][1]
    assert cell.aside.startswith(" ± .") and cell.below[1] == "(.500)"
    assert [row["label"] for row in made.as_dict()["equal"]] == [
        "LexVec + St., W", "LexVec + St., W + C", "glove, W", "glove, W + C",
    ]  # fmt: skip
    for path in made.write(tmp_path / "work"):
        text = path.read_text(encoding="utf-8")
        assert "--seed 1 --seeds 3" in text
        assert "deviation" in text if path.suffix == ".json" else ("±" in text or r"$\pm$" in text)
    assert "error" in made.page() and "St.: stochastic" in made.page()


def test_a_report_on_one_seed_says_what_is_missing(tmp_path: Path, corpus: Corpus, data: Path) -> None:
    one = report(tmp_path, corpus, data).as_dict()
    many = report(tmp_path, corpus, data, seeds=3).as_dict()
    assert one["rows"][0]["scores"][0]["deviation"] is None
    assert any("one seed" in line for line in one["conclusions"])
    assert not any("one seed" in line for line in many["conclusions"])
    assert many["seeds"] == [1, 2, 3] and one["seeds"] == [1]


def test_only_what_is_new_is_trained(tmp_path: Path, corpus: Corpus, data: Path, fitted: list[tuple[str, int]]) -> None:
    first = report(tmp_path, corpus, data).as_dict()
    del fitted[:]
    report(tmp_path, corpus, data, PRESET.replace("epochs = 3", "epochs = 2"))
    assert fitted == [("glove", 1)]
    report(tmp_path, corpus, data, seed=2)
    assert fitted[1:] == [("lexvec", 2), ("glove", 2)]
    report(tmp_path, corpus, data, seeds=2)  # both seeds are there
    again = report(tmp_path, corpus, data, PRESET.replace("runs.st]", "runs.renamed]").replace('"st"', '"renamed"'))
    assert len(fitted) == 3
    assert again.as_dict()["rows"][0]["scores"] == first["rows"][0]["scores"]
    names = sorted(path.name for path in (tmp_path / "work" / "models").iterdir())
    assert len(names) == 5 and {"st", "glove", "st-seed-2", "glove-seed-2"} < set(names)


def test_an_interrupted_run_is_resumed_under_its_parameters(
    tmp_path: Path, corpus: Corpus, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = Model.save

    def killed(model: Model, *given: Any, **more: Any) -> None:
        if model.seed == 2:
            raise KeyboardInterrupt
        save(model, *given, **more)

    with monkeypatch.context() as patched:
        patched.setattr(Model, "save", killed)
        with pytest.raises(KeyboardInterrupt):
            report(tmp_path, corpus, data, seeds=2)
    assert (tmp_path / "work" / "models" / "st-seed-2.run").is_dir()
    own = preset(tmp_path)
    results = own.runner(tmp_path / "work", seed=2).run(corpus, data=data)
    assert results.runs["st"].times is not None and results.runs["st"].times.resumed
    assert not (tmp_path / "work" / "models" / "st-seed-2.run").exists()


def test_damaged_scores_are_made_again(tmp_path: Path, corpus: Corpus, data: Path) -> None:
    first = report(tmp_path, corpus, data).as_dict()
    path = tmp_path / "work" / "scores" / "st-sum.json"
    whole = json.loads(path.read_text(encoding="utf-8"))
    for items in (3, [], [["1 2", "3"]] * len(whole["items"]), [["x", "y"]] * len(whole["items"])):
        path.write_text(json.dumps({**whole, "items": items}), encoding="utf-8")
        assert report(tmp_path, corpus, data).as_dict() == first
        assert json.loads(path.read_text(encoding="utf-8")) == whole
    for name, value in (("kind", "guessing"), ("measure", 3), ("value", "high")):
        scores = [{**score, name: value} for score in whole["scores"]]
        path.write_text(json.dumps({**whole, "scores": scores}), encoding="utf-8")
        assert report(tmp_path, corpus, data).as_dict() == first
        assert json.loads(path.read_text(encoding="utf-8")) == whole


def test_a_folder_of_another_version_is_refused(tmp_path: Path, corpus: Corpus, data: Path) -> None:
    report(tmp_path, corpus, data)
    path = tmp_path / "work" / "experiment.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**record, "layout": 1}), encoding="utf-8")
    with pytest.raises(ArtefactError, match="is an experiment of another version of lexvec: choose another output"):
        report(tmp_path, corpus, data)


@pytest.mark.parametrize("seeds", [0, -1, 1.5, "3", True, 10**9])
def test_impossible_numbers_of_seeds(tmp_path: Path, seeds: Any) -> None:
    with pytest.raises(ParameterError, match="seeds=.*: it must be a number from 1 to 1000"):
        preset(tmp_path).runner(tmp_path / "work", seeds=seeds)


class Shown(Silent):
    """Remembers what is shown."""

    def __init__(self) -> None:
        self.stages: list[tuple[str, int | None, int]] = []
        self.notes: list[str] = []
        self.seen: list[str] = []

    def stage(self, name: str, total: int | None, unit: str) -> Any:
        shown = self

        class Stage:
            def __enter__(self) -> "Stage":
                self.done = 0
                return self

            def __exit__(self, *error: object) -> None:
                shown.stages.append((name, total, self.done))

            def advance(self, amount: int, note: str = "") -> None:
                assert amount >= 0
                self.done += amount
                shown.seen.append(note)

        return Stage()

    def note(self, text: str, level: int = 0) -> None:
        self.notes.append(text)


def test_one_bar_for_everything(tmp_path: Path, corpus: Corpus, data: Path) -> None:
    shown = Shown()
    preset(tmp_path).runner(tmp_path / "work", effort={"threads": 1}).run(corpus, data=data, progress=shown)
    [(name, total, done)] = shown.stages
    assert name == "all runs" and total is not None and total - 2 <= done <= total
    assert shown.notes[0] == "2 runs to train"
    assert "run 2 of 2: glove" in shown.notes and "run 2 of 2: glove, epoch 3/3" in shown.seen
    again = Shown()
    preset(tmp_path).runner(tmp_path / "work").run(corpus, data=data, progress=again)
    assert again.stages == [] and again.notes == []
