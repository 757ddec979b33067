"""Flags of the commands that take text in place of an encoded corpus."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from ..corpus import CorpusBuilder

F = TypeVar("F", bound=Callable[..., Any])


def text_flags(function: F) -> F:
    """Add ``--min-count`` and ``--tokenized`` to a command that encodes text first; see `builder_from`."""
    function = click.option(
        "--tokenized",
        is_flag=True,
        help="Take the text as tokenised, if CORPUS is text: one sentence per line, words separated by whitespace.",
    )(function)
    return click.option(
        "--min-count", type=int, help="Drop words that occur less often, if CORPUS is text. [default: 100]"
    )(function)


def builder_from(min_count: int | None, *, tokenized: bool) -> CorpusBuilder | None:
    """Return the builder that the flags ask for, or None if no flag was given."""
    given: dict[str, Any] = {} if min_count is None else {"min_count": min_count}
    if tokenized:
        return CorpusBuilder.tokenized(**given)
    return CorpusBuilder(**given) if given else None
