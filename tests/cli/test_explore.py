"""``lexvec explore`` as it is typed: serving until Ctrl-C, exporting, and what it refuses."""

import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from lexvec import WordVectors
from lexvec.cli import main

WORDS = [f"w{number}" for number in range(12)]


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    WordVectors(WORDS, np.random.default_rng(0).normal(size=(12, 4))).save(tmp_path / "vectors.txt")
    return tmp_path / "vectors.txt"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
def test_serving_until_ctrl_c(vectors: Path) -> None:
    pytest.importorskip("uvicorn", reason="uvicorn is not installed: pip install 'lexvec[explore]'")
    command = [sys.executable, "-m", "lexvec", "explore", str(vectors), "--no-browser", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as served:
        assert served.stderr is not None
        line = served.stderr.readline()
        assert line.endswith(" (press Ctrl-C to stop)\n")
        with urllib.request.urlopen(line.split()[0], timeout=60) as page:
            assert b"lexvec explorer" in page.read()
        served.send_signal(signal.SIGINT)
        output, errors = served.communicate(timeout=60)
    assert (served.returncode, output, errors) == (0, "", "")


def test_an_export_replaces_nothing_unless_told(vectors: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    command = ["explore", str(vectors), "--export", str(page), "--words", "5"]
    made = CliRunner().invoke(main, command)
    assert (made.exit_code, made.stdout) == (0, "")
    assert "5 words" in made.stderr
    before = page.read_bytes()
    refused = CliRunner().invoke(main, command)
    assert refused.exit_code == 1 and "--force" in refused.stderr
    assert page.read_bytes() == before
    assert CliRunner().invoke(main, [*command, "--force"]).exit_code == 0


def test_what_is_refused(vectors: Path, tmp_path: Path) -> None:
    for more, code, said in (
        (["--export", "page.txt"], 2, "ends in .html"),
        (["--export", str(tmp_path)], 2, "ends in .html"),
        (["--export", "page.html", "--labels", "none.tsv"], 1, "none.tsv"),
        (["--port", "70000"], 2, "70000"),
    ):
        refused = CliRunner().invoke(main, ["explore", str(vectors), *more])
        assert (refused.exit_code, refused.stdout) == (code, ""), refused.stderr
        assert said in refused.stderr


def test_without_its_packages_it_names_the_command(vectors: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexvec.cli.explore.is_installed", lambda: False)
    refused = CliRunner().invoke(main, ["explore", str(vectors)])
    assert refused.exit_code == 1
    assert "pip install 'lexvec[explore]'" in refused.stderr
