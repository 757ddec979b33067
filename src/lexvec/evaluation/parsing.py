"""Test sets as text: one item per line, such as ``word word rating`` or ``a b c d``.

Fields are separated by whitespace, or as the kind of task separates them: pairs of sentences are lines of CSV. Empty
lines and comments (``#`` at the start of a line) are skipped. Lines that begin with ``:`` name sections, as in the
Google analogies. The kind of task follows from the first line, or from a comment ``# task: NAME`` with a name in
`lexvec.evaluation.TASKS`.

Items are kept in sorted order. Results therefore depend neither on the order of a file nor on its line ends or its
spelling of numbers, and `digest` is the same for every copy of a set.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import InputError
from ..storage.files import opened
from .tasks import TASKS, Item

_DECLARED = re.compile(r"#\s*task:\s*(\S+)\s*", re.IGNORECASE)
_MOST_BYTES = 1 << 24  # no test set is larger
_SHOWN = 60


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


def part_of(section: str) -> str:
    """Return "syntactic" for sections of the Google analogies that begin with "gram", "semantic" for all others."""
    return "syntactic" if section.lstrip(": ").startswith("gram") else "semantic"


def digest(items: Iterable[Item]) -> str:
    """Return the SHA-256 of the items, one per line, in sorted order: of exactly what decides a result."""
    lines = (f"{chr(9).join(item.words)}\t{item.rating!r}\n" for item in sorted(items))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def plain(text: str, kind: str) -> str:
    """Return the same items without comments, with one separator between fields, and with LF at line ends."""
    separator = TASKS[kind].separator
    lines = [(" " if line.startswith(":") else separator).join(line.split()) for _, line in _lines(text)]
    return "".join(f"{line}\n" for line in lines)


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
