"""Folders of plain arrays: what each stage writes and the next one reads.

A folder holds ``.npy`` arrays, text files, and ``meta.json``, which describes them (see `meta`). Equal input and
parameters give equal folders, byte for byte. It is written by an `ArtefactWriter` and opened as an `Artefact`.

Opening a folder takes no longer for a large one: it compares sizes and the headers of arrays. The content of an array
is compared with its checksum when the array is first asked for, so nothing is computed from a damaged one.
"""

import logging
import os
import shutil
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from ..errors import ArtefactError, Given, ParameterError
from ..machine import available_threads
from ..parameters import check_flag, path_from
from ..presentation import cards
from ..progress.reports import amount
from ..records import conforms
from ..threads import Threads
from .arrays import Array, ArrayFile, ArrayWriter, Layout, mapped, read_layout
from .atomic import LOCK, Partial, restore_replaced, temporary_folder
from .meta import VERSIONS, file_fault, file_record, meta_name, read_meta, sha256_fault, write_meta
from .outputs import check_folder_output, output_place

_log = logging.getLogger(__name__)

_MAPPED = (".npy", ".safetensors")  # files that are not read as a whole


class ArtefactWriter:
    """A folder being written: a context manager that leaves a complete folder, or nothing.

    Inside the block there are ``path`` (the final name), ``folder`` (where to write now) and ``scratch`` (for
    intermediate files, which are removed at the end). Without an ``output`` the folder is a temporary one.
    """

    path: Path
    folder: Path
    scratch: Path

    def __init__(
        self,
        output: str | os.PathLike[str] | None,
        kind: str,
        *,
        force: bool = False,
        inputs: Iterable[str | os.PathLike[str]] = (),
    ) -> None:
        self.kind = kind
        #: The temporary folder that it is written into, if there is no output.
        self.temporary: Partial | None = None
        self._output = output
        self._force = check_flag(force, "force")
        self._inputs = list(inputs)
        self._arrays: dict[str, ArrayWriter] = {}
        self._partial: Partial | None = None
        if output is not None:
            self.path = output_place(output)

    def __enter__(self) -> Self:
        if self._output is None:
            self.temporary = temporary_folder()
            self.path = self.temporary.path / self.kind
        partial = self._partial = Partial(self.path)
        try:
            with partial.errors():
                restore_replaced(self.path)
                check_folder_output(self.path, force=self._force, inputs=self._inputs)
                partial.make_folder()
                self.folder = partial.path
                self.scratch = self.folder / "scratch"
                self.scratch.mkdir()
        except BaseException:
            self._discard(partial, failed=True)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        assert self._partial is not None
        self._discard(self._partial, failed=error is not None)
        if isinstance(error, OSError):
            with self._partial.errors():
                raise error

    def _discard(self, partial: Partial, *, failed: bool) -> None:
        for array in self._arrays.values():
            array.discard()
        partial.discard()
        if failed and self.temporary:
            self.temporary.discard()

    def array(self, name: str, dtype: npt.DTypeLike, row: tuple[int, ...] = ()) -> ArrayWriter:
        """Begin the file ``name.npy``."""
        self._arrays[name] = ArrayWriter(self.folder / f"{name}.npy", dtype, row)
        return self._arrays[name]

    def length(self, name: str) -> int:
        """Return how many elements of an array are written."""
        return self._arrays[name].length

    def seal(
        self,
        parameters: Mapping[str, Any],
        facts: Mapping[str, Any],
        provenance: Mapping[str, Any],
        *,
        known: Mapping[str, dict[str, Any]] | None = None,
    ) -> None:
        """Write what describes the folder, sync everything, and give the folder its name.

        ``known`` are the records of files that other processes wrote and synced: these are not read again.
        """
        assert self._partial is not None
        shutil.rmtree(self.scratch)
        # Each file is synced and hashed on a thread of its own: both wait for the disk, or for a core.
        with Threads(available_threads(None)) as threads:
            list(threads.map(lambda _, array: array.close(), self._arrays.values()))
            written = sorted(file for file in self.folder.rglob("*") if file.is_file() and file.name != LOCK)
            names = [file.relative_to(self.folder).as_posix() for file in written]
            given = dict(known or {})
            records = threads.map(lambda _, file: given.get(file.name) or file_record(file), written)
            files = dict(zip(names, records, strict=True))
        write_meta(self.folder, self.kind, parameters, facts, provenance, files)
        self._partial.publish_folder(replace=self._force)
        size = sum(record["bytes"] for record in files.values())
        _log.debug("wrote %s: %s, %d files, %s", self.path, self.kind, len(files), amount(size, "B"))


