"""What commands report of a folder: a line for people on standard error, or JSON for programs on standard output."""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import click

from ..contexts import Contexts
from ..presentation.render import render, render_table
from ..presentation.table import Table
from ..storage.artefact import Artefact
from .console import Console

_HIDDEN = (
    *("replaced", "unseen", "losses", "model", "longest_sentence"),
    *("contexts", "context_kind", "context_reach", "normalisation"),
)
_CONTEXTS = 8  # examples


def made(artefact: Artefact, console: Console, *, as_json: bool) -> None:
    """Report the folder that a command has written."""
    known = artefact.meta["facts"].items()
    facts = ", ".join(f"{figure(value)} {plain(name)}" for name, value in known if name not in _HIDDEN)
    record = described(artefact) if as_json else {}
    report(record, f"{artefact.path}: {facts}; {artefact.bytes / 1e6:,.1f} MB", console, as_json=as_json)


def report(record: dict[str, Any], summary: str, console: Console, *, as_json: bool) -> None:
    """Print a record on standard output for programs, or a line on standard error for people."""
    if as_json:
        show_json(record)
    else:
        console.say(summary)


def show(result: Any, form: str) -> None:
    """Print a result in one of its formats; a table fits the terminal."""
    width = terminal_width()
    click.echo(render(result, form, terminal=width is not None, width=width))


def show_json(record: dict[str, Any]) -> None:
    """Print a record as JSON."""
    click.echo(_json(record, indent=2))


def show_json_line(record: dict[str, Any]) -> None:
    """Print a record as JSON, on one line."""
    click.echo(_json(record))


def _json(record: dict[str, Any], indent: int | None = None) -> str:
    # Bytes of words that are not UTF-8 are lone surrogates, which no output accepts: they become escapes of JSON.
    return json.dumps(record, indent=indent, ensure_ascii=False).encode(errors="backslashreplace").decode()


def composed_note(words: list[str]) -> str:
    """Return a line that says which words have composed vectors."""
    what = "its vector is" if len(words) == 1 else "their vectors are"
    return f"{', '.join(words)}: not in the vocabulary; {what} composed from n-grams"


def described(artefact: Artefact) -> dict[str, Any]:
    """Return all that is known of a folder, figures first: what ``lexvec info --json`` prints."""
    meta = artefact.meta
    rest = {key: value for key, value in meta.items() if key != "facts"}
    return {"path": str(artefact.path), **facts_of(artefact), "bytes": artefact.bytes, **rest}


def facts_of(artefact: Artefact) -> dict[str, Any]:
    """Return the figures of a folder and, if it has contexts, the names of the first ones."""
    facts: dict[str, Any] = {}
    for name, value in artefact.meta["facts"].items():
        facts[name] = value
        if name == "context_reach" and hasattr(type(artefact), "contexts"):
            contexts: Contexts = artefact.contexts  # type: ignore[attr-defined]  # of a matrix or a model
            facts["context_examples"] = [contexts.label(place) for place in range(min(_CONTEXTS, len(contexts)))]
    return facts


def plain(name: str) -> str:
    """Return a name as people read it."""
    return name.replace("_", " ")


def figure(value: Any) -> str:
    """Return a value as people read it."""
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return ", ".join(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def terminal_width() -> int | None:
    """Return how wide the terminal of standard output is; None for a file or a pipe, where lines may be long."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


class _Report(Protocol):
    """What an experiment found: tables, and files to write."""

    def write(self, folder: Path) -> Sequence[Path]:
        """Write its files."""

    def as_dict(self) -> dict[str, Any]:
        """Return its figures."""

    def tables(self) -> Sequence[Table]:
        """Return its tables."""


def show_report(report: _Report, folder: Path, console: Console, *, as_json: bool) -> None:
    """Write the files of a report, and print its tables or its figures."""
    written = report.write(folder)
    if as_json:
        show_json(report.as_dict())
    else:
        width = terminal_width()
        tables = (render_table(table, "table", terminal=width is not None, width=width) for table in report.tables())
        click.echo("\n\n".join(tables))
    for path in written:
        console.say(str(path))
