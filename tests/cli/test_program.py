"""``lexvec`` as a program: closed and full streams, Ctrl-C, limits, and the time it takes to start."""

import os
import signal
import sys
from pathlib import Path
from subprocess import CompletedProcess

import click
import numpy as np
import pytest

from children import run, run_code
from lexvec import WordVectors
from lexvec.cli import main
from lexvec.cli.main import STAGES

#: Interrupts itself at the moment when a module is first looked for.
INTERRUPTED = """
import os, signal, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
sys.argv = ["lexvec", "neighbors", "vectors", "a"]
from lexvec.__main__ import main
main()
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    WordVectors(["a", "b", "c"], np.eye(3)).save("vectors")
    Path("text.txt").write_text("a b c a b c", encoding="utf-8")
    return tmp_path


def shell(command: str) -> CompletedProcess[str]:
    """Run a line of shell in which ``lexvec`` is the program."""
    line = f'lexvec() {{ "{sys.executable}" -m lexvec "$@"; }}; {command}'
    return run(["sh", "-c", line])


READING = ["neighbors vectors", "analogy vectors", "corpus - -o out"]
PRINTING = ["neighbors vectors a", "info vectors", "info vectors --json", "data list", "--help", "train --help"]


@pytest.mark.parametrize("command", READING)
def test_closed_standard_input(place: Path, command: str) -> None:
    done = shell(f"lexvec {command} <&-")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("lexvec: ") and done.stderr.count("\n") == 1
    assert "standard input" in done.stderr and "closed" in done.stderr


@pytest.mark.parametrize("command", ["corpus text.txt -o out --min-count 1", "convert vectors out.txt", "info vectors"])
def test_closed_standard_input_that_is_not_read(place: Path, command: str) -> None:
    done = shell(f"lexvec {command} <&-")
    assert done.returncode == 0 and "Traceback" not in done.stderr


@pytest.mark.parametrize("command", PRINTING)
def test_a_result_that_cannot_be_printed_is_an_error(place: Path, command: str) -> None:
    closed = shell(f"lexvec {command} >&-")
    message = "lexvec: standard output: it is closed: redirect it to or from a file\n"
    assert (closed.returncode, closed.stderr) == (1, message)
    if Path("/dev/full").exists():
        full = shell(f"lexvec {command} >/dev/full")
        message = "lexvec: No space left on device: make room on the disk, or write elsewhere\n"
        assert (full.returncode, full.stderr) == (1, message)


def test_closed_output_where_nothing_is_printed(place: Path) -> None:
    assert shell("lexvec corpus text.txt -o out --min-count 1 >&- 2>&-").returncode == 0
    assert (place / "out" / "vocab.tsv").is_file()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_messages_that_cannot_be_printed_do_not_stop_the_work(place: Path) -> None:
    assert shell("lexvec corpus text.txt -o out --min-count 1 2>/dev/full").returncode == 0
    assert (place / "out" / "vocab.tsv").is_file()
    assert shell("lexvec info nothing 2>/dev/full").returncode == 1


@pytest.mark.skipif(os.name != "posix", reason="limits are POSIX")
def test_the_limit_on_the_size_of_files(place: Path) -> None:
    WordVectors([f"w{n}" for n in range(2000)], np.random.default_rng(0).normal(size=(2000, 50))).save("large")
    done = shell("ulimit -f 100; lexvec convert large large.txt")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1 and "ulimit -f" in done.stderr and "permissions" not in done.stderr


@pytest.mark.parametrize("module", ["lexvec.cli", "click", "lexvec.cli.main", "lexvec.cli.neighbors", "numpy"])
def test_interrupted_while_modules_are_imported(place: Path, module: str) -> None:
    script = INTERRUPTED.format(module=module)
    done = run_code(script)
    assert done.returncode in (130, -signal.SIGINT)
    assert done.stdout == "" and "Traceback" not in done.stderr


def test_the_package_imports_nothing_before_the_program_runs() -> None:
    script = "import sys; before = set(sys.modules); import lexvec; print(sorted(set(sys.modules) - before))"
    done = run([sys.executable, "-S", "-c", script], check=True, env=_plain())
    assert done.stdout == "['lexvec', 'lexvec._version']\n"


def _plain() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(Path(sys.modules["lexvec"].__file__ or "").parents[1])}


def test_help_imports_no_command() -> None:
    script = """
import sys
from lexvec.cli import main
main(["--help"], standalone_mode=False)
assert not {"numpy", "rich", "numba", "lexvec.cli.train", "lexvec.vectors", "lexvec.storage"} & set(sys.modules)
"""
    run_code(script, check=True)


def test_short_helps_are_those_of_the_commands() -> None:
    for commands in STAGES.values():
        for name, text in commands.items():
            command = main.get_command(click.Context(main), name)
            assert command is not None and command.get_short_help_str(limit=100).rstrip(".") == text.rstrip(".")


@pytest.mark.skipif(os.name != "posix", reason="the time of children is POSIX")
def test_help_is_quick() -> None:
    def seconds() -> float:
        before = os.times()
        run([sys.executable, "-m", "lexvec", "--help"], check=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    assert min(seconds() for _ in range(5)) < 0.3  # of processor time, so that others on the machine do not count
