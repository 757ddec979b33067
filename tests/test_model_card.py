"""Model cards: what Hugging Face's library reads in them."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from lexvec import Normalizer, ParameterError, WordVectors, evaluate, model_card
from lexvec.cli import main

HOSTILE = 'a: "b"\n---\n# [x](y) \x1b[31m'


def some() -> WordVectors:
    matrix = np.random.default_rng(0).normal(size=(4, 3))
    counts, rules = [4, 3, 2, 1], Normalizer().record()
    return WordVectors(["cat", "dog", "car", "bus"], matrix, counts=counts, normalisation=rules)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    (tmp_path / "pairs.csv").write_text("A cat.,A dog.,5\nA cat.,A car.,1\nThe bus,the car,4\nCat,unicorn,0\n")
    return tmp_path / "pairs.csv"


def test_metadata(pairs: Path) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed (it comes with model2vec)")
    scores = evaluate(some(), sets=[pairs])
    text = model_card(some(), scores, name=HOSTILE, language="en", license="mit", training={"dim": 3})
    card = hub.ModelCard(text)
    assert (card.data.language, card.data.license, card.data.library_name) == ("en", "mit", "model2vec")
    assert card.data.model_name == HOSTILE
    assert [result.metric_value for result in card.data.eval_results] == [
        round(each.value, 4) for each in scores.scores
    ]
    assert {result.task_type for result in card.data.eval_results} == {"sentence-similarity"}
    assert "\x1b" not in text and "| dim | 3 |" in text and "10 tokens" in text


def test_without_scores_and_details() -> None:
    text = model_card(WordVectors(["cat"], np.ones((1, 2))))
    assert "model-index" not in text and "license" not in text and "## Scores" not in text
    with pytest.raises(ParameterError, match="CardDetails has no parameter nam"):
        model_card(some(), nam="x")


def test_the_command(tmp_path: Path, pairs: Path) -> None:
    some().save(tmp_path / "v")
    command = ["card", str(tmp_path / "v"), "-o", str(tmp_path / "README.md"), "--sets", str(pairs), "--name", "pets"]
    shown = CliRunner().invoke(main, command)
    assert shown.exit_code == 0 and "a card for 4 words, with 2 scores" in shown.stderr
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert text.startswith("---\n") and "# pets\n" in text and "| pairs" in text
    assert CliRunner().invoke(main, command).exit_code == 1
    assert (tmp_path / "README.md").read_text(encoding="utf-8") == text
