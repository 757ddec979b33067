"""Checksums of files: SHA-256 of the whole, and CRC-32 of each block of 4 MiB.

The CRCs are for speed. They are checked whenever a stage is about to compute from a file, on all cores and at some
2.3 GB/s per core; SHA-256 takes 1.5 GB/s on one core and is compared on request. xxHash would be 7 times as
fast as CRC-32, but is a dependency to save a fifth of a second per GB.
"""

import hashlib
import zlib
from pathlib import Path
from typing import Any

from ..machine import available_threads
from ..threads import Threads
from .array_file import read_at

BLOCK = 1 << 22
_DIGITS = 8  # hexadecimal, for each block
_FEW = 4  # blocks that are checked sooner than threads are started


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
    if not isinstance(record, dict) or type(record.get("bytes")) is not int or record["bytes"] < 0:
        return False
    crcs = record.get("crc32", "0" * _DIGITS * _blocks(record["bytes"]))
    lengths = ((record.get("sha256"), 64), (crcs, _DIGITS * _blocks(record["bytes"])))
    return all(isinstance(digits, str) and len(digits) == length for digits, length in lengths)


def fault(path: Path, record: dict[str, Any]) -> str | None:
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
