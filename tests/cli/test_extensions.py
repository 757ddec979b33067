"""Measures, losses and models of an installed package, on the command line."""

import json
import os
import sys
from pathlib import Path

import pytest

import children
import lexvec

MODULE = """
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lexvec import LexVec
from lexvec.association import Measure
from lexvec.engine.losses import Loss

ROOT = Measure("the square root of PPMI", lambda cells, _: np.sqrt(np.maximum(cells.pmi, 0)), lambda _: 0.0)


def _huber(score, target):
    error = score - target
    if abs(error) < 1.0:
        return 0.5 * error * error, error
    return abs(error) - 0.5, 1.0 if error > 0 else -1.0


HUBER = Loss("half the square of a small error, linear beyond", _huber)


@dataclass(kw_only=True, eq=False)
class Twin(LexVec):
    \"\"\"LexVec by another name.\"\"\"

    name: ClassVar[str] = "twin"
"""
POINTS = """
[lexvec.measures]
root_ppmi = extension:ROOT
[lexvec.losses]
huber = extension:HUBER
[lexvec.models]
twin = extension:Twin
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder where a package with entry points is installed."""
    about = tmp_path / "extension-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: extension\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)
    (tmp_path / "extension.py").write_text(MODULE)
    (tmp_path / "text.txt").write_text("The cat sat on the mat. The dog sat on the log.\n" * 50)
    source = str(Path(lexvec.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), source]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str) -> str:
    done = children.run([sys.executable, "-m", "lexvec", *words])
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


@pytest.mark.slow
def test_entries_of_a_package_are_offered_and_accepted(place: Path) -> None:
    assert "|root_ppmi]" in run("associate", "--help")
    shown = "".join(run("train", "--help").split())
    assert "|root_ppmi]" in shown and "|huber]" in shown and "twin" in shown
    flags = ["--dim", "4", "--min-count", "1", "--subsample", "0", "--epochs", "1", "--json", "-q"]
    made = run("train", "text.txt", "-o", "out", "--model", "twin", "--measure", "root_ppmi", "--loss", "huber", *flags)
    record = json.loads(made)
    assert (record["model"], record["parameters"]["measure"], record["parameters"]["loss"]) == (
        "twin", "root_ppmi", "huber",
    )  # fmt: skip
    assert json.loads(run("info", "out", "--json")) == record
