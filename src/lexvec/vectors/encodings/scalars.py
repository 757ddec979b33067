"""Encodings that store each number on its own: half precision, and whole numbers of a byte."""

from collections.abc import Mapping
from typing import Self

import numpy as np

from ...progress import Progress
from ..geometry import row_blocks
from .encoded_matrix import Chosen, EncodedMatrix, Singles, UnencodableRowError

_LARGEST = float(np.finfo(np.float16).max)


class HalfMatrix(EncodedMatrix):
    """Rows as float16. Any reader of safetensors understands them."""

    help = "2 bytes per number"
    by_row = ("vectors",)

    @classmethod
    def encode(cls, matrix: Singles, size: int | None, progress: Progress) -> Self:
        """Round to the nearest float16; refuse rows that float16 cannot hold."""
        del size, progress
        halves = np.empty(matrix.shape, np.float16)
        for start, rows in row_blocks(matrix):
            with np.errstate(over="ignore", under="ignore"):
                some = halves[start : start + len(rows)] = rows.astype(np.float16)
            too_large = ~np.isfinite(some).all(axis=1)
            if too_large.any():
                why = f"has a number larger than {_LARGEST:,.0f}, which float16 cannot hold: use int8"
                raise UnencodableRowError(start + int(np.argmax(too_large)), why)
            vanished = rows.any(axis=1) & ~some.any(axis=1)
            if vanished.any():
                why = "is so short that float16 would make it zero: use int8"
                raise UnencodableRowError(start + int(np.argmax(vanished)), why)
        return cls({"vectors": halves})

    @classmethod
    def layout(
        cls, shapes: Mapping[str, tuple[int, ...]], rows: int, dim: int
    ) -> dict[str, tuple[str, tuple[int, ...]]]:
        """One tensor of the shape of the matrix."""
        del shapes
        return {"vectors": ("F16", (rows, dim))}

    @property
    def dim(self) -> int:
        """As many as the tensor has."""
        return int(self.tensors["vectors"].shape[1])

    def decode(self, rows: Chosen) -> Singles:
        """Every float16 is a float32."""
        return self.tensors["vectors"][rows].astype(np.float32)


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
