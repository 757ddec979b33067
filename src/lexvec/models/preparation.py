"""Artefacts that work needs: made once, and found again when the work is resumed."""

import logging
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ..errors import ArtefactError
from ..progress import Progress
from ..storage.artefact import Artefact

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
