"""A map of words as an SVG picture: which words it shows, where, and in what colour."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Self

from ..errors import ParameterError
from ..parameters import check_flag, check_whole
from ..presentation.svg import Spot, draw_word_map
from .arguments import checked_list, instance, strings
from .word_vectors import WordVectors

MOST = 500  # words on a map


@dataclass(frozen=True, kw_only=True)
class WordMap:
    """Words on the plane of the two directions in which they differ most.

    >>> import numpy as np
    >>> vectors = WordVectors(["cat", "dog", "red"], np.array([[1, 0], [1, 1], [0, 1]]))
    >>> drawn = WordMap.of(vectors, [["cat", "dog"], ["red"]])
    >>> drawn.words, drawn.kinds, drawn.svg()[:4]
    (['cat', 'dog', 'red'], [0, 0, 1], '<svg')
    """

    #: All words, group after group.
    words: list[str]
    #: The position of each word.
    points: list[Spot]
    #: The number of the colour of each word; after eight the colours repeat.
    kinds: list[int]
    #: Pairs of words (by place in ``words``) with a line between them.
    lines: list[tuple[int, int]]
    #: The share of the variance of the vectors that the plane shows.
    share: float
    #: Words that are not in the vocabulary, whose vectors are composed from n-grams.
    composed: list[str] = field(default_factory=list)

    @classmethod
    def of(
        cls, vectors: WordVectors, groups: Sequence[Sequence[str]], *, neighbors: int = 0, join: bool = False
    ) -> Self:
        """Map groups of words, one colour per group.

        ``neighbors`` adds that many nearest words of each word. ``join`` draws a line through the words of each group
        and colours them by their place in it. A word in several groups belongs to the first.
        """
        instance("vectors", vectors, WordVectors, "load them with WordVectors.load")
        lists = [strings("groups", group) for group in checked_list("groups", groups, object, "lists of words")]
        members = _members(vectors, lists, check_whole(neighbors, "neighbors", 0))
        check_flag(join, "join")
        words = [word for group in members for word in group]
        if len(words) > MOST:
            raise ParameterError(f"a map of {len(words):,} words cannot be read: give at most {MOST}")
        found = vectors.plane(words)
        kinds, lines, start = [], [], 0
        for kind, group in enumerate(members):
            kinds += list(range(len(group))) if join else [kind] * len(group)
            lines += list(pairwise(range(start, start + len(group)))) if join else []
            start += len(group)
        points = [(x, y) for x, y in found.points.tolist()]
        composed = [word for word in words if word not in vectors]
        return cls(words=words, points=points, kinds=kinds, lines=lines, share=found.share, composed=composed)

    @property
    def caption(self) -> str:
        """A line that says what the map shows."""
        composed = f"; composed from n-grams: {', '.join(self.composed)}" if self.composed else ""
        return f"{len(self.words)} words; the plane shows {self.share:.0%} of what sets their vectors apart{composed}"

    def svg(self) -> str:
        """Return the picture as a complete SVG document."""
        return draw_word_map(self.words, self.points, kinds=self.kinds, lines=self.lines, caption=self.caption)


def _members(vectors: WordVectors, groups: Sequence[Sequence[str]], neighbors: int) -> list[list[str]]:
    """Return the words of each group in order, then their neighbours, each word once."""
    members = [list[str]() for _ in groups]
    seen = set[str]()

    def join(group: list[str], words: Sequence[str]) -> None:
        for word in words:
            if word not in seen:
                seen.add(word)
                group.append(word)

    for group, words in zip(members, groups, strict=True):
        join(group, words)
    if neighbors:
        for group in members:
            for found in vectors.neighbors(list(group), count=neighbors):
                join(group, [word for word, _ in found])
    return members
