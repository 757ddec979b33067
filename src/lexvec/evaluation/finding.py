"""Finding test sets: in a given folder, in $LEXVEC_DATA, in the user's cache, or inside gensim."""

import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ..errors import Given, InputError, ParameterError
from ..parameters import check_text, path_from
from ..storage.files import cache_folder
from ..vectors.arguments import checked_list
from .datasets import DATASETS, Dataset, named
from .origins import IN_GENSIM, Convert
from .parsing import digest, parse, read_text
from .tasks import Item

_log = logging.getLogger(__name__)

VARIABLE = "LEXVEC_DATA"
ADVICE = f"fetch with lexvec data fetch, or name a folder of test sets with --data or ${VARIABLE}"


@dataclass(frozen=True)
class TestSet:
    """A test set that was found and read."""

    key: str
    name: str
    kind: str
    items: list[Item]
    path: Path
    sha256: str
    #: Whether the items have the checksum in `DATASETS` (always True for a user's own file, which has none).
    known: bool


def sets_folder() -> Path:
    """Return the folder for fetched test sets."""
    return cache_folder("data")


def locate(file: str, data: str | os.PathLike[str] | None = None) -> tuple[Path, Convert] | None:
    """Return where a file of a test set is, and the conversion that its text needs; None if it is not found."""
    check_text(file, "file")
    for folder in _folders(data):
        if (folder / file).is_file():
            return folder / file, str
    if file in IN_GENSIM and (package := find_spec("gensim")) and package.origin:
        name, convert = IN_GENSIM[file]
        path = Path(package.origin).parent / "test" / "test_data" / name
        if path.is_file():
            return path, convert
    return None


def _folders(data: str | os.PathLike[str] | None) -> Iterator[Path]:
    if data is not None:
        yield _folder(path_from(data, "data"), "")
    if os.environ.get(VARIABLE):
        yield _folder(Path(os.environ[VARIABLE]), f" (from ${VARIABLE})")
    yield sets_folder()


def _folder(path: Path, source: str) -> Path:
    if not os.path.isdir(path):
        raise InputError(f"{str(path)[:200]}{source} is not a folder: name one that holds test sets")
    return path


def read_known(dataset: Dataset, data: str | os.PathLike[str] | None = None) -> TestSet | None:
    """Return a known test set, or None if it is not found."""
    found = locate(dataset.file, data)
    if found is None:
        return None
    path, convert = found
    kind, items = parse(convert(read_text(path)), str(path), kind=dataset.kind, section=dataset.section)
    if not items:
        return None
    sha256 = digest(items)
    _log.debug("%s: %d items from %s", dataset.key, len(items), path)
    return TestSet(dataset.key, dataset.name, kind, items, path, sha256, sha256 == dataset.sha256)


def read_own(path: Path) -> TestSet:
    """Read a user's own file."""
    kind, items = parse(read_text(path), str(path))
    return TestSet(str(path), path.stem, kind, items, path, digest(items), True)


def gather(
    sets: Sequence[str | os.PathLike[str]] | None, data: str | os.PathLike[str] | None = None
) -> tuple[list[TestSet], list[Dataset]]:
    """Return the sets asked for by key, kind of task or path (None: all known sets), and those that are missing.

    A set that is asked for by its own key must be found, and at least one must be found in any case.
    """
    found: list[TestSet] = []
    missing: list[Dataset] = []
    for name, required in _wanted(sets):
        if isinstance(name, Path):
            found.append(read_own(name))
            continue
        read = read_known(DATASETS[name], data)
        if read:
            found.append(read)
        elif required:
            raise InputError(f"the test set {name} was not found: {ADVICE}")
        else:
            missing.append(DATASETS[name])
    if not found:
        raise InputError(f"no test set was found: {ADVICE}")
    return found, missing


def _wanted(sets: Sequence[str | os.PathLike[str]] | None) -> Iterator[tuple[str | Path, bool]]:
    """Yield keys or paths, each once, and whether it was asked for by its own name."""
    if sets is None:
        yield from ((key, False) for key in DATASETS)
        return
    seen: set[str] = set()
    given = [sets] if isinstance(sets, str | os.PathLike) else checked_list("sets", sets, object, "a list of test sets")
    if not given:
        raise ParameterError(Given("sets"), " is empty: name at least one test set, or omit it for all of them")
    for each in given:
        name = each if each == "" else str(path_from(each, "sets"))
        own = name not in DATASETS and os.path.isfile(name)
        if not own and _looks_like_a_file(name):
            what = "is not a file" if os.path.exists(name) else "does not exist"
            raise InputError(f"{name[:200]} {what}: name a test set (see lexvec data list) or a file of your own")
        for key in (name,) if own else named(name):
            if key not in seen:
                yield Path(key) if own else key, key == name
            seen.add(key)


def _looks_like_a_file(name: str) -> bool:
    """Whether a name is that of a file rather than of a test set: no key has a suffix or is in a folder."""
    path = Path(name)
    return path.suffix != "" or len(path.parts) > 1
