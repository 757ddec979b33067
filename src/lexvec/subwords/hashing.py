"""Words as one buffer of bytes, the spans of bytes that are their n-grams, and hashes of spans.

A span is ``data[start:stop]``. Everything is arrays, so that a whole vocabulary takes a second without compiled code.
The hashes are FNV-1, FNV-1a as in fastText, and MurmurHash3 as in floret.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Bytes = npt.NDArray[np.uint8]
Integers = npt.NDArray[np.int64]
Hashes = npt.NDArray[np.uint32]
#: A hash reads up to 16 bytes at a time, so the buffer is longer than the words by as many.
PADDING = 16
_OFFSET, _PRIME = np.uint32(2166136261), np.uint32(16777619)
#: Of MurmurHash3, as floret calls it.
_SEED = np.uint64(2166136261)
_C1, _C2 = np.uint64(0x87C37B91114253D5), np.uint64(0x4CF5AD432745937F)
_M1, _M2 = np.uint64(0x52DCE729), np.uint64(0x38495AB5)
_F1, _F2 = np.uint64(0xFF51AFD7ED558CCD), np.uint64(0xC4CEB9FE1A85EC53)
_FIVE, _S33 = np.uint64(5), np.uint64(33)
_BLOCK = PADDING


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


def fnv1(data: Bytes, starts: Integers, stops: Integers) -> Hashes:
    """Return FNV-1 hashes of 32 bits: multiply, then xor."""
    hashes = np.full(len(starts), _OFFSET)
    for offset, inside in _offsets(starts, stops):
        hashes[inside] = (hashes[inside] * _PRIME) ^ data[starts[inside] + offset]
    return hashes


def fnv1a_signed(data: Bytes, starts: Integers, stops: Integers) -> Hashes:
    """Return FNV-1a hashes of 32 bits, each byte with its sign, as fastText has computed them from the beginning."""
    extended = data.view(np.int8).astype(np.int32).view(np.uint32)
    hashes = np.full(len(starts), _OFFSET)
    for offset, inside in _offsets(starts, stops):
        hashes[inside] = (hashes[inside] ^ extended[starts[inside] + offset]) * _PRIME
    return hashes


def _offsets(starts: Integers, stops: Integers) -> "list[tuple[int, npt.NDArray[np.int64] | slice]]":
    """Return each offset into the spans with the spans that reach beyond it."""
    lengths = stops - starts
    shortest, longest = int(lengths.min(initial=0)), int(lengths.max(initial=0))
    return [
        (offset, slice(None) if offset < shortest else np.flatnonzero(lengths > offset)) for offset in range(longest)
    ]


def murmur3(data: Bytes, starts: Integers, stops: Integers) -> Hashes:
    """Return MurmurHash3 (x64, 128 bits) of each span as four numbers of 32 bits."""
    lengths = stops - starts
    h1, h2 = np.full(len(starts), _SEED), np.full(len(starts), _SEED)
    for block in range(int(lengths.max(initial=0)) // _BLOCK):
        inside = np.flatnonzero(lengths >= (block + 1) * _BLOCK)
        k1, k2 = _block(data, starts[inside] + block * _BLOCK)
        a, b = h1[inside] ^ _mixed(k1, _C1, 31, _C2), h2[inside]
        a = (_rotated(a, 27) + b) * _FIVE + _M1
        b ^= _mixed(k2, _C2, 33, _C1)
        b = (_rotated(b, 31) + a) * _FIVE + _M2
        h1[inside], h2[inside] = a, b
    left = lengths % _BLOCK
    k1, k2 = _block(data, stops - left, left)
    h1 ^= _mixed(k1, _C1, 31, _C2)  # 0 where nothing is left
    h2 ^= _mixed(k2, _C2, 33, _C1)
    h1 ^= lengths.astype(np.uint64)
    h2 ^= lengths.astype(np.uint64)
    h1 += h2
    h2 += h1
    h1, h2 = _finished(h1), _finished(h2)
    h1 += h2
    h2 += h1
    return np.stack([h1, h2], axis=1).astype("<u8", copy=False).view("<u4").astype(np.uint32, copy=False)


def _block(data: Bytes, starts: Integers, lengths: Integers | None = None) -> tuple[npt.NDArray[np.uint64], ...]:
    """Return 16 bytes from each start as two numbers; bytes from ``lengths`` on count as 0."""
    blocks = np.lib.stride_tricks.sliding_window_view(data, _BLOCK)[starts]
    if lengths is not None:
        blocks[np.arange(_BLOCK) >= lengths[:, None]] = 0
    numbers = blocks.view("<u8").astype(np.uint64, copy=False)
    return numbers[:, 0], numbers[:, 1]


def _rotated(x: npt.NDArray[np.uint64], bits: int) -> npt.NDArray[np.uint64]:
    rotated: npt.NDArray[np.uint64] = (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))
    return rotated


def _mixed(k: npt.NDArray[np.uint64], first: np.uint64, bits: int, second: np.uint64) -> npt.NDArray[np.uint64]:
    mixed: npt.NDArray[np.uint64] = _rotated(k * first, bits) * second
    return mixed


def _finished(h: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    h = (h ^ (h >> _S33)) * _F1
    h = (h ^ (h >> _S33)) * _F2
    finished: npt.NDArray[np.uint64] = h ^ (h >> _S33)
    return finished
