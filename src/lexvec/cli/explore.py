"""``lexvec explore``: a page to look at vectors."""

import importlib.util
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import ParameterError, ResourceError
from ..storage.outputs import check_file_output
from ..trained import Combine
from .flags import gathered
from .options import ChosenSets, report_flags, set_flags, vector_flags
from .output import Console, counted, size
from .paths import InputPath, OutputPath

if TYPE_CHECKING:
    from ..explorer.session import Session
    from ..vectors.exported_page import ExportedPage


INSTALL = "pip install 'lexvec[explore]'"
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


def _flags(name: str, kind: type[Any], options: list[Any]) -> Callable[[F], F]:
    """Add flags to a command, which takes their values as one object."""

    def add(function: F) -> F:
        function = gathered(name, kind, [field.name for field in fields(kind)])(function)
        for option in reversed(options):
            function = option(function)
        return function

    return add


@click.command()
@click.argument("vectors", nargs=-1, required=True, type=InputPath())
@_flags("serving", Serving, _SERVING)
@_flags("page", PageFlags, _PAGE)
@set_flags()
@vector_flags()
@report_flags()
def explore(
    vectors: tuple[Path, ...],
    serving: Serving,
    page: PageFlags,
    chosen: ChosenSets,
    combine: Combine,
    console: Console,
) -> None:
    """Look at vectors on a page in your browser.

    The page has search, neighbours, analogies, a map, two models side by side, scores, and the progress of a run. Each
    of VECTORS is a folder written by lexvec train, vectors in any format that lexvec convert reads, the folder of an
    experiment by lexvec reproduce, or DIR.run, a training run under way. The page is served on this machine only, until
    you press Ctrl-C. With --export it becomes a file instead.
    """
    from ..explorer.export import exported_page
    from ..explorer.maps import Labels
    from ..explorer.scores import Scorer
    from ..explorer.session import Session
    from ..explorer.shown_models import opened_models

    _check(page)
    labels = Labels.read(page.labels) if page.labels else None
    scorer = Scorer(chosen.names, chosen.data)
    scorer.check()
    models = opened_models(vectors, combine=combine, limit=page.limit, progress=console.progress)
    if page.export is not None:
        exported = exported_page(models, words=page.words, labels=labels, scorer=scorer, paths=vectors)
        _write(exported, page.export, force=page.force, console=console)
        return
    session = Session(models, paths=vectors, combine=combine, scorer=scorer, labels=labels, map_words=page.words)
    session.look()
    _serve(session, serving, console=console)


def is_installed() -> bool:
    """Return whether the packages that serve the page are there."""
    return all(importlib.util.find_spec(name) for name in ("starlette", "uvicorn"))


def _check(page: PageFlags) -> None:
    """Raise before anything is read if the page could not be shown or written."""
    if page.export is None:
        if not is_installed():
            raise ResourceError(f"the explorer needs starlette and uvicorn: {INSTALL}; --export works without them")
        return
    if page.export.suffix.lower() not in (".html", ".htm"):
        raise ParameterError(f"{page.export} is not a name for a page: give one that ends in .html")
    check_file_output(page.export, force=page.force)


def _write(exported: "ExportedPage", path: Path, *, force: bool, console: Console) -> None:
    exported.save(path, force=force)
    count = path.stat().st_size
    record = {"path": str(path.absolute()), "words": exported.words, "bytes": count}
    console.report(record, f"{path}: {counted(exported.words, 'word')}, {size(count)}; open it in any browser")


def _serve(session: "Session", serving: Serving, *, console: Console) -> None:
    from ..explorer.server import Service

    service = Service(session, host=serving.host, port=serving.port)
    console.report({"url": service.url}, f"{service.url} (press Ctrl-C to stop)")

    def show() -> None:
        if serving.browser:
            webbrowser.open(service.url)

    service.run(show)
