"""Our own folder: ``words.txt``, ``vectors.safetensors`` and ``config.json``, memory-mapped, so it opens at once."""

import json
import os
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...errors import ArtefactError
from ...progress import Progress
from ...storage.artefact import Artefact, ArtefactWriter, read_meta
from ...storage.outputs import check_folder_output
from ..encodings import ENCODINGS, EncodedMatrix, chosen_rows, encoding_of
from .format import Format
from .labelled_rows import LabelledRows, Matrix, check_words, rows_to_write
from .tensors import mapped_tensor, read_tensors, write_tensors

WORDS = "words.txt"
VECTORS = "vectors.safetensors"
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
        if "encoding" in self.meta["facts"]:
            return self._encoded().as_matrix()
        shape, start = self._layout()
        if shape != [self.meta["facts"]["words"], self.meta["facts"]["dim"]] or shape[0] != len(self.words):
            raise self._damage("its parts do not fit together")
        return np.asarray(np.memmap(self.check_file(VECTORS), np.dtype("<f4"), "c", start, tuple(shape)))

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
        raise ArtefactError(f"{path} holds {kind}, not vectors: train a model from it first")
    folder = VectorsFolder.load(path)
    if len(set(folder.words)) != len(folder.words) or "" in folder.words:
        raise ArtefactError(f"{path} is damaged (a word occurs twice, or is empty): make it again")
    return LabelledRows(folder.words[:limit], chosen_rows(folder.matrix, slice(limit)))


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
        if isinstance(vectors.matrix, EncodedMatrix):
            write_tensors(out.folder / VECTORS, vectors.matrix.tensors)
            out.seal({}, {"words": count, "dim": dim, "encoding": encoding_of(vectors.matrix)}, {})
            return
        with (out.folder / VECTORS).open("wb") as file, progress.stage("writing", count, "words") as stage:
            file.write(len(header).to_bytes(8, "little") + header)
            for _, rows in rows_to_write(vectors, stage):
                file.write(rows.astype("<f4", copy=False).tobytes())
            file.flush()
            os.fsync(file.fileno())
        out.seal({}, {"words": count, "dim": dim}, {})


LEXVEC = Format(
    help="a folder, memory-mapped",
    suffixes=("",),
    recognise=lambda path, _: path.is_dir(),
    read=read_folder,
    write=write_folder,
    by_rows=True,
    check_output=check_folder_output,
)
