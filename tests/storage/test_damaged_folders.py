"""Damage of our own folders is noticed, in one line, by whatever computes from them."""

import contextlib
import random
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lexvec import (
    ArtefactError,
    Associator,
    CooccurrenceCounter,
    Corpus,
    CorpusBuilder,
    LexVec,
    LexvecError,
    Model,
    WordVectors,
)
from lexvec.storage.meta import file_fault, read_meta
from restamped import Meta, as_older, edit_meta, restamp

FLIPS = 30
MODEL = LexVec(dim=3, epochs=1, subsample=0, threads=1)


def _count(folder: Path) -> object:
    return CooccurrenceCounter(subsample=0, threads=1).count(folder / "corpus")


def _associate(folder: Path) -> object:
    return Associator(threads=1).associate(folder / "counts")


def _train(folder: Path) -> object:
    return LexVec(**MODEL.get_params()).fit(Corpus.load(folder / "corpus"), matrix=folder / "matrix")


def _convert(folder: Path) -> object:
    return WordVectors.load(folder / "vectors")


def _load_model(folder: Path) -> object:
    return Model.load(folder / "model")


# What computes from each kind of folder.
COMPUTE: dict[str, Callable[[Path], object]] = {
    "corpus": _count, "counts": _associate, "matrix": _train, "vectors": _convert, "model": _load_model,
}  # fmt: skip
FILES = {
    "corpus": ("ids.npy", "offsets.npy", "vocab.tsv"),
    "counts": (
        *("column_totals.npy", "data.npy", "indices.npy", "indptr.npy", "kept.npy", "row_totals.npy", "vocab.tsv"),
    ),
    "matrix": ("column_totals.npy", "data.npy", "indices.npy", "indptr.npy", "kept.npy", "vocab.tsv"),
    "vectors": ("counts.npy", "vectors.safetensors", "words.txt"),
    "model": ("C.npy", "W.npy", "vocab.tsv"),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of each kind, undamaged."""
    folder = tmp_path_factory.mktemp("whole")
    text = ["the cat sat on the mat", "a dog sat on a log", "the dog saw the cat"] * 5
    corpus = CorpusBuilder(min_count=1).build(text, folder / "corpus")
    counts = CooccurrenceCounter(subsample=0, window=MODEL.window).count(corpus, folder / "counts")
    Associator().associate(counts, folder / "matrix")
    model = LexVec(**MODEL.get_params()).fit(corpus, folder / "model")
    model.vectors().save(folder / "vectors")
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "copy"))


def refused(act: Callable[[Path], object], folder: Path) -> str:
    with pytest.raises(LexvecError) as caught:
        act(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("kind", FILES)
def test_the_files_of_each_kind_are_all_tried(kind: str, folder: Path) -> None:
    assert set(FILES[kind]) == set(read_meta(folder / kind)["files"])
    COMPUTE[kind](folder)


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in FILES.items() for name in names])
def test_a_flipped_bit(kind: str, name: str, folder: Path) -> None:
    path = folder / kind / name
    before = path.read_bytes()
    rng = random.Random(f"{kind} {name}")
    for _ in range(FLIPS):
        place = rng.randrange(8 * len(before))
        damaged = bytearray(before)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        assert name in refused(COMPUTE[kind], folder), place
    path.write_bytes(before)
    COMPUTE[kind](folder)


@pytest.mark.parametrize("kind", FILES)
def test_a_flipped_bit_in_what_describes_a_folder(kind: str, folder: Path) -> None:
    path = folder / kind / ("config.json" if kind == "vectors" else "meta.json")
    before, meta = path.read_bytes(), read_meta(folder / kind)
    rng = random.Random(kind)
    for _ in range(10 * FLIPS):
        place = rng.randrange(8 * len(before))
        damaged = bytearray(before)
        damaged[place // 8] ^= 1 << place % 8
        path.write_bytes(damaged)
        with contextlib.suppress(ArtefactError):
            assert read_meta(folder / kind) == meta  # only whitespace was hit, or the last digit of a number


@pytest.mark.parametrize(
    ("kind", "name"),
    [("corpus", "ids.npy"), ("counts", "row_totals.npy"), ("matrix", "data.npy"), ("model", "W.npy"),
     ("vectors", "vectors.safetensors")],
)  # fmt: skip
def test_half_of_an_array_zeroed(kind: str, name: str, folder: Path) -> None:
    path = folder / kind / name
    content = path.read_bytes()
    start = len(content) - (len(content) - 128) // 2
    path.write_bytes(content[:start] + bytes(len(content) - start))
    assert f"{name} is damaged (wrong " in refused(COMPUTE[kind], folder)


def _fact(name: str, value: Any) -> Callable[[Meta], None]:
    return lambda meta: meta["facts"].update({name: value})


@pytest.mark.parametrize("kind", FILES)
def test_an_edited_figure(kind: str, folder: Path) -> None:
    for name, value in read_meta(folder / kind)["facts"].items():
        if isinstance(value, int):
            copy = Path(shutil.copytree(folder, folder.parent / f"{kind}-{name}"))
            edit_meta(copy / kind, _fact(name, value + 1))
            assert "is damaged (wrong checksum of itself): rebuild" in refused(COMPUTE[kind], copy)


@pytest.mark.parametrize("version", ["present", "older"])
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_fact("words", 5), "words is 5, but its arrays have 9"),
        (_fact("words", "9"), "has no usable value of words"),
        (_fact("words", 9.0), "has no usable value of words"),
        (_fact("tokens", 84), "tokens is 84, but its arrays have 85"),
        (_fact("tokens", True), "has no usable value of tokens"),
        (_fact("sentences", 10**30), "sentences is 1000000000000000000000000000000, but its arrays have 15"),
        (_fact("longest_sentence", 0), "longest_sentence is 0, but its arrays have 6"),
        (_fact("longest_sentence", None), "has no usable value of longest_sentence"),
        (lambda meta: meta["facts"].pop("tokens"), "has no usable value of tokens"),
        (lambda meta: meta["files"].clear(), "it lists no files"),
        (lambda meta: meta["files"].pop("ids.npy"), "has no file 'ids.npy'"),
        (lambda meta: meta["files"].pop("vocab.tsv"), "has no file 'vocab.tsv'"),
        (lambda meta: meta["files"].update({"more.npy": meta["files"]["ids.npy"]}), "it is missing or not"),
        *(
            (lambda meta, name=name: meta["files"].update({name: meta["files"]["ids.npy"]}), "its files include")
            for name in ("../corpus/ids.npy", "/etc/passwd", "a/b", "a/../b", "a\\b", "..", "", ".hidden", "C:x")
        ),
        (lambda meta: meta["files"]["ids.npy"].update(bytes=-1), "its files include 'ids.npy'"),
        (lambda meta: meta["files"]["ids.npy"].update(bytes=7.0), "its files include 'ids.npy'"),
        (lambda meta: meta["files"]["ids.npy"].update(sha256="0"), "its files include 'ids.npy'"),
        (lambda meta: meta["files"].update({"ids.npy": 7}), "is not a folder made by lexvec"),
        (lambda meta: meta.update(version=99), "has version 99 of its format and this lexvec reads 1: rebuild it"),
    ],
)  # fmt: skip
def test_a_description_with_right_checksums_that_contradicts_the_files(
    folder: Path, change: Callable[[Meta], object], message: str, version: str
) -> None:
    restamp(folder / "corpus", change)
    if version == "older" and "made by lexvec" not in message:
        as_older(folder / "corpus")
    assert message in refused(_count, folder)


def _header(text: str, version: bytes = b"\x01\x00") -> bytes:
    return b"\x93NUMPY" + version + struct.pack("<H", len(text)) + text.encode()


_IDS = "{'descr': '<i4', 'fortran_order': False, 'shape': (85,), }"


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"\x93NUMPX",
        _header(_IDS)[:20],
        _header(_IDS, b"\x02\x00"),
        _header(_IDS, b"\x09\x00"),
        *(_header(_IDS.replace(old, new)) for old, new in [
            ("<i4", "|O"), ("<i4", ">i4"), ("<i4", "<i3"), ("<i4", "<f4"), ("<i4", "<i8"), ("<i4", "<U1"),
            ("False", "True"), ("(85,)", "(84,)"), ("(85,)", "(86,)"), ("(85,)", "(-85,)"), ("(85,)", "()"),
            ("(85,)", "(85, 1)"), ("(85,)", "(1000000000000000, 10000000000000000)"), ("(85,)", "(1000000, 0)"),
            ("(85,)", "(9999999999999999999999,)"), ("(85,)", "(True,)"), ("85", "__import__('os').getpid()"),
            ("{", "["), ("descr", "dscr"),
        ]),
    ],
)  # fmt: skip
def test_a_header_that_is_not_one_of_ours(folder: Path, start: bytes) -> None:
    path = folder / "corpus" / "ids.npy"
    path.write_bytes(start.ljust(127) + b"\n" + path.read_bytes()[128:])
    restamp(folder / "corpus")
    message = refused(_count, folder)
    assert "ids.npy is damaged" in message and "pickle" not in message


@pytest.mark.parametrize("kind", FILES)
def test_folders_of_older_versions(kind: str, folder: Path) -> None:
    as_older(folder / kind)
    COMPUTE[kind](folder)
    for name in FILES[kind]:
        path = folder / kind / name
        before = path.read_bytes()
        path.write_bytes(before[:-2] + bytes([before[-2] ^ 1, before[-1]]))
        assert name in refused(COMPUTE[kind], folder)
        path.write_bytes(before)


def test_an_older_description_with_an_entry_too_many(folder: Path) -> None:
    edit_meta(folder / "corpus", lambda meta: meta.update(sha255=meta.pop("sha256")))
    assert "wrong checksum of itself" in refused(_count, folder)


def test_an_array_is_read_once_to_be_checked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus.load(folder / "corpus")
    asked: list[Path] = []

    def counted(path: Path, record: dict[str, Any]) -> str | None:
        asked.append(path)
        return file_fault(path, record)

    monkeypatch.setattr("lexvec.storage.artefact.file_fault", counted)
    assert (corpus.tokens, len(corpus), repr(corpus)) and not asked
    for _ in range(3):
        corpus.check()
    assert sorted(path.name for path in asked) == ["ids.npy", "offsets.npy"]  # the vocabulary was when it was opened


def test_what_verify_notices_that_checksums_do_not(folder: Path) -> None:
    restamp(folder / "corpus", _fact("words", 5))
    with pytest.raises(ArtefactError, match=r"words is 5, but its arrays have 9\): rebuild"):
        Corpus.load(folder / "corpus").verify()
