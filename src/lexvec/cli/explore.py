"""``lexvec explore``: a page to look at vectors."""

import importlib.util
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import ParameterError, ResourceError
from ..storage.outputs import check_file_output
from ..trained import Combine
from .console import Console, console_flags
from .explore_flags import PageFlags, Serving, page_flags, serving_flags
from .flags import combine_flag, json_flag
from .output import report
from .paths import InputPath
from .set_flags import ChosenSets, set_flags

if TYPE_CHECKING:
    from ..explorer.session import Session
    from ..vectors.exported_page import ExportedPage

INSTALL = "pip install 'lexvec[explore]'"


def is_installed() -> bool:
    """Return whether the packages that serve the page are there."""
    return all(importlib.util.find_spec(name) for name in ("starlette", "uvicorn"))


@click.command()
@click.argument("vectors", nargs=-1, required=True, type=InputPath())
@serving_flags
@page_flags
@set_flags()
@combine_flag
@json_flag
@console_flags
def explore(
    vectors: tuple[Path, ...],
    serving: Serving,
    page: PageFlags,
    chosen: ChosenSets,
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
    from ..explorer.export import exported_page
    from ..explorer.labels import Labels
    from ..explorer.opening import opened_models
    from ..explorer.scores import Scorer
    from ..explorer.session import Session

    _check(page)
    labels = Labels.read(page.labels) if page.labels else None
    scorer = Scorer(chosen.names, chosen.data)
    scorer.check()
    models = opened_models(vectors, combine=combine, limit=page.limit, progress=console.progress)
    if page.export is not None:
        exported = exported_page(models, words=page.words, labels=labels, scorer=scorer, paths=vectors)
        _write(exported, page.export, force=page.force, as_json=as_json, console=console)
        return
    session = Session(models, paths=vectors, combine=combine, scorer=scorer, labels=labels, map_words=page.words)
    session.look()
    _serve(session, serving, as_json=as_json, console=console)


def _check(page: PageFlags) -> None:
    """Raise before anything is read if the page could not be shown or written."""
    if page.export is None:
        if not is_installed():
            raise ResourceError(f"the explorer needs starlette and uvicorn: {INSTALL}; --export works without them")
        return
    if page.export.suffix.lower() not in (".html", ".htm"):
        raise ParameterError(f"{page.export} is not a name for a page: give one that ends in .html")
    check_file_output(page.export, force=page.force)


def _write(exported: "ExportedPage", path: Path, *, force: bool, as_json: bool, console: Console) -> None:
    exported.save(path, force=force)
    size = path.stat().st_size
    record = {"path": str(path.absolute()), "words": exported.words, "bytes": size}
    summary = f"{path}: {exported.words:,} words, {size / 1e6:.1f} MB; open it in any browser"
    report(record, summary, console, as_json=as_json)


def _serve(session: "Session", serving: Serving, *, as_json: bool, console: Console) -> None:
    from ..explorer.serving import Service

    service = Service(session, host=serving.host, port=serving.port)
    report({"url": service.url}, f"{service.url} (press Ctrl-C to stop)", console, as_json=as_json)

    def show() -> None:
        if serving.browser:
            webbrowser.open(service.url)

    service.run(show)
