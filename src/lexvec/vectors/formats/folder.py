"""Our own folder: ``words.txt``, ``vectors.safetensors`` and ``config.json``, memory-mapped, so it opens at once.

Where counts are known, ``counts.npy`` holds them.
If vectors of other words can be composed, ``subwords.npy`` has the rows of n-grams, and ``subword_buckets.npy`` their
buckets, unless every bucket has a row.

The second of these files has tensors as safetensors lays them out: a header in JSON, then the numbers.
"""

import json
import math
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import ArtefactError
from ...progress import Progress
from ...storage.artefact import Artefact, ArtefactWriter
from ...storage.atomic import sync
from ...storage.mapping import map_file
from ...storage.meta import read_meta
from ...storage.outputs import check_folder_output
from ...subwords import ArrayRows, NgramComposer, recorded_scheme
from ...trained import recorded_normalisation
from ..encodings import ENCODINGS, EncodedMatrix, chosen_rows, encoding_of
from ..geometry import check_numbers
from .binary_files import LOSSLESS
from .format import LARGEST, Format, LabelledRows, Matrix, check_words, rows_to_write
from .subword_rows import note_loss

_TYPES = {"F32": "<f4", "F16": "<f2", "I8": "|i1", "U8": "|u1", "I32": "<i4"}
_ALIGNED = 64  # bytes, of the first number in the file: a cache line


class Tensor(NamedTuple):
    """Where a tensor is in a file."""

    type: str
    shape: tuple[int, ...]
    start: int


