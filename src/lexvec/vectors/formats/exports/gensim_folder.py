"""gensim's KeyedVectors: as an object, and as a folder that ``KeyedVectors.load`` opens, memory-mapped, with counts."""

from pathlib import Path
from typing import Any

import numpy as np

from ....progress import Progress
from ..labelled_rows import LabelledRows, check_words
from .export_folder import export_format, exporting, library

_TARGET = "gensim"


def keyed_vectors(vectors: LabelledRows) -> Any:
    """Return gensim's KeyedVectors, which share the matrix and have the counts as their attribute ``count``."""
    check_words(vectors, _TARGET, "")
    keyed = library("gensim.models", "gensim's KeyedVectors").KeyedVectors(int(vectors.matrix.shape[1]))
    keyed.index_to_key = list(vectors.words)
    keyed.key_to_index = {word: row for row, word in enumerate(vectors.words)}
    keyed.vectors = np.ascontiguousarray(vectors.matrix)
    keyed.allocate_vecattrs()
    if vectors.counts is not None:
        for word, count in zip(vectors.words, vectors.counts.tolist(), strict=True):
            keyed.set_vecattr(word, "count", count)
    return keyed


def write_gensim(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write the folder: gensim's own file, and the matrix beside it."""
    del progress
    keyed = keyed_vectors(vectors)
    with exporting(path, _TARGET, vectors, force=force) as folder:
        keyed.save(str(folder / "vectors.kv"), separately=["vectors"])


GENSIM = export_format(_TARGET, "a folder with KeyedVectors, and counts", write_gensim, "gensim")
