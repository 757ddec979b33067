"""Every format: round trips, other programs' files, and what a name or a content tells."""

import bz2
import gzip
import lzma
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from gensim.models import KeyedVectors
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open

from lexvec import ArtefactError, InputError, ParameterError, Vocabulary, WordVectors
from lexvec.storage.artefact import ArtefactWriter
from lexvec.vectors.formats import format_of_name
from lexvec.vectors.formats.folder import VectorsFolder
from notes import Notes
from vector_files import FILES

ODD_WORDS = [
    "the",
    "naïve",
    "a\u00a0b",
    "\u0085",
    "\ufeff",
    "\ufeff12",
    "\u2028",
    "\u3000",
    "\ufeff",
    "1",
    "0.5",
    "-",
    "nan",
    "\t",
    "a\rb",
    "字",
]
WORD = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=" \n\0"), min_size=1, max_size=8)
LARGEST = 2.0**100  # numbers beyond it are refused as signs of damage
NUMBER = st.floats(-LARGEST, LARGEST, width=32)


def some(words: int = 40, dim: int = 7) -> WordVectors:
    matrix = np.random.default_rng(0).normal(size=(words, dim)).astype(np.float32)
    return WordVectors([f"w{row}" for row in range(words)], matrix)


def assert_same(one: WordVectors, other: WordVectors) -> None:
    assert one.words == other.words
    assert one.matrix.dtype == other.matrix.dtype == np.float32
    np.testing.assert_array_equal(one.matrix.view(np.int32), other.matrix.view(np.int32))  # bit for bit


@st.composite
def stores(draw: st.DrawFn) -> WordVectors:
    words = draw(st.lists(st.one_of(WORD, st.sampled_from(ODD_WORDS)), min_size=1, max_size=6, unique=True))
    dim = draw(st.integers(3, 6))
    rows = draw(st.lists(st.lists(NUMBER, min_size=dim, max_size=dim), min_size=len(words), max_size=len(words)))
    return WordVectors(words, np.array(rows, np.float32))


@pytest.mark.parametrize("name", FILES)
@given(vectors=stores())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_round_trips_are_exact(tmp_path: Path, name: str, vectors: WordVectors) -> None:
    path = tmp_path / FILES[name]
    vectors.save(path, force=True)
    assert_same(WordVectors.load(path, format=name), vectors)
    assert_same(WordVectors.load(path), vectors)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("first", ["\ufeff", "\ufeff12", "\ufeff\ufeff"])
def test_a_first_word_that_is_a_byte_order_mark(tmp_path: Path, name: str, first: str) -> None:
    for dim in (1, 3):
        vectors = WordVectors([first, "b"], np.arange(2 * dim).reshape(2, dim))
        vectors.save(tmp_path / FILES[name], force=True)
        assert_same(WordVectors.load(tmp_path / FILES[name], format=name), vectors)


