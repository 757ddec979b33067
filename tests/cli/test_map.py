"""``lexvec map``, and the picture that it draws."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner, Result

from lexvec import ParameterError, WordMap, WordVectors
from lexvec.cli import main

WORDS = ["cat", "dog", "red", "green", "<b>", "one", "two"]


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    WordVectors(WORDS, np.random.default_rng(0).normal(size=(7, 5))).save(tmp_path / "v.txt")
    return tmp_path / "v.txt"


def run(*words: object) -> Result:
    return CliRunner().invoke(main, ["map", *map(str, words)])


def drawn(path: Path) -> dict[str, str]:
    """The colour of each word of a picture."""
    texts = [element for element in ElementTree.parse(path).iter() if element.tag.endswith("text")]
    return {text.text or "": text.attrib["fill"] for text in texts[:-1]}


def test_groups_have_colours(vectors: Path, tmp_path: Path) -> None:
    result = run(vectors, "cat,dog", "red,green,cat", "<b>", "-o", tmp_path / "map.svg")
    assert result.exit_code == 0 and not result.stdout
    assert re.search(r"map.svg: 5 words; the plane shows \d+% of what sets their vectors apart$", result.stderr.strip())
    colours = drawn(tmp_path / "map.svg")
    assert set(colours) == {"cat", "dog", "red", "green", "<b>"}
    assert colours["cat"] == colours["dog"] != colours["red"] == colours["green"] != colours["<b>"]


def test_lines_and_neighbours(vectors: Path, tmp_path: Path) -> None:
    assert run(vectors, "cat,dog", "red,green", "--join", "-o", tmp_path / "a.svg", "-q").exit_code == 0
    colours = drawn(tmp_path / "a.svg")
    assert colours["cat"] == colours["red"] != colours["dog"] == colours["green"]
    assert (tmp_path / "a.svg").read_text().count("<line") == 2
    assert run(vectors, "cat", "--neighbors", 6, "-o", tmp_path / "b.svg").exit_code == 0
    assert set(drawn(tmp_path / "b.svg")) == set(WORDS)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["cat", "dog"], 2, "a plane needs at least three words"),
        (["cat", "dg", "red"], 1, "'dg' is not in the vocabulary: did you mean 'dog'?"),
        ([",", "cat", "red"], 2, "a plane needs at least three words"),
    ],
)
def test_invalid_groups(vectors: Path, tmp_path: Path, words: list[str], code: int, message: str) -> None:
    result = run(vectors, *words, "-o", tmp_path / "map.svg")
    assert result.exit_code == code and message in result.stderr and result.stderr.count("\n") == 1
    assert not (tmp_path / "map.svg").exists()


def test_a_picture_is_replaced_only_with_force(vectors: Path, tmp_path: Path) -> None:
    (tmp_path / "map.svg").write_text("mine")
    refused = run(vectors, "cat", "dog", "red", "-o", tmp_path / "map.svg")
    assert refused.exit_code == 1 and "exists: choose another output" in refused.stderr
    assert (tmp_path / "map.svg").read_text() == "mine"
    assert run(vectors, "cat", "dog", "red", "-o", tmp_path / "map.svg", "--force").exit_code == 0


def test_the_plane_is_that_of_the_main_components() -> None:
    draw = np.random.default_rng(1)
    vectors = WordVectors([f"w{n}" for n in range(30)], draw.normal(size=(30, 8)) * np.array([9, 5, 1, 1, 1, 1, 1, 1]))
    found = vectors.plane(vectors.words)
    units = vectors.matrix / np.linalg.norm(vectors.matrix, axis=1, keepdims=True)
    values, _ = np.linalg.eigh(np.cov(units.T))
    np.testing.assert_allclose(found.points.var(axis=0, ddof=1), values[::-1][:2], rtol=1e-5)
    assert found.share == pytest.approx(values[::-1][:2].sum() / values.sum(), rel=1e-5)


def test_planes_of_few_dimensions_or_equal_words() -> None:
    flat = WordVectors(["a", "b", "c"], np.array([[1.0], [2.0], [-1.0]]))
    assert flat.plane(["a", "b", "c"]).share == pytest.approx(1)
    same = WordVectors(["a", "b", "c"], np.ones((3, 2)))
    found = same.plane(["a", "b", "c"])
    assert np.allclose(found.points, 0)
    assert "nan" not in WordMap.of(same, [["a", "b", "c"]]).svg().lower()
    with pytest.raises(ParameterError, match="words='abc': it must be a list of words"):
        same.plane("abc")


def test_order_within_a_group_is_kept() -> None:
    words = ["france", "lyon", "paris", "rome"]
    vectors = WordVectors(words, np.random.default_rng(2).normal(size=(4, 3)))
    drawn = WordMap.of(vectors, [["france", "lyon", "paris"], ["rome", "paris"]], join=True)
    assert drawn.words == words
    assert (drawn.kinds, drawn.lines) == ([0, 1, 2, 0], [(0, 1), (1, 2)])


def test_too_many_words() -> None:
    words = [f"w{n}" for n in range(501)]
    vectors = WordVectors(words, np.random.default_rng(2).normal(size=(501, 3)))
    assert len(WordMap.of(vectors, [words[:500]]).words) == 500
    with pytest.raises(ParameterError, match="a map of 501 words cannot be read: give at most 500"):
        WordMap.of(vectors, [words])


def test_words_that_xml_cannot_hold() -> None:
    words = ["a\x01b", "\ud800", "&<>\"'", "\U0001f600"]
    drawn = WordMap.of(WordVectors(words, np.random.default_rng(2).normal(size=(4, 3))), [words])
    texts = [element.text for element in ElementTree.fromstring(drawn.svg()).iter() if element.tag.endswith("text")]
    assert texts[:-1] == ["a\ufffdb", "\ufffd", "&<>\"'", "\U0001f600"]


def test_a_picture_of_another_kind(vectors: Path, tmp_path: Path) -> None:
    refused = run(vectors, "cat", "dog", "red", "-o", tmp_path / "map.png")
    assert refused.exit_code == 2
    assert refused.stderr.endswith("map.png is not a name for an SVG picture: give one that ends in .svg\n")
