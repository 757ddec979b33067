"""Fuzzing of every reader: bytes that hypothesis damaged may raise a `LexvecError`, and nothing else."""

import bz2
import gzip
import io
import json
import lzma
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, suppress
from dataclasses import dataclass
from html import escape
from pathlib import Path

import click
import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lexvec import Corpus, CorpusBuilder, LexvecError, Model, Vocabulary, WordVectors, evaluate
from lexvec.cli import main
from lexvec.lab import Preset

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

#: Pieces that mean something to one reader or another.
_PIECES = [
    b"\0", b"\xff", b"\n", b"\r\n", b"\t", b" ", b"-1", b"0", b"1e999", b"nan", b"9" * 30, b"99999999999", b"[" * 60,
    b"{", b"}", b"]]", b"{{", b"}}", b"{|", b"|}", b"<", b">", b"</text>", b"<!--", b"<ref", b"&#0;", b"&a;", b"'''",
    b'"', b"null", b"true", b"[]", b"{}", b"../", b"/etc/passwd", b"__import__", b"\xed\xa0\x80", b"\xef\xbb\xbf",
    b"BZh9", b"PK\x03\x04", b"\x93NUMPY", b"\x1f\x8b", b"inf", b"1979-05-27", b"= = =", b"\\u0000",
    b"'shape': (2,)", b"'descr': '|O'",
]  # fmt: skip
_WORDS = ["the", "cat", "\u00e9t\u00e9", "sat", "on", "a", "mat"]
_EDIT = st.tuples(
    st.sampled_from(["flip", "cut", "drop", "repeat", "insert", "replace"]),
    st.floats(0, 1),
    st.integers(0, 40),
    st.sampled_from(_PIECES) | st.binary(max_size=6),
)


def damaged(data: bytes, edits: list[tuple[str, float, int, bytes]]) -> bytes:
    """Apply edits to bytes."""
    for kind, place, length, piece in edits:
        at = int(place * len(data))
        if kind == "flip" and data:
            at = min(at, len(data) - 1)
            data = data[:at] + bytes([data[at] ^ (1 << length % 8)]) + data[at + 1 :]
        elif kind == "cut":
            data = data[:at]
        elif kind == "drop":
            data = data[:at] + data[at + length :]
        elif kind == "repeat":
            data = data[:at] + data[at : at + length] * 3 + data[at + length :]
        elif kind == "insert":
            data = data[:at] + piece + data[at:]
        elif kind == "replace":
            data = data[:at] + piece + data[at + len(piece) :]
    return data


@dataclass(frozen=True)
class Reader:
    """What reads a kind of file: sound bytes of it, and a function that reads bytes written to a file in a folder."""

    seeds: Callable[[Path], list[bytes]]
    read: Callable[[Path, bytes], object]


def _file(name: str, read: Callable[[Path], object]) -> Callable[[Path, bytes], object]:
    def write_and_read(folder: Path, data: bytes) -> object:
        path = folder / name
        path.write_bytes(data)
        return read(path)

    return write_and_read


def _vectors(name: str) -> Reader:
    def seeds(folder: Path) -> list[bytes]:
        rows = np.random.default_rng(1).normal(size=(len(_WORDS), 3)).astype(np.float32)
        WordVectors(_WORDS, rows).save(folder / f"sound{name}", force=True)
        return [(folder / f"sound{name}").read_bytes()]

    return Reader(seeds, _file(f"t{name}", lambda path: WordVectors.load(path).norms))


def _corpus(folder: Path) -> Path:
    if not (folder / "corpus").exists():
        CorpusBuilder(min_count=1).build([["a", "b", "c", "a"]] * 5, folder / "corpus")
    return folder / "corpus"


def _meta(folder: Path, data: bytes) -> None:
    """Read a corpus whose meta.json is this; checksums of meta.json itself are made right if it is JSON at all."""
    from .recipes import reseal

    path = _corpus(folder) / "meta.json"
    sound = path.read_bytes()
    try:
        path.write_bytes(data)
        try:
            reseal("corpus").apply(folder)
        except (ValueError, KeyError, TypeError, OSError, AttributeError, RecursionError):
            path.write_bytes(data)
        corpus = Corpus.load(path.parent).check()
        list(corpus)
    finally:
        path.write_bytes(sound)


def _array(folder: Path, data: bytes) -> None:
    """Read a corpus whose ids.npy is this, with checksums made right."""
    from .recipes import reseal

    path = _corpus(folder) / "ids.npy"
    sound, meta = path.read_bytes(), (path.parent / "meta.json").read_bytes()
    try:
        path.write_bytes(data)
        reseal("corpus").apply(folder)
        list(Corpus.load(path.parent).check())
    finally:
        path.write_bytes(sound)
        (path.parent / "meta.json").write_bytes(meta)


def _safetensors(folder: Path, data: bytes) -> None:
    from .recipes import reseal

    place = folder / "vectors"
    if not place.exists():
        WordVectors(_WORDS[:2], np.eye(2)).save(place)
    (place / "vectors.safetensors").write_bytes(data)
    reseal("vectors").apply(folder)
    WordVectors.load(place).norms  # noqa: B018 (reads the matrix)


def _text(path: Path) -> object:
    return CorpusBuilder(min_count=1, threads=1).build(path)


def _config(path: Path) -> None:
    with suppress(click.ClickException, SystemExit), redirect_stderr(io.StringIO()) as said:
        main(["--config", str(path), "count", str(path.parent / "missing"), "-o", "out"], standalone_mode=False)
    assert said.getvalue().count("\n") <= 1, said.getvalue()


def _scored(path: Path) -> None:
    vectors = WordVectors(_WORDS, np.random.default_rng(1).normal(size=(len(_WORDS), 3)))
    evaluate(vectors, sets=[path], resamples=5).as_dict()


