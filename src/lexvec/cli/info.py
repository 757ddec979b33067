"""``lexvec info``: what a folder holds."""

import json
from pathlib import Path
from typing import Any

import click

from ..artefact import Artefact, read_meta
from ..association import Association
from ..cooccurrence import Cooccurrence
from ..corpus import Corpus
from ..errors import ArtefactError
from ..vectors.formats.folder import VectorsFolder
from ..vectors.model import ModelFolder

_SOURCES = 8  # more than so many are not listed
_KINDS = {f"lexvec-{cls.kind}": cls for cls in (Corpus, Cooccurrence, Association, ModelFolder, VectorsFolder)}


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="For programs.")
@click.option("--verify", is_flag=True, help="Compare every file with its checksum.")
def info(folder: Path, as_json: bool, verify: bool) -> None:
    """Show what a folder holds: its figures, parameters, where it came from, and its files."""
    kind = _KINDS.get(read_meta(folder)["format"])
    if kind is None:
        raise ArtefactError(f"{folder} has a format that this lexvec does not know: use the version that made it")
    artefact = kind.load(folder)
    if verify:
        artefact.verify()
    if as_json:
        click.echo(json.dumps(_flat(artefact), indent=2, ensure_ascii=False))
    else:
        _show(artefact)
        if verify:
            click.echo("all checksums are right")


def summary(artefact: Artefact) -> None:
    """What a command that made a folder says at the end."""
    hidden = ("replaced", "unseen", "losses", "model", "longest_sentence")
    facts = ", ".join(f"{_figure(value)} {_plain(n)}" for n, value in artefact.meta["facts"].items() if n not in hidden)
    click.echo(f"{artefact.path}: {facts}; {artefact.bytes / 1e6:,.1f} MB", err=True)


def _flat(artefact: Artefact) -> dict[str, Any]:
    meta = artefact.meta
    rest = {key: value for key, value in meta.items() if key != "facts"}
    return {"path": str(artefact.path), **meta["facts"], "bytes": artefact.bytes, **rest}


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
            click.echo(f"  {name if '.' in name else _plain(name):<{width}}  {_figure(value)}")


def _short(value: Any) -> Any:
    if isinstance(value, list) and len(value) > _SOURCES:
        return f"{len(value):,}, from {json.dumps(value[0])} to {json.dumps(value[-1])}"
    return value


def _plain(name: str) -> str:
    return name.replace("_", " ")


def _figure(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
