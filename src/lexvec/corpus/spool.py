"""Text as streams of type numbers on disk, between the two passes over it."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..kernels import tokens
from ..storage.arrays import read_blocks, write_blocks
from ..threads import Threads
from .type_table import Ids, TypeTable

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
