"""Pictures as SVG, for pages that need no other file: bars, lines, scatter plots, maps of words.

A scatter plot has a panel per cloud of points, on linear, logarithmic or named scales. In a map of words, labels keep
out of each other's way.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

STYLE = (
    "svg{max-width:100%;height:auto;font:12px sans-serif}svg text{fill:currentColor}"
    ".bar{fill:#4c72b0}.mark{stroke:#c44e52;stroke-width:2.5}.error{stroke:#111;stroke-width:1.2}"
    ".axis{stroke:currentColor;stroke-opacity:.35}.line{fill:none;stroke:#4c72b0;stroke-width:2}.dot{fill:#4c72b0}"
)
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
#: The first four and the sixth are Okabe and Ito's, which colour-blind readers can tell apart.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#555555", "#b8860b")
_WIDTH, _LABELS, _BAR, _GAP = 720, 250, 16, 10
_PANEL_WIDTH, _PANEL_HEIGHT, _MARGIN = 230, 130, 46
_LEFT, _TOP, _BOTTOM, _CLOUD_GAP = 52, 24, 40, 24
_MAP_WIDTH, _MAP_HEIGHT, _MAP_EDGE, _LETTER_WIDTH, _LINE_HEIGHT = 900, 620, 60, 7.4, 15
#: A point: its place across, its height, and whether it is drawn in the colour of the best.
Point = tuple[float | str, float, bool]
Spot = tuple[float, float]
_Box = tuple[float, float, float, float]  # left, top, right, bottom


def bars(
    values: Mapping[str, float],
    *,
    unit: str,
    marks: Mapping[str, float] | None = None,
    errors: Mapping[str, tuple[float, float]] | None = None,
) -> str:
    """Return a horizontal bar for each value, with a mark where another value is given for it, and error bars."""
    marks, errors = marks or {}, {name: bounds for name, bounds in (errors or {}).items() if bounds[0] == bounds[0]}
    reached = [0.0, *values.values(), *marks.values(), *(bound for bounds in errors.values() for bound in bounds)]
    scale = (_WIDTH - _LABELS - 90) / ((max(reached) - min(reached)) or 1.0)
    zero = _LABELS - min(reached) * scale
    height = len(values) * (_BAR + _GAP) + _GAP
    parts = [_line("axis", zero, 0, zero, height)]
    for number, (name, value) in enumerate(values.items()):
        top = number * (_BAR + _GAP) + _GAP
        middle = top + _BAR / 2
        left, right = sorted((zero, zero + value * scale))
        parts.append(f'<text x="{_LABELS - 8}" y="{middle + 4}" text-anchor="end">{label(name)}</text>')
        parts.append(f'<rect class="bar" x="{left:.1f}" y="{top}" width="{right - left:.1f}" height="{_BAR}"/>')
        if name in errors:
            low, high = (zero + bound * scale for bound in errors[name])
            parts.append(_line("error", low, middle, high, middle))
            parts += [_line("error", at, middle - 4, at, middle + 4) for at in (low, high)]
        if name in marks:
            at = zero + marks[name] * scale
            parts.append(_line("mark", at, top - 2, at, top + _BAR + 2))
        parts.append(f'<text x="{_WIDTH - 4}" y="{middle + 4}" text-anchor="end">{_figure(value, unit)}</text>')
    return svg(_WIDTH, height, parts)


def panels(series: Mapping[str, Sequence[float]], *, across: int = 3) -> str:
    """Return a small plot for each series over 1, 2, 3 …, each with a scale of its own."""
    parts = []
    for number, (name, values) in enumerate(series.items()):
        row, column = divmod(number, across)
        parts.append(f'<g transform="translate({column * (_PANEL_WIDTH + 20)},{row * (_PANEL_HEIGHT + 20)})">')
        parts += _panel(name, values)
        parts.append("</g>")
    rows = -(-len(series) // across)
    return svg(across * (_PANEL_WIDTH + 20), rows * (_PANEL_HEIGHT + 20), parts)


def _panel(name: str, values: Sequence[float]) -> list[str]:
    low, high = min(values), max(values)
    spread = (high - low) or 1.0
    step = (_PANEL_WIDTH - _MARGIN - 20) / max(1, len(values) - 1)
    bottom = _PANEL_HEIGHT - 20
    points = [
        (_MARGIN + 14 + place * step, bottom - (value - low) / spread * (bottom - 28))
        for place, value in enumerate(values)
    ]
    parts = [f'<text x="{_MARGIN}" y="14">{label(name)}</text>', _line("axis", _MARGIN, 20, _MARGIN, bottom + 6)]
    parts.append(_line("axis", _MARGIN, bottom + 6, _PANEL_WIDTH, bottom + 6))
    parts += [_line("line", *start, *end) for start, end in pairwise(points)]
    parts += [
        f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="2.5"/>' for x, y in points[:: max(1, len(points) // 12)]
    ]
    parts += [
        f'<text x="{_MARGIN - 4}" y="{y}" text-anchor="end" font-size="10">{value:.3g}</text>'
        for y, value in ((31, high), (bottom + 4, low))
        if high > low or y == 31
    ]
    last = f'<text x="{_PANEL_WIDTH}" y="{bottom + 19}" text-anchor="end" font-size="10">{len(values)}</text>'
    return [*parts, f'<text x="{_MARGIN + 14}" y="{bottom + 19}" font-size="10">1</text>', last]


def _figure(value: float, unit: str) -> str:
    return f"{value:,.0f} {unit}" if unit else f"{value:.3f}".replace("0.", ".", 1)


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


@dataclass(frozen=True)
class Cloud:
    """The points of a panel. Places that are texts are shown side by side, in the order in which they appear."""

    points: Sequence[Point]
    #: Whether places are on a logarithmic scale; ignored unless all are above 0.
    log: bool = False
    #: A line through these points, such as means.
    line: Sequence[tuple[float, float]] = ()
    #: What the places are.
    axis: str = ""


def scatters(clouds: Mapping[str, Cloud], *, width: int = 250, height: int = 180) -> str:
    """Return a picture for each cloud, all with the same vertical scale; on a page they flow like words."""
    heights = [y for cloud in clouds.values() for _, y, _ in cloud.points]
    bounds = min(heights, default=0.0), max(heights, default=1.0)
    pictures = (
        svg(width + _CLOUD_GAP, height + _CLOUD_GAP, _cloud_panel(name, cloud, bounds, width, height))
        for name, cloud in clouds.items()
    )
    return "\n".join(pictures)


def _cloud_panel(name: str, cloud: Cloud, bounds: tuple[float, float], width: int, height: int) -> list[str]:
    names = list(dict.fromkeys(x for x, *_ in cloud.points if isinstance(x, str)))
    log = cloud.log and all(isinstance(x, int | float) and x > 0 for x, *_ in cloud.points)

    def place(x: float | str) -> float:
        if isinstance(x, str):
            return float(names.index(x))
        return math.log10(x) if log else float(x)

    places = [place(x) for x, *_ in cloud.points]
    first, last = min(places, default=0.0), max(places, default=1.0)
    low, high = bounds
    right, bottom = width - 8, height - _BOTTOM

    def across(x: float | str) -> float:
        share = (place(x) - first) / (last - first) if last > first else 0.5
        return _LEFT + 10 + share * (right - _LEFT - 20)

    def up(y: float) -> float:
        share = (y - low) / (high - low) if high > low else 0.5
        return bottom - 8 - share * (bottom - _TOP - 16)

    parts = [f'<text x="{_LEFT}" y="14">{label(name)}</text>']
    parts.append(f'<path class="axis" fill="none" d="M{_LEFT} {_TOP}V{bottom}H{right}"/>')
    for x, y, best in sorted(cloud.points, key=lambda point: point[2]):
        kind = 'fill="#c44e52" r="4"' if best else 'class="dot" fill-opacity=".55" r="3"'
        parts.append(f'<circle {kind} cx="{across(x):.1f}" cy="{up(y):.1f}"/>')
    if len(cloud.line) > 1:
        way = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in cloud.line)
        parts.append(f'<polyline fill="none" stroke="#c44e52" stroke-width="2" points="{way}"/>')
    for y in dict.fromkeys((high, low)):
        parts.append(f'<text x="{_LEFT - 5}" y="{up(y) + 4:.1f}" text-anchor="end" font-size="10">{y:.3f}</text>')
    ends: list[float | str] = [*names] or [
        x for x in (_extreme(cloud.points), _extreme(cloud.points, largest=True)) if x is not None
    ]
    for x in dict.fromkeys(ends):
        shown = x if isinstance(x, str) else f"{x:,.6g}"
        parts.append(
            f'<text x="{across(x):.1f}" y="{bottom + 14}" text-anchor="middle" font-size="10">{label(shown)}</text>'
        )
    if cloud.axis:
        middle = (_LEFT + right) / 2
        parts.append(f'<text x="{middle}" y="{bottom + 30}" text-anchor="middle">{label(cloud.axis)}</text>')
    return parts


def _extreme(points: Sequence[Point], *, largest: bool = False) -> float | None:
    numbers = [x for x, *_ in points if not isinstance(x, str)]
    return (max if largest else min)(numbers) if numbers else None


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
    parts = [f'<rect width="{_MAP_WIDTH}" height="{_MAP_HEIGHT}" fill="#fff"/>']
    parts += [_connection(spots[start], spots[end]) for start, end in lines]
    for word, (x, y), kind, (left, base) in zip(words, spots, kinds, _placed(words, spots), strict=True):
        colour = _COLOURS[kind % len(_COLOURS)]
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')
        parts.append(f'<text x="{left:.1f}" y="{base:.1f}" fill="{colour}">{label(word)}</text>')
    middle = f'x="{_MAP_WIDTH / 2}" y="{_MAP_HEIGHT - 10}" text-anchor="middle" fill="#555"'
    parts.append(f"<text {middle}>{label(caption)}</text>")
    return svg(_MAP_WIDTH, _MAP_HEIGHT, ['<g font-family="sans-serif" font-size="13">', *parts, "</g>"])


def _fitted(points: Sequence[Spot]) -> list[Spot]:
    """Return points as places in the picture. Both axes share one scale, so that distances can be compared."""
    columns, rows = zip(*points, strict=True)
    width, height = _MAP_WIDTH - 2 * _MAP_EDGE - 60, _MAP_HEIGHT - 2 * _MAP_EDGE
    scale = min(width / ((max(columns) - min(columns)) or 1), height / ((max(rows) - min(rows)) or 1))
    middle = (max(columns) + min(columns)) / 2, (max(rows) + min(rows)) / 2
    centre = _MAP_EDGE + width / 2, _MAP_EDGE + height / 2
    return [(centre[0] + (x - middle[0]) * scale, centre[1] - (y - middle[1]) * scale) for x, y in points]


def _placed(words: Sequence[str], spots: Sequence[Spot]) -> list[Spot]:
    """Return where labels begin: right, left, above or below their points, wherever they hide the least."""
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in spots]
    placed = []
    for word, (x, y) in zip(words, spots, strict=True):
        choices = [
            (x + 6, y + 4),
            (x - 6 - _width_of(word), y + 4),
            (x - _width_of(word) / 2, y - 8),
            (x - _width_of(word) / 2, y + 17),
        ]
        boxes = [_box(word, choice) for choice in choices]
        hidden = [sum(_overlap(box, other) for other in taken) for box in boxes]
        best = hidden.index(min(hidden))
        taken.append(boxes[best])
        placed.append(choices[best])
    return placed


def _width_of(word: str) -> float:
    return len(word) * _LETTER_WIDTH


def _box(word: str, place: Spot) -> _Box:
    left, base = place
    return left, base - _LINE_HEIGHT + 3, left + _width_of(word), base + 3


def _overlap(one: _Box, other: _Box) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return max(across, 0.0) * max(down, 0.0)


def _connection(start: Spot, end: Spot) -> str:
    ends = f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    return f'<line {ends} stroke="#bbb" stroke-dasharray="4 3"/>'


def svg(width: float, height: float, parts: Sequence[str]) -> str:
    """Return a picture of these parts."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img">'
    return "\n".join([head, *parts, "</svg>"])


def label(text: str) -> str:
    """Return a text for a picture: escaped, and without the characters that XML forbids."""
    return escape(_NO_XML.sub("\N{REPLACEMENT CHARACTER}", text))
