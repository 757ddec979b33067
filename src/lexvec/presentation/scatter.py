"""Small scatter plots as SVG: one panel per cloud of points, on linear, logarithmic or named scales."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .svg import label, svg

_LEFT, _TOP, _BOTTOM, _GAP = 52, 24, 40, 24

#: A point: its place across, its height, and whether it is drawn in the colour of the best.
Point = tuple[float | str, float, bool]


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
        svg(width + _GAP, height + _GAP, _panel(name, cloud, bounds, width, height)) for name, cloud in clouds.items()
    )
    return "\n".join(pictures)


def _panel(name: str, cloud: Cloud, bounds: tuple[float, float], width: int, height: int) -> list[str]:
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
        x for x in (_least(cloud.points), _least(cloud.points, largest=True)) if x is not None
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


def _least(points: Sequence[Point], *, largest: bool = False) -> float | None:
    numbers = [x for x, *_ in points if not isinstance(x, str)]
    return (max if largest else min)(numbers) if numbers else None
