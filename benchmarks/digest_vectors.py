"""Digests of what is computed from vectors: sentences, neighbours, other dimensions, encodings and file formats.

See ``digests.py``.
"""

from pathlib import Path
from typing import Any

import numpy as np
from digest_material import digest, digest_bytes, named, sentences

from lexvec import SGNS, Corpus, LexVec, WordVectors

SENTENCE_RULES: dict[str, dict[str, Any]] = {
    "sif": {},
    "mean": {"weights": "mean", "normalize": False},
    "component": {"remove_component": True, "a": 1e-4},
    "skip": {"oov": "skip"},
}
ENCODINGS = ("float16", "int8", "pq")
#: The file of each format that is written from plain vectors; and from those with n-grams, with their scheme.
PLAIN_FORMATS = {
    "word2vec": "a.txt",
    "word2vec-binary": "a.bin",
    "glove": "a.glove",
    "numpy": "a.npz",
    "lexvec": "lexvec",
    "parquet": "a.parquet",
    "model2vec": "model2vec",
    "gensim": "gensim",
    "projector": "projector",
}
NGRAM_FORMATS = {
    "fasttext": ("a-fasttext.bin", "fasttext"),
    "floret": ("a.floret", "floret"),
    "lexvec-go": ("a-go.bin", "lexvec"),
}
WRITE_ONLY = ("model2vec", "gensim", "projector")
#: Files that name the version or, as gensim's object does, the time that wrote them.
UNSTABLE = ("meta.json", "lexvec.json", "vectors.kv")


def content(path: Path) -> str:
    """A digest of a file, or of the names and contents of all files in a folder."""
    if path.is_file():
        return digest_bytes(path.read_bytes())
    files = sorted(file for file in path.rglob("*") if file.is_file() and file.name not in UNSTABLE)
    listed = "".join(f"{file.relative_to(path)} {digest_bytes(file.read_bytes())}\n" for file in files)
    return digest_bytes(listed.encode())


def opened(path: Path, *, composes: bool) -> str:
    """A digest of the vectors in a file, and of those that are composed for other words."""
    vectors = WordVectors.load(path)
    others = vectors.lookup(["w1x", "xw22"], unknown="compose" if composes else "zero")
    return digest(np.asarray(vectors.matrix), np.array(vectors.words), others)


def format_digests(vectors: WordVectors, formats: dict[str, str], folder: Path) -> dict[str, str]:
    """What each format holds, and what is read from it."""
    digests = {}
    for name, file in formats.items():
        vectors.save(folder / file, format=name)
        digests[f"write {name}"] = content(folder / file)
        if name not in WRITE_ONLY:
            digests[f"read {name}"] = opened(folder / file, composes=name in NGRAM_FORMATS)
    return digests


def derived_digests(vectors: WordVectors, folder: Path) -> dict[str, str]:
    """What vectors answer, and encodings of them."""
    texts = [" ".join(sentence) for sentence in sentences(900, 40)] + ["", "w1 nothing"]
    digests = {
        f"sentences {name}": digest(vectors.sentences(texts, progress=False, **rules))
        for name, rules in SENTENCE_RULES.items()
    }
    digests["neighbours"] = digest(*vectors.nearest(vectors.words[:50], count=10))
    digests["fewer dimensions"] = digest(vectors.reduced(12).matrix)
    for encoding in ENCODINGS:
        encoded = vectors.encoded(encoding)
        encoded.save(folder / encoding)
        digests |= {
            f"encoding {encoding}": digest(np.asarray(encoded.matrix)),
            f"encoding {encoding}, file": content(folder / encoding),
            f"encoding {encoding}, neighbours": digest(*encoded.nearest(vectors.words[:50], count=10)),
        }
    return digests


def vector_digests(corpus: Corpus, folder: Path) -> dict[str, str]:
    """All digests of vectors with rows of their own, and of vectors that are composed."""
    plain = LexVec(dim=24, subsample=3e-3, epochs=2, seed=5).fit(corpus, folder / "plain")
    digests = {f"vectors {how}": digest(plain.vectors(how).matrix) for how in ("word", "context", "sum")}
    digests |= derived_digests(plain.vectors("sum"), folder)
    digests |= format_digests(plain.vectors(), PLAIN_FORMATS, folder)
    few: dict[str, Any] = {"dim": 24, "subsample": 3e-3, "epochs": 1, "seed": 5, "subwords": "ngrams", "buckets": 500}
    for name, (file, scheme) in NGRAM_FORMATS.items():
        composed = SGNS(**few, subword_scheme=scheme).fit(corpus)
        digests |= format_digests(composed.vectors(), {name: file}, folder)
    return named("vectors", digests)
