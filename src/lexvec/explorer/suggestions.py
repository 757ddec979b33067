"""Words to suggest while somebody types: those with the same beginning, and those that were probably meant."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from ..errors import close_words

_MANY = 100_000  # words with one prefix that are ranked


class Suggestions:
    """The vocabulary sorted by its words without their case, so that a prefix is one range.

    >>> words = ["the", "Theatre", "cat", "them"]
    >>> suggestions = Suggestions(words, {word: row for row, word in enumerate(words)})
    >>> suggestions.beginning_with("THE", 2), suggestions.meant("cta", 1)
    (['the', 'Theatre'], ['cat'])
    """

    def __init__(self, words: Sequence[str], index: Mapping[str, int]) -> None:
        self._words, self._index = words, index

    @cached_property
    def _sorted(self) -> tuple[list[str], np.ndarray[tuple[int], np.dtype[np.int64]]]:
        folded = [word.casefold() for word in self._words]
        order = sorted(range(len(folded)), key=folded.__getitem__)
        return [folded[row] for row in order], np.array(order, np.int64)

    def prepare(self) -> None:
        """Sort the words now, so that the first search need not wait."""
        self._sorted  # noqa: B018 (computed and kept)

    def beginning_with(self, text: str, count: int) -> list[str]:
        """Return the most frequent words that begin with a text, in any case; the word itself comes first."""
        prefix = text.strip().casefold()
        if not prefix:
            return []
        names, rows = self._sorted
        start = bisect_left(names, prefix)
        end = bisect_left(names, prefix + chr(0x10FFFF), lo=start)
        found = np.sort(rows[start : min(end, start + _MANY)])[: count + 1].tolist()
        own = self._index.get(text.strip())
        if own is not None:
            found = [own, *(row for row in found if row != own)]
        return [self._words[row] for row in found[:count]]

    def meant(self, text: str, count: int) -> list[str]:
        """Return words that were probably meant: another case first, then similar spellings."""
        return close_words(text.strip(), self._index, count)
