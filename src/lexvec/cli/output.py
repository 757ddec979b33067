"""What commands print: results on standard output, and everything else on standard error."""

import json
import logging
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import click

from ..contexts import Contexts
from ..presentation.render import render, render_table
from ..presentation.table import Table
from ..presentation.visible import visible
from ..progress import Lines, Logged, Progress, shown
from ..storage.artefact import Artefact

_HIDDEN = (
    *("replaced", "unseen", "losses", "model", "longest_sentence"),
    *("contexts", "context_kind", "context_reach", "normalisation"),
)
_CONTEXTS = 8  # examples
_PLURALS = ("words", "tokens", "sentences", "cells", "contexts")


class _Report(Protocol):
    """What an experiment found: tables, and files to write."""

    def write(self, folder: Path) -> Sequence[Path]:
        """Write its files."""

    def as_dict(self) -> dict[str, Any]:
        """Return its figures."""

    def tables(self) -> Sequence[Table]:
        """Return its tables."""


class Console:
    """Where a command prints its result, and how much it prints beside it."""

    def __init__(self, *, form: str = "table", quiet: bool = False, verbose: bool = False) -> None:
        self.form, self.as_json = form, form == "json"
        self._quiet, self._verbose = quiet, verbose
        self.flags = ["--quiet"] * quiet + ["--verbose"] * verbose  # for a command that calls others

    @cached_property
    def progress(self) -> Progress:
        """What long work reports to. It is made when it is asked for: a bar needs rich, which many commands do not."""
        if self._verbose:
            return Logged(__name__)
        return Lines(logging.WARNING) if self._quiet else shown()

    def say(self, text: str) -> None:
        """Print a line on standard error, unless ``--quiet`` was given."""
        if not self._quiet:
            Lines().note(text)

    def report(self, record: dict[str, Any], summary: str) -> None:
        """Print a record on standard output for programs, or a line on standard error for people."""
        if self.as_json:
            show_json(record)
        else:
            self.say(summary)

    def report_folder(self, artefact: Artefact) -> None:
        """Report the folder that a command has written."""
        known = artefact.meta["facts"].items()
        facts = ", ".join(_fact(name, value) for name, value in known if name not in _HIDDEN)
        record = described(artefact) if self.as_json else {}
        self.report(record, f"{artefact.path}: {facts}; {size(artefact.bytes)}")

    def show(self, result: Any) -> None:
        """Print a result in the format that was asked for; a table fits the terminal."""
        width = terminal_width()
        click.echo(render(result, self.form, terminal=width is not None, width=width))

    def show_report(self, report: _Report, folder: Path, text: str | None = None) -> None:
        """Write the files of a report, and print its figures, or its tables after ``text``."""
        written = report.write(folder)
        if self.as_json:
            show_json(report.as_dict())
        else:
            width = terminal_width()
            tables = [render_table(each, "table", terminal=width is not None, width=width) for each in report.tables()]
            click.echo("\n\n".join([*([] if text is None else [text]), *tables]))
        for path in written:
            self.say(str(path))


def show_json(record: dict[str, Any], *, indent: int | None = 2) -> None:
    """Print a record as JSON; on one line without ``indent``."""
    # Bytes of words that are not UTF-8 are lone surrogates, which no output accepts: they become escapes of JSON.
    click.echo(json.dumps(record, indent=indent, ensure_ascii=False).encode(errors="backslashreplace").decode())


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


def counted(number: int, noun: str) -> str:
    """Return a number and what it counts, such as "1 word" or "2,000 words"."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def size(count: int) -> str:
    """Return a number of bytes, such as "1.5 MB"; small ones are not rounded to "0.0 MB"."""
    if count >= 50_000:
        return f"{count / 1e6:,.1f} MB"
    return f"{count / 1e3:,.1f} kB" if count >= 50 else counted(count, "byte")


def composed_note(words: list[str]) -> str:
    """Return a line that says which words have composed vectors."""
    what = "its vector is" if len(words) == 1 else "their vectors are"
    return f"{', '.join(words)}: not in the vocabulary; {what} composed from n-grams"


def terminal_width() -> int | None:
    """Return how wide the terminal of standard output is; None for a file or a pipe, where lines may be long."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


@contextmanager
def logged() -> Iterator[None]:
    """Send the log of this package, down to details, to standard error."""
    logger = logging.getLogger("lexvec")
    if logger.handlers:  # a command that calls others has done this already
        yield
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s"))
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.setLevel(before)
        logger.removeHandler(handler)


class _Formatter(logging.Formatter):
    """Writes a record as one line that is safe to print."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (the name of logging)
        return visible(super().formatMessage(record))


def _fact(name: str, value: Any) -> str:
    """Return a figure and its name, such as "1 word"."""
    noun = plain(name)
    return f"1 {noun.removesuffix('s')}" if value == 1 and noun in _PLURALS else f"{figure(value)} {noun}"