@pytest.mark.parametrize("name", FILES)
def test_larger_than_a_block(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexvec.vectors.geometry._BLOCK_BYTES", 1000)
    vectors = some(3000)
    vectors.save(tmp_path / FILES[name])
    assert_same(WordVectors.load(tmp_path / FILES[name]), vectors)
    first = WordVectors.load(tmp_path / FILES[name], limit=2500)
    assert_same(first, WordVectors(vectors.words[:2500], vectors.matrix[:2500]))


def test_every_float32_survives_text(tmp_path: Path) -> None:
    bits = np.random.default_rng(0).integers(0, 2**32, 60_000, np.uint32)
    # The last ones are the only ones whose shortest decimal is misread by way of double precision.
    values = np.append(bits.view(np.float32), np.array([7.03853069e-26, -7.03853069e-26], np.float32))
    values = values[np.abs(values) <= LARGEST]
    rows = values[len(values) % 3 :].reshape(-1, 3)
    vectors = WordVectors([str(row) for row in range(len(rows))], rows)
    vectors.save(tmp_path / "v.txt")
    assert_same(WordVectors.load(tmp_path / "v.txt"), vectors)


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("name", ["v.txt", "v.bin", "v.glove"])
def test_compressed_files(tmp_path: Path, name: str, suffix: str) -> None:
    vectors = some(3000)
    vectors.save(tmp_path / f"{name}{suffix}")
    vectors.save(tmp_path / f"again-{name}{suffix}")
    assert (tmp_path / f"{name}{suffix}").read_bytes() == (tmp_path / f"again-{name}{suffix}").read_bytes()
    assert_same(WordVectors.load(tmp_path / f"{name}{suffix}"), vectors)
    unpack = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
    if suffix in unpack:
        vectors.save(tmp_path / name)
        assert unpack[suffix]((tmp_path / f"{name}{suffix}").read_bytes()) == (tmp_path / name).read_bytes()


@pytest.mark.parametrize("binary", [False, True])
def test_gensim_reads_ours_and_we_read_gensims(tmp_path: Path, binary: bool) -> None:
    words = [word for word in ODD_WORDS if word not in ("\u0085", "\u2028", "\u3000", "\t", "\ufeff")]  # gensim strips
    matrix = np.random.default_rng(0).normal(size=(len(words), 5)).astype(np.float32)
    vectors = WordVectors(words, matrix)
    ours, theirs = tmp_path / f"ours.{'bin' if binary else 'txt'}", tmp_path / "theirs"
    vectors.save(ours)
    loaded = KeyedVectors.load_word2vec_format(str(ours), binary=binary)
    assert loaded.index_to_key == words
    np.testing.assert_array_equal(loaded.vectors, matrix)
    loaded.save_word2vec_format(str(theirs), binary=binary, sort_attr="missing", write_header=True)
    assert_same(WordVectors.load(theirs), vectors)
    if not binary:
        loaded.save_word2vec_format(str(theirs), write_header=False)
        assert_same(WordVectors.load(theirs), vectors)


def test_files_of_word2vec_and_fasttext(tmp_path: Path) -> None:
    rows = np.array([[0.5, -1.25, 2], [3, 0.001, -4]], np.float32)
    expected = WordVectors(["</s>", "été"], rows)
    lines = ["2 3", "</s> 0.500000 -1.250000 2.000000 ", "été 3.000000 0.001000 -4.000000 "]
    for end in ("\n", "\r\n"):
        (tmp_path / "v.vec").write_bytes((end.join(lines) + end).encode())
        assert_same(WordVectors.load(tmp_path / "v.vec"), expected)
    (tmp_path / "v.vec").write_bytes(("\ufeff" + "\n".join(lines) + "\n\n\n").encode())
    assert_same(WordVectors.load(tmp_path / "v.vec"), expected)
    records = [word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(expected.words, rows, strict=True)]
    (tmp_path / "v.bin").write_bytes(b"2 3\n" + b"".join(records))
    assert_same(WordVectors.load(tmp_path / "v.bin"), expected)


def test_glove_words_may_contain_spaces(tmp_path: Path) -> None:
    words = ["the", ". . .", "at name@domain.com", "<unk>", "1/2", " x", "y ", "<html>"]
    vectors = WordVectors(words, np.arange(24, dtype=np.float32).reshape(8, 3) / 8)
    vectors.save(tmp_path / "v.txt", format="glove")
    assert (tmp_path / "v.txt").read_text().splitlines()[1] == ". . . 0.375 0.5 0.625"
    assert_same(WordVectors.load(tmp_path / "v.txt"), vectors)
    with pytest.raises(InputError, match="cannot hold the word 'a 1', which ends with a number"):
        WordVectors(["b", "a 1"], np.eye(2)).save(tmp_path / "w.txt", format="glove")
    with pytest.raises(InputError, match="cannot hold these words, since most contain spaces"):
        WordVectors(["a b", "c d"], np.eye(2)).save(tmp_path / "w.txt", format="glove")
    with pytest.raises(InputError, match="cannot begin with the word '1 x', which looks like a header"):
        WordVectors(["1 x", "b", "c"], np.eye(3)).save(tmp_path / "w.txt", format="glove")
    (tmp_path / "v.txt").write_text("the 0.1 0.2\ndog 0.3 0.4\ncat 0.5 0.6 0.7\n")
    with pytest.raises(InputError, match=r"v.txt, line 3: 3 numbers where 2 are expected"):
        WordVectors.load(tmp_path / "v.txt")


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("word", ["a b", "a\nb", "", "\ud800", "a\0"])
def test_words_that_a_format_cannot_hold(tmp_path: Path, name: str, word: str) -> None:
    vectors = WordVectors(["x", "y", "z", word], np.eye(4))
    held = {"a b": ("glove", "numpy", "lexvec", "parquet"), "a\nb": ("numpy", "parquet"), "a\0": ("lexvec", "parquet")}
    if name in held.get(word, ()):
        vectors.save(tmp_path / FILES[name])
        assert_same(WordVectors.load(tmp_path / FILES[name]), vectors)
    else:
        with pytest.raises(InputError, match="cannot hold the word"):
            vectors.save(tmp_path / FILES[name])
        assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("name", FILES)
def test_an_output_that_exists_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / FILES[name]
    some().save(path)
    with pytest.raises(ArtefactError, match="exists: choose another output, or replace it with force=True"):
        some(3).save(path)
    assert len(WordVectors.load(path)) == 40
    some(3).save(path, force=True)
    assert len(WordVectors.load(path)) == 3
    assert os.listdir(tmp_path) == [FILES[name]]


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_left_where_writing_fails(tmp_path: Path, name: str) -> None:
    some().save(tmp_path / FILES[name])
    bad = some()
    bad.matrix[17, 3] = np.nan
    with pytest.raises(InputError, match="the vector of 'w17' has nan"):
        bad.save(tmp_path / FILES[name], force=True)
    assert os.listdir(tmp_path) == [FILES[name]]
    assert_same(WordVectors.load(tmp_path / FILES[name]), some())
    with pytest.raises(InputError, match="there are no vectors to write"):
        WordVectors([], np.empty((0, 3))).save(tmp_path / f"new-{FILES[name]}")


def test_folders_are_made_and_never_replaced_by_files(tmp_path: Path) -> None:
    some().save(tmp_path / "new" / "deep" / "v.txt")
    (tmp_path / "folder.txt").mkdir()
    with pytest.raises(ArtefactError, match="is a folder or a device, not a file: choose another output"):
        some().save(tmp_path / "folder.txt", format="word2vec", force=True)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("v.txt", "word2vec"), ("glove.6B.txt", "word2vec"), ("v.VEC", "word2vec"), ("v.vec.gz", "word2vec"),
        ("v.bin", "word2vec-binary"), ("v.bin.zst", "word2vec-binary"), ("v.glove", "glove"), ("v.npz", "numpy"),
        ("v", "lexvec"), ("v.d/", "lexvec"), ("a.b/v", "lexvec"),
    ],
)  # fmt: skip
def test_a_name_tells_a_format(name: str, expected: str) -> None:
    assert format_of_name(name) == expected


