"""Results on standard output and nothing else there; all else on standard error; exit codes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner, Result

import children
from lexvec import CorpusBuilder, LexVec
from lexvec.association import Associator
from lexvec.cli import main
from lexvec.cooccurrence import CooccurrenceCounter

WORDS = [f"{one}{other}" for one in "abcde" for other in "uvwxyz"]
PRESET = """
[runs.svd]
model = "ppmi-svd"
dim = 4
subsample = 0
[[rows]]
label = "PPMI-SVD"
run = "svd"
"""

#: What each command is called with, {out} being its output.
COMMANDS = {
    "corpus": ["text.txt", "-o", "{out}", "--min-count", "1"],
    "count": ["corpus", "-o", "{out}", "--subsample", "0"],
    "associate": ["counts", "-o", "{out}"],
    "plan": ["corpus", "--memory", "1GB"],
    "train": ["corpus", "-o", "{out}", "--dim", "4", "--subsample", "0", "--parts", "4"],
    "convert": ["model", "{out}.txt"],
    "neighbors": ["model", "au"],
    "analogy": ["model", "au", "av", "aw"],
    "map": ["model", "au,av", "aw", "-o", "{out}.svg"],
    "embed": ["model", "text.txt", "-o", "{out}.npy"],
    "card": ["model", "-o", "{out}.md", "--data", "data", "--sets", "mc-30"],
    "explore": ["model", "--export", "{out}.html", "--data", "data"],
    "evaluate": ["model", "--data", "data"],
    "compare": ["model", "corpus.model", "--data", "data"],
    "data list": ["--data", "data"],
    "data fetch": ["mc-30", "--to", "data"],
    "tune": ["corpus", "-o", "{out}", "--objective", "pairs.txt", "--trials", "2", "--dim", "4", "--epochs", "1"],
    "stability": ["corpus", "-o", "{out}", "--words", "au,av", "--runs", "10", "--model", "ppmi-svd", "--dim", "4"],
    "reproduce": ["corpus", "-o", "{out}", "--preset", "own.toml", "--data", "data"],
    "info": ["model"],
}
MAKING = ("corpus", "count", "associate", "train", "convert", "map", "embed", "explore", "card", "data fetch")
SILENT = ("info", "data list", "plan")  # they say nothing but their results, and so need not be told to be quiet
#: An input that is not there, for each command.
MISTAKES = {
    **{
        name: ["nothing", "-o", "out"]
        for name in ("corpus", "count", "associate", "train", "tune", "stability", "reproduce")
    },
    **{name: ["nothing", "out.txt"] for name in ("convert", "neighbors", "compare")},
    "analogy": ["nothing", "a", "b", "c"],
    "map": ["nothing", "a", "b", "c", "-o", "out.svg"],
    "embed": ["nothing", "-o", "out.npy"],
    "card": ["nothing", "-o", "out.md"],
    "evaluate": ["nothing"],
    "explore": ["nothing", "--export", "out.html"],
    "data list": ["--data", "nothing"],
    "data fetch": ["nothing"],
    "info": ["nothing"],
    "plan": ["nothing"],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One of everything that a command reads."""
    folder = tmp_path_factory.mktemp("made")
    draw = np.random.default_rng(0)
    (folder / "text.txt").write_text(".\n".join(" ".join(draw.choice(WORDS, 9)) for _ in range(60)), encoding="utf-8")
    corpus = CorpusBuilder(min_count=1).build(folder / "text.txt", folder / "corpus")
    Associator().associate(CooccurrenceCounter(subsample=0).count(corpus, folder / "counts"), folder / "ppmi")
    for name, seed in (("model", 1), ("corpus.model", 2)):
        LexVec(dim=4, epochs=1, subsample=0, seed=seed).fit(corpus, folder / name)
    (folder / "data").mkdir()
    pairs = "".join(f"{WORDS[n]}\t{WORDS[n + 1]}\t{n % 7}\n" for n in range(20))
    (folder / "data" / "mc-30.txt").write_text(pairs, encoding="utf-8")
    more = "".join(f"{WORDS[n]}\t{WORDS[(n + far) % 30]}\t{n % 7}\n" for n in range(30) for far in (1, 2, 5, 9))
    (folder / "pairs.txt").write_text(more, encoding="utf-8")
    (folder / "own.toml").write_text(PRESET, encoding="utf-8")
    return folder


