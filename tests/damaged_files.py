"""Vectors in files of other programs, which tests damage."""

from pathlib import Path

import numpy as np

import vector_files
from lexvec import WordVectors

FILES = {name: vector_files.FILES[name] for name in ("word2vec", "word2vec-binary", "glove", "numpy")}
VECTORS = WordVectors(
    ["the", "cat", "été", "sat", "on", "a", "mat", "and", "purred", "loudly", "there"],
    np.random.default_rng(3).normal(size=(11, 4)).astype(np.float32),
)


def saved(tmp_path: Path, name: str) -> bytes:
    VECTORS.save(tmp_path / FILES[name], force=True)
    return (tmp_path / FILES[name]).read_bytes()
