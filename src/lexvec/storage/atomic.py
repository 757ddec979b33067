"""Write beside, sync, rename: a file or folder that has its final name is complete. Locks and full disks, too.

A file or folder is written under a temporary name beside its final one, ``.NAME.PROCESS-RANDOM.partial``, and its
writer holds a lock on it. The next run with the same output removes partial files and folders whose writer is dead.

A folder cannot replace another in one step. The older one is first renamed to ``.NAME.NUMBER-RANDOM.replaced``; if the
process is killed in between, the next run with the same output puts back the one with the highest number. Nothing that
was set aside is removed before a newer folder has the name.

Scratch files without an output are in a folder ``.lexvec.PROCESS-RANDOM.partial`` for temporary files, which the next
process that makes such a folder removes in the same way.

The part before the suffix has no dot, so a temporary name belongs to one NAME only, whatever dots NAME has. No output
may have such a name itself.

A lock ends with its process, also when the process is killed. On Windows nothing is locked.
"""

import contextlib
import errno
import logging
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

from ..errors import ArtefactError, InputError, ResourceError

try:
    import fcntl
except ImportError:  # pragma: no cover (Windows)
    fcntl = None  # type: ignore[assignment]

_log = logging.getLogger(__name__)

LOCK = "lock"
CAN_LOCK = fcntl is not None
DISK_ERRORS = {
    errno.ENOSPC: "no space is left on the disk; free some space or choose another output",
    errno.EDQUOT: "your disk quota is used up; free some space or choose another output",
    errno.EFBIG: "the file exceeds the largest allowed size; raise ulimit -f or choose another output",
}
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.(?:(?P<number>\d+)-)?[0-9a-f]{8}\.(?P<kind>partial|replaced)", re.DOTALL)


def is_temporary(name: str) -> bool:
    """Return whether a file or folder of this name is taken for what a killed run left."""
    return bool(_TEMPORARY.fullmatch(name))


def set_aside(place: Path) -> list[Path]:
    """Return the folders that runs were replacing when they were killed, the latest last.

    If the place is empty, the latest one is what was there. The next run that writes there puts it back.
    """
    return [path for _, path in _temporaries(place, "replaced")]


def absence(path: Path) -> str:
    """Return why there is nothing at a path, and what to do about it."""
    if folders := set_aside(path):
        return f"a run was killed while it replaced {path}: rename {folders[-1].name} to {path.name}"
    return f"{path} does not exist: check the name"


def is_there(path: str | os.PathLike[str]) -> bool:
    """Return whether something has this name; where permissions hide the answer, raise an error that says so."""
    try:
        Path(path).stat()
    except PermissionError as error:
        raise InputError(f"cannot look at {os.fspath(path)} ({error.strerror}): check the permissions") from error
    except (OSError, ValueError):
        return False
    return True


