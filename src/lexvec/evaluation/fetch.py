"""Fetching test sets into the user's cache.

Of the archive of a package, found through the user's own settings of pip, one member is read, as data; nothing is
installed or run. Whatever the origin, a set is kept only if its items are those of the registry.
"""

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from ..errors import InputError
from ..progress import ProgressLike, resolved
from ..remote import Fetcher, Package, first
from ..storage.files import write_text
from .finding import sets_folder
from .origins import ORIGINS, Origin
from .parsing import digest, parse, plain
from .registry import DATASETS, named, sets_in


def fetch(
    sets: Iterable[str] | None = None,
    to: str | os.PathLike[str] | None = None,
    *,
    force: bool = False,
    progress: ProgressLike = None,
) -> tuple[list[Path], dict[str, str]]:
    """Fetch sets by key or group (None: all) into a folder (None: the user's cache).

    What is there already is left alone without ``force``. Returns the files that were written, and for each file that
    cannot be had, why.
    """
    progress = resolved(progress, __name__)
    folder = Path(to) if to is not None else sets_folder()
    keys = DATASETS if sets is None else [key for name in sets for key in named(name)]
    files = dict.fromkeys(DATASETS[key].file for key in keys)
    written: list[Path] = []
    failed: dict[str, str] = {}
    fetcher = Fetcher(progress)
    for file in files:
        if (folder / file).exists() and not force:
            progress.note(f"{folder / file} is there already")
            continue
        try:
            text, origin = first(partial(_read, origin, file, fetcher) for origin in ORIGINS[file])
        except InputError as error:
            failed[file] = str(error)
            continue
        write_text(folder / file, text)
        written.append(folder / file)
        progress.note(f"{folder / file}: from {origin}, checksum right")
    return written, failed


def fetchable() -> list[str]:
    """The sets that packages have, so that a package index is enough to get them."""
    return [key for key, known in DATASETS.items() if any(isinstance(o.place, Package) for o in ORIGINS[known.file])]


def _read(origin: Origin, file: str, fetcher: Fetcher) -> tuple[str, str]:
    """The text of a file as an origin has it, if it is the known one, and the name of that place."""
    text = plain(origin.convert(_decoded(fetcher.read(origin.place, origin.member), origin.place)))
    for dataset in sets_in(file):
        if digest(parse(text, f"{file} from {origin.place}", dataset.section)[1]) != dataset.sha256:
            raise InputError(f"{origin.place} has another version of {dataset.key}")
    return text, str(origin.place)


def _decoded(raw: bytes, place: object) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{place} does not hold what it should ({error})") from error
