"""Our own folder: ``words.txt``, ``vectors.safetensors`` and ``config.json``, memory-mapped, so it opens at once.

Where counts are known, ``counts.npy`` holds them.
"""

import json
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ...errors import ArtefactError
from ...progress import Progress
from ...storage.artefact import Artefact, ArtefactWriter, read_meta
from ...storage.outputs import check_folder_output
from ..model import recorded_normalisation
from .format import Format
from .labelled_rows import LabelledRows, Matrix, check_words, rows_to_write

WORDS = "words.txt"
VECTORS = "vectors.safetensors"
_COUNTS = "counts"
_TENSOR = "vectors"
_ALIGNED = 64  # bytes, of the first number in the file: a cache line


class VectorsFolder(Artefact):
    """Vectors on disk."""

    kind = "vectors"
    facts: ClassVar[Mapping[str, Any]] = {"words": int, "dim": int}
    contents = (WORDS, VECTORS)

    @cached_property
    def words(self) -> list[str]:
        """The words, in order; the file has one per line."""
        try:
            text = (self.path / WORDS).read_bytes().decode()
        except (OSError, UnicodeDecodeError):
            raise self._damage(f"{WORDS} is not UTF-8, or not there") from None
        return text.removesuffix("\n").split("\n")

    @cached_property
    def matrix(self) -> Matrix:
        """The vectors, memory-mapped; changes to them stay in memory."""
        shape, start = self._layout()
        if shape != [self.meta["facts"]["words"], self.meta["facts"]["dim"]] or shape[0] != len(self.words):
            raise self._damage("its parts do not fit together")
        return np.asarray(np.memmap(self.check_file(VECTORS), np.dtype("<f4"), "c", start, tuple(shape)))

    @property
    def counts(self) -> npt.NDArray[np.int64] | None:
        """How often each word occurs, or None if that is unknown."""
        if f"{_COUNTS}.npy" not in self.meta["files"]:
            return None
        counts = self.array(_COUNTS, dtype=np.int64, dimensions=1)
        if len(counts) != len(self.words) or counts.min(initial=0) < 0:
            raise self._damage("its counts do not fit its words")
        return counts

    def _layout(self) -> tuple[list[int], int]:
        """Return the shape of the tensor and where its numbers begin; accept only headers such as we write."""
        path = self.path / VECTORS
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                length = int.from_bytes(file.read(8), "little")
                if length > size - 8:
                    raise ValueError
                header: Any = json.loads(file.read(length))
            tensor = header[_TENSOR]
            shape, start = tensor["shape"], 8 + length
            whole = len(shape) == 2 and all(type(side) is int and side > 0 for side in shape)
            bytes_ = 4 * shape[0] * shape[1] if whole else 0
            laid = tensor["data_offsets"] == [0, bytes_] and start + bytes_ == size and start % 4 == 0
            if not (whole and laid and tensor["dtype"] == "F32" and header.keys() <= {_TENSOR, "__metadata__"}):
                raise ValueError
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise self._damage(f"{VECTORS} has no valid matrix") from None
        return list(shape), start

    def _damage(self, what: str) -> ArtefactError:
        return ArtefactError(f"{self.path} is damaged ({what}): make it again")


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
        folder.matrix[:limit],
        None if counts is None else counts[:limit],
        recorded_normalisation(folder),
    )


def write_folder(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write a folder."""
    check_words(vectors, "lexvec", "\n")
    count, dim = vectors.matrix.shape
    tensor = {"dtype": "F32", "shape": [count, dim], "data_offsets": [0, 4 * count * dim]}
    header = json.dumps({_TENSOR: tensor}, separators=(",", ":")).encode()
    header += b" " * (-(8 + len(header)) % _ALIGNED)
    with ArtefactWriter(path, VectorsFolder.kind, force=force) as out:
        with (out.folder / WORDS).open("wb") as words:
            words.write("".join(f"{word}\n" for word in vectors.words).encode())
            words.flush()
            os.fsync(words.fileno())
        with (out.folder / VECTORS).open("wb") as file, progress.stage("writing", count, "words") as stage:
            file.write(len(header).to_bytes(8, "little") + header)
            for _, rows in rows_to_write(vectors, stage):
                file.write(rows.astype("<f4", copy=False).tobytes())
            file.flush()
            os.fsync(file.fileno())
        facts: dict[str, Any] = {"words": count, "dim": dim}
        if vectors.counts is not None:
            out.array(_COUNTS, np.int64).append(vectors.counts)
            facts["tokens"] = int(vectors.counts.sum())
        if vectors.normalisation is not None:
            facts["normalisation"] = dict(vectors.normalisation)
        out.seal({}, facts, {})


LEXVEC = Format(
    help="a folder, memory-mapped",
    suffixes=("",),
    recognise=lambda path, _: path.is_dir(),
    read=read_folder,
    write=write_folder,
    check_output=check_folder_output,
)
