"""What commands read: folders by what they hold, lines of text, and several models of one method."""

import codecs
import contextlib
import glob
import logging
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..errors import ArtefactError, InputError
from ..progress import Progress
from ..storage.artefact import Artefact
from ..storage.files import Reader, file_of, opened
from ..storage.meta import read_meta
from ..trained import Combine, ModelFolder, Trained
from ..vectors import WordVectors
from ..vectors.long_text import AT_ONCE, LongText

if TYPE_CHECKING:
    from ..evaluation import Evaluation, Evaluator
    from ..sparse import SparseArtefact
    from .options import ChosenSets

_START = 1 << 16
_REPLACED = "\ufffd"


def open_folder(folder: Path) -> Artefact:
    """Return the artefact in a folder."""
    from ..association import Association  # most commands need neither these nor the compiler behind them
    from ..cooccurrence import Cooccurrence
    from ..corpus import Corpus
    from ..vectors.formats.exports import ExportFolder
    from ..vectors.formats.folder import VectorsFolder

    classes: tuple[type[Artefact], ...] = (
        Corpus, Cooccurrence, Association, ModelFolder, VectorsFolder, ExportFolder,
    )  # fmt: skip
    kind = {f"lexvec-{cls.kind}": cls for cls in classes}.get(read_meta(folder)["format"])
    if kind is None:
        raise ArtefactError(f"{folder} has a format that this version does not know: use the version that wrote it")
    return kind.load(folder)


def open_contexts(folder: Path) -> "Trained | SparseArtefact":
    """Return the model or matrix in a folder: what has contexts beside words."""
    from ..sparse import SparseArtefact

    artefact = None if file_of(folder) else open_folder(folder)
    if isinstance(artefact, ModelFolder):
        return artefact.trained
    if not isinstance(artefact, SparseArtefact):
        raise ArtefactError(f"{folder} has no contexts: give a folder of lexvec train, associate or count")
    return artefact


class TextLines:
    """Lines of a file without their ends; bytes that are not UTF-8 separate words, as they do in training.

    A line of more than half a million bytes is a `LongText`, which has to be read before the next line. If the lines
    are ``tokenized``, each is a list of words.
    """

    def __init__(self, path: Path, *, tokenized: bool = False) -> None:
        self._path, self._tokenized = path, tokenized
        self._replaced = 0
        self._first = 0

    def __iter__(self) -> Iterator[str | Sequence[str] | LongText]:
        with opened(self._path) as reader:
            self._check(reader)
            number = 0
            while line := reader.stream.readline(AT_ONCE):
                number += 1
                raw = line.removeprefix(codecs.BOM_UTF8) if number == 1 else line
                if len(line) < AT_ONCE or line.endswith(b"\n"):
                    text = self._decoded(raw, number)
                    yield text.split() if self._tokenized else text
                    continue
                pieces = self._pieces(raw, reader, number)
                yield LongText(pieces, f"{reader.name}, line {number:,}", self._tokenized)
                for _ in pieces:  # what the reader of the long text has left
                    pass

    def _check(self, reader: Reader) -> None:
        from ..corpus.blocks import looks_binary  # and with it the compiler, which other inputs do without

        if looks_binary(reader.stream.peek(_START)[:_START]):
            raise InputError(f"{reader.name} looks like a binary file, not text: give a text file in UTF-8")

    def _decoded(self, raw: bytes, number: int) -> str:
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            text = raw.decode(errors="replace")
            self._note_replaced(number)
        return text.rstrip("\r\n")

    def _pieces(self, raw: bytes, reader: Reader, number: int) -> Iterator[str]:
        """Yield the text of a long line that begins with ``raw``; it ends with the line."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        is_sound, pending = True, b""
        while True:
            is_end = len(raw) == 0 or raw.endswith(b"\n")
            text = decoder.decode(raw, final=is_end)
            read, pending = pending + raw, decoder.getstate()[0]
            read = read[: len(read) - len(pending)]
            is_sound = is_sound and text.count(_REPLACED) == read.count(_REPLACED.encode())
            yield text
            if is_end:
                break
            raw = reader.stream.readline(AT_ONCE)
        if not is_sound:
            self._note_replaced(number)

    def _note_replaced(self, number: int) -> None:
        self._replaced += 1
        self._first = self._first or number

    def note(self, progress: Progress) -> None:
        """Report, as a warning, lines that are not UTF-8."""
        if self._replaced:
            lines = f"{self._replaced:,} lines are not UTF-8, the first is line {self._first:,}: their"
            which = lines if self._replaced > 1 else f"line {self._first:,} is not UTF-8: its"
            progress.note(f"{which} invalid bytes are read as spaces", logging.WARNING)


@dataclass(frozen=True)
class ModelGroup:
    """A model, or several of one method."""

    given: str
    models: list[str]

    @classmethod
    def parse(cls, *arguments: str) -> Self:
        """Return what arguments name: each is a model, a list separated by commas, or a pattern."""
        models = [model for argument in arguments for model in _named(argument)]
        places = [os.path.realpath(model) for model in models]
        if double := next(
            (model for model, place in zip(models, places, strict=True) if places.count(place) > 1), None
        ):
            raise InputError(
                f"{double!r:.200} is named twice: name each model once, or its spread would look too small"
            )
        return cls(" ".join(arguments), models)

    @property
    def name(self) -> str:
        """What the names of all models begin with, such as "sgns" for "sgns" and "sgns-seed-2"."""
        names = [Path(model).name for model in self.models]
        return names[0] if len(names) == 1 else os.path.commonprefix(names).rstrip("-_. ")  # noqa: RUF071 (of texts, not of paths)

    @property
    def places(self) -> set[str]:
        """Where the models are, however they are named."""
        return {os.path.realpath(model) for model in self.models}

    def evaluations(
        self, evaluator: "Evaluator", chosen: "ChosenSets", combine: Combine, progress: Progress
    ) -> "list[Evaluation]":
        """Score each model; warn if they are not models of one method."""
        if mixed := _differing(self.models):
            what = f"the models of {self.given} differ in {', '.join(mixed)}, not only in their seeds"
            progress.note(f"warning: {what}: their spread is not that of one method", logging.WARNING)
        found = []
        for model in self.models:
            vectors = WordVectors.load(model, combine=combine, progress=progress)
            found.append(evaluator.evaluate(vectors, sets=chosen.names, data=chosen.data, progress=progress))
        return found


def _named(given: str) -> list[str]:
    """Return the models that an argument names: one, a list separated by commas, or what a pattern matches."""
    if not given.strip():
        raise InputError("the name of a model is empty: name a folder or a file of vectors")
    if os.path.exists(given):
        return [given]
    models: list[str] = []
    for part in filter(None, given.split(",")):
        found = [part]
        if glob.has_magic(part) and not os.path.exists(part):
            found = [match for match in sorted(glob.glob(part)) if not match.endswith(".run")]  # those are unfinished
        if not found:
            raise InputError(f"no model matches {part!r:.200}: name folders or files of vectors")
        models += found
    return models or [given]


def _differing(models: Sequence[str]) -> list[str]:
    """Return what models differ in other than the seed, as far as they are folders that record it."""
    records: list[dict[str, Any]] = []
    for model in models:
        with contextlib.suppress(ArtefactError):
            meta = read_meta(Path(model))
            text = meta["provenance"].get("ids_sha256")
            records.append({"model": meta["facts"].get("model"), "corpus": text, **meta["parameters"]})
    names = dict.fromkeys(name for record in records for name in record)
    return [name for name in names if name != "seed" and any(r.get(name) != records[0].get(name) for r in records)]