def header_of(tensors: Mapping[str, tuple[str, Sequence[int]]], aligned: int = _ALIGNED) -> bytes:
    """Return how a file begins that has these tensors, each with its type and shape, one after another."""
    header: dict[str, Any] = {}
    end = 0
    for name, (code, shape) in tensors.items():
        start, end = end, end + math.prod(shape) * np.dtype(_TYPES[code]).itemsize
        header[name] = {"dtype": code, "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % aligned)
    return len(text).to_bytes(8, "little") + text


def write_tensors(path: Path, tensors: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write tensors, those with the largest numbers first, so that all are aligned."""
    codes = {np.dtype(code): name for name, code in _TYPES.items()}
    ordered = sorted(tensors.items(), key=lambda item: -item[1].itemsize)
    types = {
        name: codes[array.dtype.newbyteorder("<") if array.dtype.itemsize > 1 else array.dtype]
        for name, array in ordered
    }
    with path.open("wb") as file:
        file.write(header_of({name: (types[name], array.shape) for name, array in ordered}))
        for name, array in ordered:
            file.write(np.ascontiguousarray(array, _TYPES[types[name]]).data)
        sync(file)


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Return where the tensors of a file are; raise a ValueError unless they fill it without gaps."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if length > size - 8:
            raise ValueError("its header is longer than the file")
        header: Any = json.loads(file.read(length))
    found: dict[str, Tensor] = {}
    end = 0
    for name, entry in sorted(header.items(), key=lambda item: item[1].get("data_offsets", [0])[0]):
        if name == "__metadata__":
            continue
        shape = entry["shape"]
        if entry["dtype"] not in _TYPES or not all(type(side) is int and side >= 0 for side in shape):
            raise ValueError(f"its tensor {name!r} has no type and shape of numbers")
        bytes_ = math.prod(shape) * np.dtype(_TYPES[entry["dtype"]]).itemsize
        if entry["data_offsets"] != [end, end + bytes_]:
            raise ValueError(f"its tensor {name!r} is not where it should be")
        found[name] = Tensor(entry["dtype"], tuple(shape), 8 + length + end)
        end += bytes_
    if 8 + length + end != size:
        raise ValueError("it is not as long as its tensors")
    return found


def mapped_tensor(path: Path, tensor: Tensor) -> npt.NDArray[Any]:
    """Memory-map a tensor; changes to it stay in memory."""
    if not math.prod(tensor.shape):
        return np.empty(tensor.shape, _TYPES[tensor.type])
    return map_file(path, _TYPES[tensor.type], tensor.start, tensor.shape)


WORDS = "words.txt"
VECTORS = "vectors.safetensors"
_COUNTS = "counts"
_TENSOR = "vectors"
_SUBWORDS, _BUCKETS = "subwords", "subword_buckets"  # arrays


class VectorsFolder(Artefact):
    """Vectors on disk."""

    kind = "vectors"
    facts: ClassVar[Mapping[str, Any]] = {"words": int, "dim": int}
    contents = (WORDS, VECTORS)

    @cached_property
    def words(self) -> list[str]:
        """The words, in order; the file has one per line."""
        try:
            text = (self.path / WORDS).read_bytes().decode(errors=LOSSLESS)
        except OSError:
            raise self._damage(f"{WORDS} is not there") from None
        return text.removesuffix("\n").split("\n") if text else []

    @cached_property
    def matrix(self) -> Matrix:
        """The vectors, memory-mapped; changes to them stay in memory."""
        if "encoding" in self.meta["facts"]:
            return self._encoded().as_matrix()
        tensor, facts = self._plain(), self.meta["facts"]
        if tensor.shape != (facts["words"], facts["dim"]) or tensor.shape[0] != len(self.words):
            raise self._damage("its parts do not fit together")
        return mapped_tensor(self.check_file(VECTORS), tensor)

    @property
    def counts(self) -> npt.NDArray[np.int64] | None:
        """How often each word occurs, or None if that is unknown."""
        if f"{_COUNTS}.npy" not in self.meta["files"]:
            return None
        counts = self.array(_COUNTS, dtype=np.int64, dimensions=1)
        if len(counts) != len(self.words) or counts.min(initial=0) < 0:
            raise self._damage("its counts do not fit its words")
        return counts

    def _encoded(self) -> EncodedMatrix:
        """Return the vectors as they are encoded, memory-mapped."""
        facts = self.meta["facts"]
        name, rows, dim = facts["encoding"], len(self.words), facts["dim"]
        if not isinstance(name, str) or name not in ENCODINGS:
            raise ArtefactError(f"{self.path} has the unknown encoding {name!r:.60}: install what defines it")
        path = self.check_file(VECTORS)
        try:
            found = read_tensors(path)
            wanted = ENCODINGS[name].layout({name: tensor.shape for name, tensor in found.items()}, rows, dim)
            if facts["words"] != rows or {name: (each.type, each.shape) for name, each in found.items()} != wanted:
                raise ValueError("its tensors do not fit together")
            return ENCODINGS[name]({name: mapped_tensor(path, tensor) for name, tensor in found.items()})
        except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
            raise self._damage(f"{VECTORS} does not hold vectors in the encoding {name}") from None

    @cached_property
    def composer(self) -> NgramComposer | None:
        """What composes vectors of other words; None if nothing does."""
        facts = self.meta["facts"]
        if "subwords" not in facts:
            return None
        scheme = recorded_scheme(facts["subwords"], self.path)
        buckets = None
        if f"{_BUCKETS}.npy" in self.meta["files"]:
            buckets = self.array(_BUCKETS, dtype=np.int64, dimensions=1)
            if len(buckets) and not (buckets[0] >= 0 and buckets[-1] < scheme.buckets and (np.diff(buckets) > 0).all()):
                raise self._damage("its buckets of n-grams are not in order")
        if self.layout(_SUBWORDS).shape != (scheme.buckets if buckets is None else len(buckets), facts["dim"]):
            raise self._damage("its rows of n-grams do not fit together")
        return NgramComposer(scheme, _Table(self), buckets, skips_missing=facts.get("skips_missing") is True)

    def _plain(self) -> Tensor:
        """Return where the matrix is; accept only headers such as we write."""
        try:
            tensors = read_tensors(self.path / VECTORS)
            (tensor,) = tensors.values()
            if tensors.keys() != {_TENSOR} or tensor.type != "F32" or len(tensor.shape) != 2 or not tensor.shape[1]:
                raise ValueError
            if tensor.start % 4:
                raise ValueError
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise self._damage(f"{VECTORS} has no valid matrix") from None
        return tensor

    def _damage(self, what: str) -> ArtefactError:
        return ArtefactError(f"{self.path} is damaged ({what}): make it again")


class _Table:
    """The rows of n-grams, which are compared with their checksums when the first word is composed, and not before."""

    dtype = np.dtype(np.float32)

    def __init__(self, folder: VectorsFolder) -> None:
        self._folder = folder
        self.shape = (folder.layout(_SUBWORDS).shape[0], folder.meta["facts"]["dim"])

    @cached_property
    def _rows(self) -> ArrayRows:
        return ArrayRows(self._folder.array(_SUBWORDS, dtype=np.float32, dimensions=2))

    def take(self, rows: npt.NDArray[np.int64], out: Matrix) -> None:
        """Copy some rows."""
        self._rows.take(rows, out)


def read_folder(path: Path, limit: int | None, _: Progress) -> LabelledRows:
    """Open a folder; only its words are read."""
    kind = read_meta(path)["format"]
    if kind != f"lexvec-{VectorsFolder.kind}":
        advice = "give the vectors that it was made from" if kind == "lexvec-export" else "train a model from it first"
        raise ArtefactError(f"{path} holds {kind}, not vectors: {advice}")
    folder = VectorsFolder.load(path)
    if len(set(folder.words)) != len(folder.words) or "" in folder.words:
        raise ArtefactError(f"{path} is damaged (a word occurs twice, or is empty): make it again")
    counts = folder.counts
    return LabelledRows(
        folder.words[:limit],
        chosen_rows(folder.matrix, slice(limit)),
        None if counts is None else counts[:limit],
        recorded_normalisation(folder),
        folder.composer,
    )


def write_folder(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write a folder."""
    composer = vectors.composer if isinstance(vectors.composer, NgramComposer) else None
    if vectors.words or composer is None:  # floret's tables have no words
        check_words(vectors, "lexvec", "\n", errors=LOSSLESS)
    if vectors.composer is not None and composer is None:
        note_loss("lexvec", progress)
    count, dim = vectors.matrix.shape
    with ArtefactWriter(path, VectorsFolder.kind, force=force) as out:
        with (out.folder / WORDS).open("wb") as words:
            words.write("".join(f"{word}\n" for word in vectors.words).encode(errors=LOSSLESS))
            words.flush()
            os.fsync(words.fileno())
        facts: dict[str, Any] = {"words": count, "dim": dim}
        if isinstance(vectors.matrix, EncodedMatrix):
            write_tensors(out.folder / VECTORS, vectors.matrix.tensors)
            facts["encoding"] = encoding_of(vectors.matrix)
        else:
            _write_plain(out.folder / VECTORS, vectors, progress)
        if vectors.counts is not None:
            out.array(_COUNTS, np.int64).append(vectors.counts)
            facts["tokens"] = int(vectors.counts.sum())
        if vectors.normalisation is not None:
            facts["normalisation"] = dict(vectors.normalisation)
        out.seal({}, {**facts, **(_write_subwords(out, composer) if composer else {})}, {})


def _write_plain(path: Path, vectors: LabelledRows, progress: Progress) -> None:
    """Write the matrix as one tensor, some rows at a time."""
    count, dim = vectors.matrix.shape
    with path.open("wb") as file, progress.stage("writing", count, "words") as stage:
        file.write(header_of({_TENSOR: ("F32", (count, dim))}))
        for _, rows in rows_to_write(vectors, stage):
            file.write(rows.astype("<f4", copy=False).tobytes())
        file.flush()
        os.fsync(file.fileno())


def _write_subwords(out: ArtefactWriter, composer: NgramComposer) -> dict[str, Any]:
    """Write what composes vectors of other words, and return what the folder says about it."""
    table = out.array(_SUBWORDS, np.float32, (composer.dim,))
    for rows in composer.stored_rows():
        check_numbers(rows, lambda _: "an n-gram", LARGEST)
        table.append(rows)
    if composer.buckets is not None:
        out.array(_BUCKETS, np.int64).append(composer.buckets)
    return {"subwords": composer.scheme.record(), "skips_missing": composer.skips_missing}


LEXVEC = Format(
    help="a folder, memory-mapped",
    suffixes=("",),
    recognise=lambda path, _: path.is_dir(),
    read=read_folder,
    write=write_folder,
    by_rows=True,
    keeps_ngrams=True,
    check_output=check_folder_output,
)
