"""Files inside zip archives, read as they are unpacked: nothing is written to disk or held as a whole."""

import zipfile
from pathlib import Path
from typing import IO

from ..errors import InputError

#: How a zip archive begins.
ZIP = b"PK\x03\x04"
_SHOWN = 4  # names in an error
_ENCRYPTED = 0x1
#: What zipfile raises on damaged or unsupported archives.
DAMAGED_ZIP = (zipfile.BadZipFile, NotImplementedError)


def is_zip(path: Path) -> bool:
    """Return whether a file begins as a zip archive."""
    try:
        with path.open("rb") as file:
            return file.read(len(ZIP)) == ZIP
    except OSError:
        return False


def split_member(path: Path) -> tuple[Path, str] | None:
    """Return the archive and the member that a path such as ``glove.zip/glove.50d.txt`` names; None for any other."""
    for archive in path.parents:
        if archive.is_file():
            return (archive, path.relative_to(archive).as_posix()) if is_zip(archive) else None
    return None


def file_of(path: Path) -> Path | None:
    """Return the file on disk that a path names: itself, or the archive of a member; None if there is none."""
    if path.is_file():
        return path
    member = split_member(path)
    return member[0] if member else None


def only_member(archive: Path) -> Path:
    """Return the path of the one file in an archive; if there are several, the error says how to choose."""
    try:
        with zipfile.ZipFile(archive) as opened:
            entries = [entry for entry in opened.infolist() if not entry.is_dir()]
    except (*DAMAGED_ZIP, OSError, ValueError, EOFError) as error:
        raise InputError(f"{archive} is truncated or damaged ({error}): get it again") from error
    entries = [entry for entry in entries if not entry.filename.startswith("__MACOSX/")]
    if not entries:
        raise InputError(f"{archive} has no files in it: give an archive with vectors")
    if len(entries) > 1:
        names = [_inside(entry) for entry in sorted(entries, key=lambda entry: -entry.file_size)]
        shown = ", ".join(name[:80] for name in names[:_SHOWN]) + (", …" if len(names) > _SHOWN else "")
        raise InputError(f"{archive} has {len(names):,} files ({shown}): name one, such as {archive}/{names[0][:200]}")
    return archive / _inside(entries[0])


def _inside(entry: zipfile.ZipInfo) -> str:
    """Return the name of a member as a path can express it: without "./" and "//", and never an absolute one."""
    return Path(entry.filename).as_posix().lstrip("/")


def open_member(archive: Path, name: str) -> IO[bytes]:
    """Open one file of an archive; its checksum is compared when it is read to the end."""
    with zipfile.ZipFile(archive) as opened:
        entries = {_inside(entry): entry for entry in opened.infolist()}
        entry = entries.get(name)
        if entry is None or entry.is_dir():
            raise InputError(f"{archive} has no file {name!r:.80}: check the name")
        if entry.flag_bits & _ENCRYPTED:
            raise InputError(f"{archive}/{name[:80]} is encrypted: unpack it with its password, and give the file")
        return opened.open(entry)  # the archive stays open as long as its member
