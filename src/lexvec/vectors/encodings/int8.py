"""int8 with a scale per row: a quarter of the size."""

from collections.abc import Mapping
from typing import Self

import numpy as np

from ...progress import Progress
from ..geometry import row_blocks
from .encoded_matrix import Chosen, EncodedMatrix, Singles

_STEPS = 127


class Int8Matrix(EncodedMatrix):
    """Each row as whole numbers from −127 to 127, times the scale of the row."""

    help = "1 byte per number, and a scale per word"
    by_row = ("codes", "scales")

    @classmethod
    def encode(cls, matrix: Singles, size: int | None, progress: Progress) -> Self:
        """Divide each row so that its largest number becomes 127, and round."""
        del size, progress
        codes = np.empty(matrix.shape, np.int8)
        scales = np.empty(len(matrix), np.float32)
        for start, rows in row_blocks(matrix):
            block = slice(start, start + len(rows))
            # Rounded up, so that no number exceeds 127 steps.
            largest = (np.abs(rows).max(axis=1, initial=0).astype(np.float64) / _STEPS).astype(np.float32)
            scales[block] = np.where(largest > 0, np.nextafter(largest, np.float32(np.inf)), 1)
            codes[block] = np.rint(rows / scales[block, None].astype(np.float64))
        return cls({"codes": codes, "scales": scales})

    @classmethod
    def layout(
        cls, shapes: Mapping[str, tuple[int, ...]], rows: int, dim: int
    ) -> dict[str, tuple[str, tuple[int, ...]]]:
        """A tensor of the shape of the matrix, and a scale per row."""
        del shapes
        return {"codes": ("I8", (rows, dim)), "scales": ("F32", (rows,))}

    @property
    def dim(self) -> int:
        """As many as codes per row."""
        return int(self.tensors["codes"].shape[1])

    def decode(self, rows: Chosen) -> Singles:
        """Multiply by the scales."""
        return self.tensors["codes"][rows] * self.tensors["scales"][rows, None]
