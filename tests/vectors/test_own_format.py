"""A file format that a user adds works wherever vectors are read and written."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from lexvec import ParameterError, WordVectors
from lexvec.cli import main
from lexvec.progress import Progress
from lexvec.vectors import FORMATS, Format, LabelledRows


def read_json(path: Path, limit: int | None, progress: Progress) -> LabelledRows:
    vectors = json.loads(path.read_text())
    words = list(vectors)[:limit]
    return LabelledRows(words, np.array([vectors[word] for word in words], np.float32))


def write_json(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    path.write_text(json.dumps(dict(zip(vectors.words, vectors.matrix.tolist(), strict=True))))


JSON = Format(
    help="an object of lists",
    suffixes=(".json",),
    recognise=lambda path, start: start.startswith(b"{"),
    read=read_json,
    write=write_json,
)


@pytest.fixture
def _json() -> Iterator[None]:
    FORMATS["json"] = JSON
    yield
    del FORMATS["json"]


@pytest.mark.usefixtures("_json")
def test_a_format_that_a_user_adds(tmp_path: Path) -> None:
    vectors = WordVectors(["cat", "dog"], np.array([[1, 2], [3, 4.5]]))
    vectors.save(tmp_path / "v.json")
    assert json.loads((tmp_path / "v.json").read_text()) == {"cat": [1, 2], "dog": [3, 4.5]}
    (tmp_path / "v.json").rename(tmp_path / "unnamed")
    loaded = WordVectors.load(tmp_path / "unnamed", limit=1)
    assert (loaded.words, loaded.matrix.tolist()) == (["cat"], [[1, 2]])
    for source, output in (("unnamed", "w.txt"), ("w.txt", "w.json")):
        shown = CliRunner().invoke(main, ["convert", str(tmp_path / source), str(tmp_path / output)])
        assert shown.exit_code == 0, shown.stderr
    assert json.loads((tmp_path / "w.json").read_text()) == {"cat": [1, 2], "dog": [3, 4.5]}
    with pytest.raises(ParameterError, match="the format json cannot be compressed"):
        vectors.save(tmp_path / "v.json.gz")


def test_it_is_gone_when_it_is_taken_away(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"no format has the suffix of .*v.json"):
        WordVectors(["cat"], np.ones((1, 2))).save(tmp_path / "v.json")
