"""Counts and the normalisation of the text travel with the vectors: from models, into folders, through limits."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from lexvec import ArtefactError, CorpusBuilder, Model, ParameterError, WordVectors
from lexvec.cli import main
from lexvec.models import PPMISVD
from restamped import restamp

TEXT = ["The cat sat on the mat. The dog sat."] * 50
BUILDER = CorpusBuilder(min_count=1, lowercase=False, numbers="keep")
RULES = {
    "sentences_by": "rules",
    "punctuation": "remove",
    "numbers": "keep",
    "lowercase": False,
    "apostrophes": "split",
    "hyphens": "split",
}


def some(**known: Any) -> WordVectors:
    return WordVectors(["the", "cat", "sat"], np.eye(3), **known)


def test_from_a_model_to_its_vectors(tmp_path: Path) -> None:
    model = PPMISVD(dim=2, subsample=0).fit(TEXT, tmp_path / "model", builder=BUILDER)
    loaded = WordVectors.load(tmp_path / "model", limit=3, combine="sum")
    for vectors, count in ((model.vectors(), 7), (Model.load(tmp_path / "model").vectors("context"), 7), (loaded, 3)):
        assert vectors.counts is not None
        assert dict(zip(vectors.words, vectors.counts.tolist(), strict=True))["The"] == 100
        assert len(vectors.counts) == len(vectors) == count
        assert vectors.normalisation == RULES


def test_lists_of_tokens_are_not_normalised() -> None:
    vectors = PPMISVD(dim=2, subsample=0).fit([["a", "b", "a"]] * 50, builder=CorpusBuilder(min_count=1)).vectors()
    assert vectors.normalisation is None
    assert vectors.counts is not None and vectors.counts.tolist() == [100, 50]


def test_in_a_folder_and_in_info(tmp_path: Path) -> None:
    some(counts=[7, 3, 2], normalisation=RULES).save(tmp_path / "v")
    for limit, counts in ((None, [7, 3, 2]), (2, [7, 3])):
        loaded = WordVectors.load(tmp_path / "v", limit=limit)
        assert loaded.counts is not None and loaded.counts.tolist() == counts
        assert loaded.normalisation == RULES
    shown = CliRunner().invoke(main, ["info", str(tmp_path / "v"), "--verify"]).stdout
    assert "\n  tokens  12\n" in shown
    assert "\nnormalisation\n" in shown and "\n  numbers       keep\n" in shown and "counts.npy" in shown
    some().save(tmp_path / "plain")  # as older versions wrote it
    assert {file.name for file in (tmp_path / "plain").iterdir()} == {"config.json", "vectors.safetensors", "words.txt"}
    loaded = WordVectors.load(tmp_path / "plain")
    assert loaded.counts is None and loaded.normalisation is None


@pytest.mark.parametrize("counts", [[1, 2], [1, 2, -3], [1.5, 2, 3], "many", [[1], [2], [3]], [1, 2, 2**63]])
def test_wrong_counts(counts: Any) -> None:
    with pytest.raises(ParameterError, match="^counts"):
        some(counts=counts)


@pytest.mark.parametrize("normalisation", ["lower", {"lowercase": None}, {1: "x"}, [("lowercase", True)]])
def test_wrong_normalisation(normalisation: Any) -> None:
    with pytest.raises(ParameterError, match="normalisation=.*: it must be a mapping of parameters of Normalizer"):
        some(normalisation=normalisation)


def test_damaged_folders(tmp_path: Path) -> None:
    some(counts=[7, 3, 2], normalisation=RULES).save(tmp_path / "v")
    np.save(tmp_path / "v" / "counts.npy", np.array([7, 3]))
    restamp(tmp_path / "v")
    with pytest.raises(ArtefactError, match="counts do not fit"):
        WordVectors.load(tmp_path / "v")
    some(normalisation=RULES).save(tmp_path / "w")
    restamp(tmp_path / "w", lambda meta: meta["facts"].update(normalisation=["lower"]))
    with pytest.raises(ArtefactError, match="its normalisation is unusable"):
        WordVectors.load(tmp_path / "w")
