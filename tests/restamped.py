"""Folders changed by hand, with checksums that are right again or, as older versions wrote them, not there."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lexvec.storage.meta import checksum_of, file_record

Meta = dict[str, Any]


def edit_meta(folder: Path, change: Callable[[Meta], object]) -> None:
    """Change what describes a folder, and nothing else."""
    place = _place(folder)
    meta = json.loads(place.read_text())
    change(meta)
    place.write_text(json.dumps(meta, indent=2))


def restamp(folder: Path, change: Callable[[Meta], object] = lambda meta: None) -> None:
    """Change what describes a folder, and make all checksums right: what no checksum can notice."""

    def stamped(meta: Meta) -> None:
        meta["files"] = {name: file_record(folder / name) for name in meta["files"]}
        change(meta)
        meta.pop("sha256", None)
        meta["sha256"] = checksum_of(meta)

    edit_meta(folder, stamped)


def as_older(folder: Path) -> None:
    """Turn a folder into one of the versions that wrote SHA-256 of each file and no other checksum."""

    def older(meta: Meta) -> None:
        meta.pop("sha256", None)
        for record in meta["files"].values():
            record.pop("crc32", None)

    edit_meta(folder, older)


def _place(folder: Path) -> Path:
    return next(folder / name for name in ("meta.json", "config.json") if (folder / name).exists())
