"""Folders of plain arrays: what each stage writes and the next one reads.

A folder holds ``.npy`` arrays, text files, and ``meta.json`` (``config.json`` in a folder of vectors, as other tools
call it) with the format and its version, the parameters, figures about the content, where it came from, and the size
and SHA-256 of every file. Equal input and parameters give equal folders, byte for byte.

A folder is written under a temporary name beside its final one, synced, and renamed: whatever bears the final name is
complete. What a killed run leaves behind is removed by the next run with the same output.
"""

import contextlib
import glob
import hashlib
import json
import logging
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from .._version import __version__
from ..errors import ArtefactError, ParameterError, ResourceError
from ..presentation import cards
from ..progress.meter import amount
from .files import DISK_ERRORS

try:
    import fcntl
except ImportError:  # pragma: no cover (Windows: leftovers of killed runs are then left alone)
    fcntl = None  # type: ignore[assignment]

Array = npt.NDArray[Any]

_log = logging.getLogger(__name__)

META = "meta.json"
_CONFIG = "config.json"
_LOCK = "lock"


@contextlib.contextmanager
def locked(path: Path, message: str) -> Iterator[None]:
    """Hold a file for this process alone, as long as it lives; ``message`` is the error if another one has it."""
    with path.open("ab") as file:
        if fcntl:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ArtefactError(message) from None
        yield


class ArrayWriter:
    """Writes a ``.npy`` file piece by piece, its length not known beforehand; ``row`` is the shape of an element."""

    def __init__(self, path: Path, dtype: npt.DTypeLike, row: tuple[int, ...] = ()) -> None:
        self.dtype = np.dtype(dtype)
        self.length = 0
        self._row = row
        self._file = path.open("wb")
        self._header()

    def _header(self) -> None:
        # numpy pads headers so that a longer shape fits in the same place.
        header = {"descr": self.dtype.str, "fortran_order": False, "shape": (self.length, *self._row)}
        np.lib.format.write_array_header_1_0(self._file, header)

    def append(self, values: Array) -> None:
        """Write ``values`` behind what is there."""
        self._file.write(np.ascontiguousarray(values, self.dtype).data)
        self.length += len(values)

    def close(self) -> None:
        """Finish the file."""
        self._file.seek(0)
        self._header()
        _sync(self._file)
        self._file.close()


