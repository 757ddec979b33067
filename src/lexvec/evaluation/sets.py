"""Test sets: found in folders, fetched into the user's cache, and read.

A set is searched for in a folder that the caller names, in $LEXVEC_DATA, in the user's cache, and inside gensim. To
fetch one, archives of packages are found through the user's own pip settings. One member of an archive is read, as
data; nothing is installed or run. A fetched set is kept only if its items have the checksum in `DATASETS`.

A set is text with one item per line, such as ``word word rating`` or ``a b c d``. Fields are separated by whitespace,
or as the kind of task separates them: pairs of sentences are lines of CSV. Empty lines and comments (``#`` at the start
of a line) are skipped. Lines that begin with ``:`` name sections, as in the Google analogies. The kind of task follows
from the first line, or from a comment ``# task: NAME`` with a name in `lexvec.evaluation.TASKS`.

Items are kept in sorted order. Results therefore depend neither on the order of a file nor on its line ends or its
spelling of numbers, and `digest` is the same for every copy of a set.
"""

import hashlib
import logging
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from ..errors import Given, InputError, ParameterError
from ..parameters import check_flag, check_text, path_from
from ..progress import ProgressLike, resolved
from ..remote import Fetcher, Package, first
from ..storage.files import cache_folder, opened
from ..storage.outputs import write_text
from ..vectors.arguments import checked_list, strings
from .datasets import DATASETS, IN_GENSIM, ORIGINS, Convert, Dataset, Origin, named, sets_in
from .tasks import TASKS, Item, Task

VARIABLE = "LEXVEC_DATA"
ADVICE = f"fetch with lexvec data fetch, or name a folder of test sets with --data or ${VARIABLE}"
_DECLARED = re.compile(r"#\s*task:\s*(\S+)\s*", re.IGNORECASE)
_MOST_BYTES = 1 << 24  # no test set is larger
_SHOWN = 60
_log = logging.getLogger(__name__)


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

    @property
    def task(self) -> Task:
        """The task of this kind."""
        return TASKS[self.kind]


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


def sets_folder() -> Path:
    """Return the folder for fetched test sets."""
    return cache_folder("data")


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


def read_text(path: Path) -> str:
    """Return the text of a file."""
    with opened(path) as reader:
        raw = reader.stream.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise InputError(f"{path} has more than {_MOST_BYTES >> 20} MB of text: give a test set")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not text in UTF-8: save it in UTF-8") from None


def parse(text: str, name: str, *, kind: str | None = None, section: str | None = None) -> tuple[str, list[Item]]:
    """Return the kind of task and the items of a text, sorted.

    ``kind`` is the kind of task that is expected, if one is. ``section`` keeps only the items of sections whose part
    (see `part_of`) it names. A text without any item is an error; one without items of that part is not.
    """
    kind = kind or _declared_kind(text, name)
    lines = list(_item_lines(text, sections=kind is None or TASKS[kind].looked_up))
    if not lines:
        raise InputError(f"{name} has no items: write one item per line, such as {_known_lines(' or ')}")
    kind = kind or _recognised_kind(lines[0], name)
    task = TASKS[kind]
    items: list[Item] = []
    for number, line, part in lines if task.looked_up else _item_lines(text, sections=False):
        place = f"{name}, line {number}"
        fields = task.split(line)
        if task.fields not in (None, len(fields)):
            raise InputError(
                f"{place}: {' '.join(line.split())[:_SHOWN]!r} is not {task.line}: mend or remove the line"
            )
        if section is None or part == section:
            try:
                items.append(task.item(fields))
            except ValueError as error:
                raise InputError(f"{place}: {error}") from error
    return kind, sorted(items)


def digest(items: Iterable[Item]) -> str:
    """Return the SHA-256 of the items, one per line, in sorted order: of exactly what decides a result."""
    lines = (f"{chr(9).join(item.words)}\t{item.rating!r}\n" for item in sorted(items))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def plain(text: str, kind: str) -> str:
    """Return the same items without comments, with one separator between fields, and with LF at line ends."""
    separator = TASKS[kind].separator
    lines = [(" " if line.startswith(":") else separator).join(line.split()) for _, line in _lines(text)]
    return "".join(f"{line}\n" for line in lines)


def part_of(section: str) -> str:
    """Return "syntactic" for sections of the Google analogies that begin with "gram", "semantic" for all others."""
    return "syntactic" if section.lstrip(": ").startswith("gram") else "semantic"


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


def _declared_kind(text: str, name: str) -> str | None:
    """Return the kind of task that a comment names, if one does."""
    for number, line in enumerate(text.splitlines(), 1):
        if declared := _DECLARED.fullmatch(line.strip()):
            if declared[1] not in TASKS:
                raise InputError(f"{name}, line {number}: {TASKS.unknown(declared[1])}")
            return declared[1]
    return None


def _recognised_kind(first: tuple[int, str, str], name: str) -> str:
    """Return the kind of task that recognises the first item of a file; the strictest one is asked first."""
    number, line, _ = first
    for kind in sorted(TASKS, key=lambda kind: TASKS[kind].looked_up):
        if TASKS[kind].recognises(line):
            return kind
    shown = " ".join(line.split())[:_SHOWN]
    raise InputError(
        f"{name}, line {number}: {shown!r} is neither {_known_lines(' nor ')}: mend the line, or name the kind of task "
        "in a comment (# task: NAME)"
    )


def _known_lines(between: str) -> str:
    return between.join(task.line for task in TASKS.values() if task.fields is not None)


def _item_lines(text: str, *, sections: bool = True) -> Iterator[tuple[int, str, str]]:
    """Yield the number, the text and the part (see `part_of`) of each line that is an item."""
    part = ""
    for number, line in _lines(text):
        if sections and line.startswith(":"):
            part = part_of(line)
        else:
            yield number, line, part


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line.strip()
