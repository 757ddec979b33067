"""Named models on one corpus: seeds, a search, interruptions."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import planted
import pytest

from lexvec import PPMISVD, SGNS, ArtefactError, Corpus, CorpusBuilder, DivergenceError, LexVec, Model, ParameterError
from lexvec.lab import Runner
from lexvec.lab.workspace import Times, is_experiment, summary
from lexvec.models.run import RunFolder, Start
from lexvec.progress import Lines
from lexvec.records import conforms
from lexvec.trained import ModelFolder


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(300)


@pytest.fixture
def own(tmp_path: Path, corpus: Corpus) -> Path:
    path = tmp_path / "own.txt"
    words = corpus.vocabulary.words
    path.write_text("".join(f"{words[n]}\t{words[n + 1]}\t{n * 7 % 11}\n" for n in range(10)), encoding="utf-8")
    return path


def seeds(*numbers: int) -> dict[str, Model]:
    return {f"seed-{number}": LexVec(dim=4, epochs=1, subsample=0, seed=number) for number in numbers}


def test_several_seeds(tmp_path: Path, corpus: Corpus, own: Path) -> None:
    results = Runner(tmp_path / "work", seeds(1, 2), combine=("word", "sum")).run(corpus, sets=[own])
    assert list(results.runs) == ["seed-1", "seed-2"]
    values = {
        (name, which): scores["own", "Spearman"]["value"]
        for name, result in results.runs.items()
        for which, scores in result.scores.items()
    }
    assert len(set(values.values())) == 4
    assert len(list((tmp_path / "work" / "matrices").iterdir())) == 2  # counting draws with the seed
    assert results.runs["seed-1"].parameters["seed"] == 1 and len(results.runs["seed-1"].losses) == 1


def test_a_search_can_grow(tmp_path: Path, corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Runner(tmp_path / "work", seeds(1), combine=()).run(corpus)
    fitted: list[int] = []
    fit = Model.fit

    def counted(model: Model, *given: Any, **more: Any) -> Model:
        fitted.append(model.seed)
        return fit(model, *given, **more)

    monkeypatch.setattr(Model, "fit", counted)
    second = Runner(tmp_path / "work", {**seeds(1, 3), "svd": PPMISVD(dim=3, subsample=0)}, combine=()).run(corpus)
    assert fitted == [3, 1]
    assert second.runs["seed-1"] == first.runs["seed-1"]
    assert second.runs["svd"].losses == [] and second.runs["svd"].scores == {}


def test_a_run_that_diverges_does_not_stop_the_others(
    tmp_path: Path, corpus: Corpus, capsys: pytest.CaptureFixture[str]
) -> None:
    wild = {"wild": LexVec(dim=4, epochs=1, subsample=0, learning_rate=100.0)}
    with pytest.raises(DivergenceError) as failed:
        Runner(tmp_path / "work", wild | seeds(1, 2), combine=()).run(corpus, progress=Lines())
    assert str(failed.value).startswith("wild: training diverged in epoch 1 at learning rate 100 (")
    assert str(failed.value).endswith("); use a lower learning_rate, and run this again; 2 other runs kept")
    assert "; continuing with the other runs" in capsys.readouterr().err  # as soon as it happens
    assert {path.name for path in (tmp_path / "work" / "models").iterdir()} >= {"seed-1", "seed-2"}
    tame = {"wild": LexVec(dim=4, epochs=1, subsample=0, learning_rate=0.01)}
    results = Runner(tmp_path / "work", tame | seeds(1, 2), combine=()).run(corpus, progress=Lines())
    assert list(results.runs) == ["wild", "seed-1", "seed-2"]
    assert "1 run to train, 2 found" in capsys.readouterr().err
    with pytest.raises(DivergenceError, match="^wild: training diverged.*run this again$"):
        Runner(tmp_path / "other", wild, combine=()).run(corpus)


def test_checkpoints_that_a_kill_left_are_removed(tmp_path: Path, corpus: Corpus) -> None:
    runner = Runner(tmp_path / "work", seeds(1), combine=())
    runner.run(corpus)
    output = tmp_path / "work" / "models" / "seed-1"
    meta = ModelFolder.load(output).meta
    start = Start(meta["facts"]["model"], meta["parameters"])
    left = RunFolder(output).path  # as if killed between writing the model and removing these
    left.mkdir()
    (left / "run.json").write_text(json.dumps(asdict(start)), encoding="utf-8")
    (left / "checkpoint-000001-000000001").mkdir()
    runner.run(corpus)
    assert [path.name for path in (tmp_path / "work" / "models").iterdir()] == ["seed-1"]


def test_the_summary_of_an_experiment(tmp_path: Path, corpus: Corpus) -> None:
    folder = tmp_path / "work"
    assert not is_experiment(folder)
    Runner(folder, seeds(1), combine=(), fixed={"seed": 1}).run(corpus)
    (folder / "models" / "later.run").mkdir()
    (folder / "report.md").write_text("x", encoding="utf-8")
    told = summary(folder)
    assert told["runs"] == {"seed-1": "finished", "later": "not finished"} and told["reports"] == ["report.md"]
    assert told["started_with"]["seed"] == 1 and "content" not in told["started_with"]
    with pytest.raises(ArtefactError, match="was started with another seed"):
        Runner(folder, seeds(1), combine=(), fixed={"seed": 2}).run(corpus)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"folder": 3}, "folder=3: it must be a path"),
        ({"models": 3}, "models=3: it must map names to models"),
        ({"models": {}}, "models={}: it must map names to models"),
        ({"models": {"../a": SGNS()}}, "a run cannot be named '../a': use letters"),
        ({"models": {"a.run": SGNS()}}, "a run cannot be named 'a.run'"),
        ({"models": {3: SGNS()}}, "a run cannot be named 3"),
        ({"models": {"a": SGNS}}, r"models\['a'\]=<class .*: it must be a model, such as LexVec\(\)"),
        ({"builder": 3}, "builder=3: it must be a CorpusBuilder"),
        ({"combine": "word"}, "combine='word': it must list word, context or sum"),
        ({"combine": 3}, "combine=3: it must list word, context or sum"),
        ({"combine": ["both"]}, "combine='both': it must be one of word, context, sum"),
    ],
)
def test_wrong_types_are_parameter_errors(tmp_path: Path, given: dict[str, Any], message: str) -> None:
    right = {"folder": tmp_path / "work", "models": {"a": SGNS()}, "builder": CorpusBuilder()}
    with pytest.raises(ParameterError, match=message):
        Runner(**{**right, **given})


def test_a_change_of_parameters_is_not_called_another_seed(tmp_path: Path, corpus: Corpus) -> None:
    def names(**parameters: Any) -> set[str]:
        model = LexVec(**{"dim": 4, "epochs": 1, "subsample": 0, **parameters})
        Runner(tmp_path / "work", {"run": model}, combine=()).run(corpus)
        return {path.name for path in (tmp_path / "work" / "models").iterdir()}

    assert names() == {"run"}
    assert names(seed=2) == {"run", "run-seed-2"}
    (changed,) = names(dim=5) - {"run", "run-seed-2"}
    assert changed.startswith("run-") and "seed" not in changed
    (other,) = names(dim=5, seed=2) - {"run", "run-seed-2", changed}
    assert "seed" not in other and names(dim=5) == {"run", "run-seed-2", changed, other}


def test_two_runs_never_share_a_folder(tmp_path: Path, corpus: Corpus) -> None:
    Runner(tmp_path / "work", {"a": PPMISVD(dim=2, subsample=0)}, combine=()).run(corpus)
    models = {"a": PPMISVD(dim=2, subsample=0, seed=2), "a-seed-2": PPMISVD(dim=3, subsample=0)}
    results = Runner(tmp_path / "work", models, combine=()).run(corpus)
    assert {run: result.parameters["dim"] for run, result in results.runs.items()} == {"a": 2, "a-seed-2": 3}


def test_other_text_is_noticed(tmp_path: Path) -> None:
    folder, text = tmp_path / "work", tmp_path / "texts"
    text.mkdir()
    (text / "a.txt").write_text("the cat sat on the mat. " * 99)

    def run() -> int:
        models = {"svd": PPMISVD(dim=2, subsample=0)}
        return Runner(folder, models, builder=CorpusBuilder(min_count=1), combine=()).run(text).corpus.tokens

    assert run() == run() == 6 * 99
    for change in ("the dog sat on the mat. " * 99, "the cat sat on the mat. " * 98):
        (text / "a.txt").write_text(change)
        with pytest.raises(ArtefactError, match="was started with other text: choose another output"):
            run()
    (text / "a.txt").write_text("the cat sat on the mat. " * 99)
    (text / "b.txt").write_text("another file.")
    with pytest.raises(ArtefactError, match="was started with other text"):
        run()


def test_an_experiment_without_results_may_start_with_other_values(tmp_path: Path) -> None:
    folder, text = tmp_path / "work", tmp_path / "text.txt"
    text.write_text("the cat sat on the mat. " * 99)

    def run(min_count: int) -> int:
        models = {"svd": PPMISVD(dim=2, subsample=0)}
        runner = Runner(folder, models, builder=CorpusBuilder(min_count=min_count), combine=())
        return len(runner.run(text).corpus.vocabulary)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("lexvec.models.inputs.Recipe.make", _interrupted)
        run(150)
    assert run(1) == 5
    encoded = [path for path in folder.iterdir() if path.name.startswith("corpus")]
    assert len(encoded) == 2  # nothing was removed
    assert run(1) == 5
    with pytest.raises(ArtefactError, match="was started with another min_count: choose another output"):
        run(150)
    assert set(summary(folder)["started_with"]) == {"corpus", "builder"}


def _interrupted(*_: Any, **__: Any) -> None:
    raise KeyboardInterrupt


def test_an_output_within_the_input_is_refused_at_once(tmp_path: Path, corpus: Corpus) -> None:
    text = tmp_path / "texts" / "one.txt"
    text.parent.mkdir()
    text.write_text("the cat sat on the mat. " * 99)
    inputs: list[tuple[Any, Path]] = [(corpus, corpus.path / "work"), (text.parent, text.parent / "work")]
    for given, folder in inputs:
        with pytest.raises(ArtefactError, match="overlaps the input .*: choose another output"):
            Runner(folder, {"svd": PPMISVD(dim=2)}, combine=()).run(given)
        assert not folder.exists()


@pytest.mark.parametrize(("pattern", "refused"), [("*", True), ("**/*.txt", True), ("*.txt", False)])
def test_an_output_that_a_pattern_would_match_is_refused(tmp_path: Path, pattern: str, refused: bool) -> None:
    (tmp_path / "one.txt").write_text("the cat sat on the mat. " * 99)
    runner = Runner(
        tmp_path / "work", {"svd": PPMISVD(dim=2, subsample=0)}, builder=CorpusBuilder(min_count=1), combine=()
    )
    given = str(tmp_path / pattern)
    if not refused:
        assert runner.run(given).runs == runner.run(given).runs
        return
    with pytest.raises(ArtefactError, match=r"work would match the input .*\*.*: choose another output"):
        runner.run(given)
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("name", ["../precious", "/precious", "corpus/../../precious", "corpus-1", 3, None])
def test_a_record_cannot_lead_out_of_its_folder(tmp_path: Path, name: object) -> None:
    text, precious = tmp_path / "text.txt", tmp_path / "precious"
    text.write_text("the cat sat on the mat. " * 99)
    precious.mkdir()
    (precious / "meta.json").write_text("{}")
    models = {"svd": PPMISVD(dim=2, subsample=0)}
    runner = Runner(tmp_path / "work", models, builder=CorpusBuilder(min_count=1), combine=())
    runner.run(text)
    record = tmp_path / "work" / "experiment.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "encoded": name}))
    with pytest.raises(ArtefactError, match="experiment.json is damaged: restore it, or choose another output"):
        runner.run(text)
    assert (precious / "meta.json").exists()


def test_other_strings_are_noticed(tmp_path: Path) -> None:
    def run(text: Any) -> list[str]:
        models = {"svd": PPMISVD(dim=2, subsample=0)}
        runner = Runner(tmp_path / "work", models, builder=CorpusBuilder(min_count=1), combine=())
        return runner.run(text).corpus.vocabulary.words

    cats = ["The cat sat on the mat."] * 9
    assert run(cats) == run(list(cats))
    for other in (["The ship sailed on the sea."] * 9, [["the", "cat"]] * 9):
        with pytest.raises(ArtefactError, match="was started with other text: choose another output"):
            run(other)


def test_times_that_make_no_sense_are_left_out(tmp_path: Path, corpus: Corpus) -> None:
    Runner(tmp_path / "work", seeds(1), combine=()).run(corpus)
    times = tmp_path / "work" / "times.json"
    known = json.loads(times.read_text())["seed-1"]["training"]
    times.write_text(times.read_text().replace(str(known), "1e999"))
    assert "1e999" in times.read_text()
    results = Runner(tmp_path / "work", seeds(1, 2), combine=()).run(corpus)
    assert results.runs["seed-1"].times is None and results.runs["seed-2"].times


def test_another_min_count_is_named(tmp_path: Path) -> None:
    folder, text = tmp_path / "work", tmp_path / "text.txt"
    text.write_text("the cat sat on the mat. " * 99)

    def run(min_count: int) -> None:
        models = {"svd": PPMISVD(dim=2, subsample=0)}
        Runner(folder, models, builder=CorpusBuilder(min_count=min_count), combine=()).run(text)

    run(1)
    with pytest.raises(ArtefactError, match="was started with another min_count: choose another output"):
        run(100)
    run(1)


@pytest.mark.parametrize(
    ("value", "shape", "fits"),
    [
        ({"training": 1, "resumed": False}, Times, True),
        ({"training": 1.5, "resumed": False, "more": 1}, Times, True),
        ({"training": True, "resumed": False}, Times, False),
        ({"training": 1.5}, Times, False),
        ([1.5, False], Times, False),
        ({"a": [["b", 0.5]]}, dict[str, list[tuple[str, float]]], True),
        ({"a": [["b", 0.5, 1]]}, dict[str, list[tuple[str, float]]], False),
        ({"a": [["b", None]]}, dict[str, list[tuple[str, float]]], False),
        ({"a": {}}, dict[str, list[tuple[str, float]]], False),
        (None, float | None, True),
        ("1", float | None, False),
    ],
)
def test_the_shape_of_a_record(value: Any, shape: Any, fits: bool) -> None:
    assert conforms(value, shape, extra=True) == fits