class ArtefactWriter:
    """A folder being written: a context manager that leaves a complete folder, or nothing."""

    def __init__(
        self,
        output: str | os.PathLike[str] | None,
        kind: str,
        *,
        force: bool = False,
        inputs: Iterable[str | os.PathLike[str]] = (),
    ) -> None:
        self._temporary = output is None
        # A link is followed: what is replaced is the folder that it leads to.
        self.path = Path(tempfile.mkdtemp(prefix="lexvec-"), kind) if output is None else Path(os.path.realpath(output))
        if not self.path.name:
            raise ArtefactError(f"{self.path} cannot be made: choose another output")
        self.kind = kind
        self._force = force
        self._arrays: dict[str, ArrayWriter] = {}
        self._lock: IO[bytes] | None = None
        self.folder = self.path.with_name(f".{self.path.name}.{os.getpid()}-{os.urandom(4).hex()}.partial")
        # Intermediate files of the work; never part of the finished folder.
        self.scratch = self.folder / "scratch"
        with self._disk_errors():
            self._restore_replaced()
            self._check_output(inputs)

    def __enter__(self) -> Self:
        try:
            with self._disk_errors():
                self.path.parent.mkdir(parents=True, exist_ok=True)
                self._remove_abandoned()
                self.scratch.mkdir(parents=True)
                self._lock = (self.folder / _LOCK).open("wb")
                if fcntl:
                    fcntl.flock(self._lock, fcntl.LOCK_EX)
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        for array in self._arrays.values():
            with contextlib.suppress(OSError):  # a full disk shows again here; the first error is the one to report
                array._file.close()
        self._remove()
        if error and self._temporary:
            shutil.rmtree(self.path.parent, ignore_errors=True)
        if isinstance(error, OSError):
            with self._disk_errors():
                raise error

    def _remove(self) -> None:
        if self._lock:
            self._lock.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def array(self, name: str, dtype: npt.DTypeLike, row: tuple[int, ...] = ()) -> ArrayWriter:
        """Begin the file ``name.npy``."""
        self._arrays[name] = ArrayWriter(self.folder / f"{name}.npy", dtype, row)
        return self._arrays[name]

    def length(self, name: str) -> int:
        """How much of an array is written."""
        return self._arrays[name].length

    def seal(self, parameters: Mapping[str, Any], facts: Mapping[str, Any], provenance: Mapping[str, Any]) -> None:
        """Write what describes the folder, sync everything, and give the folder its name."""
        for array in self._arrays.values():
            array.close()
        shutil.rmtree(self.scratch)
        files: dict[str, dict[str, Any]] = {
            file.name: {"bytes": file.stat().st_size, "sha256": checksum(file)}
            for file in sorted(self.folder.iterdir())
            if file.name != _LOCK
        }
        meta = {
            "format": f"lexvec-{self.kind}",
            "version": VERSIONS[self.kind],
            "lexvec": __version__,
            "parameters": dict(parameters),
            "facts": dict(facts),
            "provenance": dict(provenance),
            "files": files,
        }
        with (self.folder / _meta_name(self.kind)).open("w", encoding="utf-8") as file:
            json.dump(meta, file, indent=2)  # in ASCII: the name of a source need not be valid Unicode
            file.write("\n")
            _sync(file)
        # The lock goes last: while it is held, no other run takes this folder for abandoned.
        (self.folder / _LOCK).unlink()
        _sync_folder(self.folder)
        self._publish()
        size = sum(facts["bytes"] for facts in files.values())
        _log.debug("wrote %s: %s, %d files, %s", self.path, meta["format"], len(files), amount(size, "B"))

    def _publish(self) -> None:
        replaced = None
        if self._force and self.path.exists():
            replaced = self.path.with_name(f".{self.path.name}.{os.urandom(4).hex()}.replaced")
            self.path.rename(replaced)
        try:
            self.folder.rename(self.path)
        except OSError as error:
            if self.path.exists():
                raise ArtefactError(f"{self.path} was made by another run meanwhile: choose another output") from error
            raise
        _sync_folder(self.path.parent)
        if replaced:
            shutil.rmtree(replaced)

    def _check_output(self, inputs: Iterable[str | os.PathLike[str]]) -> None:
        for given in map(Path, map(os.path.realpath, inputs)):
            if self.path == given or self.path in given.parents or (given.is_dir() and given in self.path.parents):
                raise ArtefactError(f"{self.path} and the input {given} lie in one another: choose another output")
        if not os.path.lexists(self.path):
            return
        if not self._force:
            raise ArtefactError(f"{self.path} exists: choose another output, or replace it with --force (force=True)")
        if not self.path.is_dir() or (any(self.path.iterdir()) and not self._ours()):
            raise ArtefactError(f"{self.path} holds what lexvec did not make: choose another output")

    def _ours(self) -> bool:
        """Whether the output is a folder of ours with nothing else in it."""
        try:
            meta = read_meta(self.path)
            known = {_meta_name(meta["format"].removeprefix("lexvec-")), _LOCK, *meta["files"]}
        except ArtefactError:
            return False
        return all(file.name in known for file in self.path.iterdir())

    def _remove_abandoned(self) -> None:
        """Clear away what killed runs left."""
        for folder in self.path.parent.glob(f".{glob.escape(self.path.name)}.*.partial") if fcntl else ():
            with contextlib.suppress(OSError), (folder / _LOCK).open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while its writer lives
                _log.debug("removing %s, which a killed run left", folder)
                shutil.rmtree(folder, ignore_errors=True)

    def _restore_replaced(self) -> None:
        """If a run was killed while it put its folder in the place of an older one, the older one comes back."""
        for folder in self.path.parent.glob(f".{glob.escape(self.path.name)}.*.replaced"):
            if not os.path.lexists(self.path):
                folder.rename(self.path)
            else:
                shutil.rmtree(folder, ignore_errors=True)

    @contextlib.contextmanager
    def _disk_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in DISK_ERRORS:
                reason = DISK_ERRORS[error.errno]
                raise ResourceError(
                    f"cannot write {self.path}: {reason}; make room or choose another output"
                ) from error
            failed = Path(os.path.realpath(error.filename)) if error.filename is not None else None
            if failed and (failed in self.path.parents or self.folder in (failed, *failed.parents)):
                raise ArtefactError(f"cannot write {self.path}: {error.strerror}; choose another output") from error
            raise


VERSIONS = {"corpus": 1, "counts": 1, "association": 2, "checkpoint": 1, "model": 1, "vectors": 1}


def _meta_name(kind: str) -> str:
    return _CONFIG if kind == "vectors" else META


