"""Ways to make a fault: each changes something in the folder of a case."""

import bz2
import gzip
import hashlib
import io
import json
import lzma
import os
import shutil
import struct
import tarfile
import time
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from .case import recipe

_BLOCK = 1 << 22  # of the checksums of our folders
_PACKERS = {
    "gz": lambda data: gzip.compress(data, mtime=0),
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


def _size(path: Path, place: float) -> int:
    """A place in a file: a share of it, or bytes (from the end, if negative)."""
    size = path.stat().st_size
    if isinstance(place, float):
        return min(int(place * size), size - 1)
    return place if place >= 0 else size + place


@recipe
def flip(folder: Path, file: str, at: float, bit: int = 3) -> None:
    """Flip a bit."""
    path = folder / file
    data = bytearray(path.read_bytes())
    data[_size(path, at)] ^= 1 << bit
    path.write_bytes(data)


@recipe
def zero(folder: Path, file: str, start: float = 0.5) -> None:
    """Overwrite the rest of a file with zeros."""
    path = folder / file
    data = path.read_bytes()
    at = _size(path, start)
    path.write_bytes(data[:at] + bytes(len(data) - at))


@recipe
def cut(folder: Path, file: str, at: float) -> None:
    """Cut a file off."""
    path = folder / file
    path.write_bytes(path.read_bytes()[: _size(path, at)])


@recipe
def append(folder: Path, file: str, data: bytes) -> None:
    """Add bytes to the end."""
    with (folder / file).open("ab") as end:
        end.write(data)


@recipe
def write(folder: Path, file: str, data: bytes | str) -> None:
    """Write a file."""
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)


@recipe
def splice(folder: Path, file: str, at: float, data: bytes) -> None:
    """Overwrite some bytes."""
    path = folder / file
    old = path.read_bytes()
    place = _size(path, at)
    path.write_bytes(old[:place] + data + old[place + len(data) :])


@recipe
def swap(folder: Path, file: str, old: bytes, new: bytes) -> None:
    """Replace bytes that must be there, once."""
    path = folder / file
    data = path.read_bytes()
    if old not in data:
        raise ValueError(f"{file} has no {old!r}")
    path.write_bytes(data.replace(old, new, 1))


@recipe
def edit(folder: Path, file: str, key: str, value: Any) -> None:
    """Change a value of a JSON file; ``key`` has a slash between levels."""
    _edit(folder / file, key.split("/"), value)


@recipe
def drop(folder: Path, file: str, key: str) -> None:
    """Remove a key of a JSON file."""
    _edit(folder / file, key.split("/"), None, remove=True)


def _edit(path: Path, keys: list[str], value: Any, *, remove: bool = False) -> None:
    record = json.loads(path.read_text(encoding="utf-8"))
    inner = record
    for key in keys[:-1]:
        inner = inner[int(key) if isinstance(inner, list) else key]
    if remove:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = value
    path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


@recipe
def reseal(folder: Path, name: str) -> None:
    """Make every checksum of a folder right again: what somebody does who damages it on purpose."""
    place = folder / name
    meta = next(place / each for each in ("meta.json", "config.json") if (place / each).exists())
    record = json.loads(meta.read_text(encoding="utf-8"))
    for file, about in record["files"].items():
        data = (place / file).read_bytes()
        about |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        if "crc32" in about:
            blocks = (data[start : start + _BLOCK] for start in range(0, len(data), _BLOCK))
            about["crc32"] = "".join(f"{zlib.crc32(block):08x}" for block in blocks)
    if record.pop("sha256", None):
        plain = json.dumps(record, sort_keys=True, separators=(",", ":"))
        record["sha256"] = hashlib.sha256(plain.encode()).hexdigest()
    meta.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


@recipe
def remove(folder: Path, name: str) -> None:
    """Remove a file or folder."""
    path = folder / name
    shutil.rmtree(path) if path.is_dir() else path.unlink()


@recipe
def copy(folder: Path, source: str, to: str) -> None:
    """Copy a file or folder."""
    if (folder / source).is_dir():
        shutil.copytree(folder / source, folder / to, dirs_exist_ok=True)
    else:
        (folder / to).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(folder / source, folder / to)


@recipe
def mkdir(folder: Path, name: str) -> None:
    """Make a folder."""
    (folder / name).mkdir(parents=True)


@recipe
def link(folder: Path, name: str, to: str) -> None:
    """Make a symbolic link."""
    (folder / name).symlink_to(to)


@recipe
def hard_link(folder: Path, name: str, to: str) -> None:
    """Give a file a second name."""
    (folder / name).hardlink_to(folder / to)


@recipe
def fifo(folder: Path, name: str) -> None:
    """Make a named pipe."""
    os.mkfifo(folder / name)


@recipe
def chmod(folder: Path, name: str, mode: int) -> None:
    """Change permissions."""
    (folder / name).chmod(mode)


