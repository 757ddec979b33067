"""Where rows live: in parts, so that one part is one piece of memory that a block's step can be given alone.

With P parts, row n is row n div P of part n mod P. A part is an array here; it may as well be a mapped file or the
memory of another machine, because steps see nothing but parts. On several machines, each holds some parts of an array.
"""

from collections.abc import Callable, Iterable, Iterator, MutableMapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..kernels import steps
from ..kernels.steps import NO_FACTORS, AdaptivePart, PlainPart
from ..storage.arrays import ArrayFile
from ..threads import Threads
from .part_files import PartFile, PartFolder

Array = npt.NDArray[Any]

#: ``begin(rows, number, count)`` fills the rows of part ``number`` of ``count`` before anything is learned. It depends
#: on nothing else, so a part begins alike in any process. Columns beyond the dimensions are padding and stay 0.
Begin = Callable[[npt.NDArray[np.float32], int, int], None]


def uniform(key: np.uint64, dim: int) -> Begin:
    """Return a beginning with uniform random numbers in ±1/(2 · dim)."""
    return lambda rows, number, count: steps.fill_uniform(rows, dim, 1 / dim, key, number, count)


def zeros(rows: npt.NDArray[np.float32], number: int, count: int) -> None:
    """Begin at 0, as rows are when they are made."""


_PART_WORDS = 1 << 13
_FEWEST_PARTS, _MOST_PARTS = 16, 128


def default_parts(words: int) -> int:
    """Return how many parts words and contexts are dealt to, for so many words; a power of two.

    It decides the order of steps, and so the bits, and bounds the number of threads that work at once. Fewer parts are
    faster, because each block has a fixed cost, as long as the rows of a block stay in the cache.
    """
    parts = _FEWEST_PARTS
    while words > parts * _PART_WORDS and parts < _MOST_PARTS:
        parts *= 2
    return parts


_LINE_BYTES = 64
#: Rows that are gathered at once, for a result that is on disk.
GATHERED_ROWS = 1 << 14


