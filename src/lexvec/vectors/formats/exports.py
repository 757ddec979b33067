"""Folders that other programs open: gensim, spaCy, TensorBoard's projector. They are written, never read."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError, LexvecError
from ...progress import Progress
from ...storage.artefact import Artefact, ArtefactWriter
from ...storage.atomic import sync
from ...storage.outputs import check_folder_output
from .format import Format, LabelledRows, check_words, rows_to_write


class ExportFolder(Artefact):
    """Vectors on disk, as another program wants them."""

    kind = "export"
    facts: ClassVar[Mapping[str, Any]] = {"target": str, "words": int, "dim": int}


def library(name: str, target: str) -> Any:
    """Return an installed package; one that is missing is an error that says how to install it."""
    try:
        return import_module(name)
    except ImportError as error:
        package = name.partition(".")[0]
        raise LexvecError(
            f"{target} needs the package {package} ({error}): install it with pip install {package}"
        ) from None


def export_format(
    target: str,
    help: str,  # noqa: A002 (the word users know)
    write: Callable[[Path, LabelledRows, bool, Progress], None],
    requires: str | None = None,
) -> Format:
    """Return the format of an export; ``requires`` is a package that must be installed to write it."""
    return Format(help=help, suffixes=(), write=write, check_output=partial(_check_output, target, requires))


def _check_output(target: str, requires: str | None, path: str | os.PathLike[str], *, force: bool) -> Path:
    if requires:
        library(requires, f"the format {target}")
    return check_folder_output(path, force=force)


@contextmanager
def exporting(path: Path, target: str, vectors: LabelledRows, *, force: bool, **facts: Any) -> Iterator[Path]:
    """Yield the folder to write; it gets its name when the block is done."""
    with ArtefactWriter(path, ExportFolder.kind, force=force) as out:
        yield out.folder
        for file in out.folder.rglob("*"):
            if file.is_file():  # other libraries write files and do not sync them
                with file.open("rb+") as written:
                    sync(written)
        count, dim = vectors.matrix.shape
        out.seal({}, {"target": target, "words": count, "dim": dim, **facts}, {})


def write_json(path: Path, record: Any) -> None:
    """Write a record that other programs read."""
    path.write_text(json.dumps(record, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def keyed_vectors(vectors: LabelledRows) -> Any:
    """Return gensim's KeyedVectors, which share the matrix and have the counts as their attribute ``count``."""
    check_words(vectors, "gensim", "")
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
    with exporting(path, "gensim", vectors, force=force) as folder:
        keyed.save(str(folder / "vectors.kv"), separately=["vectors"])


GENSIM = export_format("gensim", "a folder with KeyedVectors, and counts", write_gensim, "gensim")


_CONFIG = 'embeddings {\n  tensor_name: "lexvec"\n  tensor_path: "vectors.tsv"\n  metadata_path: "metadata.tsv"\n}\n'


def write_projector(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write the folder, which is also a log folder for ``tensorboard --logdir``."""
    check_words(vectors, "TSV", "\t\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
    with exporting(path, "projector", vectors, force=force) as folder:
        lines = list(vectors.words)
        if vectors.counts is not None:  # only files with several columns have a line of headings
            counted = zip(vectors.words, vectors.counts.tolist(), strict=True)
            lines = ["word\tcount", *(f"{word}\t{count}" for word, count in counted)]
        (folder / "metadata.tsv").write_bytes("".join(f"{line}\n" for line in lines).encode())
        (folder / "projector_config.pbtxt").write_bytes(_CONFIG.encode())
        line = (
            "\t".join(["%.9g"] * vectors.matrix.shape[1]) + "\n"
        )  # nine digits tell every float32 from its neighbours
        count = len(vectors.words)
        with (folder / "vectors.tsv").open("wb") as file, progress.stage("writing", count, "words") as stage:
            for _, rows in rows_to_write(vectors, stage):
                file.write("".join(line % tuple(row) for row in rows.tolist()).encode())


PROJECTOR = export_format("projector", "a folder of TSV files for TensorBoard", write_projector)


_LANGUAGE = "xx"  # spaCy's name for any language


def write_spacy(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write the pipeline. If the words are all in lowercase by rule, spaCy looks up tokens in lowercase."""
    spacy = library("spacy", "the format spacy")
    check_words(vectors, "spacy", "")
    for word in vectors.words:
        if any(map(str.isspace, word)):
            raise InputError(
                f"spaCy has no token with whitespace, such as {word!r:.80}: leave the word out or rename it"
            )
    lowercase = bool(vectors.normalisation and vectors.normalisation.get("lowercase"))
    pipeline = spacy.blank(_LANGUAGE)
    with progress.stage("hashing", len(vectors.words), "words") as stage:
        keys = np.array([pipeline.vocab.strings.add(word) for word in vectors.words], np.uint64)
        stage.advance(len(keys))
    attribute = "LOWER" if lowercase else "ORTH"
    data = np.ascontiguousarray(vectors.matrix, np.float32)
    pipeline.vocab.vectors = spacy.vectors.Vectors(
        strings=pipeline.vocab.strings, data=data, keys=keys, name="lexvec", attr=attribute
    )
    with exporting(path, "spacy", vectors, force=force, attribute=attribute) as folder:
        pipeline.to_disk(folder)
        # spaCy reads this attribute of plain vectors, and does not write it.
        write_json(folder / "vocab" / "vectors.cfg", {"mode": "default", "attr": pipeline.vocab.vectors.attr})


SPACY = export_format("spacy", "a spaCy pipeline", write_spacy, "spacy")
