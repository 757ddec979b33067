"""Small plots as SVG, bars and lines, for pages that need no other file."""

import re
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise

_WIDTH, _LABELS, _BAR, _GAP = 720, 250, 16, 10
_PANEL_WIDTH, _PANEL_HEIGHT, _MARGIN = 230, 130, 46

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

STYLE = (
    "svg{max-width:100%;height:auto;font:12px sans-serif}svg text{fill:currentColor}"
    ".bar{fill:#4c72b0}.mark{stroke:#c44e52;stroke-width:2.5}.error{stroke:#111;stroke-width:1.2}"
    ".axis{stroke:currentColor;stroke-opacity:.35}.line{fill:none;stroke:#4c72b0;stroke-width:2}.dot{fill:#4c72b0}"
)


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


def label(text: str) -> str:
    """Return a text for a picture: escaped, and without the characters that XML forbids."""
    return escape(_NO_XML.sub("\N{REPLACEMENT CHARACTER}", text))


def svg(width: float, height: float, parts: Sequence[str]) -> str:
    """Return a picture of these parts."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" role="img">'
    return "\n".join([head, *parts, "</svg>"])
