"""Decimal text ↔ float32, for files of vectors. What these loops are not sure of they leave to the caller.

A number is read as Python and numpy read it: rounded to the nearest double, which is then rounded to float32. It is
written with the fewest digits that read back as the same float32, and of those the nearest. Both
kernels stop at a row with a number that may need more than double precision to decide, and at any that is malformed.
"""

import numpy as np
import numpy.typing as npt

from .jit import exact_inlined, exact_kernel

Bytes = npt.NDArray[np.uint8]
Ends = npt.NDArray[np.int64]
Singles = npt.NDArray[np.float32]

#: Bytes that a number takes when it is written, at most, with the space before it.
WIDEST = 26
#: Numbers from the one up to the other are written without an exponent.
SMALL, LARGE = 1e-4, 1e6

_POWERS = np.array([float(f"1e{power}") for power in range(64)])
_WHOLE_POWERS = np.array([10**power for power in range(10)])
_EXACT_POWER = 22  # the largest power of ten that a double holds exactly
_EXACT_INTEGER = 1 << 53
_DIGITS = 19  # that an unsigned integer of 64 bits holds
_HALF, _DOUBT = 1 << 28, 16  # the bits that float32 lacks, half way; units that an inexact double may be wrong by
_SPACE, _FEED, _RETURN, _PLUS, _MINUS, _POINT, _ZERO, _E = 32, 10, 13, 43, 45, 46, 48, 101
_FEWEST, _MOST = 6, 9  # digits: up to 6, decimals are farther apart than float32; 9 suffice for all


@exact_inlined
def _is_digit(text: Bytes, place: int) -> bool:
    return place < len(text) and 48 <= text[place] <= 57


@exact_inlined
def _value(digits: int, power: int, whole: bool) -> tuple[float, bool]:
    """Return digits · 10^power, and whether it rounds to the right float32; ``whole`` is False if digits are cut."""
    if digits == 0:
        return 0.0, True
    if not -60 <= power <= 30:
        return 0.0, False
    number = float(digits)
    value = number / _POWERS[-power] if power < 0 else number * _POWERS[power]
    if whole and digits <= _EXACT_INTEGER and -_EXACT_POWER <= power <= _EXACT_POWER:
        return value, True  # one operation on exact numbers: the nearest double
    beyond = np.float64(value).view(np.int64) & (2 * _HALF - 1)
    return value, 1e-36 < value < 1e36 and not -_DOUBT <= beyond - _HALF <= _DOUBT


@exact_inlined
def _number(text: Bytes, place: int) -> tuple[float, int]:
    """Return the number at a place and where it ends, or −1 if that is not sure."""
    negative = place < len(text) and text[place] == _MINUS
    if place < len(text) and (negative or text[place] == _PLUS):
        place += 1
    digits, seen, held, power = np.uint64(0), 0, 0, 0
    fraction = False
    while place < len(text):
        if text[place] == _POINT and not fraction:
            fraction = True
        elif _is_digit(text, place):
            seen += 1
            if held < _DIGITS:
                digits = digits * np.uint64(10) + np.uint64(text[place] - _ZERO)
                held += digits > 0
                power -= fraction
            else:
                held += 1
                power += not fraction
        else:
            break
        place += 1
    if seen == 0:
        return 0.0, -1
    if place < len(text) and text[place] | 32 == _E:
        place += 1
        below = place < len(text) and text[place] == _MINUS
        if place < len(text) and (below or text[place] == _PLUS):
            place += 1
        given, start = 0, place
        while _is_digit(text, place) and place < start + 4:
            given = given * 10 + text[place] - _ZERO
            place += 1
        if place == start:
            return 0.0, -1
        power += -given if below else given
    value, sure = _value(digits, power, held <= _DIGITS)
    return (-value if negative else value), (place if sure else -1)


