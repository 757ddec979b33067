"""A matrix whose rows are stored as codes, and decoded to float32 when they are taken."""

import operator
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self, SupportsIndex, cast

import numpy as np
import numpy.typing as npt

from ...progress import Progress
from ..geometry import row_blocks

Array = npt.NDArray[Any]
Singles = npt.NDArray[np.float32]
Chosen = slice | npt.NDArray[np.integer] | list[int]


class UnencodableRowError(ValueError):
    """A row that an encoding cannot hold; ``reason`` completes "the vector of this word …", and says what to do.

    >>> UnencodableRowError(3, "has a number beyond 65,504: use int8").row
    3
    """

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(reason)
        self.row, self.reason = row, reason


class EncodedMatrix(ABC):
    """Codes of rows. Taking rows (``matrix[4]``, ``matrix[4:9]``, ``matrix[[1, 5]]``) decodes them; ``numpy.asarray``
    decodes all.

    ``tensors`` are the arrays that a file holds. Those in ``by_row`` have an entry per row; the others are shared.
    """

    #: What the encoding is, in a few words, for help texts.
    help: ClassVar[str]
    #: The names of the tensors that have an entry per row; the first one decides how many rows there are.
    by_row: ClassVar[tuple[str, ...]]
    #: Whether the number of bytes per row can be chosen.
    sized: ClassVar[bool] = False
    dtype = np.dtype(np.float32)
    itemsize = 4
    ndim = 2

    def __init__(self, tensors: Mapping[str, Array]) -> None:
        self.tensors = dict(tensors)

    @classmethod
    @abstractmethod
    def encode(cls, matrix: Singles, size: int | None, progress: Progress) -> Self:
        """Encode a matrix of finite numbers; ``size`` is the number of bytes per row if the encoding has a choice.

        Raise ``UnencodableRowError`` for a row that cannot be held.
        """

    @classmethod
    @abstractmethod
    def layout(
        cls, shapes: Mapping[str, tuple[int, ...]], rows: int, dim: int
    ) -> dict[str, tuple[str, tuple[int, ...]]]:
        """Return the type and shape that each tensor must have, given the shapes that a file claims."""

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of dimensions."""

    @abstractmethod
    def decode(self, rows: Chosen) -> Singles:
        """Return rows as float32."""

    def norms(self) -> Singles | None:
        """Return the length of each decoded row, if they are stored, up to rounding in single precision."""
        return None

    def products(self, queries: Singles, rows: slice, out: Singles) -> None:
        """Multiply each query by each row, up to rounding in single precision."""
        np.matmul(queries, self.decode(rows).T, out=out)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and dimensions."""
        return len(self), self.dim

    @property
    def nbytes(self) -> int:
        """Bytes that the tensors take."""
        return sum(tensor.nbytes for tensor in self.tensors.values())

    def take(self, rows: Chosen) -> Self:
        """Return some rows, still encoded."""
        chosen = {name: tensor[rows] if name in self.by_row else tensor for name, tensor in self.tensors.items()}
        return type(self)(chosen)

    def as_matrix(self) -> Singles:
        """Return itself, for code that takes rows of a matrix and nothing else."""
        return cast(Singles, self)

    def __len__(self) -> int:
        return len(self.tensors[self.by_row[0]])

    def __getitem__(self, rows: int | Chosen) -> Singles:
        if isinstance(rows, SupportsIndex) and not isinstance(rows, np.ndarray):
            return cast(Singles, self.decode([operator.index(rows)])[0])
        if not isinstance(rows, slice | list | np.ndarray):
            raise TypeError("rows of an encoded matrix are taken by a number, a slice or a list of numbers")
        return self.decode(rows)

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> Array:
        del copy  # there is no array that could be shared
        decoded = np.empty(self.shape, np.float32)
        for start, rows in row_blocks(self.as_matrix()):
            decoded[start : start + len(rows)] = rows
        return decoded if dtype is None else decoded.astype(dtype, copy=False)
