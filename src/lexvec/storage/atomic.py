"""Write beside, sync, rename: a file or folder that has its final name is complete.

A file or folder is written under a temporary name beside its final one, ``.NAME.PROCESS-RANDOM.partial``, and its
writer holds a lock on it. The next run with the same output removes partial files and folders whose writer is dead.

A folder cannot replace another in one step. The older one is first renamed to ``.NAME.RANDOM.replaced``; if the
process is killed in between, the next run with the same output puts it back.
"""

import contextlib
import glob
import logging
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

from ..errors import ArtefactError, ResourceError
from .disk import DISK_ERRORS
from .locks import SUPPORTED, try_lock

_log = logging.getLogger(__name__)

LOCK = "lock"


class Partial:
    """A file or folder that is being written beside its final place. Creating the object changes nothing on disk."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.path = place.with_name(f".{place.name}.{os.getpid()}-{os.urandom(4).hex()}.partial")
        self._lock: IO[bytes] | None = None

    def open_file(self) -> BinaryIO:
        """Begin a file."""
        self._prepare()
        file = self.path.open("wb")
        try_lock(file)
        self._lock = file
        return file

    def make_folder(self) -> None:
        """Begin a folder."""
        self._prepare()
        self.path.mkdir()
        if SUPPORTED:
            self._lock = (self.path / LOCK).open("wb")
            try_lock(self._lock)

    def _prepare(self) -> None:
        self.place.parent.mkdir(parents=True, exist_ok=True)
        for left in self.place.parent.glob(f".{glob.escape(self.place.name)}.*.partial") if SUPPORTED else ():
            _remove_abandoned(left)

    def publish_file(self) -> None:
        """Sync the file and give it its name, in place of an older one."""
        assert self._lock is not None
        sync(self._lock)
        self._lock.close()
        self.path.replace(self.place)
        _sync_folder(self.place.parent)

    def publish_folder(self, *, replace: bool) -> None:
        """Sync the folder and give it its name; with ``replace`` in place of an older folder."""
        # The lock goes last: while it is held, no other run takes this folder for abandoned.
        (self.path / LOCK).unlink(missing_ok=True)
        _sync_folder(self.path)
        replaced = None
        if replace and self.place.exists():
            replaced = self.place.with_name(f".{self.place.name}.{os.urandom(4).hex()}.replaced")
            self.place.rename(replaced)
        try:
            self.path.rename(self.place)
        except OSError as error:
            if self.place.exists():
                raise ArtefactError(f"another run has just written {self.place}: choose another output") from error
            raise
        _sync_folder(self.place.parent)
        if replaced:
            shutil.rmtree(replaced)

    def discard(self) -> None:
        """Remove what was written and not published."""
        if self._lock:
            with contextlib.suppress(OSError):  # a full disk fails again here; the first error is the one to report
                self._lock.close()
        if os.path.isdir(self.path):
            shutil.rmtree(self.path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                self.path.unlink()

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn what goes wrong on disk inside the block into errors that name the output."""
        try:
            yield
        except OSError as error:
            if error.errno in DISK_ERRORS:
                raise ResourceError(f"cannot write {self.place}: {DISK_ERRORS[error.errno]}") from error
            failed = Path(os.path.realpath(error.filename)) if isinstance(error.filename, str) else None
            if failed and (failed in self.place.parents or self.path in (failed, *failed.parents)):
                raise ArtefactError(f"cannot write {self.place}: {error.strerror}; choose another output") from error
            raise


def _remove_abandoned(left: Path) -> None:
    """Remove a partial file or folder, unless its writer is alive."""
    if left.is_dir() and not (left / LOCK).exists():
        # It was killed between giving up the lock and the rename; only the number in its name tells whose it was.
        if not _is_alive(left.name):
            shutil.rmtree(left, ignore_errors=True)
        return
    with contextlib.suppress(OSError), (left / LOCK if left.is_dir() else left).open("rb") as lock:
        if try_lock(lock):
            _log.debug("removing %s, left by a killed run", left)
            shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink()


def _is_alive(name: str) -> bool:
    """Whether the process in the name of a partial folder runs; unless that is sure, it does."""
    number = name.rsplit(".", 2)[-2].partition("-")[0]
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except (OSError, ValueError):
        return True
    return True


def restore_replaced(place: Path) -> None:
    """Put back a folder that was set aside by a run that was killed before it could rename the new one."""
    for folder in place.parent.glob(f".{glob.escape(place.name)}.*.replaced"):
        if not os.path.lexists(place):
            folder.rename(place)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def sync(file: IO[Any]) -> None:
    """Make sure that what was written to a file is on disk."""
    file.flush()
    os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
