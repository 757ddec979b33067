"""The text that a benchmark reads."""

import sys
from pathlib import Path

from lexvec.storage.files import opened


def cut_text(source: Path, target: Path, megabytes: int | None) -> None:
    """The first so many megabytes of a text, unpacked."""
    with opened(source) as reader, target.open("wb") as out:
        left = megabytes * 10**6 if megabytes else sys.maxsize
        while left > 0 and (piece := reader.stream.read(min(left, 1 << 20))):
            out.write(piece)
            left -= len(piece)
