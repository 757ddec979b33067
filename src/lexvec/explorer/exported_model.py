"""A model as an exported page holds it: a map, exact neighbours, and compressed vectors for everything else."""

import base64
from typing import Any

import numpy as np

from ..progress import resolved
from ..vectors.encodings.product import ProductMatrix
from .labels import Labels
from .maps import Mapped, layouts
from .neighbourhoods import nearest_rows
from .opening import Content
from .session import map_record

NEAREST = 10  # exact neighbours of each exported word
COSINE_STEPS = 2_000  # from 0 to 1: three digits are shown
#: Bytes of compressed vectors in a page, which all its words share: 28 each for 50,000, and at most one per dimension.
_BYTES = 1_400_000
_LEAST = 16  # bytes per word, in a page of more words than it was made for

Record = dict[str, Any]


def exported_model(content: Content, most: int, labels: Labels | None) -> Record:
    """Return the first ``most`` words of a model; packed numbers are little-endian, in base64."""
    mapped = Mapped(content.vectors, most)
    layout = mapped.neighbour_layout() if "umap" in layouts(len(mapped.words)) else mapped.plane()
    near = nearest_rows(mapped.units, np.arange(len(mapped.words)), NEAREST)
    return {
        "map": map_record(mapped, layout, content, labels),
        "nearest": near.rows.shape[1],
        "rows": _packed(near.rows, "<u4" if len(mapped.words) > 65_536 else "<u2"),
        # From one neighbour to the next cosines fall by little, and small numbers compress well.
        "falls": _packed(np.diff(np.rint((1 - near.cosines.astype(np.float64)) * COSINE_STEPS), prepend=0), "<i2"),
        "steps": COSINE_STEPS,
        **_compressed(mapped),
    }


def _compressed(mapped: Mapped) -> Record:
    """Return codes per word, and what they stand for. Cosines are the same in any rotation, so none is exported."""
    size = _bytes_per_word(*mapped.units.shape)
    encoded = ProductMatrix.encode(mapped.units, size, resolved(None, __name__)).tensors
    return {
        "widths": encoded["widths"].tolist(),
        "codes": _packed(encoded["codes"], "u1"),
        "centroids": _packed(np.rint(encoded["centroids"].astype(np.float64) * 32_767), "<i2"),
    }


def _bytes_per_word(words: int, dim: int) -> int:
    return min(dim, max(_LEAST, _BYTES // words))


def _packed(numbers: Any, dtype: str) -> str:
    return base64.b64encode(numbers.astype(dtype).tobytes()).decode("ascii")
