"""Encoded vectors: what they cost, how they are kept on disk, and that search equals search of what they decode to."""

import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors.numpy import load_file

from lexvec import ArtefactError, InputError, ParameterError, WordVectors
from lexvec.cli import main
from lexvec.vectors import ENCODINGS, encodings, search
from lexvec.vectors.encodings.encoded_matrix import Chosen
from lexvec.vectors.encodings.product import ProductMatrix
from lexvec.vectors.formats.folder import VectorsFolder
from restamped import restamp

SHAPES = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=9)
MATRICES = hnp.arrays(
    np.float32, SHAPES, elements=st.floats(-100, 100, width=32).filter(lambda x: abs(x) > 1e-3 or not x)
)


def random(words: int = 400, dim: int = 12) -> WordVectors:
    matrix = np.random.default_rng(0).normal(size=(words, dim)).astype(np.float32)
    return WordVectors([f"w{row}" for row in range(words)], matrix, counts=np.arange(words)[::-1] + 1)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_BLOCK_BYTES", 4000)


@settings(deadline=None, max_examples=25)
@pytest.mark.parametrize(("name", "worst"), [("float16", 2.0**-11), ("int8", 0.5 / 126)])
@given(matrix=MATRICES)
def test_numbers_are_near(name: str, worst: float, matrix: npt.NDArray[np.float32]) -> None:
    decoded = np.asarray(encodings.ENCODINGS[name].encode(matrix, None, None))  # type: ignore[arg-type]
    largest = np.abs(matrix).max(axis=1, keepdims=True) if name == "int8" else np.abs(matrix)
    assert (np.abs(decoded - matrix) <= worst * largest + 1e-7).all()
    assert (decoded[~matrix.any(axis=1)] == 0).all()


@pytest.mark.parametrize("name", ENCODINGS)
def test_search_is_that_of_the_decoded_vectors(name: str) -> None:
    small = random().encoded(name)
    assert small.encoding == name
    plain = WordVectors(small.words, np.asarray(small.matrix))
    assert small.matrix.shape == plain.matrix.shape
    np.testing.assert_array_equal(small[["w3", "w1"]], plain[["w3", "w1"]])
    assert small.most_similar("w5") == plain.most_similar("w5")
    assert small.neighbors(small.words[:20], count=3) == plain.neighbors(plain.words[:20], count=3)
    asked = [("w1", "w2", "w3"), ("w9", "w8", "w7")]
    assert small.analogies(asked, method="mul") == plain.analogies(asked, method="mul")
    assert small.encoded("float32").encoding == "float32"
    for row in (3, -1, np.int64(3)):
        np.testing.assert_array_equal(small.matrix[row], plain.matrix[row])
    assert len(list(small.matrix)) == 400
    with pytest.raises(TypeError, match="by a number, a slice or a list"):
        small.matrix["w3"]  # type: ignore[call-overload]
    np.testing.assert_allclose(small.norms, plain.norms, rtol=1e-7)


def test_a_search_of_quantised_vectors_decodes_few_rows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    random().encoded("pq").save(tmp_path / "v")
    small = WordVectors.load(tmp_path / "v")
    decode, taken = ProductMatrix.decode, []

    def counted(matrix: ProductMatrix, rows: Chosen) -> npt.NDArray[np.float32]:
        found = decode(matrix, rows)
        taken.append(len(found))
        return found

    monkeypatch.setattr(ProductMatrix, "decode", counted)
    small.most_similar("w5", count=3)
    assert 0 < sum(taken) < 100  # of 400


def test_folders_without_norms_still_open(tmp_path: Path) -> None:
    small = random().encoded("pq")
    expected = small.most_similar("w5")
    del small.matrix.tensors["norms"]  # type: ignore[attr-defined]
    small.save(tmp_path / "old")
    assert WordVectors.load(tmp_path / "old").most_similar("w5") == expected
    for name in ("centroids", "rotation", "lengths", "norms"):
        damaged = random().encoded("pq")
        damaged.matrix.tensors[name].flat[0] = np.inf  # type: ignore[attr-defined]
        damaged.save(tmp_path / name)
        with pytest.raises(ArtefactError, match="is damaged"):
            WordVectors.load(tmp_path / name)


@pytest.mark.parametrize("name", ENCODINGS)
def test_folders_hold_the_codes(name: str, tmp_path: Path) -> None:
    small = random().encoded(name)
    small.save(tmp_path / "v")
    loaded = WordVectors.load(tmp_path / "v", limit=300)
    assert (loaded.encoding, len(loaded)) == (name, 300)
    np.testing.assert_array_equal(np.asarray(loaded.matrix), np.asarray(small.matrix)[:300])
    tensors = load_file(tmp_path / "v" / "vectors.safetensors")  # any reader of safetensors opens it
    assert sum(tensor.nbytes for tensor in tensors.values()) == small.matrix.nbytes
    loaded.save(tmp_path / "again")
    WordVectors.load(tmp_path / "v").save(tmp_path / "same")
    assert (tmp_path / "v/config.json").read_bytes() == (tmp_path / "same/config.json").read_bytes()
    for suffix in ("txt", "bin", "npz"):
        loaded.save(tmp_path / f"v.{suffix}")
        np.testing.assert_array_equal(WordVectors.load(tmp_path / f"v.{suffix}").matrix, np.asarray(loaded.matrix))


