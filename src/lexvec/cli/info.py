"""``lexvec info``: what a folder holds."""

import json
from pathlib import Path
from typing import Any

import click

from ..association import Association
from ..cooccurrence import Cooccurrence
from ..corpus import Corpus
from ..errors import ArtefactError
from ..storage.artefact import Artefact, read_meta
from ..vectors.formats.folder import VectorsFolder
from ..vectors.model import ModelFolder
from .flags import json_flag
from .output import described, figure, plain, show_json

_SOURCES = 8  # more than so many are not listed
_KINDS = {f"lexvec-{cls.kind}": cls for cls in (Corpus, Cooccurrence, Association, ModelFolder, VectorsFolder)}


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@json_flag
@click.option("--verify", is_flag=True, help="Compare every file with its checksum.")
def info(folder: Path, as_json: bool, verify: bool) -> None:
    """Show what a folder holds.

    Its figures, its parameters, where it came from, and its files.
    """
    kind = _KINDS.get(read_meta(folder)["format"])
    if kind is None:
        raise ArtefactError(f"{folder} has a format that this lexvec does not know: use the version that made it")
    artefact = kind.load(folder)
    if verify:
        artefact.verify()
    if as_json:
        show_json(described(artefact))
    else:
        _show(artefact)
        if verify:
            click.echo("all checksums are right")


def _show(artefact: Artefact) -> None:
    meta = artefact.meta
    click.echo(f"{artefact.path}: {meta['format']}, version {meta['version']}, made by lexvec {meta['lexvec']}")
    sections = {
        "": {**meta["facts"], "size": f"{artefact.bytes / 1e6:,.1f} MB"},
        "parameters": meta["parameters"],
        "from": {name: _short(value) for name, value in meta["provenance"].items()},
        "files": {
            name: f"{facts['bytes']:,} bytes, sha256 {facts['sha256'][:16]}…" for name, facts in meta["files"].items()
        },
    }
    for title, rows in sections.items():
        if title:
            click.echo(f"\n{title}")
        width = max((len(name) for name in rows), default=0)
        for name, value in rows.items():
            click.echo(f"  {name if '.' in name else plain(name):<{width}}  {figure(value)}")


def _short(value: Any) -> Any:
    if isinstance(value, list) and len(value) > _SOURCES:
        return f"{len(value):,}, from {json.dumps(value[0])} to {json.dumps(value[-1])}"
    return value