def test_names_that_tell_none(tmp_path: Path) -> None:
    for name in ("v.xyz", "v.gz", "v.300d"):
        with pytest.raises(
            ParameterError, match="no format has the suffix of .*: name one of word2vec, word2vec-binary"
        ):
            some().save(tmp_path / name)
    with pytest.raises(ParameterError, match="the format numpy cannot be compressed: remove .gz"):
        some().save(tmp_path / "v.npz.gz")
    with pytest.raises(ParameterError, match="format='word': it must be one of word2vec"):
        some().save(tmp_path / "v", format="word")
    with pytest.raises(ParameterError, match="limit=0: it must be a whole number of at least 1"):
        WordVectors.load(tmp_path / "v", limit=0)


@pytest.mark.parametrize("name", ["word2vec", "word2vec-binary", "glove", "numpy"])
def test_of_a_word_that_comes_twice_the_first_counts(tmp_path: Path, name: str) -> None:
    path = tmp_path / FILES[name]
    rows = np.arange(12, dtype=np.float32).reshape(4, 3)
    words = ["a", "b", "a", "c"]
    texts = [f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, rows.tolist(), strict=True)]
    if name == "numpy":
        np.savez(path, words=np.array(words), vectors=rows)
    elif name == "word2vec-binary":
        path.write_bytes(b"4 3\n" + b"".join(w.encode() + b" " + r.tobytes() for w, r in zip(words, rows, strict=True)))
    else:
        path.write_text(("4 3\n" if name == "word2vec" else "") + "".join(texts))
    notes = Notes()
    assert_same(WordVectors.load(path, progress=notes), WordVectors(["a", "b", "c"], rows[[0, 1, 3]]))
    places = {"word2vec": "line 4", "glove": "line 3", "word2vec-binary": "word 3", "numpy": "row 2"}
    skipped = "1 vectors of repeated words are skipped, the first for 'a'"
    assert notes.texts == [f"{path}: {skipped} ({places[name]})"]


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int8, ">f4"])
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("transposed", [False, True])
def test_archives_that_numpy_wrote(tmp_path: Path, dtype: npt.DTypeLike, save: Any, transposed: bool) -> None:
    matrix = np.arange(12).astype(dtype).reshape(4, 3)
    matrix = np.array(matrix.T).T if transposed else matrix
    save(tmp_path / "v.npz", words=np.array(list("abcd")), vectors=matrix)
    assert_same(WordVectors.load(tmp_path / "v.npz"), WordVectors(list("abcd"), matrix))


