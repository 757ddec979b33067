"""Product quantisation: a rotated row is cut into pieces, and each piece is replaced by one of 256 centroids.

Rows are scaled to length 1 (their lengths are kept as float16) and rotated to their principal axes. The axes are dealt
out to the pieces so that all pieces carry about the same logarithm of variance, since then the error is smallest (Ge,
He, Ke and Sun 2013, "Optimized Product Quantization"). Of each piece k-means learns the centroids, and a row becomes
one byte per piece. Products with a query need no decoding: they are sums of entries of small tables.
"""

import math
from collections.abc import Mapping
from typing import Self

import numpy as np
import numpy.typing as npt

from ...errors import Given, ParameterError
from ...machine import available_threads
from ...progress import Progress
from ...threads import Threads
from ..geometry import norms_of, row_blocks
from .encoded_matrix import Array, Chosen, EncodedMatrix, Singles, UnencodableRowError

_CENTROIDS = 256
_ITERATIONS = 12
_SAMPLE = 1 << 14  # rows that centroids are learned from: 64 for each
_DEFAULT = 6  # dimensions per byte, if the caller does not say
_BLOCK = 4096  # rows whose distances to all centroids are held at once
_FEW_QUERIES = 8  # up to which tables are faster than decoding


class ProductMatrix(EncodedMatrix):
    """A byte per piece of each row, its length, and the length of what it decodes to, which searches need."""

    help = "product quantisation, about 1 byte for 6 numbers"
    by_row = ("codes", "lengths", "norms")
    sized = True

    @classmethod
    def encode(cls, matrix: Singles, size: int | None, progress: Progress) -> Self:
        """Learn a rotation and centroids from the rows, and encode them; equal matrices give equal codes."""
        dim = matrix.shape[1]
        pieces = max(1, round(dim / _DEFAULT)) if size is None else size
        if pieces > dim:
            raise ParameterError(Given("size", size), f": a vector has {dim} dimensions; use at most as many bytes")
        lengths = np.concatenate([norms_of(rows) for _, rows in row_blocks(matrix)])
        with np.errstate(over="ignore"):
            stored = lengths.astype(np.float16)
        refused = ~np.isfinite(stored) | ((lengths > 0) & (stored == 0))
        if refused.any():
            why = "has a length beyond what float16 can hold: use int8"
            raise UnencodableRowError(int(np.argmax(refused)), why)
        sample = np.random.default_rng(0).permutation(len(matrix))[:_SAMPLE]
        sample.sort()
        some = _unit(matrix[sample], lengths[sample])
        rotation, widths = _rotation(some, pieces)
        bounds = np.concatenate([[0], np.cumsum(widths)])
        centroids = np.zeros((pieces, _CENTROIDS, max(widths)), np.float32)
        codes = np.empty((len(matrix), pieces), np.uint8)
        turned = some @ rotation

        def learn(_: None, piece: int) -> Singles:
            return _centroids(turned[:, bounds[piece] : bounds[piece + 1]])

        with Threads(available_threads()) as threads:
            with progress.stage("quantising", pieces, "pieces") as stage:
                for piece, found in enumerate(threads.map(learn, range(pieces))):
                    # float16 is what the file holds.
                    centroids[piece, :, : found.shape[1]] = found.astype(np.float16)
                    stage.advance(1)

            def encode(_: None, start: int) -> None:
                rows = slice(start, start + _BLOCK)
                turned = _unit(matrix[rows], lengths[rows]) @ rotation
                for piece, width in enumerate(widths):
                    part = turned[:, bounds[piece] : bounds[piece] + width]
                    codes[rows, piece] = _nearest(part, centroids[piece, :, :width])

            for _ in threads.map(encode, range(0, len(matrix), _BLOCK)):
                pass
        shared = {"centroids": centroids, "rotation": rotation}
        halves = {name: tensor.astype(np.float16) for name, tensor in shared.items()}  # nothing is lost: see above
        made = cls({"codes": codes, "lengths": stored, **halves, "widths": np.array(widths, np.int32)})
        norms = np.concatenate([norms_of(rows) for _, rows in row_blocks(made.as_matrix())])
        return cls({**made.tensors, "norms": norms.astype(np.float32)})

    @classmethod
    def layout(
        cls, shapes: Mapping[str, tuple[int, ...]], rows: int, dim: int
    ) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Codes, lengths and (not in older files) norms per row; centroids, rotation and widths of pieces once."""
        pieces = shapes["widths"][0]
        widest = math.ceil(dim / pieces)
        norms: dict[str, tuple[str, tuple[int, ...]]] = {"norms": ("F32", (rows,))} if "norms" in shapes else {}
        return {
            **norms,
            "codes": ("U8", (rows, pieces)),
            "lengths": ("F16", (rows,)),
            "centroids": ("F16", (pieces, _CENTROIDS, widest)),
            "rotation": ("F16", (dim, dim)),
            "widths": ("I32", (pieces,)),
        }

    def __init__(self, tensors: Mapping[str, Array]) -> None:
        super().__init__(tensors)
        widths = self.tensors["widths"]
        centroids = self.tensors["centroids"].astype(np.float32)
        dim = len(self.tensors["rotation"])
        if (widths < 1).any() or widths.max(initial=0) > centroids.shape[2] or widths.sum() != dim:
            raise ValueError("the widths of pieces do not fit together")
        # Searches do not decode all rows, so a number that is not finite would go unnoticed.
        small = (centroids, *(self.tensors[name] for name in ("rotation", "lengths", "norms") if name in self.tensors))
        if not all(np.isfinite(tensor).all() for tensor in small):
            raise ValueError("it has numbers that are not finite")
        self._pieces = [centroids[piece, :, :width] for piece, width in enumerate(widths.tolist())]
        self._rotation = self.tensors["rotation"].astype(np.float32)

    @property
    def dim(self) -> int:
        """As many as the rotation has."""
        return len(self.tensors["rotation"])

    def norms(self) -> Singles | None:
        """The lengths of decoded rows are a tensor of their own, except in older files."""
        return self.tensors.get("norms")

    def decode(self, rows: Chosen) -> Singles:
        """Look the centroids up, turn them back, and scale them."""
        codes = self.tensors["codes"][rows]
        turned = np.concatenate([piece[codes[:, at]] for at, piece in enumerate(self._pieces)], axis=1)
        # In double precision, so that rounding does not depend on how many rows are decoded at once.
        units = turned.astype(np.float64) @ self._rotation.T
        return (units * self.tensors["lengths"][rows, None]).astype(np.float32)

    def products(self, queries: Singles, rows: slice, out: Singles) -> None:
        """Add up, for each query, what the centroids of a row contribute."""
        if len(queries) > _FEW_QUERIES:
            super().products(queries, rows, out)
            return
        turned = queries @ self._rotation
        codes = np.ascontiguousarray(self.tensors["codes"][rows].T)
        ends = np.cumsum([piece.shape[1] for piece in self._pieces])
        for query, total in zip(turned, out, strict=True):
            total[:] = 0
            for piece, end, code in zip(self._pieces, ends, codes, strict=True):
                total += (piece @ query[end - piece.shape[1] : end])[code]
            total *= self.tensors["lengths"][rows]


def _unit(rows: Singles, lengths: npt.NDArray[np.float64]) -> Singles:
    return (rows / np.where(lengths > 0, lengths, 1)[:, None]).astype(np.float32)


def _rotation(rows: Singles, pieces: int) -> tuple[Singles, list[int]]:
    """Return the principal axes in the order of the pieces, and how many each piece has."""
    dim = rows.shape[1]
    variances, axes = np.linalg.eigh(rows.astype(np.float64).T @ rows)
    order = np.argsort(-variances, kind="stable")
    logs = np.log(np.maximum(variances[order], 1e-9 * max(variances.max(initial=0), 1e-30)))
    logs -= logs.min()
    room = [dim // pieces + (piece < dim % pieces) for piece in range(pieces)]
    dealt: list[list[int]] = [[] for _ in room]
    carried = np.zeros(pieces)
    for axis, log in zip(order.tolist(), logs.tolist(), strict=True):
        open_ = [piece for piece in range(pieces) if len(dealt[piece]) < room[piece]]
        piece = min(open_, key=lambda piece: (carried[piece], piece))
        dealt[piece].append(axis)
        carried[piece] += log + 1e-9
    chosen = [axis for piece in dealt for axis in piece]
    return axes[:, chosen].astype(np.float16).astype(np.float32), room  # float16 is what the file holds


def _centroids(rows: Singles) -> Singles:
    """Return the centroids that k-means finds; of fewer distinct rows, some stay unused."""
    random = np.random.default_rng(1)
    found = rows[random.permutation(len(rows))[:_CENTROIDS]]
    found = np.concatenate([found, np.zeros((_CENTROIDS - len(found), rows.shape[1]), np.float32)])
    for _ in range(_ITERATIONS):
        nearest = _nearest(rows, found)
        counts = np.bincount(nearest, minlength=_CENTROIDS)
        used = counts > 0
        sums = np.stack([np.bincount(nearest, column, _CENTROIDS) for column in rows.T], axis=1)
        found[used] = sums[used] / counts[used, None]
        # One that is nearest to nothing starts again from a row.
        found[~used] = rows[random.integers(len(rows), size=int((~used).sum()))]
    return found


def _nearest(rows: Singles, centroids: Singles) -> npt.NDArray[np.uint8]:
    """Return the number of the centroid that is nearest to each row."""
    from ...kernels.matrices import assign

    nearest = np.empty(len(rows), np.uint8)
    squares = (centroids * centroids).sum(axis=1)
    assign(np.ascontiguousarray(rows), np.ascontiguousarray(centroids.T), squares, nearest)
    return nearest
