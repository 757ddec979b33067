"""A search on a tiny corpus: deterministic, resumable, honest about its halves."""

import json
import re
import shutil
import sqlite3
import sys
import tomllib
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from children import run
from lexvec import MODELS, PPMISVD, ArtefactError, Corpus, InputError, ParameterError
from lexvec.cli import main
from lexvec.lab import Runner, Tuned, Tuner
from lexvec.lab.trials import Outcome, Trials
from lexvec.lab.tuning_report import TuningReport
from lexvec.lab.workspace import started_with
from lexvec.progress import Lines
from searching import FIXED, search

pytest.importorskip("optuna", reason="a search needs optuna (the extra tune)")


#: Changes an attribute of all trials.
ATTRIBUTE = "update trial_user_attributes set value_json = '{1}' where key = '{0}'"


def test_the_result(finished: tuple[Path, Tuned], topics: Corpus) -> None:
    folder, tuned = finished
    assert len(tuned.trials) == 4 and tuned.trials[0].parameters["window"] == 2  # the first are the defaults
    assert tuned.best.value == max(trial.value or 0 for trial in tuned.trials if trial.state == "complete")
    assert {name: tuned.parameters[name] for name in tuned.best.parameters} == tuned.best.parameters
    development, test = ((folder / "sets" / half / "topics.txt").read_text() for half in ("development", "test"))
    assert not set(development.splitlines()[1:]) & set(test.splitlines()[1:])
    assert tuned.test.scores[0].total == len(test.splitlines()) - 1
    assert tuned.test.scores[0].low < tuned.test.scores[0].value < tuned.test.scores[0].high
    assert not (folder / "matrices").exists()
    assert started_with(folder)["space"]["window"]["high"] == 4


