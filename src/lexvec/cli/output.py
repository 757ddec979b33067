"""What commands report of a folder: a line for people on standard error, or JSON for programs on standard output."""

import json
from typing import Any

import click

from ..storage.artefact import Artefact
from .console import Console

_HIDDEN = (
    "replaced",
    "unseen",
    "losses",
    "model",
    "longest_sentence",
    "contexts",
    "context_kind",
    "context_reach",
    "normalisation",
)


def made(artefact: Artefact, console: Console, *, as_json: bool) -> None:
    """Report the folder that a command has written."""
    known = artefact.meta["facts"].items()
    facts = ", ".join(f"{figure(value)} {plain(name)}" for name, value in known if name not in _HIDDEN)
    report(described(artefact), f"{artefact.path}: {facts}; {artefact.bytes / 1e6:,.1f} MB", console, as_json=as_json)


def report(record: dict[str, Any], summary: str, console: Console, *, as_json: bool) -> None:
    """Print a record on standard output for programs, or a line on standard error for people."""
    if as_json:
        show_json(record)
    else:
        console.say(summary)


def show_json(record: dict[str, Any]) -> None:
    """Print a record as JSON."""
    click.echo(json.dumps(record, indent=2, ensure_ascii=False))


def described(artefact: Artefact) -> dict[str, Any]:
    """Return all that is known of a folder, figures first: what ``lexvec info --json`` prints."""
    meta = artefact.meta
    rest = {key: value for key, value in meta.items() if key != "facts"}
    return {"path": str(artefact.path), **meta["facts"], "bytes": artefact.bytes, **rest}


def plain(name: str) -> str:
    """Return a name as people read it."""
    return name.replace("_", " ")


def figure(value: Any) -> str:
    """Return a value as people read it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
