"""What commands say beside their results, all of it on standard error: ``--quiet`` and ``--verbose``."""

import functools
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import click

from ..progress import Lines, Logged, Progress, shown

F = TypeVar("F", bound=Callable[..., Any])


class Console:
    """How much a command is to say."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._quiet = quiet
        self.flags = ["--quiet"] * quiet + ["--verbose"] * verbose  # for a command that calls others
        self.progress: Progress
        if verbose:
            self.progress = Logged(__name__)
        else:
            self.progress = Lines(logging.WARNING) if quiet else shown()

    def say(self, text: str) -> None:
        """Say something, unless it is to be quiet."""
        if not self._quiet:
            click.echo(text, err=True)


def console_flags(function: F) -> F:
    """``--quiet`` and ``--verbose``, for every command that says more than its result: it takes a ``console``."""

    @click.option("--quiet", "-q", is_flag=True, help="Say nothing but warnings and errors.")
    @click.option("--verbose", "-v", is_flag=True, help="Log all that is done, with times, instead of progress.")
    @functools.wraps(function)
    def run(*arguments: Any, quiet: bool, verbose: bool, **options: Any) -> Any:
        if quiet and verbose:
            raise click.UsageError("--quiet and --verbose cannot be had at once: choose one.")
        with _logging() if verbose else _nothing():
            return function(*arguments, console=Console(quiet=quiet, verbose=verbose), **options)

    return cast(F, run)


@contextmanager
def _logging() -> Iterator[None]:
    """Send the log of this package, down to details, to standard error."""
    logger = logging.getLogger("lexvec")
    if logger.handlers:  # a command that calls others has seen to it
        yield
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s"))
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        logger.setLevel(before)
        logger.removeHandler(handler)


@contextmanager
def _nothing() -> Iterator[None]:
    yield
