"""Exports, each opened by the library that it is for; those that are not installed are skipped, with a reason."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import children
from lexvec import ArtefactError, InputError, LexvecError, Normalizer, ParameterError, SentenceEncoder, WordVectors
from lexvec.cli import main
from lexvec.vectors import FORMATS
from notes import Notes

WORDS = ["the", "cat", "dog", "sat", "four", "two", "s", "it", "naïve", "字", "king"]
TEXTS = ["The cat sat!", "It's 42 dogs", "a naïve King", "字 the the", "", "unicorn", "the unicorn and the cat " * 300]
EXPORTS = {"model2vec": None, "spacy": "spacy", "gensim": "gensim", "projector": None}


def some(**known: Any) -> WordVectors:
    matrix = np.random.default_rng(0).normal(size=(len(WORDS), 8))
    return WordVectors(WORDS, matrix, **{"counts": range(110, 0, -10), "normalisation": Normalizer().record(), **known})


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def needs(name: str | None) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed") if name else None


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    some().save(tmp_path / "v")
    return tmp_path / "v"


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_a_folder_of_ours(name: str, saved: Path, tmp_path: Path) -> None:
    needs(EXPORTS[name])
    out = tmp_path / "out"
    shown = run("convert", saved, out, "--format", name, "--json", "-q")
    assert (shown.exit_code, shown.stderr) == (0, "")
    record = json.loads(shown.stdout)
    assert (record["path"], record["words"], record["target"]) == (str(out), len(WORDS), name)
    assert record == json.loads(run("info", out, "--json", "--verify").stdout)
    again = run("convert", saved, out, "--format", name)
    assert again.exit_code == 1 and "exists: choose another output" in again.stderr
    assert run("convert", saved, out, "--format", name, "--force").exit_code == 0
    read = run("neighbors", out, "cat")
    assert read.exit_code == 1 and "holds lexvec-export, not vectors: give the vectors" in read.stderr
    with pytest.raises(ParameterError, match=f"format='{name}' is for output only"):
        WordVectors.load(out, format=name)
    (out / "mine.txt").write_text("mine")  # what a user put there is not lost
    kept = run("convert", saved, out, "--format", name, "--force")
    assert kept.exit_code == 1 and "holds what lexvec did not make" in kept.stderr
    assert [path.name for path in tmp_path.iterdir() if path.name not in ("out", "v")] == []


def test_model2vec(tmp_path: Path) -> None:
    model2vec = needs("model2vec")
    vectors = some()
    vectors.save(tmp_path / "m", format="model2vec")
    model = model2vec.StaticModel.from_pretrained(tmp_path / "m")
    np.testing.assert_allclose(model.encode(TEXTS), vectors.sentences(TEXTS), atol=1e-5)
    vectors.save_model2vec(tmp_path / "plain", weights="mean", dtype="float16")
    model = model2vec.StaticModel.from_pretrained(tmp_path / "plain")
    np.testing.assert_allclose(model.encode(TEXTS), vectors.sentences(TEXTS, weights="mean"), atol=2e-3)
    assert model.embedding.dtype == np.float16


def test_model2vec_with_other_weights_and_without_a_component(saved: Path, tmp_path: Path) -> None:
    model2vec, encoder = needs("model2vec"), needs("sklearn") and SentenceEncoder
    (tmp_path / "lines").write_text("\n".join(["The cat sat!", "the dog sat", "a naïve king", "it's two"]))
    lines = (tmp_path / "lines").read_text().splitlines()
    cases: list[tuple[list[object], dict[str, Any]]] = [
        ([], {}),
        (["--weights", "mean"], {"weights": "mean"}),
        (["--a", 0.1], {"a": 0.1}),
        (["--weights", "mean", "--component-of", tmp_path / "lines"], {"weights": "mean", "remove_component": True}),
        (["--a", 0.01, "--component-of", tmp_path / "lines"], {"a": 0.01, "remove_component": True}),
    ]
    for number, (flags, rules) in enumerate(cases):
        out = tmp_path / str(number)
        made = run("convert", saved, out, "--format", "model2vec", "--json", *flags)
        assert made.exit_code == 0
        assert json.loads(made.stdout)["component_removed"] == rules.get("remove_component", False)
        expected = encoder(some(), **rules).fit(lines).transform(TEXTS)
        np.testing.assert_allclose(model2vec.StaticModel.from_pretrained(out).encode(TEXTS), expected, atol=1e-5)
    assert len({(tmp_path / str(number) / "model.safetensors").read_bytes() for number in range(len(cases))}) == 5
    (tmp_path / "one").write_text("The cat sat!\n")
    refused = run("convert", saved, tmp_path / "x", "--format", "model2vec", "--component-of", tmp_path / "one")
    assert refused.exit_code == 2 and "needs at least two sentences with known words" in refused.stderr
    assert not (tmp_path / "x").exists()


def test_scores_and_halves_of_an_export(saved: Path, tmp_path: Path) -> None:
    (tmp_path / "pairs.txt").write_text("cat dog 3\nking cat 1\nthe it 2\n")
    flags = [
        "--format",
        "model2vec",
        "--encoding",
        "float16",
        "--dim",
        4,
        "--evaluate",
        "--sets",
        tmp_path / "pairs.txt",
    ]
    made = run("convert", saved, tmp_path / "m", *flags, "--json")
    assert made.exit_code == 0
    record = json.loads(made.stdout)
    assert (record["dim"], record["scores_after"]["dim"], record["scores_before"]["dim"]) == (4, 4, 8)
    model = needs("model2vec").StaticModel.from_pretrained(tmp_path / "m")
    assert model.embedding.dtype == np.float16


def test_model2vec_of_vectors_without_counts_and_rules(tmp_path: Path) -> None:
    model2vec = needs("model2vec")
    vectors = some(counts=None, normalisation=None)
    vectors.save(tmp_path / "m", format="model2vec")
    model = model2vec.StaticModel.from_pretrained(tmp_path / "m")
    np.testing.assert_allclose(model.encode(TEXTS), vectors.sentences(TEXTS), atol=1e-5)


def test_sentence_transformers(tmp_path: Path) -> None:
    library = needs("sentence_transformers")
    vectors = some()
    vectors.save(tmp_path / "m", format="model2vec")
    model = library.SentenceTransformer(str(tmp_path / "m"), device="cpu")
    np.testing.assert_allclose(model.encode(TEXTS), vectors.sentences(TEXTS), atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_numbers_that_are_too_large(dtype: str, tmp_path: Path) -> None:
    vectors = WordVectors(["a", "b"], np.array([[1, 2], [1e5 if dtype == "float16" else np.nan, 1]]), counts=[1, 0])
    with pytest.raises(InputError, match="the vector of 'b' has "):
        vectors.save_model2vec(tmp_path / "m", dtype=dtype)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ParameterError, match="dtype='int4': it must be one of float32, float16"):
        vectors.save_model2vec(tmp_path / "m", dtype="int4")


def test_spacy(tmp_path: Path) -> None:
    spacy = needs("spacy")
    vectors = some()
    vectors.save(tmp_path / "s", format="spacy")
    document = spacy.load(tmp_path / "s")("The king sat.")
    np.testing.assert_array_equal(document[1].vector, vectors["king"])
    assert [token.has_vector for token in document] == [True, True, True, False]
    some(normalisation={**Normalizer().record(), "lowercase": False}).save(tmp_path / "cased", format="spacy")
    assert not spacy.load(tmp_path / "cased")("The")[0].has_vector
    with pytest.raises(InputError, match="spaCy has no token with whitespace, such as 'new york'"):
        WordVectors(["new york"], np.ones((1, 2))).save(tmp_path / "t", format="spacy")
    vectors.save(tmp_path / "v.txt")  # what its own command reads
    command = [sys.executable, "-m", "spacy", "init", "vectors", "en", str(tmp_path / "v.txt"), str(tmp_path / "own")]
    children.run(command, check=True)
    np.testing.assert_allclose(spacy.load(tmp_path / "own")("cat")[0].vector, vectors["cat"], rtol=1e-6)


def test_gensim(tmp_path: Path) -> None:
    models = needs("gensim.models")
    vectors = some()
    vectors.save(tmp_path / "g", format="gensim")
    loaded = models.KeyedVectors.load(str(tmp_path / "g" / "vectors.kv"), mmap="r")
    for keyed in (loaded, vectors.to_gensim()):
        assert keyed.index_to_key == WORDS
        np.testing.assert_array_equal(keyed.vectors, vectors.matrix)
        assert keyed.get_vecattr("cat", "count") == 100
        found = keyed.most_similar("cat", topn=3)
        assert [word for word, _ in found] == [word for word, _ in vectors.most_similar("cat", count=3)]
    assert np.shares_memory(vectors.to_gensim().vectors, vectors.matrix)
    some(counts=None).to_gensim()


def test_projector(tmp_path: Path) -> None:
    vectors = some()
    vectors.save(tmp_path / "p", format="projector")
    rows = np.loadtxt(tmp_path / "p" / "vectors.tsv", delimiter="\t", dtype=np.float32)
    np.testing.assert_array_equal(rows, vectors.matrix)
    lines = (tmp_path / "p" / "metadata.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[:2] == ["word\tcount", "the\t110"] and len(lines) == len(WORDS) + 1
    some(counts=None).save(tmp_path / "q", format="projector")
    assert (tmp_path / "q" / "metadata.tsv").read_text(encoding="utf-8").splitlines() == WORDS
    with pytest.raises(InputError, match="TSV files cannot hold the word"):
        WordVectors(["a\tb"], np.ones((1, 2))).save(tmp_path / "t", format="projector")


SERVED = """
import sys, urllib.request
from tensorboard import program
board = program.TensorBoard()
board.configure(argv=[None, "--logdir", sys.argv[1], "--host", "127.0.0.1", "--port", "0", "--load_fast=false"])
address = board.launch() + "data/plugin/projector/"
for name in ("metadata", "tensor"):
    with urllib.request.urlopen(f"{address}{name}?run=.&name=lexvec") as page, open(sys.argv[2] + name, "wb") as out:
        out.write(page.read())