def test_same_seed_same_trials(finished: tuple[Path, Tuned], tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    assert search(tmp_path / "again", topics, topic_pairs).trials == finished[1].trials
    assert search(tmp_path / "other", topics, topic_pairs, seed=2).trials[1:] != finished[1].trials[1:]


def test_a_killed_search_resumes_to_the_same_trials(
    finished: tuple[Path, Tuned], tmp_path: Path, topics: Corpus, topic_pairs: Path, monkeypatch: pytest.MonkeyPatch
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
            search(tmp_path / "work", topics, topic_pairs)
    assert search(tmp_path / "work", topics, topic_pairs).trials == finished[1].trials
    assert len(runs) == 4 + 2


def test_more_trials_extend_a_search(
    tmp_path: Path, topics: Corpus, topic_pairs: Path, finished: tuple[Path, Tuned]
) -> None:
    first = search(tmp_path / "work", topics, topic_pairs, trials=2)
    more = search(tmp_path / "work", topics, topic_pairs, trials=4)
    assert more.trials[:2] == first.trials and more.trials == finished[1].trials


def test_a_folder_keeps_its_search(
    tmp_path: Path, finished: tuple[Path, Tuned], topics: Corpus, topic_pairs: Path
) -> None:
    others: dict[str, dict[str, Any]] = {
        r"another space \(learning_rate, variant, window\)": {"searched": ["window"]},
        "another seed": {"seed": 9},
        "another combine": {"combine": "sum"},
        r"other fixed parameters \(dim\)": {"fixed": {**FIXED, "dim": 5}},
    }
    for message, other in others.items():
        with pytest.raises(ArtefactError, match=f"started with {message}: choose another output"):
            search(finished[0], topics, topic_pairs, **other)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear all")
    with pytest.raises(ArtefactError, match="holds something else"):
        search(tmp_path / "full", topics, topic_pairs)


def test_another_experiment_does_not_work_in_the_folder_of_a_search(
    finished: tuple[Path, Tuned], topics: Corpus
) -> None:
    with pytest.raises(ArtefactError, match="holds another experiment: choose another output"):
        Runner(finished[0], {"svd": PPMISVD(dim=2)}, combine=()).run(topics)


def test_any_path_will_do(tmp_path: Path, finished: tuple[Path, Tuned], topics: Corpus, topic_pairs: Path) -> None:
    folder = tmp_path / "100%20 sure? #1"
    assert search(folder, topics, topic_pairs, trials=2).trials == finished[1].trials[:2]
    assert (folder / "trials.db").stat().st_size and list(tmp_path.iterdir()) == [folder]


def test_trials_of_another_search(
    tmp_path: Path, finished: tuple[Path, Tuned], topics: Corpus, topic_pairs: Path
) -> None:
    search(tmp_path / "work", topics, topic_pairs, trials=1, seed=7)
    shutil.copy(finished[0] / "trials.db", tmp_path / "work" / "trials.db")
    with pytest.raises(ArtefactError, match=r"trials.db belongs to another search: choose another output"):
        search(tmp_path / "work", topics, topic_pairs, trials=1, seed=7)


def test_a_search_whose_trials_are_lost_starts_again(
    tmp_path: Path, topics: Corpus, topic_pairs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = search(tmp_path / "work", topics, topic_pairs, trials=1, progress=Lines())
    assert "starts again" not in capsys.readouterr().err
    for damage in (Path.unlink, lambda path: path.write_bytes(b"")):
        damage(tmp_path / "work" / "trials.db")
        assert search(tmp_path / "work", topics, topic_pairs, trials=1, progress=Lines()).trials == first.trials
        assert "trials.db is missing or empty: the search starts again" in capsys.readouterr().err


def test_a_search_without_trials_may_start_with_other_settings(
    tmp_path: Path, finished: tuple[Path, Tuned], topics: Corpus, topic_pairs: Path
) -> None:
    for name in ("experiment.json", "sets"):  # what a kill before the first trial leaves
        source = finished[0] / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tmp_path / name)
    assert search(tmp_path, topics, topic_pairs, trials=1, searched=["window"], seed=9).trials
    with pytest.raises(ArtefactError, match="was started with another space"):
        search(tmp_path, topics, topic_pairs, trials=1, seed=9)


def test_a_name_cannot_break_the_configuration(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    odd = tmp_path / "new\nline\n[evaluate].txt"
    odd.write_text(topic_pairs.read_text())
    report = TuningReport(search(tmp_path / "work", topics, odd, trials=1))
    assert tomllib.loads(report.configuration()).keys() <= {"train", "evaluate", "convert"}
    assert r"new\nline" in report.configuration().splitlines()[0]


def test_models_are_found_by_their_parameters(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    first = search(tmp_path / "work", topics, topic_pairs, trials=1)
    models = tmp_path / "work" / "models"
    (models / "defaults").rename(models / f"best-{first.best.number}")
    again = search(tmp_path / "work", topics, topic_pairs, trials=1)
    assert again.start_test.scores[0].value == first.start_test.scores[0].value
    assert [path.name for path in models.iterdir()] == [f"best-{first.best.number}"]  # which are the defaults


@pytest.mark.parametrize("model", sorted(MODELS.present))
def test_every_model_has_a_space(tmp_path: Path, topics: Corpus, topic_pairs: Path, model: str) -> None:
    tuner = Tuner(trials=2, threads=1)
    tuned = tuner.tune(
        model, topics, tmp_path, fixed={"dim": 3}, objective=[str(topic_pairs)], combine="sum", progress=False
    )
    assert len(tuned.trials) == 2 and tuned.space.names


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            "update alembic_version set version_num = 'v9.9'; update version_info set schema_version = 99",
            "written by another version of optuna",
        ),
        ("update study_user_attributes set value_json = '99'", "written by another version of lexvec"),
        ("drop table study_user_attributes; create table study_user_attributes (x)", "cannot use .*trials.db"),
        ("update trial_user_attributes set value_json = '{'", r"trials.db is damaged \(JSONDecodeError\): restore it"),
        ("delete from trial_user_attributes", r"trials.db is damaged \(.*parameters.*: restore it, or choose another"),
        ("drop table trial_values", r"damaged \(the table trial_values is missing"),
        ("drop table trials", r"damaged \(the table trials is missing"),
        ("delete from trials", r"damaged \(rows of \w+ belong to a row that is missing from trials"),
        ("delete from trial_values", r"damaged \(trial_id 1 has an impossible value"),
        ("update trials set number = 5", r"damaged \(rows of trials are missing"),
        ("update trials set state = 'WON'", r"damaged \(LookupError"),
        ("update trials set state = 'PRUNED'", "damaged"),
        ("update trial_values set value = 'best'", "damaged"),
        ("update study_directions set direction = 'MINIMIZE'", r"damaged \(it does not maximise"),
        ("update trial_params set param_value = -4", "damaged"),
        ("update trial_params set param_value = 'x'", "damaged"),
        ("update trial_params set distribution_json = replace(distribution_json, '4', '9')", "damaged"),
        (ATTRIBUTE.format("parameters", '{"window": 99}'), r"impossible parameters \(\{'window': 99"),
        (ATTRIBUTE.format("parameters", "[]"), "damaged"),
        (
            ATTRIBUTE.format("combine", '"both"'),
            "the vectors 'both', which are none of word, context, sum",
        ),
        (ATTRIBUTE.format("combine", "[1]"), "damaged"),
        (ATTRIBUTE.format("scores", "{}"), "is complete and has no score"),
        (ATTRIBUTE.format("scores", '{"word": {"x": 0.5}}'), "has impossible scores"),
        (ATTRIBUTE.format("scores", '"high"'), "has impossible scores"),
        (ATTRIBUTE.format("lacked", "3"), "a failure that is no text"),
        (
            "update trial_user_attributes set value_json = replace(value_json, '0.', '7.') where key = 'scores'",
            "impossible scores",
        ),
        ("update trial_intermediate_values set intermediate_value = 'x'", "impossible score after an epoch"),
    ],
)
def test_a_storage_that_cannot_be_used(
    tmp_path: Path, topics: Corpus, topic_pairs: Path, change: str, message: str
) -> None:
    search(tmp_path / "work", topics, topic_pairs, trials=1)
    with sqlite3.connect(tmp_path / "work" / "trials.db") as database:
        database.executescript(change)
    database.close()
    with pytest.raises(ArtefactError, match=message) as caught:
        search(tmp_path / "work", topics, topic_pairs, trials=2)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "change",
    ["update trial_values set value = 0.999 where trial_id = 2", ATTRIBUTE.format("combine", '"sum"')],
    ids=["value", "combine"],
)
def test_values_follow_from_scores(
    finished: tuple[Path, Tuned], tmp_path: Path, topics: Corpus, topic_pairs: Path, change: str
) -> None:
    folder = tmp_path / "work"
    shutil.copytree(finished[0], folder)
    for trials in (4, 5):
        with closing(sqlite3.connect(folder / "trials.db")) as database, database:
            database.execute(change)
        tuned = search(folder, topics, topic_pairs, trials=trials)
        assert tuned.trials[:4] == finished[1].trials
    assert tuned.trials == search(tmp_path / "undisturbed", topics, topic_pairs, trials=5).trials