def padded(columns: int) -> int:
    """Return the columns of rows that fill whole cache lines."""
    per_line = _LINE_BYTES // 4
    return -(-columns // per_line) * per_line


def aligned(rows: int, columns: int) -> npt.NDArray[np.float32]:
    """Return zeros, each row beginning at a cache line; columns are padded to whole lines."""
    width = padded(columns)
    raw = np.zeros(rows * width * 4 + _LINE_BYTES, np.uint8)
    offset = -raw.ctypes.data % _LINE_BYTES
    return raw[offset : offset + rows * width * 4].view(np.float32).reshape(rows, width)


class PartedArray:
    """A float32 array in ``count`` parts: a row of ``columns`` numbers for each of ``length`` entries, or one number.

    ``parts`` has the parts that are held here, by number: ``own``, or all of them. Parts may come and go. In ``files``
    they are on disk, a few of them in memory at a time.
    """

    parts: MutableMapping[int, npt.NDArray[np.float32]]

    def __init__(
        self,
        count: int,
        length: int,
        columns: int | None = None,
        *,
        value: float = 0.0,
        own: Iterable[int] | None = None,
        files: PartFolder | None = None,
        name: str = "rows",
    ) -> None:
        self.count, self.length, self.columns = count, length, columns
        self._value, self._files, self._name = value, files, name
        if files:
            sizes = [self.size(number) for number in range(count)]
            self.parts = PartFile(files.path / name, sizes, self.room, files.resident)
        else:
            self.parts = {number: self.room(number) for number in (range(count) if own is None else own)}

    def room(self, number: int) -> npt.NDArray[np.float32]:
        """Return one part as it is before anything is learned: all numbers are the same."""
        size = len(range(number, self.length, self.count))
        part = np.zeros(size, np.float32) if self.columns is None else aligned(size, self.columns)
        if self._value:
            part[:] = self._value
        return part

    def held(self, number: int) -> AbstractContextManager[npt.NDArray[np.float32]]:
        """Return a part that stays in memory for a block."""
        return self.parts.held(number) if isinstance(self.parts, PartFile) else nullcontext(self.parts[number])

    def hold(self, numbers: Iterable[int]) -> None:
        """Make room for parts that are not held here yet."""
        for number in numbers:
            if number not in self.parts:
                self.parts[number] = self.room(number)

    def size(self, number: int) -> int:
        """Return how many numbers one part has, with padding, whether it is held here or not."""
        return len(range(number, self.length, self.count)) * (1 if self.columns is None else padded(self.columns))

    def begin(self, begin: "Begin") -> None:
        """Give the rows that are held here the numbers that they begin with."""
        for number, part in self.parts.items():
            begin(part, number, self.count)

    def whole(self, *, release: bool = False) -> npt.NDArray[np.float32]:
        """Return all entries in order, without padding; all parts must be held here. Those in files stay on disk.

        ``release`` gives up the parts, once nothing more is learned.
        """
        whole = self._gathered()
        if release and isinstance(self.parts, dict):
            self.parts.clear()
        return whole

    def _gathered(self) -> npt.NDArray[np.float32]:
        shape = (self.length,) if self.columns is None else (self.length, self.columns)
        if isinstance(self.parts, PartFile):
            return self._whole_file(self.parts, shape)
        whole = np.empty(shape, np.float32)
        for number in range(self.count):
            part = self.parts[number]
            whole[number :: self.count] = part if self.columns is None else part[:, : self.columns]
        return whole

    def _whole_file(self, parts: PartFile, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
        """Gather parts into a file, some rows at a time, and map it."""
        assert self._files is not None
        parts.flush()
        columns, width = self.columns or 1, padded(self.columns) if self.columns else 1
        path = self._files.path / f"{self._name}.whole"
        with suppress(OSError):  # a callback may still have the one before, mapped: it must not change
            path.unlink()
        out = ArrayFile.scratch(path, np.float32, self.length * columns)
        for first in range(0, self.length, GATHERED_ROWS):
            last = min(first + GATHERED_ROWS, self.length)
            rows = np.empty((last - first, columns), np.float32)
            for number in range(self.count):
                begin, end = (-(-(bound - number) // self.count) for bound in (first, last))
                start = int(parts.starts[number])
                some = parts.file.read(start + begin * width, start + end * width).reshape(-1, width)
                rows[(number - first) % self.count :: self.count] = some[:, :columns]
            out.write(first * columns, rows.reshape(-1))
        out.close()
        return np.asarray(np.memmap(path, np.float32, "r", shape=shape))

    @property
    def is_finite(self) -> bool:
        """Whether no number held here is infinite or NaN."""
        return all(bool(np.isfinite(part).all()) for part in self.parts.values())


class Rows:
    """One side of a model, words or contexts: its rows, and what the rule of update keeps beside them.

    ``arrays`` are named as the fields of the tuple that a sweep takes. Here a word's vector is one input row;
    `ComposedRows` composes it of several in `begin_unit`, and spreads its change over them in `finish_unit`.

    ``factors`` says how much of its gradient each row takes; 0 freezes it. None: all rows take the whole. With factors,
    the step must be compiled for them (``factored``).
    """

    def __init__(
        self,
        part_type: Callable[..., NamedTuple],
        arrays: dict[str, PartedArray],
        files: PartFolder | None = None,
        factors: npt.NDArray[np.float32] | None = None,
    ) -> None:
        self.factors = factors
        self.arrays = arrays
        #: How many parts are in memory at once; None: all.
        self.resident = files.resident if files else None
        self.parts = arrays["rows"].count
        self._part_type = part_type

    def part(self, number: int) -> NamedTuple:
        """Return what a sweep needs of one part."""
        return self._part_type(*(array.parts[number] for array in self.arrays.values()), self._factors_of(number))

    def _factors_of(self, number: int) -> npt.NDArray[np.float32]:
        return NO_FACTORS if self.factors is None else np.ascontiguousarray(self.factors[number :: self.parts])

    def held(self, number: int) -> AbstractContextManager[NamedTuple]:
        """Return what a sweep needs of one part, for as long as a block lasts."""
        return nullcontext(self.part(number)) if self.resident is None else self._held(number)

    @contextmanager
    def _held(self, number: int) -> Iterator[NamedTuple]:
        with ExitStack() as stack:
            arrays = [stack.enter_context(array.held(number)) for array in self.arrays.values()]
            yield self._part_type(*arrays, self._factors_of(number))

    def begin_unit(self, occurrences: npt.NDArray[np.int64], rate: float, threads: Threads) -> None:
        """Get ready for a unit of work, which has so many tokens or cells of each word, and this learning rate."""

    def finish_unit(self, threads: Threads) -> None:
        """Take over what a unit of work has changed."""


def plain_rows(
    parts: int,
    length: int,
    dim: int,
    begin: Begin,
    own: Iterable[int] | None = None,
    files: PartFolder | None = None,
    factors: npt.NDArray[np.float32] | None = None,
) -> Rows:
    """Return rows for plain gradient descent. ``own`` are the parts to hold here, by default all."""
    rows = PartedArray(parts, length, dim, own=own, files=files)
    if begin is not zeros:  # rows on disk that begin at 0 need not be written
        rows.begin(begin)
    return Rows(PlainPart, {"rows": rows}, files, factors)


def adaptive_rows(
    parts: int,
    length: int,
    dim: int,
    begin: Begin,
    own: Iterable[int] | None = None,
    files: PartFolder | None = None,
    factors: npt.NDArray[np.float32] | None = None,
) -> Rows:
    """Return rows and biases for AdaGrad, with its sums of squares, which begin at 1; ``own`` as in `plain_rows`."""
    own = range(parts) if own is None else list(own)

    def array(name: str, columns: int | None, value: float = 0.0) -> PartedArray:
        return PartedArray(parts, length, columns, value=value, own=own, files=files, name=name)

    rows = array("rows", dim)
    rows.begin(begin)
    arrays = {
        "rows": rows,
        "bias": array("bias", None),
        "row_squares": array("row_squares", dim, 1.0),
        "bias_squares": array("bias_squares", None, 1.0),
    }
    return Rows(AdaptivePart, arrays, files, factors)
