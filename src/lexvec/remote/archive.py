"""One file of an archive, read in memory: nothing else is unpacked, and nothing is run."""

import io
import tarfile
import zipfile
from typing import IO

from ..errors import InputError
from ..storage.files import DAMAGED
from .web import LARGEST_MEMBER, one_line


def member(raw: bytes, name: str, place: object) -> bytes:
    """Return the file of this name in a zip or tar archive; with an empty name, return ``raw`` unchanged."""
    if not name:
        return raw
    try:
        if raw.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(raw)) as packed, packed.open(name) as file:
                return _whole(file, name)
        with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
            found = archive.extractfile(name)
            if found is None:
                raise KeyError(f"{name} is not a file")
            return _whole(found, name)
    except (KeyError, OSError, RuntimeError, tarfile.TarError, zipfile.BadZipFile, *DAMAGED) as error:
        raise InputError(f"{place} does not hold what it should ({one_line(error)})") from error


def _whole(file: IO[bytes], name: str) -> bytes:
    raw = file.read(LARGEST_MEMBER + 1)
    if len(raw) > LARGEST_MEMBER:
        raise KeyError(f"{name} is larger than it should be")
    return raw
