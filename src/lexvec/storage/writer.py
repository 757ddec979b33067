"""Folders being written: complete when they get their name, or not there at all."""

import logging
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy.typing as npt

from ..machine import available_threads
from ..progress.meter import amount
from ..threads import Threads
from .arguments import check_flag
from .atomic import LOCK, Partial, restore_replaced
from .checksums import file_record
from .meta import write_meta
from .npy import ArrayWriter
from .outputs import check_folder_output, output_place

_log = logging.getLogger(__name__)


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
        self.temporary = output is None
        self._output = output
        self._force = check_flag(force, "force")
        self._inputs = list(inputs)
        self._arrays: dict[str, ArrayWriter] = {}
        self._partial: Partial | None = None
        if output is not None:
            self.path = output_place(output)

    def __enter__(self) -> Self:
        if self._output is None:
            self.path = Path(tempfile.mkdtemp(prefix="lexvec-"), self.kind)
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
            shutil.rmtree(self.path.parent, ignore_errors=True)

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
