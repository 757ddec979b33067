"""Tuples of arrays in a scratch file, one after another: what one process writes for another to read in order."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..errors import ArtefactError

Array = npt.NDArray[Any]


def write_blocks(path: Path, blocks: Iterable[tuple[Array, ...]]) -> None:
    """Write tuples of arrays of one dimension."""
    with path.open("wb") as file:
        for block in blocks:
            for array in block:
                np.lib.format.write_array(file, array, (1, 0), allow_pickle=False)


def read_blocks(path: Path, width: int) -> Iterator[tuple[Array, ...]]:
    """Yield the tuples that were written, of ``width`` arrays each; one is in memory at a time."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        while file.tell() < size:
            yield tuple(_read_array(file, size, path) for _ in range(width))


def _read_array(file: BinaryIO, size: int, path: Path) -> Array:
    try:
        np.lib.format.read_magic(file)
        shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    except ValueError as error:
        raise ArtefactError(f"{path} is damaged ({error}): start again") from None
    if len(shape) != 1 or dtype.hasobject or shape[0] * dtype.itemsize > size - file.tell():
        raise ArtefactError(f"{path} is damaged (it is shorter than it says): start again")
    found: Array = np.fromfile(file, dtype, shape[0])
    return found
