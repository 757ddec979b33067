"""Files mapped into memory. If another program cuts one off, the process that reads what is gone dies of SIGBUS.

Who can wait for a good moment asks `check_mapped` first. The command line sets `BEFORE_FIRST`, to end with one line.
"""

import mmap
import threading
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import ArtefactError

#: What is called once, before the first file is mapped.
BEFORE_FIRST: list[Callable[[], None]] = []


class _Mapped(NamedTuple):
    owner: "weakref.ref[Any]"  # the array that keeps the file mapped
    path: Path
    end: int  # byte behind the last one that is used


_alive: list[_Mapped] = []
_lock = threading.Lock()


def map_file(path: Path, dtype: npt.DTypeLike, start: int, shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Memory-map an array in a file, which must be long enough; changes to the array stay in memory."""
    while BEFORE_FIRST:
        BEFORE_FIRST.pop()()
    # Mode "c" rather than "r": to Numba a read-only array is another type, for which kernels are compiled again.
    found = np.memmap(path, dtype, "c", start, shape)
    with _lock:
        _alive[:] = [each for each in _alive if each.owner() is not None]
        _alive.append(_Mapped(weakref.ref(found), path, start + found.nbytes))
    return np.asarray(found)


def map_bytes(path: Path) -> mmap.mmap:
    """Memory-map all bytes of a file that is not empty."""
    while BEFORE_FIRST:
        BEFORE_FIRST.pop()()
    with path.open("rb") as file:
        found = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    with _lock:
        _alive[:] = [each for each in _alive if each.owner() is not None]
        _alive.append(_Mapped(weakref.ref(found), path, len(found)))
    return found


def check_mapped(*arrays: Any) -> None:
    """Raise an error if a file behind an array was cut off; one that was replaced as a whole is still there."""
    owners = [owner for array in arrays if (owner := _owner(array)) is not None]
    with _lock:
        alive = [(each, each.owner()) for each in _alive]
    for each, owner in alive:
        if not any(owner is other for other in owners):
            continue
        size = owner.size() if isinstance(owner, mmap.mmap) else owner._mmap.size()  # type: ignore[union-attr]
        if size < each.end:
            raise ArtefactError(
                f"{each.path} was cut off by another program while it was in use: restore it, then open it again"
            )


def _owner(array: Any) -> Any:
    """Return what keeps the file of an array mapped, or None for an array in memory."""
    while array is not None and not isinstance(array, np.memmap | mmap.mmap):
        array = array.obj if isinstance(array, memoryview) else getattr(array, "base", None)
    return array
