"""Plots as SVG: bars, lines and maps of words, drawn with nothing but text, for pages that need nothing else."""

from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise

_Box = tuple[float, float, float, float]  # left, top, right, bottom

_WIDTH, _LABELS, _BAR, _GAP = 720, 250, 16, 10
_PANEL_WIDTH, _PANEL_HEIGHT, _MARGIN = 230, 130, 46

_MAP_WIDTH, _MAP_HEIGHT, _EDGE, _LETTER, _LINE = 900, 620, 60, 7.4, 15
#: Told apart by people who do not see all colours, too (Okabe and Ito), on white.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#555555", "#b8860b")

STYLE = (
    "svg{max-width:100%;height:auto;font:12px sans-serif}svg text{fill:currentColor}"
    ".bar{fill:#4c72b0}.mark{stroke:#c44e52;stroke-width:2.5}"
    ".axis{stroke:currentColor;stroke-opacity:.35}.line{fill:none;stroke:#4c72b0;stroke-width:2}.dot{fill:#4c72b0}"
)


def bars(
    values: Mapping[str, float],
    *,
    unit: str,
    marks: Mapping[str, float] | None = None,
) -> str:
    """A horizontal bar for each value, perhaps with a mark on its line (what another measured)."""
    marks = marks or {}
    longest = max([*values.values(), *marks.values()], default=0.0) or 1.0
    scale = (_WIDTH - _LABELS - 90) / longest
    parts = []
    for number, (label, value) in enumerate(values.items()):
        top = number * (_BAR + _GAP) + _GAP
        middle = top + _BAR / 2
        end = _LABELS + max(value, 0) * scale
        parts.append(f'<text x="{_LABELS - 8}" y="{middle + 4}" text-anchor="end">{escape(label)}</text>')
        parts.append(f'<rect class="bar" x="{_LABELS}" y="{top}" width="{end - _LABELS:.1f}" height="{_BAR}"/>')
        if label in marks:
            at = _LABELS + marks[label] * scale
            parts.append(_line("mark", at, top - 2, at, top + _BAR + 2))
        parts.append(f'<text x="{_WIDTH - 4}" y="{middle + 4}" text-anchor="end">{_figure(value, unit)}</text>')
    return _svg(_WIDTH, len(values) * (_BAR + _GAP) + _GAP, parts)


def panels(series: Mapping[str, Sequence[float]], *, across: int = 3) -> str:
    """A small plot for each series, over 1, 2, 3 …: each has a scale of its own."""
    parts = []
    for number, (label, values) in enumerate(series.items()):
        row, column = divmod(number, across)
        parts.append(f'<g transform="translate({column * (_PANEL_WIDTH + 20)},{row * (_PANEL_HEIGHT + 20)})">')
        parts += _panel(label, values)
        parts.append("</g>")
    rows = -(-len(series) // across)
    return _svg(across * (_PANEL_WIDTH + 20), rows * (_PANEL_HEIGHT + 20), parts)


def word_map(
    words: Sequence[str],
    points: Sequence[tuple[float, float]],
    kinds: Sequence[int],
    *,
    lines: Sequence[tuple[int, int]] = (),
    caption: str = "",
) -> str:
    """Words at points of a plane, coloured by kind, perhaps with lines between some; a picture that stands alone."""
    spots = _fitted(points)
    parts = [f'<rect width="{_MAP_WIDTH}" height="{_MAP_HEIGHT}" fill="#fff"/>']
    parts += [_joined(spots[start], spots[end]) for start, end in lines]
    for word, (x, y), kind, (left, base) in zip(words, spots, kinds, _placed(words, spots), strict=True):
        colour = _COLOURS[kind % len(_COLOURS)]
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>')
        parts.append(f'<text x="{left:.1f}" y="{base:.1f}" fill="{colour}">{escape(word)}</text>')
    below = _MAP_HEIGHT - 10
    parts.append(f'<text x="{_MAP_WIDTH / 2}" y="{below}" text-anchor="middle" fill="#555">{escape(caption)}</text>')
    return _svg(_MAP_WIDTH, _MAP_HEIGHT, ['<g font-family="sans-serif" font-size="13">', *parts, "</g>"])


def _fitted(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points as places in the picture; both axes have one scale, so that distances mean something."""
    columns, rows = zip(*points, strict=True)
    width, height = _MAP_WIDTH - 2 * _EDGE - 60, _MAP_HEIGHT - 2 * _EDGE
    scale = min(width / ((max(columns) - min(columns)) or 1), height / ((max(rows) - min(rows)) or 1))
    middle = (max(columns) + min(columns)) / 2, (max(rows) + min(rows)) / 2
    centre = _EDGE + width / 2, _EDGE + height / 2
    return [(centre[0] + (x - middle[0]) * scale, centre[1] - (y - middle[1]) * scale) for x, y in points]


def _placed(words: Sequence[str], spots: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Where labels begin: right, left, above or below of their points, wherever they hide the least."""
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in spots]
    placed = []
    for word, (x, y) in zip(words, spots, strict=True):
        long = len(word) * _LETTER
        choices = [(x + 6, y + 4), (x - 6 - long, y + 4), (x - long / 2, y - 8), (x - long / 2, y + 17)]
        boxes = [(left, base - _LINE + 3, left + long, base + 3) for left, base in choices]
        hidden = [sum(_overlap(box, other) for other in taken) for box in boxes]
        best = hidden.index(min(hidden))
        taken.append(boxes[best])
        placed.append(choices[best])
    return placed


def _overlap(one: _Box, other: _Box) -> float:
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return max(across, 0.0) * max(down, 0.0)


def _joined(start: tuple[float, float], end: tuple[float, float]) -> str:
    ends = f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    return f'<line {ends} stroke="#bbb" stroke-dasharray="4 3"/>'


def _panel(label: str, values: Sequence[float]) -> list[str]:
    low, high = min(values), max(values)
    spread = (high - low) or 1.0
    step = (_PANEL_WIDTH - _MARGIN - 20) / max(1, len(values) - 1)
    bottom = _PANEL_HEIGHT - 20
    points = [
        (_MARGIN + 14 + place * step, bottom - (value - low) / spread * (bottom - 28))
        for place, value in enumerate(values)
    ]
    parts = [f'<text x="{_MARGIN}" y="14">{escape(label)}</text>', _line("axis", _MARGIN, 20, _MARGIN, bottom + 6)]
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


def _svg(width: float, height: float, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img">'
    return "\n".join([head, *parts, "</svg>"])
