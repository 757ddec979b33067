"""A small experiment, from a corpus to its report."""

import json
from itertools import pairwise
from pathlib import Path

import planted
import pytest

from lexvec import ArtefactError, Corpus, InputError, Model
from lexvec.experiments import Grid, Preset
from lexvec.experiments.report import Report

PRESET = """
title = "Small & planted"
corpus_of_paper = "a larger one"
[models.lexvec]
dim = 8
epochs = 2
subsample = 0
[runs.svd]
model = "ppmi-svd"
dim = 8
subsample = 0
[runs.st]
model = "lexvec"
[runs.mb]
model = "lexvec"
variant = "minibatch"
[runs.sgns]
model = "sgns"
dim = 8
epochs = 1
subsample = 0
[[rows]]
label = "PPMI-SVD"
run = "svd"
similarity = { MC = 0.9, RG = 0.1 }
analogy = { MSR = [0.2, 0.3] }
[[rows]]
label = "LexVec + St. + (W+C)"
run = "st"
combine = "sum"
similarity = { MC = 0.5 }
[[rows]]
label = "LexVec + MB + W"
run = "mb"
[[rows]]
label = "SGNS"
run = "sgns"
"""


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(600)


@pytest.fixture
def data(tmp_path: Path, corpus: Corpus, no_sets: None) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    words = corpus.vocabulary.words[:12]
    pairs = [f"{a}\t{b}\t{(i * 7) % 11}" for i, (a, b) in enumerate(pairwise(words))]
    (folder / "mc-30.txt").write_text("\n".join(pairs) + "\n", encoding="utf-8")
    (folder / "msr-analogies.txt").write_text(
        f": all\n{' '.join(words[:4])}\n{' '.join(words[4:8])}\n", encoding="utf-8"
    )
    return folder


def grid(folder: Path, text: str = PRESET, seed: int = 1) -> Grid:
    path = folder.parent / "own.toml"
    path.write_text(text, encoding="utf-8")
    return Grid(Preset.load(path), folder, seed=seed)


def test_an_experiment_is_done_once_and_goes_on_after_anything(
    tmp_path: Path, corpus: Corpus, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "work"
    fitted: list[str] = []
    fit = Model.fit

    def stopping(model: Model, *arguments: object, **named: object) -> Model:
        fitted.append(model.name)
        if len(fitted) == 3:
            raise KeyboardInterrupt
        return fit(model, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Model, "fit", stopping)
    with pytest.raises(KeyboardInterrupt):
        grid(folder).run(corpus, data=data)
    first = grid(folder).run(corpus, data=data)
    assert fitted == ["ppmi-svd", "lexvec", "lexvec", "lexvec", "sgns"]
    assert len(list((folder / "matrices").iterdir())) == 1  # shared by all three that need one
    again = grid(folder).run(corpus, data=data)
    assert len(fitted) == 5
    assert Report(again).as_dict() == Report(first).as_dict()
    assert set(first.times) == {"svd", "st", "mb", "sgns"}


def test_the_report(tmp_path: Path, corpus: Corpus, data: Path) -> None:
    report = Report(grid(tmp_path / "work").run(corpus, data=data))
    similarity, analogy, intervals, runs = report.tables()
    assert [column.name for column in similarity.columns] == ["Method", "MC", "RG"]
    assert [column.name for column in analogy.columns] == ["Method", "MSR 3CosAdd", "MSR 3CosMul"]
    assert [row[0].text for row in similarity.rows][1] == "LexVec + St. + (W+C)"
    assert similarity.rows[0][1].aside == " (.900)"
    assert similarity.rows[2][1].aside == ""
    assert similarity.rows[0][2].text == "–"  # the set is not there
    assert sum(row[1].bold for row in similarity.rows) >= 1
    assert len(intervals.rows) == len(runs.rows) == 4
    assert "a larger one" in similarity.notes[1]
    paths = report.write(tmp_path / "work")
    markdown, latex, page, record = (path.read_text(encoding="utf-8") for path in paths)
    assert "| PPMI-SVD | " in markdown
    assert r"LexVec + St. + (W+C) & " in latex
    assert page.count("<svg") == 4
    assert "Small &amp; planted" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert json.loads(record)["runs"]["st"]["parameters"]["dim"] == 8


def test_what_does_not_fit_an_experiment_is_refused(tmp_path: Path, corpus: Corpus, data: Path) -> None:
    folder = tmp_path / "work"
    grid(folder).run(corpus, data=data)
    with pytest.raises(ArtefactError, match="st has other parameters than st in this preset: choose another output"):
        grid(folder, PRESET.replace("epochs = 2", "epochs = 3")).run(corpus, data=data)
    with pytest.raises(ArtefactError, match="was started with another seed: choose another output"):
        grid(folder, seed=2).run(corpus, data=data)
    with pytest.raises(InputError, match="is not a folder: name one that holds test sets"):
        grid(tmp_path / "new").run(corpus, data=tmp_path / "none")
    assert not (tmp_path / "new").exists()
    with pytest.raises(InputError, match="encode standard input with lexvec corpus first"):
        grid(tmp_path / "new").run("-", data=data)
    with pytest.raises(ArtefactError, match="was started with another corpus: choose another output"):
        grid(folder).run(planted.corpus(10), data=data)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(ArtefactError, match="holds something else: choose another output"):
        grid(tmp_path / "other").run(corpus, data=data)
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["thesis.txt"]
    (folder / "experiment.json").write_text("{", encoding="utf-8")
    with pytest.raises(ArtefactError, match="experiment.json is damaged: restore it, or choose another output"):
        grid(folder).run(corpus, data=data)


def test_what_is_damaged_is_made_anew(tmp_path: Path, corpus: Corpus, data: Path) -> None:
    folder = tmp_path / "work"
    first = Report(grid(folder).run(corpus, data=data)).as_dict()
    (folder / "times.json").write_text('{"svd": {"other": 1}, "sgns": 2}', encoding="utf-8")
    (folder / "models" / "st.run").mkdir()
    (folder / "models" / "st.run" / "run.json").write_text("{", encoding="utf-8")
    (folder / "scores" / "st-sum.json").write_text("{", encoding="utf-8")
    weights = bytearray((folder / "models" / "st" / "W.npy").read_bytes())
    weights[-1] ^= 1
    (folder / "models" / "st" / "W.npy").write_bytes(weights)
    again = Report(grid(folder).run(corpus, data=data)).as_dict()
    assert again["rows"] == first["rows"]
    assert list(grid(folder).run(corpus, data=data).times) == ["st"]


def test_scores_are_of_the_sets_that_are_there(tmp_path: Path, corpus: Corpus, data: Path) -> None:
    folder = tmp_path / "work"
    before = grid(folder).run(corpus, data=data).rows[0].scores["MC", "Spearman"]
    path = data / "mc-30.txt"
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:5]), encoding="utf-8")
    after = grid(folder).run(corpus, data=data).rows[0].scores["MC", "Spearman"]
    assert (before["total"], after["total"]) == (11, 5)