"""


def test_tensorboard(tmp_path: Path) -> None:
    needs("tensorboard")
    vectors = some()
    vectors.save(tmp_path / "p", format="projector")
    command = [sys.executable, "-c", SERVED, str(tmp_path / "p"), str(tmp_path / "served-")]
    children.run(command, check=True)
    rows = np.frombuffer((tmp_path / "served-tensor").read_bytes(), np.float32)
    np.testing.assert_array_equal(rows.reshape(vectors.matrix.shape), vectors.matrix)
    assert (tmp_path / "served-metadata").read_bytes() == (tmp_path / "p" / "metadata.tsv").read_bytes()


def test_parquet(tmp_path: Path) -> None:
    parquet = needs("pyarrow.parquet")
    vectors = some()
    vectors.save(tmp_path / "v.parquet")
    table = parquet.read_table(tmp_path / "v.parquet")
    assert table.column("word").to_pylist() == WORDS
    np.testing.assert_array_equal(np.array(table.column("vector").to_pylist(), np.float32), vectors.matrix)
    for limit in (None, 4):
        loaded = WordVectors.load(tmp_path / "v.parquet", limit=limit)
        assert loaded.words == WORDS[:limit] and loaded.normalisation == vectors.normalisation
        assert loaded.counts is not None and loaded.counts.tolist() == list(range(110, 0, -10))[:limit]
    content = (tmp_path / "v.parquet").read_bytes()
    for damaged in (content[:-20], content[:8] + b"\xff" * 40 + content[48:], b"PAR1", b"PAR1" * 100):
        (tmp_path / "damaged").write_bytes(damaged)
        with pytest.raises(InputError, match="is damaged or not Parquet|has "):
            WordVectors.load(tmp_path / "damaged")


def test_words_that_no_table_holds() -> None:
    needs("pyarrow")
    with pytest.raises(InputError, match=r"Arrow files cannot hold the word '\\udcff'"):
        WordVectors(["\udcff"], np.ones((1, 2))).to_arrow()
    assert WordVectors([], np.empty((0, 2))).to_arrow().num_rows == 0


def test_odd_tables(tmp_path: Path) -> None:
    pa, parquet = needs("pyarrow"), needs("pyarrow.parquet")
    place = tmp_path / "odd.parquet"
    for columns, message in (
        ({"word": ["a"], "x": [[1.0]]}, "no columns word and vector"),
        ({"word": ["a", "b"], "vector": [[1.0, 2.0], [1.0]]}, "vectors of different lengths"),
        ({"word": ["a", "b"], "vector": [[1.0, 2.0, 3.0], [1.0]]}, "vectors of different lengths"),
        ({"word": ["a", None], "vector": [[1.0], [2.0]]}, "has None for a word"),
        ({"word": ["a", "b"], "vector": [[1.0], None]}, "a vector that is missing"),
        ({"word": ["a"], "vector": [["x"]]}, "vectors of string, not of numbers"),
        ({"word": ["a"], "vector": [[float("nan")]]}, "the vector of 'a'"),
    ):
        parquet.write_table(pa.table(columns), place)
        with pytest.raises(InputError, match=message):
            WordVectors.load(place)
    parquet.write_table(pa.table({"word": ["a"], "vector": [[1.0]], "count": [-1]}), place)
    with pytest.raises(ArtefactError, match="its counts or its normalisation are unusable"):
        WordVectors.load(place)
    parquet.write_table(pa.table({"word": ["b", "a"], "vector": [[1, 2], [3, 4]]}), place)
    assert WordVectors.load(place)["a"].tolist() == [3, 4]
    twice = {"word": ["b", "a", "b"], "vector": [[1, 2], [3, 4], [5, 6]], "count": [7, 6, 5]}
    parquet.write_table(pa.table(twice), place)
    notes = Notes()
    loaded = WordVectors.load(place, progress=notes)
    assert (loaded.words, loaded.matrix.tolist()) == (["b", "a"], [[1, 2], [3, 4]])
    assert loaded.counts is not None and loaded.counts.tolist() == [7, 6]
    assert any("1 vectors of repeated words are skipped, the first for 'b' (row 2)" in note for note in notes.texts)


@pytest.mark.parametrize(("name", "library"), [("spacy", "spacy"), ("gensim", "gensim")])
def test_what_is_not_installed(
    name: str, library: str, saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    refused = run("convert", saved, tmp_path / "out", "--format", name)
    assert refused.exit_code == 1
    assert f"the format {name} needs the package {library}" in refused.stderr and "pip install" in refused.stderr
    assert refused.stderr.count("\n") == 1 and not (tmp_path / "out").exists()


def test_parquet_without_pyarrow(saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(LexvecError, match="Parquet needs the package pyarrow .*: install it with pip install pyarrow"):
        some().save(tmp_path / "v.parquet")
    assert os.listdir(tmp_path) == ["v"]


def test_exports_have_no_suffix_and_are_named(tmp_path: Path) -> None:
    assert all(FORMATS[name].suffixes == () and FORMATS[name].read is None for name in EXPORTS)
    with pytest.raises(ParameterError, match="the format projector cannot be compressed"):
        some().save(tmp_path / "v.gz", format="projector")
