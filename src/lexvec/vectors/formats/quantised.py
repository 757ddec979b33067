"""Matrices of fastText's compressed models: product quantisation, with the lengths of rows apart if they are.

A row is cut into pieces of ``dsub`` numbers. The file has 256 centroids for each piece, and for each row a byte per
piece that chooses one. Rows are made when they are asked for, because all of them at once take eight times the file.
"""

from typing import Self

import numpy as np
import numpy.typing as npt

from .cursor import Cursor

_CENTROIDS = 256

Bytes = npt.NDArray[np.uint8]
Matrix = npt.NDArray[np.float32]
Integers = npt.NDArray[np.int64]


class _Quantiser:
    """The centroids of a product quantiser."""

    def __init__(self, cursor: Cursor, dim: int) -> None:
        width, self.pieces, self.size, self.last = cursor.numbers("iiii")
        fits = width == dim and min(self.pieces, self.size, self.last) > 0 and self.last <= self.size
        if not fits or (self.pieces - 1) * self.size + self.last != dim:
            raise cursor.damaged(f"a quantiser with {self.pieces:,} pieces of {self.size:,} of {width:,} dimensions")
        self.dim = dim
        self._centroids: Matrix = cursor.array("<f4", dim * _CENTROIDS)

    def make(self, codes: Bytes, out: Matrix) -> None:
        """Make a row from each row of codes."""
        for piece in range(self.pieces):
            size = self.last if piece == self.pieces - 1 else self.size
            start = piece * self.size
            centroids = self._centroids[start * _CENTROIDS :][: size * _CENTROIDS].reshape(_CENTROIDS, size)
            out[:, start : start + size] = centroids[codes[:, piece]]


class QuantisedRows:
    """Rows that are made from codes when they are asked for."""

    def __init__(self, codes: Bytes, quantiser: _Quantiser, norm_codes: Bytes | None, norms: _Quantiser | None) -> None:
        self._codes, self._quantiser, self._norm_codes, self._norms = codes, quantiser, norm_codes, norms
        self.shape = (len(codes), quantiser.dim)
        self.dtype = np.dtype(np.float32)

    @classmethod
    def read(cls, cursor: Cursor, dim: int) -> Self:
        """Read a matrix."""
        with_norms = cursor.flag("its flag of quantised norms")
        rows, width, size = cursor.numbers("qqi")
        if rows < 0 or width != dim or size < 0:
            raise cursor.damaged(f"a matrix of {rows:,} × {width:,}, where rows have {dim:,} dimensions")
        codes: Bytes = cursor.array("u1", size)
        quantiser = _Quantiser(cursor, dim)
        if rows * quantiser.pieces != size:
            raise cursor.damaged(f"{size:,} codes for {rows:,} rows")
        norm_codes: Bytes | None = cursor.array("u1", rows) if with_norms else None
        norms = _Quantiser(cursor, 1) if with_norms else None
        return cls(codes.reshape(rows, quantiser.pieces), quantiser, norm_codes, norms)

    def part(self, rows: slice | Integers) -> Self:
        """Return some of the rows."""
        norm_codes = None if self._norm_codes is None else self._norm_codes[rows]
        return type(self)(self._codes[rows], self._quantiser, norm_codes, self._norms)

    def take(self, rows: Integers, out: Matrix) -> None:
        """Make some rows."""
        rows = np.clip(rows, 0, max(0, len(self._codes) - 1))
        self._quantiser.make(self._codes[rows], out)
        if self._norms is not None and self._norm_codes is not None:
            lengths = np.empty((len(rows), 1), np.float32)
            self._norms.make(self._norm_codes[rows][:, None], lengths)
            out *= lengths
