"""``lexvec evaluate``, ``compare`` and ``data``, as a user meets them."""

import csv
import json
import shutil
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from lexvec import SGNS, CorpusBuilder, LexVec
from lexvec.cli import main
from lexvec.evaluation import DATASETS, FORMATS
from lexvec.evaluation.datasets import ORIGINS, Origin
from restamped import restamp

WORDS = ["king", "queen", "man", "woman", "cat", "dog", "car", "bus"]
PAIRS = "cat\tdog\t9\ncar\tbus\t8\ncat\tcar\t2\ndog\tbus\t1\ncat\tunicorn\t5\n"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def folder(no_sets: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two models, and a folder of data with two sets."""
    draw = np.random.default_rng(1)
    sentences = [draw.choice(WORDS, 8).tolist() for _ in range(60)]
    for name, cls in (("one", LexVec), ("two", SGNS)):
        cls(dim=4, epochs=1, subsample=0, parts=1).fit(sentences, tmp_path / name, builder=CorpusBuilder(min_count=1))
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "mc-30.txt").write_text(PAIRS)
    (tmp_path / "data" / "google-analogies.txt").write_text(": family\nking queen man woman\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_evaluate(folder: Path) -> None:
    (folder / "data" / "google-analogies.txt").write_text(": family\nking queen man woman\n: gram\ncat dog car bus\n")
    shown = run("evaluate", "one", "--data", "data")
    assert (shown.exit_code, shown.stderr) == (0, "")
    lines = [line.split() for line in shown.stdout.splitlines()]
    assert [line[:2] for line in lines[2:7]] == [
        ["MC", "*"], ["GSem", "*"], ["GSem", "*"], ["GSyn", "*"], ["GSyn", "*"],
    ]  # fmt: skip
    assert lines[2][-3:] == ["4", "of", "5"]
    assert "not the known version" in shown.stdout and "Not found: ws353-similarity" in shown.stdout
    document = json.loads(run("evaluate", "one", "--data", "data", "--format", "json").stdout)
    assert [score["covered"] for score in document["scores"]] == [4, 1, 1, 1, 1]
    assert document["words"] == 8 and document["parameters"]["oov"] == "skip"
    records = list(csv.DictReader(StringIO(run("evaluate", "one", "--data", "data", "--format", "csv").stdout)))
    assert [float(record["value"]) for record in records] == [score["value"] for score in document["scores"]]


@pytest.mark.parametrize("form", FORMATS)
def test_formats(folder: Path, form: str) -> None:
    assert "MC" in run("evaluate", "one", "--data", "data", "--sets", "mc-30", "--format", form).stdout
    assert "3.9" not in run("compare", "one", "two", "--data", "data", "--sets", "mc-30", "--format", form).stdout
    listed = run("data", "list", "--format", form).stdout
    assert "Radinsky" in listed and "MTurk" in listed


def test_options(folder: Path) -> None:
    def value(*flags: object) -> float:
        shown = run("evaluate", "one", "--data", "data", "--sets", "mc-30", "--format", "json", *flags)
        return float(json.loads(shown.stdout)["scores"][0]["value"])

    values = {value(), value("--combine", "sum"), value("--combine", "context"), value("--oov", "zero")}
    assert len(values) > 2
    assert value("--seed", 5, "--resamples", 10, "--threads", 1) == value()
    (folder / "own,set.txt").write_text(PAIRS)
    shown = run("evaluate", "one", "--data", "data", "--sets", "mc-30,google-semantic", "--sets", "own,set.txt", "-q")
    assert [line.split()[0] for line in shown.stdout.splitlines()[2:7]] == ["MC", "GSem", "GSem", "own,set", "mean"]


def test_compare_several_seeds(folder: Path) -> None:
    shutil.copytree(folder / "two", folder / "three")
    shown = run("compare", "one,two", "t?ree", "--data", "data", "--format", "json")
    record = json.loads(shown.stdout)
    assert record["models"] == [2, 1] and record["names"] == ["one,two", "t?ree"]
    assert "t?ree is a single model" in shown.stderr
    assert "warning: the models of one,two differ in model, " in shown.stderr  # and the parameters that one has not got
    shutil.copytree(folder / "two", folder / "two-seed-2")
    (folder / "two-seed-3.run").mkdir()
    pattern = run("compare", "two*", "one", "--data", "data", "--format", "json")
    assert json.loads(pattern.stdout)["models"] == [2, 1] and "differ in" not in pattern.stderr
    both = run("compare", "one,two", "./two", "--data", "data")
    assert both.exit_code == 1 and "a model is on both sides: name each on one side only" in both.stderr
    seeds = run("compare", "two,two-seed-2", "one", "--data", "data", "--format", "json")
    assert json.loads(seeds.stdout)["names"] == ["two", "one"]
    assert "two seeds of one method can differ" in run("compare", "one", "two", "--data", "data").stdout
    missing = run("compare", "one", "nothing-*", "--data", "data")
    assert missing.exit_code == 1 and "no model matches 'nothing-*': name folders" in missing.stderr
    empty = run("compare", "", "one", "--data", "data")
    assert empty.exit_code == 1 and "the name of a model is empty" in empty.stderr
    double = run("compare", "one,./one", "two", "--data", "data")
    assert double.exit_code == 1 and "'one' is named twice: name each model once" in double.stderr


def test_evaluate_several_seeds(folder: Path) -> None:
    shutil.copytree(folder / "two", folder / "two-seed-2")
    flags = ("--data", "data", "--sets", "mc-30")
    (alone,) = json.loads(run("evaluate", "two", *flags, "--json").stdout)["scores"]
    for named in (["two,two-seed-2"], ["two*"], ["two", "two-seed-2"]):
        shown = run("evaluate", *named, *flags, "--json")
        assert shown.stderr == ""
        record = json.loads(shown.stdout)
        (score,) = record["scores"]
        assert (record["models"], score["deviation"], score["values"]) == (2, 0, [alone["value"]] * 2)
    table = run("evaluate", "two", "two-seed-2", *flags).stdout
    assert "± .000" in table and "Means ± standard deviations of 2 models" in table
    assert "deviation" in run("evaluate", "two", "two-seed-2", *flags, "--format", "csv").stdout.splitlines()[0]
    mixed = run("evaluate", "one", "two", *flags, "--quiet")
    assert mixed.exit_code == 0 and "warning: the models of one two differ in model, " in mixed.stderr
    assert "'two' is named twice" in run("evaluate", "two", "two", *flags).stderr
    assert "items that all cover" not in run("evaluate", "two", "two-seed-2", *flags, "--oov", "zero").stdout
    restamp(folder / "two-seed-2", lambda meta: meta["provenance"].update(ids_sha256="0"))
    assert "differ in corpus, not only in their seeds" in run("evaluate", "two", "two-seed-2", *flags).stderr


def test_compare(folder: Path) -> None:
    shown = run("compare", "one", "two", "--data", "data")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert shown.stdout.splitlines()[0].split()[:4] == ["set", "measure", "one", "two"]
    assert "no clear difference" in shown.stdout
    document = json.loads(run("compare", "one", "one", "--data", "data", "--format", "json").stdout)
    assert document["names"] == ["one (A)", "one (B)"]
    assert all(each["difference"] == 0 and each["p"] == 1 for each in document["differences"] if each["shared"] > 2)
    assert len(list(csv.DictReader(StringIO(run("compare", "one", "two", "--data", "data", "--format", "csv").stdout))))


def test_data(folder: Path, no_sets: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = {line.split()[0]: line for line in run("data", "list", "--data", "data").stdout.splitlines() if line}
    assert set(DATASETS) <= set(listed)
    assert "mc-30.txt (not the known version)" in run("data", "list", "--data", "data").stdout
    assert listed["men"].endswith("no") or "Bruni" in listed["men:"]
    (folder / "data" / "mc-30.txt").write_text("one\n")
    assert "(cannot be used: data/mc-30.txt, line 1" in run("data", "list", "--data", "data").stdout
    monkeypatch.setitem(ORIGINS, "mc-30.txt", (Origin("http://127.0.0.1:9/mc"),))
    monkeypatch.setenv("no_proxy", "*")
    failed = run("data", "fetch", "mc-30", "--to", folder / "to")
    assert (failed.exit_code, failed.stdout) == (1, "")
    assert failed.stderr.startswith("lexvec: mc-30.txt cannot be fetched: cannot fetch http://127.0.0.1:9/mc (")
    there = run("data", "fetch", "mc-30", "--to", "data")
    assert (there.exit_code, there.stderr) == (0, "data/mc-30.txt exists already\n")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["evaluate", "one"], 1, "no test set was found: fetch with lexvec data fetch, or name a folder"),
        (["evaluate", "one", "--data", "nothing"], 1, "nothing is not a folder"),
        (["evaluate", "one", "--data", "data", "--sets", "men"], 1, "the test set men was not found"),
        (["evaluate", "one", "--data", "data", "--sets", "mne"], 2, "'mne' is not a test set: did you mean 'men'?"),
        (["evaluate", "one", "--data", "data", "--sets", ""], 2, "'' is not a test set: choose one of"),
        (
            ["evaluate", "one", "--data", "data", "--sets", "missing.tsv"],
            1,
            "missing.tsv does not exist: name a test set",
        ),
        (["evaluate", "nothing", "--data", "data"], 1, "nothing does not exist"),
        (["evaluate", "one", "--data", "data", "--oov", "error"], 1, "mc-30 has words that are not in the vocabulary"),
        (["evaluate", "one", "--resamples", "0"], 2, "it must be at least 1"),
        (["compare", "one", "nothing", "--data", "data"], 1, "nothing does not exist"),
        (["compare", "one", "two", "--confidence", "2"], 2, "it must be at most 0.9999"),
        (["data", "fetch", "simlex"], 2, "'simlex' is not a test set: did you mean 'simlex-999'?"),
        (["data", "list", "--data", "nothing"], 1, "nothing is not a folder"),
    ],
)
def test_mistakes_get_one_line(folder: Path, arguments: list[str], code: int, message: str) -> None:
    shown = run(*arguments)
    assert (shown.exit_code, shown.stdout) == (code, "")
    assert shown.stderr.startswith("lexvec: ") and shown.stderr.count("\n") == 1
    assert message in shown.stderr
