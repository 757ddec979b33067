"""Subwords that a file lists: ``word part part …``, such as morphemes."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..errors import ArtefactError, InputError
from ..storage.artefact import Artefact
from ..storage.files import opened
from .composer import NgramComposer
from .schemes import Scheme, recorded_scheme
from .spans import Bytes, Integers, Spans

FILE = "subwords.txt"


@dataclass(frozen=True)
class ListedParts(Scheme):
    """The parts of words in a file, hashed as another scheme hashes n-grams; words that are not in it have none.

    >>> from lexvec.subwords import FastTextScheme
    >>> scheme = ListedParts.over(FastTextScheme(), {"walks": ["walk", "s"]})
    >>> scheme.rows("walks").tolist() == FastTextScheme().part_rows(["walk", "s"]).tolist()
    True
    >>> len(scheme.rows("walked"))
    0
    """

    name = "listed"

    parts: Mapping[str, Sequence[str]] = field(default_factory=dict, compare=False)
    hashed_as: Scheme = field(kw_only=True)

    @classmethod
    def over(cls, scheme: Scheme, parts: Mapping[str, Sequence[str]]) -> Self:
        """Return the scheme that hashes parts as another one does."""
        return cls(scheme.min_n, scheme.max_n, scheme.buckets, parts, hashed_as=scheme)

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
            file.writelines(f"{word} {' '.join(parts)}\n".encode() for word, parts in self.parts.items())
            file.flush()
            os.fsync(file.fileno())

    @classmethod
    def recorded(cls, record: Mapping[str, Any], folder: Artefact) -> Self:
        """Return the scheme of a saved model."""
        scheme = recorded_scheme(record.get("hashed_as"), folder.path)
        try:
            return cls.over(scheme, read_parts(folder.check_file(FILE)))
        except InputError as error:
            raise ArtefactError(f"{folder.path} is damaged ({error}): rebuild it") from error

    def _spans(self, words: Sequence[str], data: Bytes, bounds: Integers) -> Spans:
        raise NotImplementedError  # `table` needs none

    def _hashes(self, data: Bytes, spans: Spans) -> npt.NDArray[np.uint32]:
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class ListedComposer:
    """Composes vectors of words that a file lists the parts of."""

    rows: NgramComposer

    def composed(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the mean of the rows of each word's parts; zeros for a word that is not listed."""
        return self.rows.composed(words)


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
        for number, line in enumerate(_lines(reader.stream, path), 1):
            word, *parts = line.split() or [""]
            if not word:
                continue
            if not parts:
                raise InputError(f"{path}, line {number}: expected word part part …, found {line.strip()[:40]!r}")
            if word in found:
                raise InputError(f"{path}, line {number}: the word {word[:40]!r} is listed twice: remove one of them")
            found[word] = [part for part in parts if part != f"<{word}>"]
    return found


def _lines(stream: Iterable[bytes], path: object) -> Iterable[str]:
    try:
        for line in stream:
            yield line.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start} of a line): convert it first") from None
