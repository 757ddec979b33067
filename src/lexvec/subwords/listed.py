"""Subwords that a file lists: ``word part part …``, such as morphemes."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..errors import ArtefactError, InputError
from ..storage.artefact import Artefact
from ..storage.bounded import numbered_lines
from ..storage.files import opened
from .schemes import NgramScheme, Scheme, recorded_scheme
from .spans import Integers

FILE = "subwords.txt"


@dataclass(frozen=True)
class ListedParts(Scheme):
    """The parts of words in a file, hashed as another scheme hashes n-grams; words that are not in it have none.

    >>> from lexvec.subwords import FastTextScheme
    >>> scheme = ListedParts({"walks": ["walk", "s"]}, FastTextScheme())
    >>> scheme.rows("walks").tolist() == FastTextScheme().part_rows(["walk", "s"]).tolist()
    True
    >>> len(scheme.rows("walked"))
    0
    """

    name = "listed"

    parts: Mapping[str, Sequence[str]] = field(compare=False)
    hashed_as: NgramScheme

    @property
    def buckets(self) -> int:
        """As many as those of the scheme that hashes parts."""
        return self.hashed_as.buckets

    def table(self, words: Sequence[str]) -> tuple[Integers, Integers]:
        """Return the rows of the parts of many words."""
        listed = [self.parts.get(word, ()) for word in words]
        indptr = np.zeros(len(words) + 1, np.int64)
        np.cumsum([len(parts) for parts in listed], out=indptr[1:])
        return indptr, self.hashed_as.part_rows([part for parts in listed for part in parts])

    def record(self) -> dict[str, Any]:
        """Return what an artefact's facts say of the scheme; the parts are in a file beside them."""
        return {"name": self.name, "hashed_as": self.hashed_as.record()}

    def save(self, folder: Path) -> None:
        """Write the parts of words."""
        with (folder / FILE).open("wb") as file:
            # A word without parts is listed with its mark, which `read_parts` skips.
            lines = (f"{word} {' '.join(parts) or f'<{word}>'}\n" for word, parts in self.parts.items())
            file.writelines(line.encode() for line in lines)
            file.flush()
            os.fsync(file.fileno())

    @classmethod
    def recorded(cls, record: Mapping[str, Any], folder: Artefact) -> Self:
        """Return the scheme of a saved model."""
        scheme = recorded_scheme(record.get("hashed_as"), folder.path)
        try:
            return cls(read_parts(folder.check_file(FILE)), scheme)
        except InputError as error:
            raise ArtefactError(f"{folder.path} is damaged ({error}): rebuild it") from error


def read_parts(path: str | os.PathLike[str]) -> dict[str, list[str]]:
    r"""Read ``word part part …`` lines; empty lines and the word itself between marks (``<word>``) are skipped.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
    ...     _ = file.write("walks walk s\n\nunkindness <unkindness> un kind ness\n")
    ...     file.flush()
    ...     read_parts(file.name)
    {'walks': ['walk', 's'], 'unkindness': ['un', 'kind', 'ness']}
    """
    found: dict[str, list[str]] = {}
    with opened(Path(path)) as reader:
        for number, line in numbered_lines(reader.stream, reader.name):
            word, *parts = _text(line, number, path).split() or [""]
            if not word:
                continue
            if not parts:
                raise InputError(f"{path}, line {number}: expected word part part …, found {word[:40]!r}")
            if word in found:
                raise InputError(f"{path}, line {number}: the word {word[:40]!r} is listed twice: remove one of them")
            found[word] = [part for part in parts if part != f"<{word}>"]
    return found


def _text(line: bytes, number: int, path: object) -> str:
    if b"\0" in line:
        raise InputError(f"{path}, line {number}: it has a NUL byte, so this is no text file; give one")
    try:
        return line.decode("utf-8-sig" if number == 1 else "utf-8")  # some editors write a byte order mark
    except UnicodeDecodeError:
        raise InputError(f"{path}, line {number}: it is not UTF-8; convert the file first") from None
