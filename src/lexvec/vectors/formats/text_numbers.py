"""Rows of numbers as text: compiled where there are many, since importing the compiler costs as much as many numbers.

Both ways give the same bits and the same text. Compiled code leaves to Python what it is not sure of.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ...threads import Threads
from .format import Matrix

#: Bytes of text, and numbers to write, up to which Python does the work.
FEW_BYTES, FEW_NUMBERS = 4 << 20, 200_000
_ROWS = 256  # written at once
#: The one float32 whose shortest decimal becomes its neighbour if it is read as a double first, as Python and numpy do.
_MISREAD = ("7.038531e-26", "7.03853069e-26")
_SMALL, _LARGE = 1e-4, 1e6  # between these, numbers have no exponent

OddLine = Callable[[int], tuple[bytes, Matrix] | None]


def parse_block(block: bytes, dim: int, longest: int, odd: OddLine) -> tuple[list[bytes], Matrix]:
    """Return the words and rows of whole lines, which are shorter than ``longest``.

    ``odd`` is given the place of a line that compiled code does not understand; it returns its word and row, or None
    if the rows end there.
    """
    from ...kernels.decimals import parse_rows

    text = np.frombuffer(block, np.uint8)
    # No line is shorter than a letter, a space and a digit for each number, and a line feed.
    rows = np.empty((min(block.count(b"\n"), len(block) // (2 * dim + 2)), dim), np.float32)
    starts, ends = np.empty((2, len(rows)), np.int64)
    place = filled = 0
    other: dict[int, bytes] = {}
    while True:
        place, filled = parse_rows(text, place, longest, rows, filled, starts, ends)
        if place == len(block):
            break
        found = odd(place)
        if found is None:
            break
        other[filled], rows[filled] = found
        place = block.index(b"\n", place) + 1
        filled += 1
    spans = zip(starts[:filled].tolist(), ends[:filled].tolist(), strict=True)
    words = [other[row] if row in other else block[start:end] for row, (start, end) in enumerate(spans)]
    return words, rows[:filled]


def lines_of_rows(blocks: Iterator[tuple[list[str], Matrix]], numbers: int, threads: int) -> Iterator[bytes]:
    """Yield text with a line per word and row; there are so many ``numbers`` in all."""
    if numbers <= FEW_NUMBERS:
        for words, rows in blocks:
            yield b"".join(_line(word, row) for word, row in zip(words, rows, strict=True))
        return
    with Threads(threads) as pool:
        yield from pool.map(lambda _, block: _compiled_lines(*block), blocks)


def _compiled_lines(words: Sequence[str], rows: Matrix) -> bytes:
    from ...kernels.decimals import WIDEST, format_rows

    out = np.empty(_ROWS * (rows.shape[1] * WIDEST + 1), np.uint8)
    pieces: list[bytes] = []
    for start in range(0, len(rows), _ROWS):
        some = np.ascontiguousarray(rows[start : start + _ROWS])
        ends = np.empty(len(some), np.int64)
        row = 0
        while row < len(some):
            stop, size = format_rows(some, row, out, 0, ends)
            text, begin = out[:size].tobytes(), 0
            for word, end in zip(words[start + row : start + stop], ends[row:stop].tolist(), strict=True):
                pieces += word.encode(), text[begin:end]
                begin = end
            if stop < len(some):
                pieces.append(_line(words[start + stop], some[stop]))
                stop += 1
            row = stop
    return b"".join(pieces)


def _line(word: str, row: npt.NDArray[np.float32]) -> bytes:
    numbers = " ".join(map(_shortest, row)).replace(*_MISREAD)
    return f"{word} {numbers}\n".encode()


def _shortest(value: np.float32) -> str:
    """Return the shortest decimal that reads back as the same float32."""
    if _SMALL <= abs(float(value)) < _LARGE or not value:
        return np.format_float_positional(value, trim="0")
    return np.format_float_scientific(value, trim="-", exp_digits=2)