class Partial:
    """A file or folder that is being written beside its final place. Creating the object changes nothing on disk."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.path = place.with_name(f".{place.name}.{os.getpid()}-{os.urandom(4).hex()}.partial")
        self._lock: IO[bytes] | None = None

    def open_file(self) -> BinaryIO:
        """Begin a file."""
        self._prepare()
        return self._open_locked(self.path)

    def make_folder(self, mode: int = 0o777) -> None:
        """Begin a folder."""
        self._prepare()
        self.path.mkdir(mode)
        if CAN_LOCK:
            self._open_locked(self.path / LOCK)

    def _prepare(self) -> None:
        self.place.parent.mkdir(parents=True, exist_ok=True)
        for _, left in _temporaries(self.place, "partial") if CAN_LOCK else ():
            _remove_abandoned(left)

    def _open_locked(self, path: Path) -> BinaryIO:
        """Open a file and lock it; again if another run took it for abandoned before it was locked."""
        while True:
            path.parent.mkdir(exist_ok=True)
            file = path.open("wb")
            _lock(file)
            if path.exists():
                self._lock = file
                return file
            file.close()

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
        older = _temporaries(self.place, "replaced") if replace else []
        if replace and self.place.exists():
            number = older[-1][0] + 1 if older else 1
            replaced = self.place.with_name(f".{self.place.name}.{number}-{os.urandom(4).hex()}.replaced")
            self.place.rename(replaced)
            older.append((number, replaced))
        try:
            self.path.rename(self.place)
        except OSError as error:
            if self.place.exists():
                raise ArtefactError(f"another run has just written {self.place}: choose another output") from error
            restore_replaced(self.place)
            raise
        _sync_folder(self.place.parent)
        for _, folder in older:
            # From now on it is not to come back, even if the new folder is moved away and this process is killed.
            with contextlib.suppress(OSError):
                folder.rename(self.path)
            shutil.rmtree(self.path, ignore_errors=True)

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


def temporary_folder() -> Partial:
    """Make a folder for scratch files that only this user can read; ``discard`` removes it."""
    partial = Partial(_temporary_place())
    partial.make_folder(0o700)
    return partial


def remove_abandoned(folder: Path) -> None:
    """Remove what killed runs were writing in a folder and below, and their temporary folders."""
    if not CAN_LOCK:
        return
    below = [path for path in folder.rglob("*.partial") if is_temporary(path.name)]
    for left in (*below, *(path for _, path in _temporaries(_temporary_place(), "partial"))):
        _remove_abandoned(left)


def _temporary_place() -> Path:
    return Path(tempfile.gettempdir(), "lexvec")


def restore_replaced(place: Path) -> None:
    """Put back a folder that was set aside by a run that was killed before it could rename the new one."""
    if not os.path.lexists(place) and (folders := set_aside(place)):
        folders[-1].rename(place)


@contextlib.contextmanager
def locked(path: Path, message: str) -> Iterator[None]:
    """Hold a file inside the block; ``message`` is the error if another process holds it."""
    with path.open("ab") as file:
        if not try_lock(file):
            raise ArtefactError(message)
        yield


def try_lock(file: IO[Any]) -> bool:
    """Lock an open file until it is closed. Return whether that was possible."""
    if fcntl:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True


def _lock(file: IO[Any]) -> None:
    """Lock an open file as `try_lock` does, but wait for a process that only looks whether it is abandoned."""
    if fcntl:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn a full disk inside the block into an error that names the file."""
    try:
        yield
    except OSError as error:
        if error.errno not in DISK_ERRORS:
            raise
        raise ResourceError(f"cannot write {path}: {DISK_ERRORS[error.errno]}") from error


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


def _temporaries(place: Path, kind: str) -> list[tuple[int, Path]]:
    """Return the temporary files and folders that belong to a place, each with the number in its name, in order."""
    with contextlib.suppress(OSError):  # what cannot be listed is reported when something is written there
        named = ((_TEMPORARY.fullmatch(path.name), path) for path in place.parent.iterdir())
        return sorted(
            (int(match["number"] or 0), path)
            for match, path in named
            if match and match["name"] == place.name and match["kind"] == kind
        )
    return []


def _remove_abandoned(left: Path) -> None:
    """Remove a partial file or folder, unless its writer is alive, or it is another user's."""
    with contextlib.suppress(OSError):
        if left.is_dir() and not (left / LOCK).exists():
            # It was killed between giving up the lock and the rename; only the number in its name tells whose it was.
            if not _is_alive(left.name):
                shutil.rmtree(left, ignore_errors=True)
            return
        with (left / LOCK if left.is_dir() else left).open("rb") as lock:
            if try_lock(lock):
                _log.debug("removing %s, left by a killed run", left)
                shutil.rmtree(left, ignore_errors=True) if left.is_dir() else left.unlink()


def _is_alive(name: str) -> bool:
    """Return whether the process in the name of a partial folder runs; unless that is sure, it does."""
    number = name.rsplit(".", 2)[-2].partition("-")[0]
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, OverflowError):
        return False
    except (OSError, ValueError):
        return True
    return True
