"""The SVG picture of a map of words: points, labels that keep out of each other's way, and lines."""

from collections.abc import Sequence

from .svg import label, svg

_WIDTH, _HEIGHT, _EDGE, _LETTER, _LINE = 900, 620, 60, 7.4, 15
#: The first four and the sixth are Okabe and Ito's, which colour-blind readers can tell apart.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#555555", "#b8860b")

Spot = tuple[float, float]
_Box = tuple[float, float, float, float]  # left, top, right, bottom


def draw_word_map(
    words: Sequence[str],
    points: Sequence[Spot],
    *,
    kinds: Sequence[int],
    lines: Sequence[tuple[int, int]],
    caption: str,
) -> str:
    """Return the picture: ``kinds`` are the words' colours, ``lines`` pairs of words by their places."""
    spots = _fitted(points)
    parts = [f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>']
    parts += [_joined(spots[start], spots[end]) for start, end in lines]
    for word, (x, y), kind, (left, base) in zip(words, spots, kinds, _placed(words, spots), strict=True):
        colour = _COLOURS[kind % len(_COLOURS)]
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')
        parts.append(f'<text x="{left:.1f}" y="{base:.1f}" fill="{colour}">{label(word)}</text>')
    middle = f'x="{_WIDTH / 2}" y="{_HEIGHT - 10}" text-anchor="middle" fill="#555"'
    parts.append(f"<text {middle}>{label(caption)}</text>")
    return svg(_WIDTH, _HEIGHT, ['<g font-family="sans-serif" font-size="13">', *parts, "</g>"])


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
