"""Test sets as text: pairs of words with a rating, or questions of four words.

A file has one item per line, its fields separated by blanks or tabs: ``word word rating``, or ``a b c d`` (a is to b
as c is to d) under lines ``: section``. Empty lines and lines that begin with ``#`` are passed over. Items are kept in
sorted order, so that neither the order of a file nor its line ends or spelling of numbers can change a result, and
`digest` is the same for every copy of a set.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import InputError
from ..storage.files import opened

Kind = Literal["similarity", "analogy"]

PAIR, QUESTION = 3, 4  # fields of an item
_WANTED = "two words and a rating nor four words"
_SHOWN = 60


@dataclass(frozen=True, order=True)
class Item:
    """Words, in order, and what people said of them (0 for questions, whose answer is the fourth word)."""

    words: tuple[str, ...]
    rating: float = 0.0


def read_text(path: Path) -> str:
    """The text of a file."""
    with opened(path) as reader:
        raw = reader.stream.read()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not text in UTF-8: save it as such") from None


def parse(text: str, name: str, section: str | None = None) -> tuple[Kind, list[Item]]:
    """The items of a text, sorted; only those of the sections whose part (see `part_of`) is ``section``, if given.

    A text without any item is an error; one without items of that part is not.
    """
    items: list[Item] = []
    fields = None
    part = ""
    for number, line in _lines(text):
        if line.startswith(":"):
            part = part_of(line)
            continue
        values = line.split()
        fields = fields or len(values)
        if len(values) != fields or fields not in (PAIR, QUESTION):
            raise InputError(f"{name}, line {number}: {line[:_SHOWN]!r} is neither {_WANTED}, or not like those before")
        if section is None or part == section:
            items.append(_item(values, f"{name}, line {number}"))
    if fields is None:
        raise InputError(f"{name} has no items: expected lines of two words and a rating, or of four words")
    return "similarity" if fields == PAIR else "analogy", sorted(items)


def _item(values: list[str], place: str) -> Item:
    if len(values) == QUESTION:
        return Item(tuple(values))
    try:
        rating = float(values[2])
    except ValueError:
        rating = math.nan
    if not math.isfinite(rating):
        raise InputError(f"{place}: {values[2][:_SHOWN]!r} is not a rating: write a number")
    return Item((values[0], values[1]), rating)


def part_of(section: str) -> str:
    """Sections of the Google questions whose names begin with "gram" are syntactic, all others semantic."""
    return "syntactic" if section.lstrip(": ").startswith("gram") else "semantic"


def digest(items: Iterable[Item]) -> str:
    """SHA-256 of the items, one per line, in sorted order: what decides a result, and nothing else."""
    lines = (f"{chr(9).join(item.words)}\t{item.rating!r}\n" for item in sorted(items))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def plain(text: str) -> str:
    """The same items without comments, one blank or tab between fields, LF at line ends."""
    lines = []
    for _, line in _lines(text):
        values = line.split()
        lines.append(("\t" if len(values) == PAIR and values[0] != ":" else " ").join(values))
    return "".join(f"{line}\n" for line in lines)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line.strip()
