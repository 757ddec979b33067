"""The table of types: every distinct token of a text, with a number and a count, in a few flat arrays.

It takes about 45 bytes per type. Nothing else that grows is held in memory while a corpus is built.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import tokens
from ..kernels.tokens import Rules, Tokens, Types

Ids = npt.NDArray[np.int32]


class TypeTable:
    """Distinct tokens, numbered in order of first appearance."""

    def __init__(self) -> None:
        self.size = 0
        self._arrays = Types(
            np.full(2, -1, np.int32),
            np.empty(0, np.uint64),
            np.zeros(1, np.int64),
            np.empty(0, np.uint8),
            np.empty(0, np.int64),
        )

    def __len__(self) -> int:
        return self.size

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """How often `segment` found each type."""
        return self._arrays.counts[: self.size]

    def segment(self, text: bytes, rules: Rules) -> Ids:
        """Cut valid UTF-8 into types, with `tokens.END` behind each sentence."""
        size = len(text) + 1  # tokens and sentence ends together are at most one more than the bytes
        found = Tokens(np.empty(size, np.uint8), np.empty(size, np.int64), np.empty(size, np.uint64))
        n = tokens.scan(_array(text), rules, found)
        self._reserve(n, int(found.ends[:n].max(initial=0)) + n)
        out = np.empty(n, np.int32)
        self.size = tokens.intern_tokens(self._arrays, self.size, found, n, out)
        return out

    def intern(self, words: Iterable[str]) -> Ids:
        """Return the numbers of words, which contain no line feed; counts do not change."""
        return self._intern(_array("".join(f"{word}\n" for word in words).encode()))

    @property
    def lines(self) -> npt.NDArray[np.uint8]:
        """All types as UTF-8 in the order of their numbers, each with a line feed behind it."""
        return self._arrays.letters[: self._arrays.ends[self.size]]

    def absorb(self, lines: npt.NDArray[np.uint8], counts: npt.NDArray[np.int64]) -> Ids:
        """Add another table's types and counts. Return the new number of each of its types."""
        numbers = self._intern(lines)
        self.counts[numbers] += counts  # distinct types have distinct numbers
        return numbers

    def _intern(self, lines: npt.NDArray[np.uint8]) -> Ids:
        out = np.empty(np.count_nonzero(lines == 10), np.int32)
        self._reserve(len(out), len(lines))
        self.size = tokens.intern_lines(self._arrays, self.size, lines, out)
        return out

    def plain(self, *, capitals: bool) -> npt.NDArray[np.bool_]:
        """Return which types consist of ASCII lowercase letters only (or also of capitals)."""
        out = np.empty(self.size, np.bool_)
        tokens.plain(self._arrays, self.size, capitals, out)
        return out

    def words(self, numbers: npt.NDArray[np.integer]) -> list[str]:
        """Return the types with these numbers, as text."""
        ends, letters = self._arrays.ends, self._arrays.letters
        starts, lengths = ends[numbers], ends[numbers + 1] - ends[numbers]
        # All bytes at once: each is at its type's start plus its distance from the type's first byte.
        first = np.cumsum(lengths) - lengths
        at = np.repeat(starts - first, lengths) + np.arange(lengths.sum())
        text: bytes = letters[at].tobytes()
        return text.decode().split("\n")[:-1]

    def _reserve(self, types: int, letters: int) -> None:
        """Make room for this many more types and bytes."""
        slots, hashes, ends, text, counts = self._arrays
        used = int(ends[self.size])
        if used + letters > text.size:
            text = _grown(text, used + letters)
        if self.size + types > hashes.size:
            hashes = _grown(hashes, self.size + types)
            counts = _grown(counts, self.size + types)
            ends = _grown(ends, hashes.size + 1)
        self._arrays = Types(slots, hashes, ends, text, counts)
        if 2 * (self.size + types) > slots.size:
            slots = np.full(1 << (2 * (self.size + types)).bit_length(), -1, np.int32)
            self._arrays = self._arrays._replace(slots=slots)
            tokens.rehash(self._arrays, self.size)


def _array(text: bytes) -> npt.NDArray[np.uint8]:
    # A writable view of its own: to Numba a read-only array is another type, for which kernels are compiled again.
    return np.frombuffer(bytearray(text), np.uint8)


def _grown(array: npt.NDArray[Any], least: int) -> npt.NDArray[Any]:
    bigger = np.empty(max(least, array.size + array.size // 2), array.dtype)
    bigger[: array.size] = array
    return bigger