@recipe
def pack(folder: Path, source: str, to: str, cut_at: int | None = None) -> None:
    """Compress a file by the suffix of the output, and keep only its first bytes if ``cut_at`` says so."""
    data = (folder / source).read_bytes()
    kind = to.rpartition(".")[2]
    if kind == "zst":
        import sys

        if sys.version_info >= (3, 14):
            from compression import zstd
        else:
            from backports import zstd
        packed = zstd.compress(data)
    else:
        packed = _PACKERS[kind](data)
    (folder / to).write_bytes(packed[:cut_at])


@recipe
def bomb(folder: Path, file: str, unit: bytes, megabytes: int, *, start: bytes = b"", end: bytes = b"") -> None:
    """Write a small .gz that unpacks to many megabytes: the same compressed member again and again."""
    once = gzip.compress(unit * (8 * 10**6 // len(unit)), 9, mtime=0)
    first, last = (gzip.compress(each, mtime=0) if each else b"" for each in (start, end))
    (folder / file).write_bytes(first + once * (megabytes // 8) + last)


@recipe
def npz(folder: Path, file: str, *, words: list[str] | None = None, shape: tuple[int, int] = (2, 2)) -> None:
    """Write an archive with zeros of some shape; a compressed one of a large shape is small."""
    known = words if words is not None else ["a", "b"]
    held = io.BytesIO()
    np.lib.format.write_array(held, np.array(known))
    with zipfile.ZipFile(folder / file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("words.npy", held.getvalue())
        with archive.open("vectors.npy", "w", force_zip64=True) as out:
            header = {"descr": "<f4", "fortran_order": False, "shape": shape}
            np.lib.format.write_array_header_1_0(out, header)
            left = 4 * shape[0] * shape[1]
            while left > 0:
                out.write(bytes(min(left, 1 << 24)))
                left -= 1 << 24


@recipe
def npy_in_npz(folder: Path, file: str, name: str, data: bytes) -> None:
    """Replace a member of an archive."""
    with zipfile.ZipFile(folder / file) as archive:
        members = {each: archive.read(each) for each in archive.namelist()}
    with zipfile.ZipFile(folder / file, "w") as archive:
        for each, content in (members | {name: data}).items():
            archive.writestr(each, content)


@recipe
def npy(folder: Path, file: str, header: str, body: bytes = b"") -> None:
    """Write a .npy file with any header."""
    (folder / file).write_bytes(npy_bytes(header, body))


def npy_bytes(header: str, body: bytes = b"") -> bytes:
    """A .npy file with any header."""
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


@recipe
def array(folder: Path, file: str, values: Any, dtype: str) -> None:
    """Write a sound .npy file with other content."""
    np.save(folder / file, np.array(values, dtype))


@recipe
def patch(folder: Path, file: str, place: int, value: float) -> None:
    """Change one element of an array."""
    held = np.load(folder / file)
    held.reshape(-1)[place] = value
    np.save(folder / file, held)


@recipe
def tar(folder: Path, file: str, members: list[str]) -> None:
    """Pack files into a tar archive."""
    with tarfile.open(folder / file, "w:gz" if file.endswith("gz") else "w") as archive:
        for member in members:
            archive.add(folder / member, member)


@recipe
def evil_tar(folder: Path, file: str, name: str, kind: str, target: str) -> None:
    """Pack a link or device that leads elsewhere."""
    with tarfile.open(folder / file, "w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.type = {"symlink": tarfile.SYMTYPE, "hardlink": tarfile.LNKTYPE, "device": tarfile.CHRTYPE}[kind]
        member.linkname = target
        archive.addfile(member)


@recipe
def zip_of(folder: Path, file: str, name: str, data: bytes, times: int = 1) -> None:
    """Pack bytes into a zip archive."""
    packed = zipfile.ZipFile(folder / file, "w", zipfile.ZIP_DEFLATED, compresslevel=1)
    with packed as archive, archive.open(name, "w") as out:
        for _ in range(times):
            out.write(data)


@recipe
def kernels(folder: Path, to: str, suffix: str = "", keep: int | None = None) -> None:
    """Copy the cache of compiled kernels, and damage the files that end in ``suffix``: keep their first bytes."""
    cache = Path((folder / ".kernels").read_text(encoding="utf-8"))
    shutil.copytree(cache, folder / to / cache.name)
    for path in (folder / to).rglob(f"*{suffix}") if suffix else ():
        if path.is_file():
            path.write_bytes(path.read_bytes()[:keep])


@recipe
def evil_kernels(folder: Path, to: str) -> None:
    """Copy the cache of compiled kernels, let everybody write to it, and put code into it that makes ``pwned``."""
    cache = Path((folder / ".kernels").read_text(encoding="utf-8"))
    shutil.copytree(cache, folder / to / cache.name)
    (folder / to / cache.name).chmod(0o777)
    for path in (folder / to).rglob("*.nbi"):
        path.write_bytes(b"cbuiltins\nopen\n(S'" + bytes(folder / "pwned") + b"'\nS'w'\ntR.")


@recipe
def age(folder: Path, name: str, days: int) -> None:
    """Let a file or folder be old."""
    then = time.time() - days * 86400
    os.utime(folder / name, (then, then))


@recipe
def sparse(folder: Path, file: str, size: int) -> None:
    """Make a large file of zeros that takes no room."""
    with (folder / file).open("wb") as out:
        out.truncate(size)
