"""Parquet: columns ``word``, ``vector`` and, where counts are known, ``count``; read and written by pyarrow."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ArtefactError, InputError
from ...progress import Progress
from ...storage.outputs import replacing
from ...trained import normalisation_from
from ..arguments import counts_from
from ..geometry import check_numbers
from .exports import library
from .format import Format, LabelledRows, Matrix, check_memory, check_words, note_repeated, rows_to_write

_MAGIC = b"PAR1"
_NORMALISATION = b"lexvec.normalisation"


def arrow_table(vectors: LabelledRows) -> Any:
    """Return a pyarrow Table, which shares the memory of the matrix."""
    pa = library("pyarrow", "Parquet")
    if vectors.words:
        check_words(vectors, "Arrow", "")
    words = pa.array(vectors.words, pa.string())
    flat = pa.array(np.ascontiguousarray(vectors.matrix).reshape(-1))
    columns = {"word": words, "vector": pa.FixedSizeListArray.from_arrays(flat, int(vectors.matrix.shape[1]))}
    if vectors.counts is not None:
        columns["count"] = pa.array(vectors.counts)
    table = pa.table(columns)
    if vectors.normalisation is not None:
        table = table.replace_schema_metadata({_NORMALISATION: json.dumps(dict(vectors.normalisation))})
    return table


def write_parquet(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write a file."""
    check_words(vectors, "Parquet", "")
    parquet = library("pyarrow.parquet", "Parquet")
    with progress.stage("checking", len(vectors.words), "words") as stage:
        for _ in rows_to_write(vectors, stage):
            pass
    with replacing(path, force=force) as file:
        parquet.write_table(arrow_table(vectors), file, compression="zstd")


def read_parquet(path: Path, limit: int | None, progress: Progress) -> LabelledRows:
    """Read a file."""
    parquet, pa = library("pyarrow.parquet", "Parquet"), library("pyarrow", "Parquet")
    try:
        with parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if "word" not in names or "vector" not in names:
                raise InputError(f"{path} has no columns word and vector: rename its columns")
            columns = ["word", "vector", *(["count"] if "count" in names else [])]
            words: list[str] = []
            blocks: list[Matrix] = []
            counts: list[Any] = []
            with progress.stage("reading", None, "words") as stage:
                for batch in file.iter_batches(columns=columns):
                    left = None if limit is None else limit - len(words)
                    if left == 0:
                        break
                    part = batch.slice(0, left)
                    blocks.append(_rows(part.column("vector"), path))
                    words += [_word(word, path) for word in part.column("word").to_pylist()]
                    counts += part.column("count").to_pylist() if len(columns) == 3 else []
                    check_memory(str(path), blocks[-1].nbytes)
                    stage.advance(part.num_rows)
            recorded = (file.schema_arrow.metadata or {}).get(_NORMALISATION)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} is damaged or not Parquet ({str(error)[:200]}): get it again") from None
    return _without_repeated(path, _joined(path, words, blocks, counts, recorded), progress)


def _without_repeated(path: Path, vectors: LabelledRows, progress: Progress) -> LabelledRows:
    """Keep the first vector of each word, as all readers do."""
    first: dict[str, int] = {}
    for row, word in enumerate(vectors.words):
        first.setdefault(word, row)
    if len(first) == len(vectors.words):
        return vectors
    kept = np.array(list(first.values()), np.intp)
    again = next(row for row, word in enumerate(vectors.words) if first[word] != row)
    note_repeated(str(path), len(vectors.words) - len(kept), f"{vectors.words[again]!r} (row {again})", progress)
    counts = None if vectors.counts is None else vectors.counts[kept]
    return LabelledRows(list(first), vectors.matrix[kept], counts, vectors.normalisation)


def _joined(path: Path, words: list[str], blocks: list[Matrix], counts: list[Any], recorded: Any) -> LabelledRows:
    if not words:
        raise InputError(f"{path} has no words: give a file with vectors")
    if len({block.shape[1] for block in blocks}) > 1:
        raise InputError(f"{path} has vectors of different lengths: mend it")
    matrix = np.concatenate(blocks)
    check_numbers(matrix, lambda row: f"{words[row]!r} ({path})")
    try:
        normalisation = normalisation_from(None if recorded is None else json.loads(recorded))
        known = counts_from(counts, len(words)) if counts and None not in counts else None
    except ValueError:
        raise ArtefactError(
            f"{path} is damaged (its counts or its normalisation are unusable): make it again"
        ) from None
    return LabelledRows(words, matrix, known, normalisation)


def _rows(column: Any, path: Path) -> Matrix:
    """Return a column of lists as a matrix."""
    if column.null_count or not hasattr(column, "flatten") or not len(column):
        raise InputError(f"{path} has a vector that is missing: mend it")
    flat = column.flatten()
    if flat.null_count or len(flat) % len(column) or not len(flat):
        raise InputError(f"{path} has vectors of different lengths: mend it")
    if str(column.type).startswith(("list", "large_list")):
        lengths = np.diff(column.offsets.to_numpy())
        if len(set(lengths.tolist())) > 1:
            raise InputError(f"{path} has vectors of different lengths: mend it")
    numbers = flat.to_numpy(zero_copy_only=False)
    if numbers.dtype.kind not in "fiu":
        raise InputError(f"{path} has vectors of {flat.type}, not of numbers: mend it")
    return np.asarray(numbers, np.float32).reshape(len(column), -1)


def _word(word: Any, path: Path) -> str:
    if not isinstance(word, str) or not word:
        raise InputError(f"{path} has {word!r:.60} for a word: mend it")
    return word


PARQUET = Format(
    help="a table for data frames and databases",
    suffixes=(".parquet",),
    recognise=lambda _, start: start.startswith(_MAGIC),
    read=read_parquet,
    write=write_parquet,
)