@exact_kernel
def parse_rows(
    text: Bytes, place: int, longest: int, rows: Singles, filled: int, starts: Ends, ends: Ends
) -> tuple[int, int]:
    """Parse lines of a word and as many numbers as rows are wide; return the place of the next line, and rows filled.

    It stops at the end of the text, when all rows are filled, and at a line that it is not sure of, or that is not
    shorter than ``longest``. ``starts`` and ``ends`` receive where the words begin and end.
    """
    while filled < len(rows) and place < len(text):
        start = place
        while place < len(text) and text[place] != _SPACE and text[place] != _FEED:
            place += 1
        ends[filled] = place
        for column in range(rows.shape[1]):
            if place >= len(text) or text[place] != _SPACE:
                return start, filled
            value, place = _number(text, place + 1)
            if place < 0:
                return start, filled
            rows[filled, column] = value
        if place < len(text) and text[place] == _SPACE:
            place += 1
        if place < len(text) and text[place] == _RETURN:
            place += 1
        if place >= len(text) or text[place] != _FEED or ends[filled] == start:
            return start, filled
        place += 1
        if place - start >= longest:
            return start, filled
        starts[filled] = start
        filled += 1
    return place, filled


@exact_inlined
def _shortest(value: float) -> tuple[int, int, int]:
    """Return digits, their number, and the power of ten of the first, of a positive number; no digits if not sure."""
    if not 1e-13 < value < 1e20:
        return 0, 0, 0
    power = int(np.floor(np.log10(value)))
    for count in range(_FEWEST, _MOST + 1):
        scale = count - 1 - power
        scaled = value * _POWERS[scale] if scale >= 0 else value / _POWERS[-scale]
        digits = np.rint(scaled)
        read = digits / _POWERS[scale] if scale >= 0 else digits * _POWERS[-scale]
        if np.float32(read) != np.float32(value):
            continue
        # Of a power of two the neighbours are not equally far; and at a tie the nearest digits are not known.
        uneven = np.float64(value).view(np.int64) & ((1 << 52) - 1) == 0
        tied = abs(abs(scaled - digits) - 0.5) < 1e-5
        if (uneven or tied) and not (count == _FEWEST and read == value):
            return 0, 0, 0
        whole = int(digits)
        if (
            not _WHOLE_POWERS[count - 1] <= whole < _WHOLE_POWERS[count]
        ):  # the logarithm was rounded, or the digits were
            return 0, 0, 0
        while count > 1 and whole % 10 == 0:
            whole //= 10
            count -= 1
        return whole, count, power
    return 0, 0, 0


@exact_inlined
def _write_digits(out: Bytes, place: int, digits: int, count: int, point: int) -> int:
    """Write digits with a point after the first ``point`` of them (none if that is past the last)."""
    stop = place + count + (point < count)
    for offset in range(count):
        at = count - 1 - offset
        out[place + at + (at >= point)] = _ZERO + digits % 10
        digits //= 10
    if point < count:
        out[place + point] = _POINT
    return stop


@exact_inlined
def _write_number(out: Bytes, place: int, value: float) -> int:
    """Write a number; return where it ends, or −1 if the digits are not sure."""
    if np.signbit(value):
        out[place] = _MINUS
        place += 1
    value = abs(value)
    if value == 0.0:
        digits, count, power = 0, 1, 0
    else:
        digits, count, power = _shortest(value)
        if count == 0:
            return -1
    if value != 0 and not SMALL <= value < LARGE:
        place = _write_digits(out, place, digits, count, 1)
        out[place] = _E
        out[place + 1] = _MINUS if power < 0 else _PLUS
        out[place + 2] = _ZERO + abs(power) // 10
        out[place + 3] = _ZERO + abs(power) % 10
        return place + 4
    if power < 0:
        for zero in range(1 - power):
            out[place + zero] = _POINT if zero == 1 else _ZERO
        return _write_digits(out, place + 1 - power, digits, count, count)
    place = _write_digits(out, place, digits, count, power + 1)
    if count <= power + 1:
        for _ in range(power + 1 - count):
            out[place] = _ZERO
            place += 1
        out[place] = _POINT
        out[place + 1] = _ZERO
        place += 2
    return place


@exact_kernel
def format_rows(rows: Singles, row: int, out: Bytes, place: int, ends: Ends) -> tuple[int, int]:
    """Write each number of each row after a space, and a line feed after each row; return the next row and place.

    ``ends`` receives where each row ends. It stops after the last row, and at a row that it is not sure of.
    """
    while row < len(rows):
        end = place
        for column in range(rows.shape[1]):
            out[end] = _SPACE
            end = _write_number(out, end + 1, float(rows[row, column]))
            if end < 0:
                return row, place
        out[end] = _FEED
        place = end + 1
        ends[row] = place
        row += 1
    return row, place
