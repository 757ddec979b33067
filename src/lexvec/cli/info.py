"""``lexvec info``: what a folder, or a file of vectors, holds."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from ..lab.workspace import is_experiment, summary
from ..presentation.visible import visible
from ..storage.artefact import Artefact
from ..storage.files import file_of
from ..subwords import SubwordComposer
from ..vectors import WordVectors
from ..vectors.formats import place_of, recognised
from .inputs import open_folder
from .options import report_flags
from .output import Console, described, facts_of, figure, plain, show_json, size
from .paths import InputPath

_SOURCES = 8  # longer lists are shortened
_WORDS = 8  # examples


@click.command()
@click.argument("path", type=InputPath())
@report_flags(quiet=False)
@click.option("--verify", is_flag=True, help="Compare every file of a folder with its checksum.")
def info(path: Path, console: Console, verify: bool) -> None:
    """Show what a folder or a file of vectors holds.

    PATH is a folder written by lexvec corpus, count, associate, train, convert, tune, stability or reproduce: the
    result lists its figures, its parameters, where it came from, and its files. Or it is a file of vectors in any
    format that lexvec convert reads: the result lists its format, its words and its n-grams.
    """
    if (file := file_of(path)) is not None:
        _file(path, file.stat().st_size, as_json=console.as_json, verify=verify)
        return
    if is_experiment(path):
        _experiment(path, as_json=console.as_json, verify=verify)
        return
    artefact = _opened(path, verify=verify)
    if console.as_json:
        show_json(described(artefact))
    else:
        # All at once, for a reader that leaves after the first line.
        click.echo("\n".join([*_artefact(artefact), *(["all checksums are right"] if verify else [])]))


def _file(path: Path, count: int, *, as_json: bool, verify: bool) -> None:
    if verify:
        raise click.UsageError("--verify is for folders: a file of vectors has no checksums.")
    format_name, vectors = recognised(place_of(path)), WordVectors.load(path, progress=False)
    record: dict[str, Any] = {"format": format_name, "words": len(vectors), "dim": vectors.dim}
    if len(vectors):
        record["first_words"] = vectors.words[:_WORDS]
    if isinstance(vectors.composer, SubwordComposer):
        record["subwords"] = {**vectors.composer.scheme.record(), "rows": vectors.composer.table.shape[0]}
    if as_json:
        show_json({"path": str(path.absolute()), **record, "bytes": count})
        return
    heading = visible(f"{path.absolute()}: vectors in the format {record.pop('format')}")
    subwords = record.pop("subwords", {})
    shown = _sections({"": {**record, "size": size(count)}, "subwords": subwords})
    click.echo("\n".join([heading, *shown]))


def _opened(folder: Path, *, verify: bool) -> Artefact:
    artefact = open_folder(folder)
    if verify:
        artefact.verify()
    return artefact


def _artefact(artefact: Artefact) -> Iterator[str]:
    meta = artefact.meta
    yield visible(f"{artefact.path}: {meta['format']}, version {meta['version']}, by lexvec {meta['lexvec']}")
    facts = facts_of(artefact).items()
    nested = {name: fact for name, fact in facts if isinstance(fact, dict)}
    yield from _sections(
        {
            "": {
                **{name: fact for name, fact in facts if name not in nested},
                "size": size(artefact.bytes),
            },
            **nested,
            "parameters": meta["parameters"],
            "from": {name: _short(value) for name, value in meta["provenance"].items()},
            "files": {
                name: f"{facts['bytes']:,} bytes, sha256 {facts['sha256'][:16]}…"
                for name, facts in meta["files"].items()
            },
        }
    )


def _experiment(folder: Path, *, as_json: bool, verify: bool) -> None:
    record = summary(folder)
    if verify:
        for name, state in record["runs"].items():
            if state == "finished":
                _opened(folder / "models" / name, verify=True)
    if as_json:
        show_json({"path": str(folder.absolute()), **record})
        return
    command = record["started_with"].pop("command", "reproduce")
    heading = visible(f"{folder.absolute()}: an experiment of lexvec {command}")
    reports = dict.fromkeys(record["reports"], "")
    shown = _sections({"": record["started_with"], "runs": record["runs"], "reports": reports})
    click.echo("\n".join([heading, *shown, *(["all checksums of finished runs are right"] if verify else [])]))


def _sections(sections: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    for title, rows in sections.items():
        if title and rows:
            yield f"\n{title}"
        width = max((len(name) for name in rows), default=0)
        for name, value in rows.items():
            yield visible(f"  {name if '.' in name else plain(name):<{width}}  {figure(value)}").rstrip()


def _short(value: Any) -> Any:
    if isinstance(value, list) and len(value) > _SOURCES:
        return f"{len(value):,}, from {json.dumps(value[0])} to {json.dumps(value[-1])}"
    return value
