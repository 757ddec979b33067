"""What can go wrong with a disk, and what to do about it."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import ResourceError

DISK_ERRORS = {
    errno.ENOSPC: "no space is left on the disk; free some space or choose another output",
    errno.EDQUOT: "your disk quota is used up; free some space or choose another output",
    errno.EFBIG: "the file exceeds the largest allowed size; raise ulimit -f or choose another output",
}


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn a full disk inside the block into an error that names the file."""
    try:
        yield
    except OSError as error:
        if error.errno not in DISK_ERRORS:
            raise
        raise ResourceError(f"cannot write {path}: {DISK_ERRORS[error.errno]}") from error
