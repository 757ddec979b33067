"""Words of binary files, whose bytes need not be valid UTF-8: they are kept, and written as they were."""

import logging
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import InputError
from ...progress import Progress

#: How bytes that are not UTF-8 become part of a word, and bytes again.
LOSSLESS = "surrogateescape"


class DistinctWords(NamedTuple):
    """Words, each once, and the number of the entry that each was read from."""

    words: list[str]
    places: npt.NDArray[np.int64]


def distinct(name: str, raw: Sequence[bytes], limit: int | None, progress: Progress) -> DistinctWords:
    """Decode words. Of a word that occurs twice the first entry counts."""
    first: dict[bytes, int] = {}
    repeated = [place for place, word in enumerate(raw) if first.setdefault(word, place) != place]
    for word in (b"", *(word for word in raw if b"\0" in word)):
        if word in first:
            raise InputError(f"{name} is damaged (word {first[word] + 1:,} is {word[:40]!r}): get it again")
    if repeated:
        example = raw[repeated[0]].decode(errors=LOSSLESS)
        progress.note(
            f"{name}: {len(repeated):,} vectors of repeated words are skipped, the first for {example!r} "
            f"(word {repeated[0] + 1})",
            logging.WARNING,
        )
    places = np.fromiter(first.values(), np.int64, len(first))[:limit]
    return DistinctWords([raw[place].decode(errors=LOSSLESS) for place in places], places)
