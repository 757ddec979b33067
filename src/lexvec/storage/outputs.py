"""Whether an output may be written: checks that change nothing on disk."""

import os
from collections.abc import Iterable
from pathlib import Path

from ..errors import ArtefactError, Given
from .arguments import path_from
from .atomic import LOCK, is_temporary, set_aside
from .meta import listed_names


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

    An existing file is refused without ``force``, a folder or device always.
    """
    place = output_place(path)
    # os.path says no where pathlib raises; what is hidden by permissions is reported when it is written.
    if os.path.exists(place) and not os.path.isfile(place):
        raise ArtefactError(f"{place} is a folder or a device, not a file: choose another output")
    if os.path.exists(place) and not force:
        raise _exists(place)
    return place


def check_apart(place: Path, inputs: Iterable[str | os.PathLike[str]]) -> None:
    """Raise an error if an output overlaps one of the inputs."""
    for given in map(Path, map(os.path.realpath, inputs)):
        if place == given or place in given.parents or (given.is_dir() and given in place.parents):
            raise ArtefactError(f"the output {place} overlaps the input {given}: choose another output")


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


def _exists(place: Path) -> ArtefactError:
    return ArtefactError(f"{place} exists: choose another output, or replace it with ", Given("force", True))


def _is_ours(folder: Path) -> bool:
    """Whether lexvec wrote a folder and everything in it; that may be damaged, since this is how it is replaced."""
    known = listed_names(folder)
    if known is None:
        return False
    files = (file for file in folder.rglob("*") if not file.is_dir() or file.is_symlink())
    return all(file.relative_to(folder).as_posix() in {*known, LOCK} for file in files)
