"""Experiments as files."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lexvec import InputError, LexVec, ParameterError
from lexvec.lab import PRESETS, Preset

OWN = """
[runs.a]
model = "lexvec"
dim = 8

[[rows]]
label = "A"
run = "a"
"""


def test_the_papers_experiment_has_its_rows_and_settings() -> None:
    preset = Preset.load("acl2016")
    assert len(preset.rows) == 11
    assert [row.label for row in preset.rows][:4] == ["PPMI-SVD", "GloVe", "SGNS", "LexVec + MB + WS_PPMI + (W+C)"]
    assert all(len(row.paper) == 12 for row in preset.rows)
    assert preset.rows[-1].paper["SimLex-999"] == (0.339,)
    assert preset.rows[1].paper["GSem"] == (0.818, 0.813)
    minibatch = preset.model("lexvec-mb-ws_sgns", seed=3)
    assert isinstance(minibatch, LexVec)
    assert (minibatch.variant, minibatch.window_sampling, minibatch.subsample, minibatch.seed) == (
        "minibatch", "sgns", 1e-5, 3,
    )  # fmt: skip
    assert preset.builder().min_count == 100


def test_a_preset_is_merged_over_the_one_it_extends() -> None:
    small = Preset.load("small")
    assert small.builder().min_count == 5
    assert small.runs["lexvec-st-ws_ppmi"]["subsample"] == 1e-4
    assert "subsample" not in small.runs["glove"]
    assert small.rows == Preset.load("acl2016").rows
    assert {"acl2016", "small"} <= set(PRESETS)


def test_positional_contexts_and_what_the_authors_publish() -> None:
    preset = Preset.load("lexvec2016b")
    positional = preset.model("lexvec-positional")
    assert isinstance(positional, LexVec)
    assert (positional.contexts, positional.noise_counts, positional.window) == ("positional", "pairs", 2)
    word, both = preset.rows[:2]
    assert (word.combine, both.combine) == ("word", "sum")
    assert word.paper["MSR"][1] == 0.637 and math.isnan(word.paper["MSR"][0])
    assert both.paper["WRel"] == (0.663,)
    assert preset.rows[2].paper == {}


def test_rows_can_be_appended(tmp_path: Path) -> None:
    (tmp_path / "base.toml").write_text(OWN + "[[more_rows]]\nlabel = 'B'\nrun = 'a'", encoding="utf-8")
    child = "extends = 'base.toml'\n[[more_rows]]\nlabel = 'C'\nrun = 'a'\ncombine = 'sum'"
    (tmp_path / "child.toml").write_text(child, encoding="utf-8")
    assert [row.label for row in Preset.load(tmp_path / "child.toml").rows] == ["A", "B", "C"]
    (tmp_path / "child.toml").write_text(child.replace("more_rows", "rows"), encoding="utf-8")
    assert [row.label for row in Preset.load(tmp_path / "child.toml").rows] == ["C"]


def test_only_runs_that_rows_show_are_trained(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    rows = "[[rows]]\nlabel = 'SGNS'\nrun = 'sgns'\n"
    path.write_text(f"extends = 'small'\n{rows}", encoding="utf-8")
    runner = Preset.load(path).runner(tmp_path / "work", seed=3, seeds=2)
    assert {name: model.seed for name, model in runner.models.items()} == {"sgns": 3, "sgns-seed-4": 4}
    assert runner.scored("sgns-seed-4") == ["word", "sum"]


def test_part_of_an_experiment() -> None:
    part = Preset.load("acl2016").only(("lexvec-st-ws_ppmi",))
    assert [row.combine for row in part.rows] == ["sum", "word"]
    assert list(part.runs) == ["lexvec-st-ws_ppmi"]
    unshown = replace(part, rows=part.rows[:0])
    with pytest.raises(ParameterError, match="no row of the tables shows lexvec-st-ws_ppmi: choose other runs"):
        unshown.only(("lexvec-st-ws_ppmi",))
    with pytest.raises(ParameterError, match=r"there is no run 'sgn': did you mean 'sgns'\?"):
        Preset.load("acl2016").only(("sgn",))


def test_an_own_preset(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    preset = Preset.load(path)
    assert preset.model("a").dim == 8
    assert preset.rows[0].combine == "word"
    assert preset.rows[0].paper == {}


def test_a_preset_extends_its_neighbour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "base.toml").write_text(OWN, encoding="utf-8")
    (tmp_path / "child.toml").write_text("extends = 'base.toml'\n[runs.a]\ndim = 5", encoding="utf-8")
    monkeypatch.chdir(tmp_path.parent)
    assert Preset.load(tmp_path / "child.toml").model("a").dim == 5


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("a = [", InputError, "is not TOML"),
        ("other = 1", InputError, "has the unknown key 'other': use extends"),
        ("title = 3", InputError, "has title = 3: it must be a text in quotes"),
        ("runs = 3", InputError, "has runs = 3: it must be a table"),
        ("extends = 'own.toml'", InputError, "own.toml extends itself"),
        ("[models.lexvecc]\ndim = 3" + OWN, InputError, r"has \[models.lexvecc\]: write tables for glove"),
        (OWN.replace("[runs.a]", '[runs."../a"]'), InputError, "has the run '../a': write a table whose name"),
        (
            OWN + "similarity = { Wsim = 0.3 }",
            InputError,
            r"row 'A' has the unknown similarity set 'Wsim': did you mean 'WSim'\?",
        ),
        (OWN + "similarity = { WSim = 'x' }", InputError, "row 'A' has WSim = 'x': it must be one number"),
        (OWN + "analogy = { MSR = 0.3 }", InputError, "row 'A' has MSR = 0.3: it must be two numbers"),
        (OWN + "[[rows]]\nlabel = 'A'\nrun = 'a'", InputError, "has two rows 'A': give each a label of its own"),
        (
            OWN + "[runs.b]\nmodel = 'sgns'\nlabel = 'a'\n[[rows]]\nlabel = 'B'\nrun = 'b'",
            InputError,
            "has two runs 'a': give each a label of its own",
        ),
        ("[models.sgns]\nlabel = 'x'" + OWN, InputError, "models.sgns has a label: give each run a label of its own"),
        (OWN + f"similarity = {{ WSim = {10**400} }}", InputError, "row 'A' has WSim = 1000.*: it must be one number"),
        (OWN + f"analogy = {{ MSR = [{10**400}, 1] }}", InputError, r"has MSR = \[1000.*: it must be two numbers"),
        (OWN.replace("dim = 8", f"smoothing = {10**400}"), InputError, "run a: smoothing=1000.*: it is too large"),
        (f"extends = '{'x' * 5000}'", InputError, "^there is no preset 'x{199}: give the name of a TOML file"),
        ("[runs.a]\nmodel = 'lexvec'", InputError, "has no runs or no rows"),
        (OWN.replace("runs.a", "runs.a-seed-2"), InputError, "choose a name that does not end like those of other"),
        (OWN.replace("dim = 8", "label = 8"), InputError, "run a has label = 8: it must be a text in quotes"),
        (OWN.replace('run = "a"', 'run = "b"'), InputError, "row 'A' needs a label, a run of this preset"),
        (OWN + 'combine = "both"', InputError, "combine='both': it must be one of word, context, sum"),
        (OWN.replace('"lexvec"', '"lexvek"'), InputError, "run a has model = 'lexvek': choose one of glove"),
        (OWN.replace("dim = 8", "seed = 8"), InputError, "run a has seed: all runs get it from the command"),
        ("[corpus]\nmin_count = 'x'" + OWN, InputError, "own.toml, corpus: min_count='x'"),
        (OWN.replace("dim = 8", "dims = 8"), InputError, "own.toml, run a: LexVec has no parameter dims: did"),
        (OWN.replace('"lexvec"', '["lexvec"]'), InputError, r"run a has model = \['lexvec'\]: choose one of glove"),
        (OWN.replace("dim = 8", "dim = [8]"), InputError, "own.toml, run a: dim"),
        (OWN.replace("dim = 8", "dim = 2.5"), InputError, "own.toml, run a: dim"),
        (OWN.replace("dim = 8", "dim = true"), InputError, "own.toml, run a: dim"),
        (OWN.replace("dim = 8", "dim = 1979-05-27"), InputError, "own.toml, run a: dim"),
        (OWN.replace("dim = 8", "dim = { a = 1 }"), InputError, "own.toml, run a: dim"),
        (OWN.replace('run = "a"', "run = ['a']"), InputError, r"has run = \['a'\]: it must be a text in quotes"),
        (OWN + "similarity = { WSim = true }", InputError, "row 'A' has WSim = True: it must be one number"),
        ("x = " + "[" * 5000 + "]" * 5000, InputError, "own.toml is nested too deeply"),
        ("[" + ".".join("a" * 5000) + "]", InputError, "own.toml is nested too deeply"),
        ("x = " + "9" * 5000, InputError, "own.toml is not TOML"),
        ("extends = 'smal'", InputError, r"there is no preset 'smal': did you mean 'small'\?"),
        (
            "extends = 'nothing'",
            InputError,
            "there is no preset 'nothing': give the name of a TOML file, or one of acl2016",
        ),
    ],
)
def test_invalid_presets(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error, match=message):
        Preset.load(path)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda preset: type(preset).load(3),
            "name=3: it must be the name of a preset or a TOML file",
        ),
        (lambda preset: preset.model(3), "there is no run 3: choose one of"),
        (lambda preset: preset.only("sgns"), "runs='sgns': it must be a list of names"),
        (lambda preset: preset.only([3]), "there is no run 3"),
        (lambda preset: preset.runner(3), "folder=3: it must be a path"),
        (lambda preset: preset.runner("x", effort=3), "effort=3: it must map threads and memory to values"),
        (lambda preset: preset.runner("x", seed="y"), "seed"),
    ],
)
def test_wrong_types_are_parameter_errors(call: Callable[[Preset], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call(Preset.load("small"))
