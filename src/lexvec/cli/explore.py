"""``lexvec explore``: a page to look at vectors."""

import importlib.util
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import ParameterError, ResourceError
from ..storage.files import check_output
from ..vectors.model import Combine
from .console import Console, console_flags
from .evaluate import set_flags, split
from .flags import combine_flag, json_flag
from .output import report

if TYPE_CHECKING:
    from ..explorer.session import Session

INSTALL = "pip install 'lexvec[explore]'"
_PORT = 8765


def is_installed() -> bool:
    """Return whether the packages that serve the page are there."""
    return all(importlib.util.find_spec(name) for name in ("starlette", "uvicorn"))


@click.command()
@click.argument("vectors", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=_PORT,
    show_default=True,
    metavar="N",
    help="Port to serve the page on; 0 means any free one.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to serve the page on. With any other than 127.0.0.1, other machines can open the page if they have "
    "its link, which contains a token.",
)
@click.option("--browser/--no-browser", default=True, show_default=True, help="Open the page in a browser.")
@click.option(
    "--export",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the page as one HTML file that works offline, and serve nothing.",
)
@click.option(
    "--words",
    type=click.IntRange(3, 200_000),
    default=50_000,
    show_default=True,
    metavar="N",
    help="Number of words on the map, and in an exported page. Several models share an exported page.",
)
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Colour the words of the map by a file with a word, a tab and its label on each line.",
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Read only the first N words of each model.")
@click.option("--force", is_flag=True, help="Replace the exported page if it exists.")
@set_flags
@combine_flag
@json_flag
@console_flags
def explore(
    vectors: tuple[Path, ...],
    port: int,
    host: str,
    browser: bool,
    export: Path | None,
    words: int,
    labels: Path | None,
    limit: int | None,
    force: bool,
    data: Path | None,
    sets: tuple[str, ...],
    combine: Combine,
    as_json: bool,
    console: Console,
) -> None:
    """Look at vectors on a page in your browser.

    The page has search, neighbours, analogies, a map, two models side by side, scores, and the progress of a run. Each
    of VECTORS is a folder written by lexvec train, vectors in any format that lexvec convert reads, the folder of an
    experiment by lexvec reproduce, or DIR.run, a training run under way. The page is served on this machine only, until
    you press Ctrl-C. With --export it becomes a file instead.
    """
    from ..explorer.labels import Labels
    from ..explorer.opening import opened_models
    from ..explorer.scores import Scorer

    if export is None and not is_installed():
        raise ResourceError(f"the explorer needs starlette and uvicorn: {INSTALL}; --export works without them")
    if export is not None and export.suffix.lower() not in (".html", ".htm"):
        raise ParameterError(f"{export} is not a name for a page: give one that ends in .html")
    if export is not None:
        check_output(export, force=force)
    known = Labels.read(labels) if labels else None
    models = opened_models(vectors, combine=combine, limit=limit, progress=console.progress)
    scorer = Scorer(split(sets), data)
    if export is not None:
        from ..explorer.export import exported_page

        page = exported_page(models, words=words, labels=known, scorer=scorer, paths=vectors)
        page.save(export, force=force)
        size = export.stat().st_size
        record = {"path": str(export.absolute()), "words": page.words, "bytes": size}
        summary = f"{export}: {page.words:,} words, {size / 1e6:.1f} MB; open it in any browser"
        report(record, summary, console, as_json=as_json)
        return
    from ..explorer.session import Session

    session = Session(models, paths=vectors, combine=combine, scorer=scorer, labels=known, map_words=words)
    session.look()
    _serve(session, host, port, browser=browser, as_json=as_json, console=console)


def _serve(session: "Session", host: str, port: int, *, browser: bool, as_json: bool, console: Console) -> None:
    from ..explorer.serving import Service

    service = Service(session, host=host, port=port)
    report({"url": service.url}, f"{service.url} (press Ctrl-C to stop)", console, as_json=as_json)

    def show() -> None:
        if browser:
            webbrowser.open(service.url)

    service.run(show)
