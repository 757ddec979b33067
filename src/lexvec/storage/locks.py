"""Lock files: hold one for this process alone, and notice when another process holds it.

The lock goes with the process, so it also ends when the process is killed. On Windows nothing is locked.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from ..errors import ArtefactError

try:
    import fcntl
except ImportError:  # pragma: no cover (Windows)
    fcntl = None  # type: ignore[assignment]

SUPPORTED = fcntl is not None


def try_lock(file: IO[Any]) -> bool:
    """Lock an open file until it is closed. Return whether that was possible."""
    if fcntl:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


@contextlib.contextmanager
def locked(path: Path, message: str) -> Iterator[None]:
    """Hold a file inside the block; ``message`` is the error if another process holds it."""
    with path.open("ab") as file:
        if not try_lock(file):
            raise ArtefactError(message)
        yield