class Artefact:
    """A finished folder. Arrays are memory-mapped when they are asked for, and checked when that first happens."""

    kind: ClassVar[str]
    #: Figures that ``meta.json`` must hold, with their types.
    facts: ClassVar[Mapping[str, Any]] = {}
    #: Files that must be there.
    contents: ClassVar[tuple[str, ...]] = ()

    def __init__(self, path: Path, meta: dict[str, Any]) -> None:
        self.path = path
        self.meta = meta
        self._temporary = False
        self._layouts: dict[str, Layout] = {}
        self._checked: dict[str, tuple[int, ...]] = {}

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Open a folder. Its description, the sizes of its files and the headers of its arrays are checked."""
        path = path_from(path, "path").absolute()
        meta = read_meta(path)
        if meta["format"] != f"lexvec-{cls.kind}":
            raise ArtefactError(f"{path} holds {meta['format']}, not lexvec-{cls.kind}: give a folder of that kind")
        if meta["version"] != VERSIONS[cls.kind]:
            raise ArtefactError(
                f"{path} has version {meta['version']} of its format and this lexvec reads {VERSIONS[cls.kind]}: "
                "rebuild it"
            )
        cls._check_facts(path, meta["facts"])
        artefact = cls(path, meta)
        artefact._check_files()
        _log.debug("opened %s: %s", path, meta["format"])
        return artefact

    @classmethod
    def _check_facts(cls, path: Path, facts: dict[str, Any]) -> None:
        for name, kind in cls.facts.items():
            if name not in facts or not conforms(facts[name], kind):
                raise ArtefactError(f"{path / meta_name(cls.kind)} has no usable value of {name}: rebuild {path}")

    def _check_files(self) -> None:
        for name in self.contents:
            self._record(name)
        for name, record in self.meta["files"].items():
            file = self.path / name
            if not file.is_file() or file.stat().st_size != record["bytes"]:
                raise self._damaged(name, f"it is missing or not {record['bytes']:,} bytes long")
            if name.endswith(".npy"):
                self._layouts[name] = read_layout(file)
            elif not name.endswith(_MAPPED):
                self.check_file(name)

    @classmethod
    def ensure(cls, given: Any, *, parameter: str | None = None) -> Self:
        """Return an artefact itself, or open the folder of that name; errors name the ``parameter`` it was given as."""
        if isinstance(given, cls):
            return given
        if isinstance(given, str | os.PathLike):
            return cls.load(given)
        expected = f": expected a {cls.__name__} or its folder, not {type(given).__name__}"
        raise ParameterError(Given(parameter or cls.kind), expected)

    @classmethod
    def written(cls, writer: ArtefactWriter) -> Self:
        """Open what a writer has sealed; a temporary folder is removed with the object."""
        artefact = cls.load(writer.path)
        if writer.temporary:
            artefact._temporary = True
            weakref.finalize(artefact, _remove_own, writer.temporary, os.getpid())
        return artefact

    def __copy__(self) -> Self:
        return self  # nothing in it changes, and a temporary folder goes with the object that owns it

    def __deepcopy__(self, _: Any) -> Self:
        return self

    def __reduce__(self) -> Any:
        """Hand the name of the folder to another process."""
        if self._temporary:
            raise ArtefactError(f"this {self.kind} is in a temporary folder: give it an output to hand it on")
        return type(self).load, (self.path,)

    def layout(self, name: str) -> Layout:
        """Return type and shape of an array, by its header alone."""
        self._record(f"{name}.npy")
        return self._layouts[f"{name}.npy"]

    def array(self, name: str, *, dtype: npt.DTypeLike | None = None, dimensions: int | None = None) -> Array:
        """Return an array of this folder, checked and memory-mapped (changes to it stay in memory).

        ``dtype`` and ``dimensions`` are what the caller relies on: another array is an error.
        """
        layout = self._layout_of(name, dtype, dimensions)
        return mapped(self.check_file(f"{name}.npy"), layout)

    def file(self, name: str, *, dtype: npt.DTypeLike | None = None) -> ArrayFile:
        """Return an array of one dimension, checked, to read piece by piece."""
        layout = self._layout_of(name, dtype, 1)
        return ArrayFile(self.check_file(f"{name}.npy"), layout.dtype, layout.shape[0], layout.start)

    def _layout_of(self, name: str, dtype: npt.DTypeLike | None, dimensions: int | None) -> Layout:
        layout = self.layout(name)
        wanted = layout.dtype if dtype is None else np.dtype(dtype)
        if layout.dtype != wanted or len(layout.shape) != (dimensions or len(layout.shape)):
            raise self._damaged(f"{name}.npy", f"it holds {layout.dtype} of shape {layout.shape}")
        return layout

    def check_file(self, name: str) -> Path:
        """Return the path of a file of this folder, once its content agrees with its checksum."""
        record = self._record(name)
        path = self.path / name
        try:
            now = path.stat()
            version = (now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns)
            if self._checked.get(name) != version:
                if fault := file_fault(path, record):
                    raise self._damaged(name, fault)
                self._checked[name] = version
        except OSError as error:
            raise ArtefactError(f"cannot read {path} ({error.strerror}): check it and its permissions") from error
        return path

    def check(self) -> Self:
        """Compare every file with its fast checksum, and what the folder says of its arrays with the arrays."""
        for name in self.meta["files"]:
            self.check_file(name)
        return self

    def check_facts(self, **derived: Any) -> None:
        """Compare figures of ``meta.json`` with what was derived from the arrays."""
        for name, value in derived.items():
            if self.meta["facts"].get(name) != value:
                fault = f"{name} is {self.meta['facts'].get(name)!r:.80}, but its arrays have {value}"
                raise ArtefactError(f"{self.path} is damaged ({fault}): rebuild it")

    def verify(self) -> None:
        """Compare every file with its SHA-256, and then do what ``check`` does."""
        for name, record in self.meta["files"].items():
            if fault := sha256_fault(self.path / name, record):
                raise self._damaged(name, fault)
        self.check()

    def _record(self, name: str) -> dict[str, Any]:
        try:
            record: dict[str, Any] = self.meta["files"][name]
        except (KeyError, TypeError):
            raise ArtefactError(
                f"{self.path} has no file {name!r:.80}: give a folder that has, or rebuild it"
            ) from None
        return record

    def _damaged(self, name: str, fault: str) -> ArtefactError:
        return ArtefactError(f"{self.path / name} is damaged ({fault}): rebuild {self.path}")

    def _repr_html_(self) -> str:
        facts = self.meta["facts"].items()
        figures = {name.replace("_", " "): fact for name, fact in facts if not isinstance(fact, list | dict)}
        rows = {**figures, "size": amount(self.bytes, "B"), "path": self.path}
        parameters = cards.folded("made with", cards.facts(self.meta["parameters"]))
        return cards.card(type(self).__name__, cards.facts(rows), *self._html_parts(), parameters)

    def _html_parts(self) -> list[str]:
        """What a notebook shows beside the figures."""
        return []

    @property
    def bytes(self) -> int:
        """Size on disk."""
        return sum(int(record["bytes"]) for record in self.meta["files"].values())


def _remove_own(temporary: Partial, process: int) -> None:
    """Remove a temporary folder, but not from a child process that has inherited it."""
    if os.getpid() == process:
        temporary.discard()
