"""Files being written, plain or compressed: complete when they get their name, or not there at all."""

import bz2
import gzip
import io
import json
import logging
import lzma
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from .atomic import Partial
from .outputs import check_file_output

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
