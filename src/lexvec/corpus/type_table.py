"""Types of a text by number, and the streams of their numbers in files."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import tokens
from ..kernels.tokens import Rules, Tokens, Types
from ..storage.arrays import read_blocks, write_blocks
from ..threads import Threads

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


#: Encoded ids, where sentences end among them, and how many numbers of the stream they come from.
EncodedBlock = tuple[Ids, npt.NDArray[np.int64], int]


class Spool:
    """Streams of type numbers in a folder, in the order of the text, each in the numbering of the table that cut it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / "types"
        self._parts: list[tuple[int, int]] = []
        self.replaced = 0  # invalid characters of the text
        #: The new number of each type of each table, once tables have been joined.
        self.renumberings: list[Ids] = []
        self._file: Any = None

    @property
    def length(self) -> int:
        """Numbers in all streams."""
        return sum(size for size, _ in self._parts)

    def append(self, stream: Ids, table: int) -> None:
        """Write a stream."""
        self._file = self._file or self._path.open("wb")
        self._file.write(stream.data)
        self._parts.append((stream.size, table))

    def close(self) -> None:
        """Complete the file."""
        if self._file:
            self._file.close()

    def hand_over(self, tables: Iterable[TypeTable]) -> None:
        """Write down what other processes need to know."""
        write_blocks(self.folder / "tables", ((table.lines, table.counts) for table in tables))
        write_blocks(self.folder / "parts", [tuple(np.array(self._parts, np.int64).reshape(-1, 2).T)])

    @classmethod
    def taken_over(cls, folder: Path, replaced: int = 0) -> "Spool":
        """Open what another process has written."""
        spool = cls(folder)
        sizes, tables = next(read_blocks(folder / "parts", 2))
        spool._parts, spool.replaced = list(zip(sizes.tolist(), tables.tolist(), strict=True)), replaced
        return spool

    def join(self, joined: TypeTable, tables: Iterable[TypeTable] | None = None) -> None:
        """Add all types to one table, and remember their new numbers; ``joined`` may be the first of the tables."""
        if tables is None:
            numbers = [joined.absorb(lines, counts) for lines, counts in read_blocks(self.folder / "tables", 2)]
        else:
            numbers = [
                np.arange(len(joined), dtype=np.int32) if table is joined else joined.absorb(table.lines, table.counts)
                for table in tables
            ]
        # END is −1, so it is found at the end of the array.
        self.renumberings = [np.append(some, np.int32(tokens.END)) for some in numbers]

    def give_numbers(self) -> None:
        """Write the new numbers, for the process that encodes this."""
        write_blocks(self.folder / "numbers", ((some,) for some in self.renumberings))
        self.renumberings = []

    def take_numbers(self) -> None:
        """Read the new numbers."""
        self.renumberings = [numbers for (numbers,) in read_blocks(self.folder / "numbers", 1)]

    def __iter__(self) -> Iterator[Ids]:
        """The streams in the joined numbering."""
        if not self._parts:
            return
        with self._path.open("rb") as file:
            for size, table in self._parts:
                stream = np.fromfile(file, np.int32, size)
                yield self.renumberings[table][stream]

    def encoded(self, first: npt.NDArray[np.int64], ids: Ids, threads: Threads) -> Iterator[EncodedBlock]:
        """Yield the text as ids: type t becomes ids[first[t]:first[t + 1]], where −1 is omitted."""
        lengths = np.append(np.diff(first), 0)  # END, which is −1, finds the last one

        def renumber(_: None, stream: Ids) -> EncodedBlock:
            found = np.empty(lengths[stream].sum(), np.int32)
            ends = np.empty(stream.size, np.int64)
            n_ids, n_ends = tokens.renumber(stream, first, ids, found, ends)
            return found[:n_ids], ends[:n_ends], stream.size

        return threads.map(renumber, self)
