"""Files of several tensors, as safetensors lays them out: a header in JSON, then the numbers."""

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...storage.atomic import sync
from ...storage.mapping import map_file

_TYPES = {"F32": "<f4", "F16": "<f2", "I8": "|i1", "U8": "|u1", "I32": "<i4"}
_ALIGNED = 64  # bytes, of the first number in the file: a cache line


class Tensor(NamedTuple):
    """Where a tensor is in a file."""

    type: str
    shape: tuple[int, ...]
    start: int


def header_of(tensors: Mapping[str, tuple[str, Sequence[int]]], aligned: int = _ALIGNED) -> bytes:
    """Return how a file begins that has these tensors, each with its type and shape, one after another."""
    header: dict[str, Any] = {}
    end = 0
    for name, (code, shape) in tensors.items():
        start, end = end, end + math.prod(shape) * np.dtype(_TYPES[code]).itemsize
        header[name] = {"dtype": code, "shape": list(shape), "data_offsets": [start, end]}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % aligned)
    return len(text).to_bytes(8, "little") + text


def write_tensors(path: Path, tensors: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write tensors, those with the largest numbers first, so that all are aligned."""
    codes = {np.dtype(code): name for name, code in _TYPES.items()}
    ordered = sorted(tensors.items(), key=lambda item: -item[1].itemsize)
    types = {
        name: codes[array.dtype.newbyteorder("<") if array.dtype.itemsize > 1 else array.dtype]
        for name, array in ordered
    }
    with path.open("wb") as file:
        file.write(header_of({name: (types[name], array.shape) for name, array in ordered}))
        for name, array in ordered:
            file.write(np.ascontiguousarray(array, _TYPES[types[name]]).data)
        sync(file)


def read_tensors(path: Path) -> dict[str, Tensor]:
    """Return where the tensors of a file are; raise a ValueError unless they fill it without gaps."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(8), "little")
        if length > size - 8:
            raise ValueError("its header is longer than the file")
        header: Any = json.loads(file.read(length))
    found: dict[str, Tensor] = {}
    end = 0
    for name, entry in sorted(header.items(), key=lambda item: item[1].get("data_offsets", [0])[0]):
        if name == "__metadata__":
            continue
        shape = entry["shape"]
        if entry["dtype"] not in _TYPES or not all(type(side) is int and side >= 0 for side in shape):
            raise ValueError(f"its tensor {name!r} has no type and shape of numbers")
        bytes_ = math.prod(shape) * np.dtype(_TYPES[entry["dtype"]]).itemsize
        if entry["data_offsets"] != [end, end + bytes_]:
            raise ValueError(f"its tensor {name!r} is not where it should be")
        found[name] = Tensor(entry["dtype"], tuple(shape), 8 + length + end)
        end += bytes_
    if 8 + length + end != size:
        raise ValueError("it is not as long as its tensors")
    return found


def mapped_tensor(path: Path, tensor: Tensor) -> npt.NDArray[Any]:
    """Memory-map a tensor; changes to it stay in memory."""
    if not math.prod(tensor.shape):
        return np.empty(tensor.shape, _TYPES[tensor.type])
    return map_file(path, _TYPES[tensor.type], tensor.start, tensor.shape)
