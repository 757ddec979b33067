"""What training takes: bytes in memory, on disk, and read in each epoch. The formulas of all models are here.

They depend on sizes only, so that they are the same for a corpus that is there and for one that is planned
(`lexvec plan`). The program itself (Python, NumPy, compiled kernels: some 0.2 GB) comes on top.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..corpus import Corpus
from ..engine.executors import Executor, passing_parts
from ..engine.rows import GATHERED_ROWS, padded
from ..engine.sources.cells import CELL_BYTES, SORTED_BYTES, SORTED_CELLS
from ..engine.sources.windows import WindowSizes, unit_tokens
from ..kernels.tiles import SIDE, TILE_PAIRS
from ..sparse import SparseArtefact, stretch_bytes

_WORD_BYTES = 250  # of a word in the vocabulary: text, place in two tables, count
_PAIR_BYTES = 12
_ROOM = 1.25  # buffers are made a quarter larger than needed
_BESIDE = (8, 2)  # parts of words that a thread takes at once, if rows are on disk
_SKEW = 1.25  # a stretch of text may have so many times more tokens that subsampling keeps than the mean

#: Rows of the basis of PPMI-SVD that are added up at once: part of what decides its bits.
SOLVER_ROWS = 1 << 14
#: What a model can keep in scratch files instead of memory.
Kept = Literal["matrix", "cells", "basis", "rows"]


class Footprint(NamedTuple):
    """One way to train a model, and what it takes."""

    #: What is not in memory.
    on_disk: tuple[Kept, ...]
    #: Bytes of memory by what they are for.
    memory: Mapping[str, int]
    #: Bytes of scratch files.
    disk: int = 0
    #: Bytes that each epoch reads from scratch files.
    read: int = 0
    #: What an epoch is called: the solver of PPMI-SVD has none.
    reads_per: str = "epoch"
    #: How many parts of words and of contexts are in memory at once, if rows are on disk.
    resident: tuple[int, int] | None = None

    @property
    def total(self) -> int:
        """All bytes of memory."""
        return sum(self.memory.values())

    @property
    def kept(self) -> str:
        """What is not in memory, such as "matrix and rows"; empty if all is."""
        return " and ".join(self.on_disk)

    def gathering(self) -> Self:
        """Return what the process takes that only gathers what workers learn: the rows of all, and the result."""
        memory = {name: self.memory[name] for name in ("rows", "vocabulary")}
        return self._replace(on_disk=("rows",) if self.resident else (), memory=memory)

    def described(self) -> str:
        """Return a line such as "needs about 0.45 GB of memory (rows, pairs, matrix)"."""
        largest = sorted((name for name in self.memory if self.memory[name] > 0), key=lambda name: -self.memory[name])
        line = f"needs about {gigabytes(self.total)} of memory ({', '.join(largest)})"
        if not self.on_disk:
            return line
        disk = f", {gigabytes(self.disk)} of disk" if self.disk else ""
        return f"{line}{disk}, and reads {gigabytes(self.read)} per {self.reads_per} ({self.kept} on disk)"


@dataclass(frozen=True)
class Sizes:
    """What memory depends on, for a corpus and its matrix."""

    counts: npt.NDArray[np.int64]  # tokens of each word
    sentences: int
    longest_sentence: int
    contexts: int
    threads: int
    cells: int = 0  # of the matrix
    longest_row: int = 0  # cells of the row that has most
    input_rows: int = 0  # rows that words' vectors are composed of, if they are
    workers: int = 1  # processes that share the parts: what a process takes is that of the one with most

    @classmethod
    def of(
        cls, corpus: Corpus, executor: Executor, matrix: SparseArtefact | None = None, *, input_rows: int = 0
    ) -> Self:
        """Return the sizes of a corpus, and of its matrix if the model learns from one."""
        counts, cells = corpus.vocabulary.counts, np.zeros(1, np.int64) if matrix is None else np.diff(matrix.indptr)
        return cls(
            counts,
            len(corpus),
            corpus.longest_sentence,
            len(counts) if matrix is None else len(matrix.contexts),
            executor.threads.count,
            int(cells.sum()),
            int(cells.max(initial=0)),
            input_rows,
            executor.workers,
        )

    def own(self, parts: int) -> int:
        """Return the number of parts of words, and of contexts, that a process begins with."""
        return -(-parts // self.workers)

    def own_cells(self, parts: int) -> int:
        """Return the cells of the rows of a process: rows are dealt to parts, and only long ones make a difference."""
        if self.workers == 1:
            return self.cells
        return min(self.cells, -(-self.cells * self.own(parts) // parts) + self.longest_row)

    @property
    def tokens(self) -> int:
        """All tokens."""
        return int(self.counts.sum())

    @property
    def words(self) -> int:
        """The size of the vocabulary."""
        return len(self.counts)

    @property
    def vocabulary(self) -> int:
        """Bytes of the vocabulary, and of what the corpus and its matrix have per word and context."""
        return (_WORD_BYTES + 48) * self.words + 24 * self.contexts


class SideRows(NamedTuple):
    """The rows of both sides: ``arrays`` of rows, each with a number beside it if they are adaptive."""

    dim: int
    words: int
    contexts: int
    #: Bytes of what composes words' vectors; such rows cannot be on disk, since words of all parts share them.
    composed: int = 0
    is_adaptive: bool = False

    def ways(self, parts: int, sizes: Sizes, rounds_at_once: int) -> Iterator["_RowWay"]:
        """Yield the ways to hold the rows, the fastest first; ``rounds_at_once`` is 1 or ``parts``."""
        threads, own = sizes.threads, sizes.own(parts)
        per_row = row_bytes(self.dim) * (2 if self.is_adaptive else 1) + (8 if self.is_adaptive else 0)
        # What was learned is copied, words first: their rows then make room for the contexts.
        result = 4 * self.dim * max(self.words, self.contexts)
        all_rows = per_row * (self.words + self.contexts)
        word_part, context_part = (per_row * -(-side // parts) for side in (self.words, self.contexts))
        if sizes.workers > 1:  # the rows of contexts travel, and another process gathers the result
            yield _RowWay(None, own * word_part + (own + passing_parts(own)) * context_part, 0, 0)
            return
        yield _RowWay(None, all_rows + result + self.composed, 0, 0)
        gathered = 2 * min(GATHERED_ROWS, max(self.words, self.contexts)) * row_bytes(self.dim)
        disk = all_rows + 4 * self.dim * (self.words + self.contexts)
        some = _BESIDE if rounds_at_once > 1 else _BESIDE[-1:]
        for words in () if self.composed else (parts, *(threads * beside for beside in some)):
            if words != parts and words > parts // 2:
                continue
            contexts = threads + 1
            # The words come twice, in two triangles, and the contexts once for each chain of words; or both once.
            # If all words fit, they stay.
            chains = -(-parts // max(1, words // threads))
            loads = (2 * parts, (chains + 1) * parts) if rounds_at_once > 1 else (parts, parts)
            read = (0 if words == parts else loads[0] * word_part) + loads[1] * context_part
            memory = words * word_part + contexts * context_part + gathered
            yield _RowWay((words, contexts), memory, disk, read * (parts // rounds_at_once))


class _RowWay(NamedTuple):
    resident: tuple[int, int] | None
    memory: int
    disk: int
    read: int  # per unit, or per epoch if a unit has only one round


def row_bytes(dim: int) -> int:
    """Return the bytes of a row of numbers."""
    return 4 * padded(dim)


def _unit(
    sizes: Sizes, windows: WindowSizes, keep: npt.NDArray[np.float64], parts: int, *, has_targets: bool
) -> dict[str, int]:
    """Return the memory of a unit of work of the models that learn from windows: its text and its pairs."""
    weights = sizes.counts * keep
    tokens = unit_tokens(sizes.counts, keep, windows)
    kept = _SKEW * tokens * float(weights.sum()) / sizes.tokens
    marks = tokens * sizes.sentences / sizes.tokens
    streams = 2 if windows.random_sizes else 1
    by_word = 8 * sizes.words * (3 * sizes.threads + 2)
    text = 4 * tokens + streams * 4 * (tokens + marks) + 8 * marks + 4 * kept + by_word
    shares = sorted(float(weights[part::parts].sum()) for part in range(parts))
    heaviest, own_parts = (sum(shares[-some:]) / max(float(weights.sum()), 1e-9) for some in (1, sizes.own(parts)))
    seen = own_parts * kept * (windows.widest + 1 if windows.random_sizes else 2 * windows.widest)
    noise = windows.negative * (seen if windows.per_pair else own_parts * kept)
    own = 0.0 if windows.shared else noise
    drawn = sizes.threads * heaviest * kept * windows.most_drawn
    tiles = (noise - own) / TILE_PAIRS + parts * parts
    tile_bytes = 2 * SIDE * 4 + (TILE_PAIRS * 4 if has_targets else 0)
    slots = sizes.threads * (tiles / parts * 4 * SIDE + 24 * sizes.words / parts) if has_targets else 0
    dense = sizes.threads * 4 * sizes.contexts if has_targets else 0
    pairs = _ROOM * (_PAIR_BYTES * (drawn + seen + own) + tile_bytes * tiles) + slots + dense
    return {"text": int(text), "pairs": int(pairs)}


def window_footprints(
    sizes: Sizes,
    rows: SideRows,
    windows: WindowSizes,
    keep: npt.NDArray[np.float64],
    parts: int,
    *,
    has_targets: bool,
    copied: bool = False,
) -> list[Footprint]:
    """Return the ways to train LexVec (which ``has_targets``) or SGNS, the fastest first.

    ``copied`` cells are a second array of values.
    """
    unit = _unit(sizes, windows, keep, parts, has_targets=has_targets)
    units = -(-sizes.tokens // unit_tokens(sizes.counts, keep, windows))
    cells = 8 * sizes.own_cells(parts)
    stretches = stretch_bytes(sizes.longest_row, sizes.threads) + 32 * sizes.words
    ways = []
    for way in rows.ways(parts, sizes, parts):
        name = "rows of subwords, which stay in memory" if rows.composed else "rows"
        fixed = {name: way.memory, **unit, "vocabulary": sizes.vocabulary}
        if has_targets and way.resident is None:
            ways.append(Footprint((), {**fixed, "matrix": cells + (4 * sizes.cells if copied else 0)}))
        if has_targets:
            fixed["stretches of the matrix"] = stretches
        stored, read = (cells, cells * units) if has_targets else (0, 0)
        on_disk: tuple[Kept, ...] = (*_if(has_targets, "matrix"), *_if(way.resident is not None, "rows"))
        ways.append(Footprint(on_disk, fixed, stored + way.disk, read + way.read * units, resident=way.resident))
    return _leaner(ways)


def _if(wanted: bool, kept: Kept) -> tuple[Kept, ...]:
    return (kept,) if wanted else ()


def cell_footprints(sizes: Sizes, dim: int, parts: int) -> list[Footprint]:
    """Return the ways to train GloVe, the fastest first."""
    cells = CELL_BYTES * sizes.own_cells(parts)
    # Rows are longer than the mean where words are frequent, and these are dealt to all parts.
    block = 2 * sizes.cells / parts**2 + sizes.longest_row / parts
    work = max(SORTED_BYTES * max(SORTED_CELLS, sizes.longest_row), sizes.threads * CELL_BYTES * block) + 16 * parts**2
    ways = []
    for way in SideRows(dim, sizes.words, sizes.contexts, is_adaptive=True).ways(parts, sizes, 1):
        fixed = {"rows": way.memory, "blocks of cells": int(work), "vocabulary": sizes.vocabulary}
        if way.resident is None:
            ways.append(Footprint((), {**fixed, "cells": cells}))
        on_disk: tuple[Kept, ...] = ("cells",) if way.resident is None else ("cells", "rows")
        ways.append(Footprint(on_disk, fixed, cells + way.disk, cells + way.read, resident=way.resident))
    return _leaner(ways)


def solver_footprints(sizes: Sizes, dim: int, width: int, steps: int) -> list[Footprint]:
    """Return the ways to factorise a matrix, the fastest first: ``steps`` blocks of the basis, each of some width."""
    both, block = sizes.words + sizes.contexts, 4 * width
    basis = sizes.words * block * steps
    # Two blocks of words and one of contexts at a time, small square matrices, and rows of the basis being added up.
    work = block * (2 * sizes.words + sizes.contexts) + 8 * 4 * (width * steps) ** 2 + 4 * SOLVER_ROWS * width * steps
    fixed = {"result": 4 * dim * both, "blocks of the solver": work, "vocabulary": sizes.vocabulary}
    cells = 8 * sizes.cells
    stretches = stretch_bytes(sizes.longest_row, sizes.threads)
    # Two products per step, one before and one behind them, and a count of cells by context.
    read = (2 * steps + 3) * cells
    on_disk = {**fixed, "stretches of the matrix": stretches}
    return _leaner(
        [
            Footprint((), {**fixed, "basis": basis, "matrix": cells}),
            Footprint(("matrix",), {**on_disk, "basis": basis}, 0, read, "run"),
            # Each step takes the blocks before it out of two blocks, and reads them twice for that.
            Footprint(("matrix", "basis"), on_disk, basis, read + basis * (2 * steps + 1), "run"),
        ]
    )


def _leaner(ways: list[Footprint]) -> list[Footprint]:
    """Return the ways that take less memory than all before: with little data, buffers take more than they save."""
    return [way for number, way in enumerate(ways) if all(way.total < other.total for other in ways[:number])]


def dense_footprint(sizes: Sizes, dim: int) -> Footprint:
    """Return what the dense SVD of a small matrix takes: the matrix in single and double precision, and its factors."""
    factors = 8 * min(sizes.words, sizes.contexts) * (sizes.words + sizes.contexts)
    dense = 20 * sizes.words * sizes.contexts + 2 * factors
    result = 4 * dim * (sizes.words + sizes.contexts)
    return Footprint((), {"dense matrix": dense, "result": result, "vocabulary": sizes.vocabulary})


def gigabytes(size: int) -> str:
    """Return a number of bytes as people read it.

    >>> gigabytes(4_200_000_000), gigabytes(1_234_000), gigabytes(1000)
    ('4.20 GB', '1.2 MB', '1.0 kB')
    """
    if size >= 10**7:
        return f"{size / 1e9:,.2f} GB"
    return f"{size / 1e6:.1f} MB" if size >= 10**5 else f"{size / 1e3:.1f} kB"