@pytest.fixture
def place(made: Path, no_sets: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


def run(name: str, *arguments: object, out: object = "out") -> Result:
    if name == "tune":
        pytest.importorskip("optuna", reason="a search needs optuna (the extra tune)")
    given = [str(argument).replace("{out}", str(out)) for argument in (*COMMANDS[name], *arguments)]
    return CliRunner().invoke(main, [*name.split(), *given])


def leaves(group: click.Group, before: str = "") -> dict[str, click.Command]:
    """All commands that do something, by what is typed."""
    found: dict[str, click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found |= leaves(command, f"{before}{name} ")
        else:
            found[f"{before}{name}"] = command
    return found


def test_all_commands_are_looked_at_here() -> None:
    assert set(leaves(main)) - {"demo"} == set(COMMANDS) == set(MISTAKES)  # demo is a tour through the others


@pytest.mark.parametrize("name", COMMANDS)
def test_results_and_nothing_else_on_standard_output(name: str, place: Path, tmp_path: Path) -> None:
    plain = run(name, out=tmp_path / "plain")
    assert plain.exit_code == 0
    assert (plain.stdout == "") == (name in MAKING)
    if name in SILENT:
        assert plain.stderr == ""
        return
    quiet = run(name, "-q", out=tmp_path / "quiet")
    assert (quiet.exit_code, quiet.stderr) == (0, "")
    verbose = run(name, "--verbose", out=tmp_path / "verbose")
    assert verbose.exit_code == 0
    if name != "reproduce":  # which tells how long it took
        assert plain.stdout == quiet.stdout == verbose.stdout
    assert plain.stderr or name in ("neighbors", "analogy", "evaluate", "compare")  # all done within a second
    assert "DEBUG" not in plain.stderr
    assert (" DEBUG   lexvec." in verbose.stderr) or name == "data fetch"


@pytest.mark.parametrize("name", COMMANDS)
def test_json_for_programs(name: str, place: Path, tmp_path: Path) -> None:
    shown = run(name, "--json", *([] if name in SILENT else ["-q"]), out=tmp_path / "out")
    assert (shown.exit_code, shown.stderr) == (0, "")
    record = json.loads(shown.stdout)
    if name == "map":
        assert record["path"] == str(tmp_path / "out.svg")
        assert list(record["words"]) == ["au", "av", "aw"]
    elif name == "embed":
        assert record["path"] == str(tmp_path / "out.npy")
        assert (record["sentences"], record["words"], record["unknown"], record["dim"]) == (60, 540, 0, 4)
    elif name in MAKING and name != "data fetch":
        made = tmp_path / {"convert": "out.txt", "card": "out.md", "explore": "out.html"}.get(name, "out")
        assert record["path"] == str(made)
        assert record["words"] == len(WORDS)
        assert record["bytes"] > 100
        if made.is_dir():  # the same as what can be asked for later
            assert record == json.loads(CliRunner().invoke(main, ["info", str(made), "--json"]).stdout)
    if name == "reproduce":
        assert record == json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8"))
    if name == "data fetch":
        assert record == {"written": [], "failed": {}}


@pytest.mark.parametrize("name", COMMANDS)
def test_mistakes_print_nothing_on_standard_output(name: str, place: Path, tmp_path: Path) -> None:
    os.chdir(tmp_path)
    for more in ([], ["--json"]):
        failed = CliRunner().invoke(main, [*name.split(), *MISTAKES[name], *more])
        assert (failed.exit_code, failed.stdout) == (2 if name == "data fetch" else 1, "")  # there it is an argument
        assert failed.stderr.startswith("lexvec: ") and failed.stderr.count("\n") == 1
    refused = CliRunner().invoke(main, [*name.split(), *MISTAKES[name], "--no-such-flag"])
    assert (refused.exit_code, refused.stdout) == (2, "")


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - set(SILENT)))
def test_quiet_and_verbose_are_mutually_exclusive(name: str, place: Path, tmp_path: Path) -> None:
    refused = run(name, "-q", "-v", out=tmp_path / "out")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "--quiet and --verbose are mutually exclusive: choose one." in refused.stderr