def test_numpy_reads_our_archives(tmp_path: Path) -> None:
    some().save(tmp_path / "v.npz")
    with np.load(tmp_path / "v.npz", allow_pickle=False) as archive:
        assert archive["words"].tolist() == some().words
        np.testing.assert_array_equal(archive["vectors"], some().matrix)
    some().save(tmp_path / "w.npz")
    assert (tmp_path / "v.npz").read_bytes() == (tmp_path / "w.npz").read_bytes()


def test_the_folder_is_safetensors_and_mapped(tmp_path: Path) -> None:
    some().save(tmp_path / "v")
    assert sorted(os.listdir(tmp_path / "v")) == ["config.json", "vectors.safetensors", "words.txt"]
    with safe_open(tmp_path / "v" / "vectors.safetensors", "numpy") as file:
        assert list(file.keys()) == ["vectors"]
        np.testing.assert_array_equal(file.get_tensor("vectors"), some().matrix)
    folder = VectorsFolder.load(tmp_path / "v")
    folder.verify()
    assert folder.matrix.ctypes.data % 64 == 0
    assert isinstance(folder.matrix.base, np.memmap)
    loaded = WordVectors.load(tmp_path / "v")
    assert isinstance(loaded.matrix.base, np.memmap) or isinstance(loaded.matrix.base.base, np.memmap)  # type: ignore[union-attr]
    with pytest.raises(ParameterError, match="is a folder; omit format"):
        WordVectors.load(tmp_path / "v", format="glove")


def model_folder(path: Path) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    W, C = np.random.default_rng(0).normal(size=(2, 5, 4)).astype(np.float32)
    with ArtefactWriter(path, "model") as out:
        for name, matrix in (("W", W), ("C", C)):
            out.array(name, np.float32, (4,)).append(matrix)
        Vocabulary(list("abcde"), range(5)).save(out.folder / "vocab.tsv")
        out.seal({}, {"model": "lexvec", "words": 5, "dim": 4, "losses": []}, {})
    return W, C


def test_trained_models_are_read_directly(tmp_path: Path) -> None:
    W, C = model_folder(tmp_path / "model")
    words = list("abcde")
    assert_same(WordVectors.load(tmp_path / "model"), WordVectors(words, W))
    assert_same(WordVectors.load(tmp_path / "model", combine="context"), WordVectors(words, C))
    assert_same(WordVectors.load(tmp_path / "model", combine="sum", limit=3), WordVectors(words[:3], (W + C)[:3]))
    some().save(tmp_path / "v.txt")
    with pytest.raises(ParameterError, match="has word vectors only: omit combine='sum'"):
        WordVectors.load(tmp_path / "v.txt", combine="sum")
    with pytest.raises(ParameterError, match="combine='both': it must be one of word, context, sum"):
        WordVectors.load(tmp_path / "model", combine="both")  # type: ignore[arg-type]


def test_what_is_no_file_of_vectors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing does not exist: check the name"):
        WordVectors.load(tmp_path / "nothing")
    with pytest.raises(ArtefactError, match="is not a folder made by lexvec"):
        WordVectors.load(tmp_path)
    with ArtefactWriter(tmp_path / "c", "corpus") as out:
        out.array("ids", np.int32)
        out.seal({}, {}, {})
    with pytest.raises(ArtefactError, match="holds lexvec-corpus, not vectors: train a model from it first"):
        WordVectors.load(tmp_path / "c")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe is not a file that can be read twice"):
        WordVectors.load(tmp_path / "pipe")


def test_reading_warns_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("1 3\nx 1e39 1 2\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(InputError, match=r"the vector of 'x' \(.*v.txt, line 2\) has inf, or a number too large"):
            WordVectors.load(tmp_path / "v.txt")
