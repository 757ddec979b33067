"""Encodings: how the rows of a matrix are stored in less space. An open table.

Add an encoding with ``ENCODINGS["mine"] = MyMatrix``, a subclass of `EncodedMatrix`, or through an entry point in the
group ``lexvec.encodings``.
"""

from collections.abc import Sequence

import numpy as np

from ...errors import Given, InputError, ParameterError
from ...progress import Progress
from ...registry import Registry
from ..geometry import check_numbers, row_blocks
from .encoded_matrix import Chosen, EncodedMatrix, Singles, UnencodableRowError
from .product import ProductMatrix
from .scalars import HalfMatrix, Int8Matrix

__all__ = ["ENCODINGS", "PLAIN", "EncodedMatrix", "UnencodableRowError", "chosen_rows", "encode", "encoding_of"]

#: The name of a matrix that is not encoded.
PLAIN = "float32"

ENCODINGS: Registry[type[EncodedMatrix]] = Registry(
    "encoding", {"float16": HalfMatrix, "int8": Int8Matrix, "pq": ProductMatrix}
)


def encode(
    matrix: Singles, encoding: str, words: Sequence[str], *, size: int | None, progress: Progress
) -> Singles | EncodedMatrix:
    """Return a matrix in another encoding; one that is encoded already is decoded first. ``words`` name its rows."""
    if not isinstance(encoding, str) or (encoding != PLAIN and encoding not in ENCODINGS):
        raise ParameterError(Given("encoding", encoding), f": it must be one of {', '.join([PLAIN, *ENCODINGS])}")
    if size is not None and not (encoding in ENCODINGS and ENCODINGS[encoding].sized):
        sized = ", ".join(name for name, kind in ENCODINGS.items() if kind.sized)
        raise ParameterError(Given("size", size), f": the encoding {encoding} has no choice of it; use it with {sized}")
    plain = np.asarray(matrix)
    if encoding == PLAIN:
        return plain
    if not plain.size:
        raise InputError("there are no vectors to encode: give at least one word with one dimension")
    for start, rows in row_blocks(plain):
        check_numbers(rows, lambda row: repr(words[start + row]))  # noqa: B023 (called at once)
    try:
        return ENCODINGS[encoding].encode(plain, size, progress)
    except UnencodableRowError as refused:
        raise InputError(f"the vector of {words[refused.row]!r:.80} {refused.reason}") from None


def encoding_of(matrix: Singles | EncodedMatrix) -> str:
    """Return the name of the encoding of a matrix."""
    if not isinstance(matrix, EncodedMatrix):
        return PLAIN
    return next(name for name, kind in ENCODINGS.items() if kind is type(matrix))


def chosen_rows(matrix: Singles, rows: Chosen) -> Singles:
    """Return some rows, still encoded if they are."""
    return matrix.take(rows).as_matrix() if isinstance(matrix, EncodedMatrix) else matrix[rows]