@pytest.mark.parametrize("name", ["evaluate", "compare", "data list"])
def test_json_is_one_of_the_formats(name: str, place: Path) -> None:
    shown = run(name, "--json")
    assert json.loads(shown.stdout)
    assert shown.stdout == run(name, "--format", "json").stdout == run(name, "--json", "--format", "json").stdout
    refused = run(name, "--json", "--format", "csv")
    assert (refused.exit_code, refused.stdout) == (2, "")


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - set(SILENT)))
def test_stopped_by_the_user(name: str, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lexvec.cli.options.Console", stop)
    stopped = run(name, out=tmp_path / "out")
    assert (stopped.exit_code, stopped.stdout) == (130, "")
    assert stopped.stderr.startswith("lexvec: stopped; ")


def test_warnings_are_not_kept_quiet(tmp_path: Path, place: Path) -> None:
    warned = run("count", "--subsample", "1e-9", "-q", out=tmp_path / "out")
    assert (warned.exit_code, warned.stdout) == (0, "")
    assert warned.stderr.startswith("no pair is left: subsampling kept 1 of 540 tokens")
    assert warned.stderr.count("\n") == 1


def test_unknown_words_get_a_suggestion() -> None:
    for typed, meant in ((["trian"], "train"), (["data", "lst"], "list"), (["train", "--dimm", "3"], "--dim")):
        refused = CliRunner().invoke(main, typed)
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert f"id you mean '{meant}'?" in refused.stderr
    assert "id you mean" not in CliRunner().invoke(main, ["xyzzy"]).stderr


def test_as_a_program(place: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "lexvec", "train", "corpus", "-o", str(tmp_path / "out"), "--dim", "4", "--json"]
    done = children.run([*command, "--subsample", "0", "-v"])
    assert done.returncode == 0
    assert json.loads(done.stdout)["dim"] == 4
    assert " INFO    lexvec.models.base: epoch 1/5: done in " in done.stderr
    again = children.run([*command, "-q"])
    assert (again.returncode, again.stdout) == (1, "")
    assert again.stderr.count("\n") == 1


def test_info_knows_the_folder_of_an_experiment(place: Path, tmp_path: Path) -> None:
    assert run("reproduce", "-q", out=tmp_path / "tables").exit_code == 0
    shown = CliRunner().invoke(main, ["info", str(tmp_path / "tables"), "--verify"])
    assert shown.exit_code == 0
    lines = shown.stdout.splitlines()
    assert lines[0] == f"{tmp_path / 'tables'}: an experiment of lexvec reproduce"
    assert (
        "  svd  finished" in lines
        and "  report.md" in lines
        and lines[-1] == "all checksums of finished runs are right"
    )
    record = json.loads(CliRunner().invoke(main, ["info", str(tmp_path / "tables"), "--json"]).stdout)
    assert record["runs"] == {"svd": "finished"} and "builder" in record["started_with"]
    (tmp_path / "tables" / "experiment.json").write_text("{", encoding="utf-8")
    damaged = CliRunner().invoke(main, ["info", str(tmp_path / "tables")])
    assert damaged.exit_code == 1 and "experiment.json is damaged" in damaged.stderr


def test_names_of_folders_cannot_command_a_terminal(place: Path, tmp_path: Path) -> None:
    meta = json.loads((place / "model" / "meta.json").read_text(encoding="utf-8"))
    hostile = tmp_path / "\x1b[31mmodel"
    hostile.mkdir()
    for file in (place / "model").iterdir():
        (hostile / file.name).write_bytes(file.read_bytes())
    shown = CliRunner().invoke(main, ["info", str(hostile)]).stdout
    assert "\x1b" not in shown and "\\x1b[31mmodel: lexvec-model" in shown and meta["format"] in shown


def piped(command: str, place: Path) -> subprocess.CompletedProcess[str]:
    """Run a pipeline that fails if any part of it does."""
    script = f'set -o pipefail; lexvec() {{ {sys.executable} -m lexvec "$@"; }}; {command}'
    return children.run(["bash", "-c", script], cwd=place)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    "command",
    [
        "neighbors model au", "neighbors model au --contexts", "analogy model au av aw", "info model --verify",
        "--help", "evaluate model --data data -q", "data list --data data", "plan corpus",
        "convert model {out}.txt --evaluate --data data -q",
    ],
)  # fmt: skip
def test_a_reader_that_leaves_after_the_first_line_is_no_failure(command: str, place: Path, tmp_path: Path) -> None:
    done = piped(f"lexvec {command.replace('{out}', str(tmp_path / 'out'))} | head -1", place)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_reader_that_leaves_ends_the_command_as_it_ends_other_tools(place: Path, tmp_path: Path) -> None:
    assert piped("yes | head -1", place).returncode == 141
    for command in (
        "yes au | lexvec neighbors model | head -1",
        "yes au | lexvec neighbors model -v 2>&1 | head -1",
        "yes au av | head -300000 | lexvec embed model -q | head -c 10 > /dev/null",
        "lexvec neighbors model au | (exec <&-; sleep 2)",
    ):
        done = piped(command, place)
        assert (done.returncode, done.stderr) == (141, ""), command