@pytest.mark.parametrize("name", ENCODINGS)
def test_damaged_folders_are_one_line(name: str, tmp_path: Path) -> None:
    random(40).encoded(name).save(tmp_path / "v")
    path = tmp_path / "v" / "vectors.safetensors"
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    changed = []
    for tensor in header:
        for key, value in (("dtype", "F64"), ("shape", [1]), ("data_offsets", [0, 1]), ("shape", "x")):
            other = json.loads(json.dumps(header))
            other[tensor][key] = value
            changed.append(json.dumps(other))
        changed.append(json.dumps({key: value for key, value in header.items() if key != tensor}))
    for text in [*changed, "[]", "{}", "{", '{"vectors": 3}']:
        raw = text.encode().ljust(length)[:length] if len(text) <= length else text.encode()
        path.write_bytes(len(raw).to_bytes(8, "little") + raw + data[8 + length :])
        restamp(tmp_path / "v")
        with pytest.raises(ArtefactError, match="is damaged") as caught:
            WordVectors.load(tmp_path / "v")
        assert "\n" not in str(caught.value)


def test_float16_refuses_what_it_cannot_hold() -> None:
    with pytest.raises(
        InputError, match=r"the vector of 'b' has a number larger than 65,504, which float16 cannot hold: use int8"
    ):
        WordVectors(["a", "b"], [[1.0], [1e6]]).encoded("float16")
    with pytest.raises(InputError, match="the vector of 'b' is so short that float16 would make it zero: use int8"):
        WordVectors(["a", "b"], [[1.0], [1e-9]]).encoded("float16")
    with pytest.raises(InputError, match="the vector of 'b' has a length beyond what float16 can hold: use int8"):
        WordVectors(["a", "b"], [[1.0], [1e6]]).encoded("pq")
    assert WordVectors(["a"], [[1e-9, 1e-10]]).encoded("int8")["a"][0] == pytest.approx(1e-9, rel=0.01)
    with pytest.raises(InputError, match="the vector of 'b' has nan"):
        WordVectors(["a", "b"], [[1.0], [np.nan]]).encoded("pq")


def test_bytes_per_word_can_be_chosen() -> None:
    errors = []
    for size in (1, 4, 12):
        small = random().encoded("pq", size=size)
        assert small.matrix.tensors["codes"].shape == (400, size)  # type: ignore[attr-defined]
        errors.append(float(((np.asarray(small.matrix) - random().matrix) ** 2).sum()))
    assert errors[0] > errors[1] > errors[2]
    for wrong, message in ((13, "at most as many bytes"), (0, "at least 1")):
        with pytest.raises(ParameterError, match=message):
            random().encoded("pq", size=wrong)
    with pytest.raises(ParameterError, match="the encoding int8 has no choice of it"):
        random().encoded("int8", size=3)
    with pytest.raises(ParameterError, match="it must be one of float32, float16, int8, pq"):
        random().encoded("int4")


def test_one_word_can_be_encoded() -> None:
    for name in ENCODINGS:
        small = WordVectors(["a"], [[3.0, 4.0]]).encoded(name)
        np.testing.assert_allclose(small["a"], [3, 4], rtol=0.01)
    zero = WordVectors(["a", "b"], [[0.0, 0.0], [1.0, 0.0]]).encoded("pq")
    assert zero["a"].tolist() == [0, 0]


def test_convert_makes_small_folders(tmp_path: Path) -> None:
    random().save(tmp_path / "v.txt")
    (tmp_path / "words").write_text("w3\n\nw1\nother\nw3\n")
    (tmp_path / "pairs.txt").write_text("w1 w2 3\nw3 w4 1\nw5 w6 2\n")

    def run(*arguments: object) -> tuple[int, str, str]:
        shown = CliRunner().invoke(main, ["convert", *map(str, arguments)])
        return shown.exit_code, shown.stdout, shown.stderr

    code, _, told = run(tmp_path / "v.txt", tmp_path / "some", "--words", tmp_path / "words", "--dim", 3)
    assert (code, "the word 'other' of" in told) == (0, True)
    loaded = WordVectors.load(tmp_path / "some")
    assert (loaded.words, loaded.dim) == (["w3", "w1"], 3)
    flags: list[object] = ["--encoding", "pq", "--size", 6, "--limit", 300]
    code, out, _ = run(
        tmp_path / "v.txt", tmp_path / "small", *flags, "--json", "--evaluate", "--sets", tmp_path / "pairs.txt"
    )
    record = json.loads(out)
    assert (code, record["encoding"], record["words"]) == (0, "pq", 300)
    assert record["bytes"] == VectorsFolder.load(tmp_path / "small").bytes
    assert record["scores_before"]["words"] == 300
    assert record["scores_after"]["scores"][0]["name"] == "pairs"
    code, out, told = run(
        tmp_path / "v.txt", tmp_path / "t", "--encoding", "int8", "--evaluate", "--sets", tmp_path / "pairs.txt"
    )
    assert code == 0
    assert "before:" in out
    assert "after:" in out
    refused: list[tuple[list[object], str]] = [
        (["x.txt", "--encoding", "int8"], "needs a folder"),
        (["x", "--size", 4], "add --encoding pq"),
        (["x", "--sets", "similarity"], "add --evaluate"),
        (["x", "--dim", 99], "at most as many"),
        (["x", "--words", tmp_path / "v.txt"], "none of the"),
    ]
    for (name, *flags), message in refused:
        code, _, told = run(tmp_path / "v.txt", tmp_path / str(name), *flags)
        assert code
        assert message in told
        assert not (tmp_path / str(name)).exists()
