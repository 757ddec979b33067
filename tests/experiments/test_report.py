"""The experiment of a small paper, from a corpus to its report."""

import json
import re
from pathlib import Path

import planted
import pytest

from lexvec import ArtefactError, Corpus, InputError, Model, ParameterError
from lexvec.lab import Preset, Report, Results

PRESET = """
title = "Small & planted"
corpus_of_paper = "a larger one"
[models.lexvec]
dim = 8
epochs = 2
parts = 4
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
analogy = { MSR = [nan, 0.4] }
[[rows]]
label = "SGNS"
run = "sgns"
"""


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(600)


@pytest.fixture
def data(tmp_path: Path, corpus: Corpus, no_sets: None) -> Path:
    words = corpus.vocabulary.words[:12]
    return planted.write_sets(tmp_path / "data", words, [words[:4], words[4:8]])


def preset(folder: Path, text: str = PRESET) -> Preset:
    path = folder.parent / "own.toml"
    path.write_text(text, encoding="utf-8")
    return Preset.load(path)


def run(folder: Path, corpus: object, data: Path, text: str = PRESET, seed: int = 1) -> Results:
    return preset(folder, text).runner(folder, seed=seed).run(corpus, data=data)


def report(folder: Path, corpus: object, data: Path) -> Report:
    return Report(preset(folder), run(folder, corpus, data))


def test_an_experiment_is_done_once_and_resumes_after_anything(
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
        run(folder, corpus, data)
    first = run(folder, corpus, data)
    assert fitted == ["ppmi-svd", "lexvec", "lexvec", "lexvec", "sgns"]
    assert len(list((folder / "matrices").iterdir())) == 2  # counts and PPMI, shared by all three that need one
    again = run(folder, corpus, data)
    assert len(fitted) == 5
    assert Report(preset(folder), again).as_dict() == Report(preset(folder), first).as_dict()
    assert all(result.times for result in first.runs.values()) and list(first.runs) == ["svd", "st", "mb", "sgns"]


def test_the_report(tmp_path: Path, corpus: Corpus, data: Path) -> None:
    made = report(tmp_path / "work", corpus, data)
    similarity, analogy, similar, analogous, runs = made.tables()
    assert [column.name for column in similarity.columns] == ["Method", "MC", "RG"]
    assert [column.name for column in analogy.columns] == ["Method", "MSR 3CosAdd", "MSR 3CosMul"]
    assert [row[0].text for row in similarity.rows][1] == "LexVec + St. + (W+C)"
    assert similarity.rows[0][1].aside == " (.900)"
    assert similarity.rows[2][1].aside == ""
    assert [cell.aside for cell in analogy.rows[2][1:]] == ["", " (.400)"]
    assert similarity.rows[0][2].text == "–"  # the set is not there
    assert sum(row[1].bold for row in similarity.rows) >= 1
    assert "–" in similarity.rows[0][1].below[0] and similarity.rows[0][1].below[0].startswith((".", "−"))
    assert [len(table.rows) for table in (similar, analogous, runs)] == [8, 8, 4]
    assert [row[0].text for row in similar.rows][:2] == ["svd, W", "svd, W + C"]
    assert any("a larger one" in line for line in made.about())
    paths = made.write(tmp_path / "work")
    markdown, latex, page, record = (path.read_text(encoding="utf-8") for path in paths)
    assert "| PPMI-SVD | " in markdown
    assert r"LexVec + St. + (W+C) & " in latex
    assert page.count("<svg") == 6
    assert "Small &amp; planted" in page
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert json.loads(record)["runs"]["st"]["parameters"]["dim"] == 8
    assert [row["paper"].get("MSR") for row in json.loads(record)["rows"]] == [[0.2, 0.3], None, [None, 0.4], None]


def test_a_report_without_figures_of_a_paper_does_not_explain_them(tmp_path: Path, corpus: Corpus, data: Path) -> None:
    explained = ("In parentheses: the paper", "red marks the paper")
    plain = re.sub("^(similarity|analogy) = .*$", "", PRESET, flags=re.MULTILINE)
    with_figures = report(tmp_path / "work", corpus, data).page()
    without = Report(preset(tmp_path / "work", plain), run(tmp_path / "work", corpus, data, plain)).page()
    assert all(text in with_figures and text not in without for text in explained)


def test_other_inputs_than_at_the_start_are_refused(tmp_path: Path, corpus: Corpus, data: Path) -> None:
    folder = tmp_path / "work"
    run(folder, corpus, data)
    with pytest.raises(InputError, match="is not a folder: name one that holds test sets"):
        run(tmp_path / "new", corpus, tmp_path / "none")
    assert not (tmp_path / "new").exists()
    with pytest.raises(InputError, match="encode standard input with lexvec corpus first"):
        run(tmp_path / "new", "-", data)
    with pytest.raises(ArtefactError, match="was started with another corpus: choose another output"):
        run(folder, planted.corpus(10), data)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(ArtefactError, match="holds something else: choose another output"):
        run(tmp_path / "other", corpus, data)
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["thesis.txt"]
    (folder / "experiment.json").write_text("{", encoding="utf-8")
    with pytest.raises(ArtefactError, match="experiment.json is damaged: restore it, or choose another output"):
        run(folder, corpus, data)


def test_damaged_files_are_rebuilt(tmp_path: Path, corpus: Corpus, data: Path) -> None:
    folder = tmp_path / "work"
    first = report(folder, corpus, data).as_dict()
    (folder / "times.json").write_text('{"svd": {"other": 1}, "sgns": 2}', encoding="utf-8")
    (folder / "models" / "st.run").mkdir()
    (folder / "models" / "st.run" / "run.json").write_text("{", encoding="utf-8")
    (folder / "scores" / "st-sum.json").write_text("{", encoding="utf-8")
    weights = bytearray((folder / "models" / "st" / "W.npy").read_bytes())
    weights[-1] ^= 1
    (folder / "models" / "st" / "W.npy").write_bytes(weights)
    again = report(folder, corpus, data).as_dict()
    assert again["rows"] == first["rows"]
    runs = run(folder, corpus, data).runs
    assert [name for name, result in runs.items() if result.times] == ["st"]


def test_scores_follow_the_test_sets(tmp_path: Path, corpus: Corpus, data: Path) -> None:
    folder = tmp_path / "work"
    before = run(folder, corpus, data).runs["svd"].scores["word"]["MC", "Spearman"]
    path = data / "mc-30.txt"
    path.write_text("".join(path.read_text(encoding="utf-8").splitlines(keepends=True)[:5]), encoding="utf-8")
    after = run(folder, corpus, data).runs["svd"].scores["word"]["MC", "Spearman"]
    assert (before["total"], after["total"]) == (11, 5)


def test_equal_experiments_give_equal_reports(tmp_path: Path, corpus: Corpus, data: Path) -> None:
    for name in ("one", "two"):
        report(tmp_path / name, corpus, data).write(tmp_path / name)
    one, two = (tmp_path / name / "report.json" for name in ("one", "two"))
    assert one.read_bytes() == two.read_bytes()
    assert set(json.loads((tmp_path / "one" / "times.json").read_text())) == {"svd", "st", "mb", "sgns"}


def test_a_report_needs_a_preset_and_results() -> None:
    with pytest.raises(ParameterError, match="preset=3: it must be a Preset"):
        Report(3, 4)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="results=4: it must be the Results of a runner"):
        Report(Preset.load("small"), 4)  # type: ignore[arg-type]
