"""Files of several tensors, as safetensors lays them out: a header in JSON, then the numbers."""

import json
import math
import os
from collections.abc import Mapping
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


def write_tensors(path: Path, tensors: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write tensors, those with the largest numbers first, so that all are aligned."""
    names = {np.dtype(code): name for name, code in _TYPES.items()}
    header: dict[str, Any] = {}
    arrays: dict[str, npt.NDArray[Any]] = {}
    end = 0
    for name, tensor in sorted(tensors.items(), key=lambda item: -item[1].itemsize):
        code = names[tensor.dtype.newbyteorder("<") if tensor.dtype.itemsize > 1 else tensor.dtype]
        arrays[name] = np.ascontiguousarray(tensor, _TYPES[code])
        header[name] = {"dtype": code, "shape": list(tensor.shape), "data_offsets": [end, end + tensor.nbytes]}
        end += tensor.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(8 + len(text)) % _ALIGNED)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for array in arrays.values():
            file.write(array.data)
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
