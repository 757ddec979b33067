"""Texts of any length: read in pieces, and cut again between words, so that memory does not grow with the text."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import Given, InputError, ParameterError
from .arguments import shown

#: Characters of a text, or of several, that are looked up at once.
AT_ONCE = 1 << 19
_WORDS_AT_ONCE = AT_ONCE // 8
_LONGEST_WORD = 1 << 20
_TEXTS_AT_ONCE = 8192
_FEW = 32
#: What is between tokens.
SPACES = re.compile(r"[ \t\n\v\f\r]")


@dataclass(frozen=True)
class LongText:
    """A text in pieces: strings that may end within a word, or lists of words. It can be read once."""

    pieces: Iterable[str] | Iterable[Sequence[str]]
    name: str  # in errors
    #: Whether words are looked up as they are: those of lists, or what whitespace separates in strings.
    tokenized: bool = False

    @classmethod
    def of(cls, text: Any, name: str) -> "LongText | None":
        """Return a string or a list of words as a long text, or None if it is not long."""
        size = AT_ONCE if isinstance(text, str) else _WORDS_AT_ONCE
        if len(text) <= size:
            return None
        pieces = (text[start : start + size] for start in range(0, len(text), size))
        return cls(pieces, name, tokenized=not isinstance(text, str))

    def parts(self, separators: re.Pattern[str]) -> Iterator[Any]:
        """Yield the text in parts that are cut between words."""
        separators = SPACES if self.tokenized else separators
        held = ""
        for piece in self.pieces:
            if not isinstance(piece, str):
                yield piece
                continue
            place = _last_end(separators, piece)
            if place:
                yield self._part(held + piece[:place])
                held = piece[place:]
            else:
                held += piece
            if len(held) > _LONGEST_WORD:
                raise InputError(
                    f"{self.name} has a word longer than {_LONGEST_WORD:,} characters: check that it is text"
                )
        yield self._part(held)

    def _part(self, text: str) -> Any:
        return text.split() if self.tokenized else text


def _last_end(separators: re.Pattern[str], text: str) -> int:
    """Return the end of the last separator, or 0."""
    width = 256
    while True:
        start = max(0, len(text) - width)
        ends = [found.end() for found in separators.finditer(text, start)]
        if ends or start == 0:
            return ends[-1] if ends else 0
        width *= 16


def _size_of(text: Any) -> int:
    """Return about how many characters a text has."""
    return len(text) if isinstance(text, str) else len(text) * (AT_ONCE // _WORDS_AT_ONCE)


def added_up(values: npt.NDArray[np.float64], times: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return each value added up as many times as is said, one by one: the bits that a sparse matrix gives.

    >>> added_up(np.array([0.1, 0.1]), np.array([1, 3])).tolist() == [0.1, 0.1 + 0.1 + 0.1]
    True
    """
    sums = values.copy()
    for done in range(2, _FEW + 1):
        sums[times >= done] += values[times >= done]
    for place in np.flatnonzero(times > _FEW):
        left = int(times[place]) - _FEW
        while left > 0:
            run = np.full(min(left, AT_ONCE) + 1, values[place])
            run[0] = sums[place]
            sums[place] = np.add.accumulate(run)[-1]
            left -= len(run) - 1
    return sums


def batches(texts: Any) -> Iterator[list[Any] | LongText]:
    """Yield texts some at a time, and long ones alone: all are strings, or all are lists of words."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable):
        raise ParameterError(Given("texts", texts), ": it must be a list of texts; put a single text into a list")
    strings: bool | None = None
    batch: list[Any] = []
    size = 0
    for number, text in enumerate(texts):
        if isinstance(text, LongText):
            long: LongText | None = text
        else:
            strings = isinstance(text, str) if strings is None else strings
            if not (isinstance(text, str) if strings else _is_words(text)):
                wanted = "a text" if strings else "a text or a list of words, as all others"
                raise ParameterError(Given("texts"), f" has {shown(text)} at position {number}: it must be {wanted}")
            long = LongText.of(text, f"text {number + 1:,}")
        size += _size_of(text) if long is None else 0
        if batch and (long is not None or len(batch) == _TEXTS_AT_ONCE or size > AT_ONCE):
            yield batch
            batch, size = [], _size_of(text) if long is None else 0
        if long is None:
            batch.append(text)
        else:
            yield long
    if batch:
        yield batch


def _is_words(text: Any) -> bool:
    return isinstance(text, list | tuple) and all(isinstance(word, str) for word in text)
