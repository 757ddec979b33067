"""A map of words as an SVG picture: which words it shows, where, and in what colour."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from ..errors import ParameterError
from ..presentation.svg import label, svg
from ..storage.arguments import check_flag, check_whole
from .arguments import checked_list, instance, strings
from .vectors import WordVectors

_WIDTH, _HEIGHT, _EDGE, _LETTER, _LINE = 900, 620, 60, 7.4, 15
#: The first four and the sixth are Okabe and Ito's, which colour-blind readers can tell apart.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#555555", "#b8860b")

MOST = 500  # words on a map

Spot = tuple[float, float]
_Box = tuple[float, float, float, float]  # left, top, right, bottom


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
        return cls(words=words, points=points, kinds=kinds, lines=lines, share=found.share)

    @property
    def caption(self) -> str:
        """A line that says what the map shows."""
        return f"{len(self.words)} words; the plane shows {self.share:.0%} of what sets their vectors apart"

    def svg(self) -> str:
        """Return the picture as a complete SVG document."""
        spots = _fitted(self.points)
        parts = [f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>']
        parts += [_joined(spots[start], spots[end]) for start, end in self.lines]
        places = zip(self.words, spots, self.kinds, _placed(self.words, spots), strict=True)
        for word, (x, y), kind, (left, base) in places:
            colour = _COLOURS[kind % len(_COLOURS)]
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')
            parts.append(f'<text x="{left:.1f}" y="{base:.1f}" fill="{colour}">{label(word)}</text>')
        middle = f'x="{_WIDTH / 2}" y="{_HEIGHT - 10}" text-anchor="middle" fill="#555"'
        parts.append(f"<text {middle}>{label(self.caption)}</text>")
        return svg(_WIDTH, _HEIGHT, ['<g font-family="sans-serif" font-size="13">', *parts, "</g>"])


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


def _fitted(points: Sequence[Spot]) -> list[Spot]:
    """Return points as places in the picture. Both axes share one scale, so that distances can be compared."""
    columns, rows = zip(*points, strict=True)
    width, height = _WIDTH - 2 * _EDGE - 60, _HEIGHT - 2 * _EDGE
    scale = min(width / ((max(columns) - min(columns)) or 1), height / ((max(rows) - min(rows)) or 1))
    middle = (max(columns) + min(columns)) / 2, (max(rows) + min(rows)) / 2
    centre = _EDGE + width / 2, _EDGE + height / 2
    return [(centre[0] + (x - middle[0]) * scale, centre[1] - (y - middle[1]) * scale) for x, y in points]


def _placed(words: Sequence[str], spots: Sequence[Spot]) -> list[Spot]:
    """Return where labels begin: right, left, above or below their points, wherever they hide the least."""
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in spots]
    placed = []
    for word, (x, y) in zip(words, spots, strict=True):
        choices = [
            (x + 6, y + 4),
            (x - 6 - _long(word), y + 4),
            (x - _long(word) / 2, y - 8),
            (x - _long(word) / 2, y + 17),
        ]
        boxes = [_box(word, choice) for choice in choices]
        hidden = [sum(_overlap(box, other) for other in taken) for box in boxes]
        best = hidden.index(min(hidden))
        taken.append(boxes[best])
        placed.append(choices[best])
    return placed


def _long(word: str) -> float:
    return len(word) * _LETTER


def _box(word: str, place: Spot) -> _Box:
    left, base = place
    return left, base - _LINE + 3, left + _long(word), base + 3


def _overlap(one: _Box, other: _Box) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return max(across, 0.0) * max(down, 0.0)


def _joined(start: Spot, end: Spot) -> str:
    ends = f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    return f'<line {ends} stroke="#bbb" stroke-dasharray="4 3"/>'
