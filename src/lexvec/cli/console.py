"""What commands print beside their results, all of it on standard error: ``--quiet`` and ``--verbose``."""

import functools
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any, TypeVar, cast

import click

from ..presentation.visible import visible
from ..progress import Lines, Logged, Progress, shown

F = TypeVar("F", bound=Callable[..., Any])


class Console:
    """How much a command prints beside its result."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._quiet = quiet
        self.flags = ["--quiet"] * quiet + ["--verbose"] * verbose  # for a command that calls others
        self.progress: Progress
        if verbose:
            self.progress = Logged(__name__)
        else:
            self.progress = Lines(logging.WARNING) if quiet else shown()

    def say(self, text: str) -> None:
        """Print a line, unless ``--quiet`` was given."""
        if not self._quiet:
            Lines().note(text)


def console_flags(function: F) -> F:
    """Add ``--quiet`` and ``--verbose`` to a command that prints more than its result; it takes a ``console``."""

    @click.option("--quiet", "-q", is_flag=True, help="Print only warnings and errors beside the result.")
    @click.option("--verbose", "-v", is_flag=True, help="Log every step with its time, instead of showing progress.")
    @functools.wraps(function)
    def run(*arguments: Any, quiet: bool, verbose: bool, **options: Any) -> Any:
        if quiet and verbose:
            raise click.UsageError("--quiet and --verbose are mutually exclusive: choose one.")
        with _logging() if verbose else nullcontext():
            return function(*arguments, console=Console(quiet=quiet, verbose=verbose), **options)

    return cast(F, run)


class _Formatter(logging.Formatter):
    """Writes a record as one line that is safe to print."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 (the name of logging)
        return visible(super().formatMessage(record))


@contextmanager
def _logging() -> Iterator[None]:
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
