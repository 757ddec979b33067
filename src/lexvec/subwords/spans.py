"""Words as one buffer of bytes, and the spans of bytes that are their n-grams.

A span is ``data[start:stop]``. Everything is arrays, so that a whole vocabulary takes a second without compiled code.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]

#: A hash reads up to 16 bytes at a time, so the buffer is longer than the words by as many.
PADDING = 16


class Spans(NamedTuple):
    """Spans of a buffer, word by word, and the number of the word that each belongs to."""

    starts: Integers
    stops: Integers
    words: Integers


def encoded(word: str) -> bytes:
    """Return the bytes of a word; invalid UTF-8, which a word carries as surrogates, comes back as it was."""
    try:
        return word.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that stands for no byte
        return word.encode("utf-8", "surrogatepass")


def marked_words(words: Sequence[str]) -> tuple[Bytes, Integers]:
    """Return ``<word>`` after ``<word>`` in one padded buffer, and where each begins; the last entry is the end."""
    pieces = [b"<" + encoded(word) + b">" for word in words]
    return joined(pieces)


def joined(pieces: Sequence[bytes]) -> tuple[Bytes, Integers]:
    """Return pieces of bytes in one padded buffer, and where each begins; the last entry is the end."""
    bounds = np.zeros(len(pieces) + 1, np.int64)
    np.cumsum([len(piece) for piece in pieces], out=bounds[1:])
    return np.frombuffer(b"".join(pieces) + bytes(PADDING), np.uint8), bounds


def ngram_spans(edges: Integers, bounds: Integers, min_n: int, max_n: int) -> Spans:
    """Return all spans of ``min_n`` to ``max_n`` units within a word, by start and then by length.

    ``edges`` is where units (characters or bytes) begin, and at last where the buffer ends; ``bounds`` is where words
    begin, in the same way.
    """
    first = np.searchsorted(edges, bounds)  # unit that each word begins with
    lengths = np.diff(first)
    words = np.repeat(np.arange(len(lengths)), lengths)
    longest = int(lengths.max(initial=0))
    sizes = np.arange(max(1, min_n), min(max_n, longest) + 1)  # no number of a file makes this long
    units = np.arange(len(words))
    ends = units[:, None] + sizes
    unit, size = np.nonzero(ends <= first[1:][words][:, None])
    return Spans(edges[unit], edges[ends[unit, size]], words[unit])


def select(spans: Spans, kept: npt.NDArray[np.bool_]) -> Spans:
    """Return some of the spans."""
    return Spans(*(array[kept] for array in spans))
