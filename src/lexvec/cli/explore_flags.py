"""The flags of ``lexvec explore``, gathered by what they are about: where to serve the page, and what is on it."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

import click

from .flags import gathered
from .paths import InputPath, OutputPath

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class Serving:
    """Where the page is served, and whether a browser opens it."""

    host: str
    port: int
    browser: bool


@dataclass(frozen=True)
class PageFlags:
    """What the page shows, and the file that it is exported to, if any."""

    export: Path | None
    force: bool
    words: int
    labels: Path | None
    limit: int | None


_SERVING = [
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        default=8765,
        show_default=True,
        metavar="N",
        help="Port to serve the page on; 0 means any free one.",
    ),
    click.option(
        "--host",
        default="127.0.0.1",
        show_default=True,
        help="Address to serve the page on. With any other than 127.0.0.1, other machines can open the page if they "
        "have its link, which contains a token.",
    ),
    click.option("--browser/--no-browser", default=True, show_default=True, help="Open the page in a browser."),
]
_PAGE = [
    click.option(
        "--export",
        type=OutputPath(),
        metavar="FILE",
        help="Write the page as one HTML file that works offline, and serve nothing.",
    ),
    click.option(
        "--words",
        type=click.IntRange(3, 200_000),
        default=50_000,
        show_default=True,
        metavar="N",
        help="Number of words on the map, and in an exported page. Several models share an exported page.",
    ),
    click.option(
        "--labels",
        type=InputPath(),
        metavar="FILE",
        help="Colour the words of the map by a file with a word, a tab and its label on each line.",
    ),
    click.option("--limit", type=click.IntRange(1), metavar="N", help="Read only the first N words of each model."),
    click.option("--force", is_flag=True, help="Replace the exported page if it exists."),
]


def serving_flags(function: F) -> F:
    """Add the flags of `Serving`, which the command takes as ``serving``."""
    return _with_flags(function, "serving", Serving, _SERVING)


def page_flags(function: F) -> F:
    """Add the flags of `PageFlags`, which the command takes as ``page``."""
    return _with_flags(function, "page", PageFlags, _PAGE)


def _with_flags(function: F, name: str, kind: type[Any], options: list[Any]) -> F:
    function = gathered(name, kind, [field.name for field in fields(kind)])(function)
    for option in reversed(options):
        function = option(function)
    return function
