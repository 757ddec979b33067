"""Presets for training: settings by the size of the corpus, which flags can change."""

import gzip
import json
import math
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lexvec import Corpus, CorpusBuilder, InputError, ParameterError
from lexvec.cli import main
from lexvec.models.training_preset import TRAINING_PRESETS, TrainingPreset, approximate_tokens

LINE = "The cat sat on the mat, and the dog sat on the log.\n"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(LINE * 50)
    return path


@pytest.mark.parametrize("name", TRAINING_PRESETS)
def test_every_preset_has_settings_for_every_size(name: str) -> None:
    found = [TrainingPreset.load(name, tokens) for tokens in (1e3, 1e6, 1e7, 1e8, 1e12)]
    assert [each.tokens for each in found] == sorted(each.tokens for each in found)
    assert found[-1].tokens == math.inf
    for each in found:
        assert each.new_model(dim=7).dim == 7 and each.min_count > 0


def test_the_presets() -> None:
    assert TRAINING_PRESETS == ("good-analogies", "good-similarity")
    with pytest.raises(ParameterError, match=r"preset='good-similarty': did you mean 'good-similarity'\?"):
        TrainingPreset.load("good-similarty", 1e6)


def test_the_size_of_a_corpus(tmp_path: Path, text: Path) -> None:
    packed = tmp_path / "text.txt.gz"
    packed.write_bytes(gzip.compress(text.read_bytes()))
    corpus: Corpus = CorpusBuilder(min_count=1).build(text)
    assert approximate_tokens(corpus) == 13 * 50
    assert approximate_tokens(text) == len(LINE) * 50 / 6
    assert approximate_tokens(packed) == packed.stat().st_size * 3 / 6
    with pytest.raises(InputError, match="encode standard input with lexvec corpus first"):
        approximate_tokens("-")


def test_training_with_a_preset(tmp_path: Path, text: Path) -> None:
    preset, out = TrainingPreset.load("good-similarity", 100), tmp_path / "model"
    made = run("train", text, "-o", out, "--preset", "good-similarity", "--dim", 4, "--epochs", 1, "--json")
    assert made.exit_code == 0, made.stderr
    parameters = json.loads(made.stdout)["parameters"]
    assert parameters == preset.new_model(dim=4, epochs=1).record()
    again = run("train", text, "-o", out, "--preset", "good-similarity", "--dim", 4, "--epochs", 1, "--force")
    assert f"--combine {preset.combine}, which good-similarity is meant for" in again.stderr


def test_flags_that_exclude_a_preset(tmp_path: Path, text: Path) -> None:
    out = tmp_path / "model"
    both = run("train", text, "-o", out, "--preset", "good-similarity", "--model", "sgns")
    assert (both.exit_code, "mutually exclusive" in both.stderr) == (2, True)
    resumed = run("train", "--resume", out, "--preset", "good-similarity")
    assert (resumed.exit_code, "omit everything else" in resumed.stderr) == (2, True)
    assert not out.exists()
