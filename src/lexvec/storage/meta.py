"""What describes a folder: ``meta.json`` (``config.json`` with vectors, ``lexvec.json`` in an export), and checksums.

It holds the format and its version, the parameters, figures about the content, the provenance, the size and checksums
of every file, and, in ``sha256``, a checksum of all this itself. Folders of older versions do not have the last one.

Each file has a SHA-256 of the whole, and a CRC-32 of each block of 4 MiB. The CRCs are for speed: every stage checks
them before it computes from a file, on all cores, at about 2.3 GB/s per core. SHA-256 takes 1.5 GB/s on one core and is
compared on request. xxHash would be 7 times as fast as CRC-32, but a dependency to save a fifth of a second per GB.
"""

import hashlib
import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._version import __version__
from ..errors import ArtefactError
from ..machine import available_threads
from ..records import conforms
from ..threads import Threads
from .arrays import read_at
from .atomic import absence, is_there, sync

META = "meta.json"
_CONFIG = "config.json"
_NAMES = {"vectors": _CONFIG, "export": "lexvec.json"}  # in exports, other programs have files of the other names
VERSIONS = {"corpus": 1, "counts": 1, "association": 2, "checkpoint": 3, "model": 1, "vectors": 1, "export": 1}
_LARGEST = 1 << 30  # bytes: more than a record of ten million files that a corpus was built from
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")

BLOCK = 1 << 22
_DIGITS = 8  # hexadecimal, for each block
_SHA256_DIGITS = 64
_FEW = 4  # blocks that are checked sooner than threads are started


@dataclass(frozen=True)
class _Description:
    """The form of the file. The last section has a record per file, and is checked by `is_record`."""

    format: str
    version: int
    lexvec: str
    parameters: dict[str, Any]
    facts: dict[str, Any]
    provenance: dict[str, Any]
    files: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class _FileRecord:
    """The form of what is recorded of a file; folders of older versions have no CRCs."""

    bytes: int
    sha256: str
    crc32: str


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
        right = conforms(meta, _Description) and not any("crc32" in record for record in meta["files"].values())
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
        if not conforms(meta, _Description, extra=True) or not meta["format"].startswith("lexvec-"):
            raise ValueError
        if name != meta_name(meta["format"].removeprefix("lexvec-")):
            raise ValueError
    except PermissionError as error:
        raise ArtefactError(f"cannot read {path} ({error.strerror}): check its permissions") from error
    except (OSError, ValueError, RecursionError):
        raise ArtefactError(
            f"{path} is not a folder made by lexvec (no usable {META} or {_CONFIG}): give one that is"
        ) from None
    return dict(meta)


def checksum_of(meta: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a record in a form that does not depend on its layout."""
    return hashlib.sha256(json.dumps(meta, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def file_record(path: Path) -> dict[str, Any]:
    """Return what ``meta.json`` records of a file: its size and checksums."""
    whole, size, crcs = hashlib.sha256(), 0, []
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            whole.update(block)
            crcs.append(f"{zlib.crc32(block):0{_DIGITS}x}")
            size += len(block)
    return {"bytes": size, "sha256": whole.hexdigest(), "crc32": "".join(crcs)}


def is_record(record: Any) -> bool:
    """Return whether a record has the form that `file_record` gives it (folders of older versions have no CRCs)."""
    if not isinstance(record, dict) or not conforms({"crc32": "", **record}, _FileRecord, extra=True):
        return False
    crcs = _DIGITS * _blocks(record["bytes"])
    right = record["bytes"] >= 0 and len(record["sha256"]) == _SHA256_DIGITS
    return right and ("crc32" not in record or len(record["crc32"]) == crcs)


def file_fault(path: Path, record: dict[str, Any]) -> str | None:
    """Compare a file with its record, the fastest way that the record allows. Return what is wrong, if anything is."""
    if path.stat().st_size != record["bytes"]:
        return f"it is not {record['bytes']:,} bytes long"
    if "crc32" not in record:
        return sha256_fault(path, record)
    if record["bytes"] == 0:
        return None
    crcs: str = record["crc32"]
    with path.open("rb") as file:

        def compare(thread: int, number: int) -> None:
            block = buffers[thread]
            block = block[: read_at(file.fileno(), block, number * BLOCK)]
            right[number] = f"{zlib.crc32(block):0{_DIGITS}x}" == crcs[number * _DIGITS : (number + 1) * _DIGITS]

        right = [False] * _blocks(record["bytes"])
        with Threads(available_threads(None) if len(right) > _FEW else 1) as threads:
            buffers = [memoryview(bytearray(min(BLOCK, record["bytes"]))) for _ in range(threads.count)]
            threads.each(compare, len(right))
    return None if all(right) else f"wrong CRC-32 in the block at byte {right.index(False) * BLOCK:,}"


def sha256_fault(path: Path, record: dict[str, Any]) -> str | None:
    """Compare a file with its SHA-256. Return what is wrong, if anything is."""
    with path.open("rb") as file:
        return None if hashlib.file_digest(file, "sha256").hexdigest() == record["sha256"] else "wrong SHA-256"


def _blocks(size: int) -> int:
    return -(-size // BLOCK)
