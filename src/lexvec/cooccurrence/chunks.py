"""Stretches of a corpus as its subsampled tokens, and sorted runs of counts on disk."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..corpus import Corpus
from ..kernels import counting, windows
from ..kernels.counting import CellBuffer, DenseRow, Window
from ..kernels.windows import ContextAxis, TokenDraws, Tokens
from ..sparse import row_spans
from ..storage.arrays import read_blocks, write_blocks
from ..threads import Threads

#: Cells in flight per task: small enough to bound memory, large enough to keep a thread busy for milliseconds.
BLOCK_CELLS = 1 << 18
#: Tokens of a chunk: places in its stream, which also has marks of sentences, are int32.
MAX_CHUNK = 1 << 30
_AROUND = 1 << 14  # tokens to look for windows in, at first
_MOST_SHARES = 8  # of a stream that is sorted by word: each has a number per word
_LEAST_SHARE = 1 << 16  # tokens, or handing them to a thread would cost more than sorting them
_ALONE = Threads(1)
_PAIRS_PER_CELL = 8  # a block also ends when its pairs are this many times BLOCK_CELLS, so that threads share the work


class CountedRows(NamedTuple):
    """Counted rows, and how much work they stand for."""

    ends: npt.NDArray[np.int64]
    columns: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int64]
    done: int


def empty_row(columns: int) -> DenseRow:
    """Return scratch for one thread."""
    per_bit = -(-columns // 64)
    return DenseRow(
        np.zeros(columns, np.int64),
        np.zeros(per_bit, np.uint64),
        np.zeros(-(-per_bit // 64), np.uint64),
        np.zeros(columns, np.int64),
    )


def room(rows: int, cells: int) -> CellBuffer:
    """Space for the rows of a block."""
    return CellBuffer(np.empty(cells, np.int32), np.empty(cells, np.int64), np.empty(rows, np.int64))


@dataclass
class Chunk:
    """Tokens start..stop of a corpus. Tokens beyond serve as contexts, so it may begin and end inside a sentence."""

    stream: npt.NDArray[np.int32]
    sizes: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    places: npt.NDArray[np.int32]
    window: Window
    tokens: int  # from start to stop, before subsampling

    @classmethod
    def drawn(
        cls,
        corpus: Corpus,
        start: int,
        stop: int,
        window: Window,
        draws: TokenDraws,
        threads: Threads,
        *,
        random_sizes: bool,
    ) -> "Chunk":
        """Draw the tokens of a stretch of the corpus."""
        offsets = corpus.sentences_between(start, stop)
        tokens, begin, end = _reach(corpus, offsets, start, stop, len(window.weights) - 1, draws)
        # The reach stays in the sentences of start and stop; each sentence has an END.
        stream = np.empty(end - begin + len(offsets) + 1, np.int32)
        sizes = np.empty(stream.size if random_sizes else 0, np.int32)
        length, low, high = windows.fill_stream(tokens, offsets, (begin, start, stop, end), draws, stream, sizes)
        starts, places = _by_word(stream[:length], low, high, len(corpus.vocabulary), threads)
        return cls(stream[:length], sizes[:length], starts, places, window, stop - start)

    @cached_property
    def kept(self) -> npt.NDArray[np.int64]:
        """Tokens of each word."""
        return np.diff(self.starts)

    def rows(self, axis: ContextAxis | None, threads: Threads, states: list[DenseRow]) -> Iterator[CountedRows]:
        """Count all rows, in order; there is a state per thread."""
        widest, sides = len(self.window.weights) - 1, int(self.window.left) + int(self.window.right)
        pairs = self.kept * widest * sides
        bound = np.minimum(pairs, len(states[0].sums))

        def count(row: DenseRow, rows: tuple[int, int]) -> CountedRows:
            cells = room(rows[1] - rows[0], int(bound[rows[0] : rows[1]].sum()))
            n = counting.count_rows(
                self.stream, self.sizes, self.starts, self.places, rows, self.window, axis, row, cells
            )
            done = int(self.starts[rows[1]] - self.starts[rows[0]])
            return CountedRows(cells.ends, cells.columns[:n], cells.counts[:n], done)

        return threads.map(count, row_spans(bound + pairs // _PAIRS_PER_CELL, BLOCK_CELLS), states)


def _reach(
    corpus: Corpus, offsets: npt.NDArray[np.int64], start: int, stop: int, widest: int, draws: TokenDraws
) -> tuple[Tokens, int, int]:
    """Read tokens start..stop and enough around them for windows; returns where the windows begin and end.

    Subsampling drops tokens, so how far a window reaches is known only once tokens are read.
    """
    first, last, around = int(offsets[0]), int(offsets[-1]), _AROUND
    while True:
        low, high = max(first, start - around), min(last, stop + around)
        tokens = Tokens(corpus.tokens_between(low, high), low)
        begin = windows.reach_back(tokens, low, start, widest, draws)
        end = windows.reach_on(tokens, high, stop, widest, draws)
        if (begin > low or low == first) and (end < high or high == last):
            return tokens, begin, end
        around *= 8


def _by_word(
    stream: npt.NDArray[np.int32], low: int, high: int, words: int, threads: Threads
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Sort the places low..high of a stream by word: those of w are places[starts[w]:starts[w + 1]], in order.

    Each of a few threads takes a share of the stream, and writes behind those that come before it.
    """
    shares = max(1, min(threads.count, _MOST_SHARES, (high - low) // _LEAST_SHARE))
    bounds = np.linspace(low, high, shares + 1).astype(np.int64).tolist()
    ends = np.zeros((shares, words), np.int64)
    sharing = threads if shares > 1 else _ALONE
    sharing.each(lambda _, share: counting.tally(stream, bounds[share], bounds[share + 1], ends[share]), shares)
    starts = np.concatenate(([0], np.cumsum(ends.sum(axis=0))))
    places = np.empty(starts[-1], np.int32)
    ends = starts[:-1] + np.cumsum(ends, axis=0) - ends
    sharing.each(
        lambda _, share: counting.scatter(stream, bounds[share], bounds[share + 1], ends[share], places), shares
    )
    return starts, places


class Spill:
    """The rows of one chunk in two scratch files; only where each row begins is kept in memory."""

    def __init__(self, path: Path, bounds: npt.NDArray[np.int64], *, is_shared: bool = False) -> None:
        self._columns, self._counts = path.with_suffix(".columns"), path.with_suffix(".counts")
        self.bounds, self._is_shared = bounds, is_shared

    @classmethod
    def written(cls, path: Path, blocks: Iterable[CountedRows]) -> Self:
        """Write the rows of a chunk."""
        ends = [np.zeros(1, np.int64)]
        with path.with_suffix(".columns").open("wb") as columns, path.with_suffix(".counts").open("wb") as counts:
            for block in blocks:
                columns.write(block.columns.data)
                counts.write(block.counts.data)
                ends.append(block.ends + ends[-1][-1])
        return cls(path, np.concatenate(ends))

    def hand_over(self, totals: Iterable[npt.NDArray[np.int64]]) -> None:
        """Write down what other processes need to know: where rows begin, and some totals."""
        write_blocks(self._columns.with_suffix(".totals"), [tuple(totals)])
        self.bounds.tofile(self._columns.with_suffix(".bounds"))

    @staticmethod
    def totals(path: Path, width: int) -> tuple[npt.NDArray[np.int64], ...]:
        """Return the totals that another process handed over."""
        return next(read_blocks(path.with_suffix(".totals"), width))

    @classmethod
    def taken_over(cls, path: Path, first: int, last: int) -> Self:
        """Open some rows of what another process has counted; its files stay, for others have its other rows."""
        bounds = np.fromfile(path.with_suffix(".bounds"), np.int64, last - first + 1, offset=8 * first)
        return cls(path, bounds, is_shared=True)

    def read(self, start: int, stop: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Cells start..stop; read, not mapped, so that they do not count as this process's memory for longer."""
        return (
            np.fromfile(self._columns, np.int32, stop - start, offset=4 * start),
            np.fromfile(self._counts, np.int64, stop - start, offset=8 * start),
        )

    def delete(self) -> None:
        """Give the space back, unless others still read it."""
        if not self._is_shared:
            self._columns.unlink()
            self._counts.unlink()


def merged(spills: list[Spill], threads: Threads, states: list[DenseRow]) -> Iterator[CountedRows]:
    """Add up spills, in the order of the rows."""
    bounds = np.stack([spill.bounds for spill in spills])

    def merge(row: DenseRow, rows: tuple[int, int]) -> CountedRows:
        here = bounds[:, rows[0] : rows[1] + 1]
        parts = [spill.read(int(span[0]), int(span[-1])) for spill, span in zip(spills, here, strict=True)]
        lengths = here[:, -1] - here[:, 0]
        local = here - here[:, :1] + (np.cumsum(lengths) - lengths)[:, None]
        columns, counts = (np.concatenate(part) for part in zip(*parts, strict=True))
        cells = room(rows[1] - rows[0], len(columns))
        n = counting.merge_rows(columns, counts, local, row, cells)
        return CountedRows(cells.ends, cells.columns[:n], cells.counts[:n], len(columns))

    return threads.map(merge, row_spans(np.diff(bounds).sum(axis=0), BLOCK_CELLS), states)


def reduced(spills: list[Spill], fan_in: int, scratch: Path, threads: Threads, states: list[DenseRow]) -> list[Spill]:
    """Merge until at most ``fan_in`` spills are left, never more than so many at a time."""
    generation = 0
    while len(spills) > fan_in:
        generation += 1
        fewer = []
        for place in range(0, len(spills), fan_in):
            group = spills[place : place + fan_in]
            fewer.append(Spill.written(scratch / f"merged-{generation}-{place}", merged(group, threads, states)))
            for spill in group:
                spill.delete()
        spills = fewer
    return spills