def test_sets_without_a_score_are_refused(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    small, unknown = tmp_path / "small.txt", tmp_path / "unknown.txt"
    small.write_text("".join(f"t0w{a} t1w{b} {a + b}\n" for a in range(5) for b in range(5)))
    unknown.write_text("".join(f"x{a} y{b} {a + b}\n" for a in range(9) for b in range(9)))
    with pytest.raises(InputError, match=r"small has only \d+ different items in one half, and 20 are needed"):
        search(tmp_path / "work", topics, small)
    with pytest.raises(InputError, match="unknown has only 0 different items with all words in the vocabulary"):
        search(tmp_path / "work", topics, unknown)
    repeated = tmp_path / "repeated.txt"
    repeated.write_text("t0w1 t0w2 1\nt0w1 t0w2 2\nt1w1 t0w2 3\n" * 40)
    with pytest.raises(InputError, match=r"repeated has only \d different items in one half"):
        search(tmp_path / "work", topics, repeated)
    equal = tmp_path / "equal.txt"
    equal.write_text("".join(f"{line.rsplit(' ', 1)[0]} 5\n" for line in topic_pairs.read_text().splitlines()))
    with pytest.raises(InputError, match="equal has only one rating in one half: choose a set with different ratings"):
        search(tmp_path / "work", topics, equal)
    assert search(tmp_path / "work", topics, topic_pairs, trials=1).trials  # the folder is not spoiled


def test_an_empty_space(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    every: dict[str, Any] = {"dim": 3, "window": 2, "subsample": 0.0, "power": 0.5, "smoothing": 0.5}
    every |= {"measure": "ppmi", "contexts": "words"}
    with pytest.raises(ParameterError, match="the search space is empty"):
        Tuner(trials=1).tune("ppmi-svd", topics, tmp_path / "work", fixed=every, objective=[str(topic_pairs)])
    assert not (tmp_path / "work").exists()


def test_files(finished: tuple[Path, Tuned], tmp_path: Path, topics: Corpus) -> None:
    report = TuningReport(finished[1])
    written = report.write(tmp_path)
    assert [path.name for path in written] == ["best.toml", "trials.csv", "report.md", "report.html", "report.json"]
    assert len((tmp_path / "trials.csv").read_text().splitlines()) == 1 + 4
    page = (tmp_path / "report.html").read_text()
    assert page.count("<svg") == len(finished[1].space.names) + 1 and "learning_rate" in page  # and the history
    assert json.loads((tmp_path / "report.json").read_text())["best"]["trial"] == finished[1].best.number


def test_listed_values_are_plotted_side_by_side(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    fixed = {"dim": 3, "epochs": 1}
    tuned = search(tmp_path, topics, topic_pairs, trials=3, prune=0, fixed=fixed, searched=["subsample=0,1e-5,0.1"])
    assert sorted(trial.parameters["subsample"] for trial in tuned.trials) == [0, 1e-5, 0.1]
    panel = TuningReport(tuned).page().split(">subsample</text>")[1].split("</svg>")[0]
    labels = re.findall(r'<text x="([\d.]+)"[^>]* text-anchor="middle" font-size="10">([^<]+)</text>', panel)
    assert [name for _, name in labels] == ["0", "1e-05", "0.1"]
    left, middle, right = (float(place) for place, _ in labels)
    assert middle - left == pytest.approx(right - middle, abs=0.2)


def test_best_toml_trains_the_best_model(finished: tuple[Path, Tuned], tmp_path: Path, topics: Corpus) -> None:
    TuningReport(finished[1]).write(tmp_path)
    command = [sys.executable, "-m", "lexvec", "--config", str(tmp_path / "best.toml"), "train", str(topics.path)]
    run([*command, "-o", tmp_path / "model", "-q"], check=True)
    kept = finished[0] / "models" / ("defaults" if finished[1].best.number == 1 else f"best-{finished[1].best.number}")
    assert (tmp_path / "model" / "W.npy").read_bytes() == (kept / "W.npy").read_bytes()


def test_tokenised_text(tmp_path: Path, topics: Corpus, topic_pairs: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("".join(f"{' '.join(sentence)}\n" for sentence in topics), encoding="utf-8")
    command = ["tune", text, "-o", tmp_path / "work", "--tokenized", "--min-count", 1, "--objective", topic_pairs]
    command += ["--trials", 1, "--dim", 3, "--epochs", 1, "--subsample", 0, "--threads", 1, "-q"]
    shown = CliRunner().invoke(main, [str(each) for each in command])
    assert shown.exit_code == 0, shown.stderr
    best = (tmp_path / "work" / "best.toml").read_text()
    assert "\nmin_count = 1\ntokenized = true\n" in best
    model = tmp_path / "model"
    again = ["--config", tmp_path / "work" / "best.toml", "train", text, "-o", model, "-q"]
    assert CliRunner().invoke(main, [str(each) for each in again]).exit_code == 0
    kept = tmp_path / "work" / "models" / "defaults"
    assert (model / "W.npy").read_bytes() == (kept / "W.npy").read_bytes()