def _resumed(folder: Path, data: bytes) -> None:
    run = folder / "model.run"
    run.mkdir(exist_ok=True)
    (run / "run.json").write_bytes(data)
    from lexvec import LexVec

    LexVec(dim=2, epochs=1).fit(None, folder / "model", resume=True)


_DUMP = (
    "<mediawiki><siteinfo><namespaces><namespace key='0'/></namespaces></siteinfo><page><title>A</title><ns>0</ns>"
    "<revision><text>{}</text></revision></page></mediawiki>"
)
_MARKUP = (
    "'''Bold''' and [[link|text]] {{cite|a={{b}}}} <ref name=x>note</ref> {| class=x\n|-\n| cell || other\n|}\n"
    "== Head ==\n"
    "* item\n<!-- no --> [http://x y] &amp; <nowiki>[[raw]]</nowiki> -{zh:a}- [[File:x.png|thumb|caption [[in]]]]\n"
)
_TOML = b'[count]\nwindow = 3\nsubsample = 1e-3\nwindow-kind = "fixed"\n[corpus]\nmin-count = 2\nlowercase = true\n'
_PRESET = (
    b'extends = "small"\ntitle = "T"\n[corpus]\nmin_count = 2\n[models.sgns]\ndim = 4\n[runs.a]\nmodel = "ppmi-svd"\n'
    b"dim = 4\n"
    b'[[rows]]\nlabel = "A"\nrun = "a"\ncombine = "sum"\n[rows.similarity]\nMC = 0.5\n'
    b"[rows.analogy]\nMSR = [0.1, 0.2]\n"
)
_PLAIN = ("The cat sat on the mat. It was 1,000 years old; really!\n\nNo? Yes. caf\u00e9 na\u00efve\n" * 3).encode()
_RUN = {"model": "lexvec", "parameters": {"dim": 2}, "corpus": "missing", "text": None, "builder": {}, "matrix": None}

READERS: dict[str, Reader] = {
    "npy": Reader(lambda folder: [(_corpus(folder) / "ids.npy").read_bytes()], _array),
    "meta.json": Reader(lambda folder: [(_corpus(folder) / "meta.json").read_bytes()], _meta),
    "safetensors": Reader(
        lambda _: [b'\x3e\0\0\0\0\0\0\0{"vectors":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}' + bytes(16)],
        _safetensors,
    ),
    "word2vec text": _vectors(".txt"),
    "word2vec binary": _vectors(".bin"),
    "GloVe": _vectors(".glove"),
    "npz": _vectors(".npz"),
    "text": Reader(lambda _: [_PLAIN, _PLAIN.decode().encode("utf-16")], _file("t.txt", _text)),
    "compressed": Reader(
        lambda _: [gzip.compress(_PLAIN, mtime=0), bz2.compress(_PLAIN), lzma.compress(_PLAIN), zstd.compress(_PLAIN)],
        _file("t.txt", _text),
    ),
    "XML dump": Reader(lambda _: [_DUMP.format(escape(_MARKUP)).encode()], _file("t.xml", _text)),
    "wikitext": Reader(
        lambda _: [_MARKUP.encode()],
        lambda folder, data: _file("t.xml", _text)(
            folder, _DUMP.format(escape("".join(filter(_xml, data.decode("utf-8", "replace"))))).encode()
        ),
    ),
    "TOML config": Reader(lambda _: [_TOML], _file("t.toml", _config)),
    "TOML preset": Reader(lambda _: [_PRESET], _file("t.toml", Preset.load)),
    "test set": Reader(
        lambda _: [b"the\tcat\t3.5\nsat\ton\t1\nmat\ta\t2\n", b": gram\nthe cat sat on\n: x\na mat the cat\n"],
        _file("t.tsv", _scored),
    ),
    "vocabulary": Reader(lambda _: [b"the\t30\ncat\t2\n\xc3\xa9t\xc3\xa9\t1\n"], _file("t.tsv", Vocabulary.load)),
    "run.json": Reader(lambda _: [json.dumps(_RUN | {"force": False}).encode()], _resumed),
    "model meta.json": Reader(lambda folder: [_model(folder)], lambda folder, data: _loaded(folder, data)),
}


def _xml(letter: str) -> bool:
    """Whether XML may hold a character."""
    return letter >= " " or letter in "\t\n\r"


def _model(folder: Path) -> bytes:
    if not (folder / "saved").exists():
        from lexvec import PPMISVD

        PPMISVD(dim=2, subsample=0).fit([["a", "b", "c", "a"]] * 50, builder=CorpusBuilder(min_count=1)).save(
            folder / "saved"
        )
    return (folder / "saved" / "meta.json").read_bytes()


def _loaded(folder: Path, data: bytes) -> None:
    from .recipes import reseal

    (folder / "saved" / "meta.json").write_bytes(data)
    try:
        reseal("saved").apply(folder)
    except (ValueError, KeyError, TypeError, OSError, AttributeError, RecursionError):
        (folder / "saved" / "meta.json").write_bytes(data)
    Model.load(folder / "saved").vectors("sum").norms  # noqa: B018 (reads the matrices)


def fuzz(name: str, folder: Path, examples: int) -> None:
    """Try a reader with so many damaged inputs; raises on the first exception that is not a `LexvecError`."""
    reader = READERS[name]
    seeds = reader.seeds(folder)

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.sampled_from(seeds), st.lists(_EDIT, min_size=1, max_size=6))
    def attempt(seed: bytes, edits: list[tuple[str, float, int, bytes]]) -> None:
        message = ""
        try:
            reader.read(folder, damaged(seed, edits))
        except LexvecError as error:
            message = str(error)
        assert "\n" not in message, f"more than a line: {message}"

    attempt()
