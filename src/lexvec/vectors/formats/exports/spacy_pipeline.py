"""A spaCy pipeline with nothing but vectors: ``spacy.load`` opens it, and ``spacy train`` starts from it."""

from pathlib import Path

import numpy as np

from ....errors import InputError
from ....progress import Progress
from ..labelled_rows import LabelledRows, check_words
from .export_folder import export_format, exporting, library, write_json

_TARGET = "spacy"
_LANGUAGE = "xx"  # spaCy's name for any language


def write_spacy(path: Path, vectors: LabelledRows, force: bool, progress: Progress) -> None:
    """Write the pipeline. If the words are all in lowercase by rule, spaCy looks up tokens in lowercase."""
    spacy = library("spacy", f"the format {_TARGET}")
    check_words(vectors, _TARGET, "")
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
    with exporting(path, _TARGET, vectors, force=force, attribute=attribute) as folder:
        pipeline.to_disk(folder)
        # spaCy reads this attribute of plain vectors, and does not write it.
        write_json(folder / "vocab" / "vectors.cfg", {"mode": "default", "attr": pipeline.vocab.vectors.attr})


SPACY = export_format(_TARGET, "a spaCy pipeline", write_spacy, "spacy")
