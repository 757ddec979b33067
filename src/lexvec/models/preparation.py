"""Artefacts that work needs: made once, and found again when the work is resumed."""

import contextlib
import hashlib
import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, TypeVar

from ..errors import ArtefactError
from ..progress import Progress
from ..storage.artefact import Artefact
from ..storage.atomic import try_lock

_PATIENCE = 0.1  # seconds between two looks whether another process is ready

_log = logging.getLogger(__name__)

A = TypeVar("A", bound=Artefact)


def prepared(path: Path, kind: type[A], make: Callable[[Path], A], progress: Progress) -> A:
    """Return the artefact in a folder; make it if it is not there, and again if it is damaged."""
    if path.exists():
        try:
            found = kind.load(path)
            found.verify()
            _log.debug("%s is there from before", path)
            return found
        except ArtefactError as error:
            progress.note(f"rebuilding {path.name}: {error}", logging.WARNING)
            shutil.rmtree(path)
    return make(path)


def prepared_together(path: Path, kind: type[A], make: Callable[[Path], A], progress: Progress) -> A:
    """Return the artefact in a folder as `prepared` does; of several processes, one makes it and the others wait."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _held(path.with_name(f".lock-{path.name}")):
        return prepared(path, kind, make, progress)


@contextlib.contextmanager
def _held(path: Path) -> Iterator[None]:
    """Hold a lock file inside the block, and remove it at the end; wait while another process holds it."""
    while True:
        with path.open("ab") as file:
            while not try_lock(file):
                time.sleep(_PATIENCE)
            if _is_there(file, path):
                try:
                    yield
                finally:
                    with contextlib.suppress(OSError):  # on Windows an open file cannot be removed
                        path.unlink()
                return


def _is_there(file: IO[Any], path: Path) -> bool:
    """Return whether an open file is still the one of its name: the process that held it before removes it."""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    return False


def digest_of(record: Any) -> str:
    """Return a short digest of what JSON can hold, the same for equal records."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:8]