class Artefact:
    """A finished folder. Arrays are memory-mapped when they are first asked for."""

    kind: ClassVar[str]
    facts: ClassVar[tuple[str, ...]] = ()  # what ``meta.json`` must tell

    def __init__(self, path: Path, meta: dict[str, Any]) -> None:
        self.path = path
        self.meta = meta
        self._temporary = False

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Open a folder; its format, version and file sizes are checked (contents: `verify`)."""
        path = Path(path).absolute()
        meta = read_meta(path)
        if meta["format"] != f"lexvec-{cls.kind}":
            raise ArtefactError(f"{path} holds {meta['format']}, not lexvec-{cls.kind}: give a folder of that kind")
        if meta["version"] != VERSIONS[cls.kind]:
            raise ArtefactError(
                f"{path} has version {meta['version']} of its format and this lexvec reads {VERSIONS[cls.kind]}: "
                "make it anew"
            )
        missing = [name for name in cls.facts if name not in meta["facts"]]
        if missing:
            raise ArtefactError(f"{path / _meta_name(cls.kind)} does not tell {', '.join(missing)}: make it anew")
        for name, facts in meta["files"].items():
            file = path / name
            if not file.is_file() or file.stat().st_size != facts["bytes"]:
                raise ArtefactError(f"{file} is missing or not {facts['bytes']} bytes long: make {path} anew")
        _log.debug("opened %s: %s", path, meta["format"])
        return cls(path, meta)

    @classmethod
    def of(cls, given: Any) -> Self:
        """The artefact itself, or the one in a folder of that name."""
        if isinstance(given, cls):
            return given
        if isinstance(given, str | os.PathLike):
            return cls.load(given)
        raise ParameterError(f"expected a {cls.__name__} or its folder, not {type(given).__name__}")

    @classmethod
    def written(cls, writer: ArtefactWriter) -> Self:
        """Open what a writer has sealed; a folder made without a name is removed with the object."""
        artefact = cls.load(writer.path)
        if writer._temporary:
            artefact._temporary = True
            weakref.finalize(artefact, _remove_own, writer.path.parent, os.getpid())
        return artefact

    def __copy__(self) -> Self:
        return self  # nothing in it changes, and a temporary folder goes with the object that has it

    def __deepcopy__(self, _: Any) -> Self:
        return self

    def __reduce__(self) -> Any:
        """To another process goes the name of the folder."""
        if self._temporary:
            raise ArtefactError(f"this {self.kind} is in a temporary folder: make it with an output to hand it on")
        return type(self).load, (self.path,)

    def array(self, name: str) -> Array:
        """A memory-mapped array of this folder (changes to it stay in memory)."""
        # Mode "c" rather than "r": to Numba a read-only array is another type, for which kernels are compiled again.
        array = np.load(self.path / f"{name}.npy", mmap_mode="c", allow_pickle=False)
        return np.asarray(array) if array.size else np.empty(0, array.dtype)

    def verify(self) -> None:
        """Compare every file with its checksum."""
        for name, facts in self.meta["files"].items():
            if checksum(self.path / name) != facts["sha256"]:
                raise ArtefactError(f"{self.path / name} is damaged (wrong SHA-256): make {self.path} anew")

    def _repr_html_(self) -> str:
        told = self.meta["facts"].items()
        figures = {name.replace("_", " "): fact for name, fact in told if not isinstance(fact, list | dict)}
        rows = {**figures, "size": amount(self.bytes, "B"), "path": self.path}
        made = cards.folded("made with", cards.facts(self.meta["parameters"]))
        return cards.card(type(self).__name__, cards.facts(rows), *self._html_parts(), made)

    def _html_parts(self) -> list[str]:
        """What a notebook shows beside the figures."""
        return []

    @property
    def bytes(self) -> int:
        """Size on disk."""
        return sum(int(facts["bytes"]) for facts in self.meta["files"].values())


def _remove_own(folder: Path, process: int) -> None:
    """Remove a temporary folder, but not from a child process that has inherited it."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def read_meta(path: Path) -> dict[str, Any]:
    """What describes a folder, or an error that says why it is none of ours."""
    if not os.path.exists(path):
        raise ArtefactError(f"{path} does not exist: check the name")
    try:
        name = META if (path / META).exists() else _CONFIG
        meta = json.loads((path / name).read_text(encoding="utf-8"))
        sections = (meta[name] for name in ("parameters", "facts", "provenance", "files"))
        if not all(isinstance(section, dict) for section in sections):
            raise TypeError
        files = meta["files"].values()
        whole = all(type(file["bytes"]) is int and isinstance(file["sha256"], str) for file in files)
        if not (whole and meta["format"].startswith("lexvec-") and type(meta["version"]) is int and meta["lexvec"]):
            raise ValueError
        if name != _meta_name(meta["format"].removeprefix("lexvec-")):
            raise ValueError
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ArtefactError(
            f"{path} is not a folder made by lexvec (no usable {META} or {_CONFIG}): give one that is"
        ) from None
    return dict(meta)


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(file: IO[Any]) -> None:
    file.flush()
    os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
