"""``lexvec convert``, as a user meets it."""

import json
import os
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest
from click.testing import CliRunner, Result
from gensim.models import KeyedVectors

from lexvec import Model, WordVectors
from lexvec.cli import main
from lexvec.vectors import FORMATS
from vector_files import NAMED_FILES

TEXT = "The cat sat on the mat. The dog sat on the log.\nThe cat ran, and the dog ran after the cat.\n" * 50


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    matrix = np.random.default_rng(0).normal(size=(30, 6)).astype(np.float32)
    WordVectors([f"w{row}" for row in range(30)], matrix).save(tmp_path / "in.txt")
    return tmp_path / "in.txt"


def test_from_a_model_to_gensim(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(TEXT)
    flags = ["--model", "ppmi-svd", "--dim", 4, "--min-count", 1, "--subsample", 0]
    assert run("train", tmp_path / "text", "-o", tmp_path / "model", *flags).exit_code == 0
    refused = run("convert", tmp_path / "model", tmp_path / "model", "--force")
    assert refused.exit_code == 1
    assert f"the output {tmp_path / 'model'} overlaps the input" in refused.stderr
    assert run("convert", tmp_path / "model", "-").exit_code == 2
    assert run("convert", tmp_path / "model", "/dev/null", "--format", "glove", "--force").exit_code == 1
    model = Model.load(tmp_path / "model")
    for combine in ("word", "context", "sum"):
        made = run("convert", tmp_path / "model", tmp_path / f"{combine}.txt", "--combine", combine)
        assert (made.exit_code, made.stdout) == (0, "")
        assert f"{combine}.txt: 10 words, 4 dimensions, word2vec" in made.stderr
        loaded = KeyedVectors.load_word2vec_format(str(tmp_path / f"{combine}.txt"))
        expected = model.vectors(combine)
        assert loaded.index_to_key == expected.words
        np.testing.assert_array_equal(loaded.vectors, expected.matrix)
        again = WordVectors.load(tmp_path / "model", combine=combine)
        np.testing.assert_array_equal(again.matrix, expected.matrix)


@pytest.mark.parametrize("one", NAMED_FILES)
@pytest.mark.parametrize("other", NAMED_FILES)
def test_from_each_format_to_each(tmp_path: Path, vectors: Path, one: str, other: str) -> None:
    between, out = tmp_path / f"between-{NAMED_FILES[one]}", tmp_path / NAMED_FILES[other]
    assert run("convert", vectors, between, "--format", one).exit_code == 0
    assert run("convert", between, out, "--quiet", "--format", other).stderr == ""
    back = tmp_path / "back.txt"
    assert run("convert", out, back).exit_code == 0
    assert back.read_bytes() == vectors.read_bytes()


def test_format_limit_and_force(tmp_path: Path, vectors: Path) -> None:
    out = tmp_path / "out.dat"
    assert run("convert", vectors, out, "--format", "glove", "--limit", 3).exit_code == 0
    assert out.read_text().count("\n") == 3
    refused = run("convert", vectors, out, "--format", "glove")
    assert refused.exit_code == 1
    assert refused.stderr.startswith(f"lexvec: {out} exists: ") and "--force" in refused.stderr
    assert run("convert", vectors, out, "--format", "glove", "--force").exit_code == 0
    assert out.read_text().count("\n") == 30
    folder = f"{tmp_path}/folder.d/"
    assert run("convert", vectors, folder).exit_code == 0
    for given in (vectors, folder):
        refused = run("convert", given, given, "--limit", 2, "--force")
        assert (refused.exit_code, "overlaps the input" in refused.stderr) == (1, True)
        assert len(WordVectors.load(given)) == 30
    assert run("convert", vectors, folder, "--limit", 2, "--force").exit_code == 0
    assert len(WordVectors.load(folder)) == 2


def test_info_describes_a_folder(tmp_path: Path, vectors: Path) -> None:
    assert run("convert", vectors, tmp_path / "v").exit_code == 0
    shown = json.loads(run("info", tmp_path / "v", "--json", "--verify").stdout)
    assert (shown["format"], shown["words"], shown["dim"]) == ("lexvec-vectors", 30, 6)
    assert "words.txt" in run("info", tmp_path / "v").stdout


@pytest.mark.parametrize("name", NAMED_FILES)
def test_info_describes_a_file_of_vectors(tmp_path: Path, vectors: Path, name: str) -> None:
    file = tmp_path / f"made-{NAMED_FILES[name]}"
    assert run("convert", vectors, file, "--format", name).exit_code == 0
    if file.is_dir():
        pytest.skip("a folder, which has facts of its own")
    shown = json.loads(run("info", file, "--json").stdout)
    assert (shown["words"], shown["dim"], shown["first_words"][:2]) == (30, 6, ["w0", "w1"])
    assert FORMATS[shown["format"]].read is not None and "subwords" not in shown
    readable = run("info", file)
    assert (readable.exit_code, readable.stderr) == (0, "") and "first words  w0, w1, w2" in readable.stdout
    refused = run("info", file, "--verify")
    assert refused.exit_code == 2 and "--verify is for folders" in refused.stderr
    refused = run("neighbors", file, "w0", "--contexts")
    assert refused.stderr == f"lexvec: {file} has no contexts: give a folder of lexvec train, associate or count\n"
    file.write_bytes(file.read_bytes()[:7])
    damaged = run("info", file)
    assert damaged.exit_code == 1 and damaged.stderr.startswith("lexvec: ") and damaged.stderr.count("\n") == 1


def test_info_describes_a_file_in_an_archive(tmp_path: Path, vectors: Path) -> None:
    with ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.write(vectors, "v.txt")
        archive.writestr("README", "of these vectors")
    assert "name one, such as" in run("info", tmp_path / "two.zip").stderr
    member = tmp_path / "two.zip" / "v.txt"
    assert json.loads(run("info", member, "--json").stdout)["words"] == 30
    assert "v.txt has no contexts" in run("neighbors", member, "w0", "--contexts").stderr


def test_info_describes_the_ngrams_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(TEXT)
    few = ["--model", "sgns", "--dim", 4, "--min-count", 1, "--subsample", 0, "--epochs", 1, "--buckets", 50]
    assert run("train", tmp_path / "text", "-o", tmp_path / "model", *few, "--subwords", "ngrams").exit_code == 0
    assert run("convert", tmp_path / "model", tmp_path / "m.bin", "--format", "fasttext").exit_code == 0
    shown = json.loads(run("info", tmp_path / "m.bin", "--json").stdout)
    assert shown["subwords"] == {"name": "fasttext", "min_n": 3, "max_n": 6, "buckets": 50, "rows": 50}
    assert "buckets  50" in run("info", tmp_path / "m.bin").stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["nothing", "out.txt"], 1, "nothing does not exist: check the name"),
        (["{vectors}", "out.xyz"], 2, "no format has the suffix of out.xyz: name one of word2vec"),
        (["{vectors}", "out.txt.zip"], 2, "zip archives are only read, and out.txt.zip is one: use .gz"),
        (["{vectors}", "out", "--weights", "mean"], 2, "--weights is for --format model2vec, and out has the format"),
        (["{vectors}", "out.bin", "--component-of", "x"], 2, "--component-of is for --format model2vec, and out.bin"),
        (["{vectors}", "out", "--format", "model2vec", "--encoding", "pq"], 2, "use one of float32, float16"),
        (["{vectors}", "out", "--format", "projector", "--encoding", "pq"], 2, "the format projector: omit --format"),
        (["{vectors}", "out.bin", "--encoding", "pq"], 2, "the format word2vec-binary: omit its suffix"),
        (["{vectors}", "out", "--encoding", "pq", "--size", "7"], 2, "--size 7: a vector has 6 dimensions"),
        (["{vectors}", "out", "--encoding", "int8", "--size", "7"], 2, "--size 7: the encoding int8 has no choice"),
        (["{vectors}", "out", "--size", "7"], 2, "--size 7 is for an encoding: add --encoding pq"),
        (["{vectors}", "out", "--words", "/dev/null"], 1, "/dev/null has no words: write one per line"),
        (["{vectors}", "out.npz.gz"], 2, "the format numpy cannot be compressed: remove .gz"),
        (["{vectors}", "out.txt", "--combine", "sum"], 2, "has word vectors only: omit --combine sum"),
        (["{folder}", "out.txt"], 1, "is not a folder made by lexvec"),
        (["{vectors}", "{folder}"], 1, "exists: choose another output"),
        (["{vectors}", "{folder}", "--force"], 1, "holds what lexvec did not make: choose another output"),
    ],
)
def test_mistakes_get_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vectors: Path, arguments: list[str], code: int, message: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "x").write_text("x")
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    made = run("convert", *(part.format(vectors=vectors, folder=tmp_path / "folder") for part in arguments))
    assert os.listdir() == []
    assert made.exit_code == code
    assert made.stderr.startswith("lexvec: ")
    assert made.stderr.count("\n") == 1
    assert message in made.stderr
    assert run("convert", vectors, "x.txt", "--limit", 0).exit_code == 2


def test_repeated_words_are_reported(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("2 3\na 1 2 3\na 4 5 6\n")
    made = run("convert", tmp_path / "in.txt", tmp_path / "out.txt")
    assert "1 vectors of repeated words are skipped, the first for 'a'" in made.stderr
    assert (tmp_path / "out.txt").read_text() == "1 3\na 1.0 2.0 3.0\n"
