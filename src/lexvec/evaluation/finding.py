"""Finding test sets: in a folder that was named, in $LEXVEC_DATA, in the user's cache, or inside gensim."""

import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ..errors import InputError
from ..storage.files import cache_folder
from .origins import IN_GENSIM, Convert
from .parsing import Item, Kind, digest, parse, read_text
from .registry import DATASETS, Dataset, named

_log = logging.getLogger(__name__)

VARIABLE = "LEXVEC_DATA"
ADVICE = f"fetch with lexvec data fetch, or name a folder of test sets with --data (data=) or ${VARIABLE}"


@dataclass(frozen=True)
class TestSet:
    """A set that was found and read."""

    key: str
    name: str
    kind: Kind
    items: list[Item]
    path: Path
    sha256: str
    #: Whether these are the items that the registry knows (True for a user's own file, of which it knows nothing).
    known: bool


def sets_folder() -> Path:
    """Where fetched sets are kept."""
    return cache_folder("data")


def locate(file: str, data: str | os.PathLike[str] | None = None) -> tuple[Path, Convert] | None:
    """Where a file is, and how to make a set of its text."""
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
        if not os.path.isdir(data):
            raise InputError(f"{os.fspath(data)[:200]} is not a folder: name one that holds test sets")
        yield Path(data)
    if os.environ.get(VARIABLE):
        yield Path(os.environ[VARIABLE])
    yield sets_folder()


def read_known(dataset: Dataset, data: str | os.PathLike[str] | None = None) -> TestSet | None:
    """A set of the registry, or None where it cannot be found."""
    found = locate(dataset.file, data)
    if found is None:
        return None
    path, convert = found
    kind, items = parse(convert(read_text(path)), str(path), dataset.section)
    if kind != dataset.kind:
        raise InputError(f"{path} holds no {dataset.kind} set: put the right file in its place")
    if not items:
        return None
    sha256 = digest(items)
    _log.debug("%s: %d items from %s", dataset.key, len(items), path)
    return TestSet(dataset.key, dataset.name, kind, items, path, sha256, sha256 == dataset.sha256)


def read_own(path: Path) -> TestSet:
    """A user's own file."""
    kind, items = parse(read_text(path), str(path))
    return TestSet(str(path), path.stem, kind, items, path, digest(items), True)


def gather(
    sets: Sequence[str | os.PathLike[str]] | None, data: str | os.PathLike[str] | None = None
) -> tuple[list[TestSet], list[Dataset]]:
    """The sets asked for by key, group or path (None: all that are known), and those of them that are missing.

    A set that was asked for by its own name must be there; and one at least must be there in any case.
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
            raise InputError(f"the test set {name} is not here: {ADVICE}")
        else:
            missing.append(DATASETS[name])
    if not found:
        raise InputError(f"no test set was found: {ADVICE}")
    return found, missing


def _wanted(sets: Sequence[str | os.PathLike[str]] | None) -> Iterator[tuple[str | Path, bool]]:
    """Keys or paths, each once, and whether it was asked for by its own name."""
    if sets is None:
        yield from ((key, False) for key in DATASETS)
        return
    seen: set[str] = set()
    for given in [sets] if isinstance(sets, str | os.PathLike) else sets:
        name = os.fspath(given)
        own = name not in DATASETS and os.path.isfile(name)
        for key in (name,) if own else named(name):
            if key not in seen:
                yield Path(key) if own else key, key == name
            seen.add(key)
