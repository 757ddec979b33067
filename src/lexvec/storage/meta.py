"""``meta.json``: what describes a folder (``config.json`` in a folder of vectors, ``lexvec.json`` in an export).

It holds the format and its version, the parameters, figures about the content, the provenance, the size and checksums
of every file, and, in ``sha256``, a checksum of all this itself. Folders of older versions do not have the last one.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._version import __version__
from ..errors import ArtefactError
from .arguments import is_there
from .atomic import absence, sync
from .checksums import is_record

META = "meta.json"
_CONFIG = "config.json"
_NAMES = {"vectors": _CONFIG, "export": "lexvec.json"}  # in exports, other programs have files of the other names
VERSIONS = {"corpus": 1, "counts": 1, "association": 2, "checkpoint": 3, "model": 1, "vectors": 1, "export": 1}
_SECTIONS = ("parameters", "facts", "provenance", "files")
_KEYS = {"format", "version", "lexvec", *_SECTIONS}
_LARGEST = 1 << 30  # bytes: more than a record of ten million files that a corpus was built from
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


def meta_name(kind: str) -> str:
    """Return what the file is called in folders of this kind."""
    return _NAMES.get(kind, META)


def write_meta(
    folder: Path,
    kind: str,
    parameters: Mapping[str, Any],
    facts: Mapping[str, Any],
    provenance: Mapping[str, Any],
    files: Mapping[str, Any],
) -> None:
    """Describe a folder."""
    meta: dict[str, Any] = {
        "format": f"lexvec-{kind}",
        "version": VERSIONS[kind],
        "lexvec": __version__,
        "parameters": dict(parameters),
        "facts": dict(facts),
        "provenance": dict(provenance),
        "files": dict(files),
    }
    meta["sha256"] = checksum_of(meta)
    with (folder / meta_name(kind)).open("w", encoding="utf-8") as file:
        json.dump(meta, file, indent=2)  # in ASCII: the name of an input need not be valid Unicode
        file.write("\n")
        sync(file)


def read_meta(path: Path) -> dict[str, Any]:
    """Return what describes a folder, checked as far as it can be without looking at the other files."""
    if not is_there(path):
        raise ArtefactError(absence(path))
    meta = _parsed(path)
    if "sha256" in meta:
        right = meta["sha256"] == checksum_of({key: value for key, value in meta.items() if key != "sha256"})
    else:  # folders of older versions have neither this checksum nor others that it would cover
        right = meta.keys() == _KEYS and not any("crc32" in record for record in meta["files"].values())
    if not right:
        name = meta_name(meta["format"].removeprefix("lexvec-"))
        raise ArtefactError(f"{path / name} is damaged (wrong checksum of itself): rebuild {path}")
    for name, record in meta["files"].items():
        # Only exports have folders in them, because other programs want some.
        levels = name.split("/") if meta["format"] == "lexvec-export" else [name]
        if not all(map(_NAME.fullmatch, levels)) or not is_record(record):
            raise ArtefactError(f"{path} is damaged (its files include {name!r:.80}): rebuild it")
    if not meta["files"]:
        raise ArtefactError(f"{path} is damaged (it lists no files): rebuild it")
    return meta


def listed_names(path: Path) -> set[str] | None:
    """Return the names of what lexvec wrote into a folder, which may be damaged; None if it did not write it."""
    try:
        meta = _parsed(path)
    except ArtefactError:
        return None
    return {meta_name(meta["format"].removeprefix("lexvec-")), *meta["files"]}


def _parsed(path: Path) -> dict[str, Any]:
    """Read the file and check that its parts have the right types."""
    try:
        name = next((name for name in (_NAMES["export"], META) if (path / name).exists()), _CONFIG)
        if not (path / name).is_file() or (path / name).stat().st_size > _LARGEST:
            raise ValueError
        with (path / name).open("rb") as file:
            if not file.read(1) == b"{":  # what is large and something else need not be read
                raise ValueError
        meta = json.loads((path / name).read_text(encoding="utf-8"))
        if not all(isinstance(meta[section], dict) for section in _SECTIONS):
            raise TypeError
        whole = all(isinstance(record, dict) for record in meta["files"].values())
        if not (whole and meta["format"].startswith("lexvec-") and type(meta["version"]) is int and meta["lexvec"]):
            raise ValueError
        if name != meta_name(meta["format"].removeprefix("lexvec-")):
            raise ValueError
    except PermissionError as error:
        raise ArtefactError(f"cannot read {path} ({error.strerror}): check its permissions") from error
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ArtefactError(
            f"{path} is not a folder made by lexvec (no usable {META} or {_CONFIG}): give one that is"
        ) from None
    return dict(meta)


def checksum_of(meta: Mapping[str, Any]) -> str:
    """SHA-256 of a record in a form that does not depend on its layout."""
    return hashlib.sha256(json.dumps(meta, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
