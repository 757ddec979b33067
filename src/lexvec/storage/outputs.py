"""Outputs: files that are complete or absent, and checks of whether an output may be written.

The checks change nothing on disk.
"""

import bz2
import gzip
import io
import json
import logging
import lzma
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import ArtefactError, Given
from ..parameters import path_from
from .atomic import LOCK, Partial, is_temporary, set_aside
from .files import STDIN
from .meta import listed_names

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_log = logging.getLogger(__name__)

_BUFFER = 1 << 20
_COMPRESSORS: dict[str, Callable[[BinaryIO], Any]] = {
    # Without the clock: equal content gives equal bytes.
    ".gz": lambda file: gzip.GzipFile("", "wb", fileobj=file, mtime=0),
    ".bz2": lambda file: bz2.BZ2File(file, "wb"),
    ".xz": lambda file: lzma.LZMAFile(file, "wb"),  # noqa: SIM115 (the caller closes it)
    # The others have a checksum of their content by default.
    ".zst": lambda file: zstd.ZstdFile(file, "wb", options={zstd.CompressionParameter.checksum_flag: 1}),
}
COMPRESSED = tuple(_COMPRESSORS)


@contextmanager
def replacing(path: str | os.PathLike[str], *, force: bool = True) -> Iterator[BinaryIO]:
    """Write a file that is complete or absent; without ``force`` an existing one is an error."""
    partial = Partial(check_file_output(path, force=force))
    try:
        with partial.errors():
            yield partial.open_file()
            check_file_output(path, force=force)
            partial.publish_file()
        _log.debug("wrote %s", partial.place)
    finally:
        partial.discard()


@contextmanager
def compressing(path: str | os.PathLike[str], *, force: bool) -> Iterator[BinaryIO]:
    """Write a file as `replacing` does, compressed if its name ends in ``.gz``, ``.bz2``, ``.xz`` or ``.zst``."""
    compressor = _COMPRESSORS.get(Path(path).suffix.lower())
    with replacing(path, force=force) as file:
        if compressor is None:
            yield file
        else:
            with compressor(file) as packed, io.BufferedWriter(packed, _BUFFER) as buffered:
                yield cast(BinaryIO, buffered)


def write_text(path: Path, text: str) -> None:
    """Write a text file, replacing an existing one."""
    with replacing(path) as file:
        file.write(text.encode())


def write_json(path: Path, record: Any) -> None:
    """Write a record as JSON, replacing an existing file."""
    write_text(path, json.dumps(record, indent=2, ensure_ascii=False) + "\n")


def output_place(path: str | os.PathLike[str]) -> Path:
    """Return what a path leads to, links followed: a link stays, and the file or folder behind it is replaced."""
    place = Path(os.path.realpath(path_from(path, "output")))
    if not place.name:
        raise ArtefactError(f"{place} cannot be written: choose another output")
    if is_temporary(place.name):
        raise ArtefactError(f"{place} is a name for temporary files of lexvec: choose another output")
    return place


def check_file_output(path: str | os.PathLike[str], *, force: bool) -> Path:
    """Return the file that a path leads to, links followed, if it may be written.

    An existing file is refused without ``force``; a folder, a device and a part of a folder of lexvec always.
    """
    place = output_place(path)
    # os.path says no where pathlib raises; what is hidden by permissions is reported when it is written.
    if os.path.exists(place) and not os.path.isfile(place):
        raise ArtefactError(f"{place} is a folder or a device, not a file: choose another output")
    if os.path.exists(place) and not force:
        raise _exists(place)
    if os.path.exists(place) and place.name in (listed_names(place.parent) or ()):
        raise ArtefactError(f"{place} is part of a folder that lexvec made: choose another output")
    return place


def check_folder_output(
    path: str | os.PathLike[str], *, force: bool, inputs: Iterable[str | os.PathLike[str]] = ()
) -> Path:
    """Return the folder that a path leads to, links followed, if it may be written.

    An existing folder is refused without ``force``, and always if it overlaps one of the ``inputs`` or holds anything
    that lexvec did not write.
    """
    place = output_place(path)
    check_apart(place, inputs)
    found = place
    if not os.path.lexists(place):
        folders = set_aside(place)
        if not folders:
            return place
        found = folders[-1]
    if not force:
        raise _exists(place)
    try:
        ours = found.is_dir() and (not any(found.iterdir()) or _is_ours(found))
    except PermissionError as error:
        raise ArtefactError(f"cannot read {found} ({error.strerror}): choose another output") from error
    if not ours:
        raise ArtefactError(f"{found} holds what lexvec did not make: choose another output")
    return place


def check_apart(place: Path, inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Raise an error if an output is one of the inputs, lies in one or holds one, under whatever name or link."""
    for given in inputs:
        if os.fspath(given) == STDIN:
            if _is_stdin(place):
                raise ArtefactError(f"the output {place} overlaps the input on standard input: choose another output")
        elif overlap(place, Path(os.path.realpath(given))):
            raise ArtefactError(f"the output {place} overlaps the input {given}: choose another output")


def overlap(place: Path, other: Path) -> bool:
    """Return whether one of two places, links followed, holds the other, or a link to it."""
    if place == other or place in other.parents or other in place.parents:
        return True
    try:
        there = place.stat()
        if not other.is_dir():
            return os.path.samestat(there, other.stat())
    except OSError:  # where nothing is there, nothing links to it
        return False
    return any(_leads_to(entry, place, there) for entry in _entries(other))


def _leads_to(entry: "os.DirEntry[str]", place: Path, there: os.stat_result) -> bool:
    """Return whether an entry of a folder is a link to a place or into it."""
    if entry.is_symlink():
        target = Path(os.path.realpath(entry.path))
        return target == place or place in target.parents
    return stat.S_ISREG(there.st_mode) and entry.inode() == there.st_ino and os.path.samestat(there, entry.stat())


def _entries(folder: Path) -> Iterator["os.DirEntry[str]"]:
    """Yield what is in a folder and the folders below; what cannot be listed is reported when it is read."""
    waiting = [os.fspath(folder)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    yield entry
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except OSError:
            continue


def _is_stdin(place: Path) -> bool:
    """Return whether standard input is read from a file."""
    try:
        return os.path.samestat(os.fstat(0), place.stat())
    except OSError:
        return False


def _exists(place: Path) -> ArtefactError:
    return ArtefactError(f"{place} exists: choose another output, or replace it with ", Given("force", True))


def _is_ours(folder: Path) -> bool:
    """Return whether lexvec wrote a folder and everything in it; it may be damaged, or it could not be replaced."""
    known = listed_names(folder)
    if known is None:
        return False
    files = (file for file in folder.rglob("*") if not file.is_dir() or file.is_symlink())
    return all(file.relative_to(folder).as_posix() in {*known, LOCK} for file in files)
