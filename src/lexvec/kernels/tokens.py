"""UTF-8 bytes → type ids: finds tokens and sentence ends, and gives each distinct token ("type") a number.

The rules are not here: they come in as a table with one byte per code point, built from the normaliser's options.
Its low four bits say what the character means to the sentence splitter, its high bits what it means to a token.
Types are interned as they stand in the text (ASCII capitals folded when asked for); what remains of the normalising
is done once per type, not once per token, by `lexvec.corpus.normalizer`.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .jit import inlined, kernel, prefetch

# What a character means to the sentence splitter.
PLAIN, LOWER, UPPER, UNCASED, TERMINATOR, STOP, CLOSER, BLANK, LINE = range(9)
MEANING = 0x0F
# What a character means to a token: may begin one, may continue one, is one by itself, binds two digits.
BEGINS, CONTINUES, SINGLE, BINDS = 0x10, 0x20, 0x40, 0x80

#: Marks the end of a sentence in a stream of ids.
END = -1

_FNV_OFFSET = np.uint64(0xCBF29CE484222325)
_FNV_PRIME = np.uint64(0x100000001B3)
_NEWLINE, _RETURN, _FULL_STOP, _CAPITAL_I, _PARAGRAPH = 10, 13, 46, 73, 0x2029
_AHEAD = 8


class Types(NamedTuple):
    """An open-addressing table from the bytes of a type to its number; the number of types is kept by the caller."""

    slots: npt.NDArray[np.int32]  # hash → number, −1 where free; a power of two long
    hashes: npt.NDArray[np.uint64]
    ends: npt.NDArray[np.int64]  # type t is letters[ends[t]:ends[t + 1] − 1], with a line feed behind it
    letters: npt.NDArray[np.uint8]
    counts: npt.NDArray[np.int64]


class Tokens(NamedTuple):
    """Tokens as they are found: token k is letters[ends[k − 1]:ends[k]], or a sentence end where ends[k] is END."""

    letters: npt.NDArray[np.uint8]
    ends: npt.NDArray[np.int64]
    hashes: npt.NDArray[np.uint64]


class Rules(NamedTuple):
    """How to cut text: see `lexvec.corpus.normalizer`, which makes one."""

    table: npt.NDArray[np.uint8]  # one entry per code point
    abbreviations: npt.NDArray[np.uint64]  # hashes of words after which a full stop ends nothing
    fold: bool  # ASCII capitals to lowercase
    breaks: int  # line breaks that end a sentence: 1, or 2 where lines are wrapped


@inlined
def hash_bytes(text: npt.NDArray[np.uint8], start: int, stop: int) -> np.uint64:
    """FNV-1a."""
    h = _FNV_OFFSET
    for i in range(start, stop):
        h = (h ^ np.uint64(text[i])) * _FNV_PRIME
    return h


@inlined
def _slot(types: Types, h: np.uint64) -> int:
    # FNV's low bits are good; folding the high half in costs nothing and guards against a bad case.
    return np.int64((h ^ (h >> np.uint64(32))) & np.uint64(types.slots.size - 1))


@inlined
def _find(types: Types, n: int, h: np.uint64, text: npt.NDArray[np.uint8], start: int, stop: int) -> int:
    """The number of the type text[start:stop], which is entered as number n if it is new."""
    j = _slot(types, h)
    while True:
        t = np.int64(types.slots[j])
        if t < 0:
            break
        at = types.ends[t]
        if types.hashes[t] == h and types.ends[t + 1] - 1 - at == stop - start:
            i = 0
            while i < stop - start and types.letters[at + i] == text[start + i]:
                i += 1
            if i == stop - start:
                return t
        j = (j + 1) & (types.slots.size - 1)
    types.slots[j] = n
    types.hashes[n] = h
    types.counts[n] = 0
    end = types.ends[n] + stop - start
    for i in range(stop - start):
        types.letters[types.ends[n] + i] = text[start + i]
    types.letters[end] = _NEWLINE
    types.ends[n + 1] = end + 1
    return n


@kernel
def rehash(types: Types, n: int) -> None:
    """Fill empty slots with the first n types."""
    for t in range(n):
        j = _slot(types, types.hashes[t])
        while types.slots[j] >= 0:
            j = (j + 1) & (types.slots.size - 1)
        types.slots[j] = t


@kernel
def intern_lines(types: Types, n: int, text: npt.NDArray[np.uint8], out: npt.NDArray[np.int32]) -> int:
    """The type of each line of ``text``, all ended by a line feed; returns how many types there are now."""
    written = 0
    start = 0
    h = _FNV_OFFSET
    for i in range(text.size):
        if text[i] != _NEWLINE:
            h = (h ^ np.uint64(text[i])) * _FNV_PRIME
            continue
        t = _find(types, n, h, text, start, i)
        n = max(n, t + 1)
        out[written] = t
        written += 1
        start = i + 1
        h = _FNV_OFFSET
    return n


@kernel
def plain(types: Types, n: int, capitals: bool, out: npt.NDArray[np.bool_]) -> None:
    """Find the types of ASCII lowercase letters only (or capitals too): these need no normalising."""
    for t in range(n):
        out[t] = True
        for i in range(types.ends[t], types.ends[t + 1] - 1):
            b = types.letters[i]
            if not (97 <= b <= 122 or (capitals and 65 <= b <= 90)):
                out[t] = False
                break


@inlined
def _decoded(text: npt.NDArray[np.uint8], i: int) -> tuple[int, int]:
    """The code point at byte i of valid UTF-8, and where the next one begins."""
    b = np.int64(text[i])
    if b < 0x80:
        return b, i + 1
    if b < 0xE0:
        return ((b & 0x1F) << 6) | (np.int64(text[i + 1]) & 0x3F), i + 2
    tail = ((np.int64(text[i + 1]) & 0x3F) << 6) | (np.int64(text[i + 2]) & 0x3F)
    if b < 0xF0:
        return ((b & 0x0F) << 12) | tail, i + 3
    return ((b & 0x07) << 18) | (tail << 6) | (np.int64(text[i + 3]) & 0x3F), i + 4


@inlined
def _letter(b: int) -> bool:
    return 97 <= b <= 122 or 65 <= b <= 90 or b >= 0x80


@inlined
def _ends_nothing(rules: Rules, tokens: Tokens, start: int, stop: int, text: npt.NDArray[np.uint8], at: int) -> bool:
    """Whether the full stop at ``at`` follows a single letter ("J.", "c.", "e.g.", but not "I.") or an abbreviation.

    What counts is the letters at the end of the token: with punctuation kept it may be "(Dr" or "U.S".
    """
    first = stop
    while first > start and _letter(tokens.letters[first - 1]):
        first -= 1
    if first == stop:
        return False
    point, after = _decoded(tokens.letters, first)
    while after < stop and rules.table[_decoded(tokens.letters, after)[0]] & MEANING == PLAIN:
        after = _decoded(tokens.letters, after)[1]  # marks on the letter
    if after == stop and (rules.table[point] & MEANING) in (LOWER, UPPER):
        return text[at - 1] != _CAPITAL_I
    h = hash_bytes(tokens.letters, first, stop)
    for known in rules.abbreviations:  # noqa: SIM110 (Numba has no any())
        if known == h:
            return True
    return False


@kernel
def scan(text: npt.NDArray[np.uint8], rules: Rules, tokens: Tokens) -> int:
    """Find the tokens and sentence ends of ``text``, which is valid UTF-8; returns how many there are.

    Tokens behind the last sentence end belong to a sentence that continues in the next text.
    """
    size = text.size
    n = 0
    # The token being read: its bytes are letters[start:stop].
    start = stop = 0
    h = _FNV_OFFSET
    # After a terminator: 1, and after a blank behind it: 2. A sentence then ends unless the next letter is lowercase.
    pending = 0
    breaks = 0
    digit = False  # whether the character before was an ASCII digit
    i = 0
    while i < size:
        at = i
        point, i = _decoded(text, at)
        flags = rules.table[point]
        meaning = flags & MEANING

        if meaning <= UNCASED:
            breaks = 0
            if meaning != PLAIN:
                if pending == 2 and meaning != LOWER and (n == 0 or tokens.ends[n - 1] != END):
                    tokens.ends[n] = END
                    n += 1
                pending = 0
            elif pending == 1:
                pending = 0
        elif meaning in (BLANK, LINE):
            if meaning == LINE and not (point == _RETURN and i < size and text[i] == _NEWLINE):
                breaks += 2 if point == _PARAGRAPH else 1
            if pending == 1:
                pending = 2
        else:
            breaks = 0
            if meaning == STOP:
                pending = 2
            elif meaning == TERMINATOR and not (
                stop > start and point == _FULL_STOP and _ends_nothing(rules, tokens, start, stop, text, at)
            ):
                pending = 1

        if flags & BINDS:
            # "1,000" and "3.14" are one token; "1984," and "3. " are not.
            inside = digit and stop > start and i < size and 48 <= text[i] <= 57
        else:
            inside = (flags & BEGINS) != 0 or ((flags & CONTINUES) != 0 and stop > start)
        digit = 48 <= point <= 57
        if stop > start and not inside:
            tokens.ends[n] = stop
            tokens.hashes[n] = h
            n += 1
            start = stop
        if inside or (flags & SINGLE) != 0:
            if stop == start:
                h = _FNV_OFFSET
            for k in range(at, i):
                x = text[k]
                if rules.fold and 65 <= x <= 90:
                    x = np.uint8(x + 32)
                tokens.letters[stop] = x
                stop += 1
                h = (h ^ np.uint64(x)) * _FNV_PRIME
            # Most of a text is ASCII letters after a letter: they change nothing but the token.
            while inside and LOWER <= meaning <= UNCASED and i < size:
                x = text[i]
                if not 97 <= x <= 122:
                    if not 65 <= x <= 90:
                        break
                    if rules.fold:
                        x = np.uint8(x + 32)
                tokens.letters[stop] = x
                stop += 1
                h = (h ^ np.uint64(x)) * _FNV_PRIME
                digit = False
                i += 1
            if not inside:  # a token by itself
                tokens.ends[n] = stop
                tokens.hashes[n] = h
                n += 1
                start = stop
        elif meaning == LINE and breaks >= rules.breaks:
            pending = 0
            if n == 0 or tokens.ends[n - 1] != END:
                tokens.ends[n] = END
                n += 1
    if stop > start:
        tokens.ends[n] = stop
        tokens.hashes[n] = h
        n += 1
    return n


@kernel
def intern_tokens(types: Types, n: int, tokens: Tokens, count: int, out: npt.NDArray[np.int32]) -> int:
    """Write the types of the first ``count`` tokens to ``out``, counting them; returns how many types there are now."""
    start = 0
    for k in range(count):
        # A type's slot, and then its entry, would each be a cache miss: ask for them while others are looked up.
        if k + 2 * _AHEAD < count:
            prefetch(types.slots, _slot(types, tokens.hashes[k + 2 * _AHEAD]))
            t = types.slots[_slot(types, tokens.hashes[k + _AHEAD])]
            if t >= 0:
                prefetch(types.hashes, np.int64(t))
                prefetch(types.ends, np.int64(t))
        stop = tokens.ends[k]
        if stop == END:
            out[k] = END
            continue
        t = _find(types, n, tokens.hashes[k], tokens.letters, start, stop)
        n = max(n, t + 1)
        types.counts[t] += 1
        out[k] = t
        start = stop
    return n


@kernel
def renumber(
    stream: npt.NDArray[np.int32],
    first: npt.NDArray[np.int64],
    words: npt.NDArray[np.int32],
    ids: npt.NDArray[np.int32],
    ends: npt.NDArray[np.int64],
) -> tuple[int, int]:
    """Types to word ids: type t is words[first[t]:first[t + 1]], where −1 stands for a word out of vocabulary.

    ``ends`` gets the number of ids before each sentence end. Returns how many ids and how many ends were written.
    """
    n_ids = 0
    n_ends = 0
    for t in stream:
        if t == END:
            ends[n_ends] = n_ids
            n_ends += 1
            continue
        for k in range(first[t], first[t + 1]):
            if words[k] >= 0:
                ids[n_ids] = words[k]
                n_ids += 1
    return n_ids, n_ends
