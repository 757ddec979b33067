"""Recipes of docs/interop.md that need a library: the numbers that they give are ours."""

from typing import Any

import numpy as np
import pytest

from lexvec import WordVectors

VECTORS = WordVectors([f"w{n}" for n in range(200)], np.random.default_rng(0).normal(size=(200, 16)))


def needs(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{name} is not installed")


def test_dlpack_and_an_embedding_layer() -> None:
    torch = needs("torch")
    weights = torch.from_dlpack(VECTORS.matrix)
    assert weights.data_ptr() == VECTORS.matrix.ctypes.data  # the same memory
    layer = torch.nn.Embedding.from_pretrained(weights)
    rows = torch.tensor([VECTORS.index["w3"], VECTORS.index["w5"]])
    np.testing.assert_array_equal(layer(rows).numpy(), VECTORS[["w3", "w5"]])


@pytest.mark.parametrize("library", ["faiss", "usearch.index"])
def test_search_in_another_index(library: str) -> None:
    module = needs(library)
    units = VECTORS.unit_rows(slice(None)).astype(np.float32)
    query = units[[7]]
    if library == "faiss":
        index = module.IndexFlatIP(VECTORS.dim)
        index.add(units)
        rows = index.search(query, 6)[1][0]
    else:
        index = module.Index(ndim=VECTORS.dim, metric="cos")
        index.add(np.arange(len(units)), units)
        rows = index.search(query[0], 6).keys
    found = [VECTORS.words[row] for row in rows if row != 7]
    assert found[:3] == [word for word, _ in VECTORS.most_similar("w7", count=3)]
