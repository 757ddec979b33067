"""Fetching test sets into the user's cache.

Archives of packages are found through the user's own pip settings. One member of an archive is read, as data; nothing
is installed or run. A set is kept only if its items have the checksum in `DATASETS`, whatever its origin.
"""

import os
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from ..errors import InputError
from ..parameters import check_flag, path_from
from ..progress import ProgressLike, resolved
from ..remote import Fetcher, Package, first
from ..storage.outputs import write_text
from ..vectors.arguments import strings
from .datasets import DATASETS, named, sets_in
from .finding import sets_folder
from .origins import ORIGINS, Origin
from .parsing import digest, parse, plain


def fetch(
    sets: Iterable[str] | None = None,
    to: str | os.PathLike[str] | None = None,
    *,
    force: bool = False,
    progress: ProgressLike = None,
) -> tuple[list[Path], dict[str, str]]:
    """Fetch test sets by key or kind of task (None: all) into a folder (None: the user's cache).

    Files that exist are kept unless ``force`` is set. Return the files that were written, and the reason for each file
    that could not be fetched.
    """
    progress = resolved(progress, __name__)
    check_flag(force, "force")
    folder = path_from(to, "to") if to is not None else sets_folder()
    keys = DATASETS if sets is None else [key for name in strings("sets", sets, "test sets") for key in named(name)]
    files = dict.fromkeys(DATASETS[key].file for key in keys)
    written: list[Path] = []
    failed: dict[str, str] = {}
    fetcher = Fetcher(progress)
    for file in files:
        if (folder / file).exists() and not force:
            progress.note(f"{folder / file} exists already")
            continue
        try:
            text, origin = first(partial(_read, origin, file, fetcher) for origin in ORIGINS[file])
        except InputError as error:
            failed[file] = str(error)
            continue
        write_text(folder / file, text)
        written.append(folder / file)
        progress.note(f"{folder / file}: from {origin}, checksum verified")
    return written, failed


def fetchable() -> list[str]:
    """Return the test sets that Python packages carry, so that a package index is enough to fetch them."""
    return [key for key, known in DATASETS.items() if any(isinstance(o.place, Package) for o in ORIGINS[known.file])]


def _read(origin: Origin, file: str, fetcher: Fetcher) -> tuple[str, str]:
    """Return the text of a file from an origin, and the name of that origin; refuse any other version of a set."""
    known = sets_in(file)
    text = origin.convert(_decoded(fetcher.read(origin.place, origin.member), origin.place))
    text = plain(text, known[0].kind)
    for dataset in known:
        _, items = parse(text, f"{file} from {origin.place}", kind=dataset.kind, section=dataset.section)
        if digest(items) != dataset.sha256:
            raise InputError(f"{origin.place} has another version of {dataset.key}")
    return text, str(origin.place)


def _decoded(raw: bytes, place: object) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{place} does not hold what it should ({error})") from error
