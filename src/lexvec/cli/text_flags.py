"""Flags of the commands that take text in place of an encoded corpus."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import click

from ..corpus import CorpusBuilder
from .flags import gathered

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class TextFlags:
    """How text is encoded, as far as flags say so."""

    min_count: int | None
    tokenized: bool

    def builder(self) -> CorpusBuilder | None:
        """Return the builder that the flags ask for, or None if no flag was given."""
        given: dict[str, Any] = {} if self.min_count is None else {"min_count": self.min_count}
        if self.tokenized:
            return CorpusBuilder.tokenized(**given)
        return CorpusBuilder(**given) if given else None


def text_flags(function: F) -> F:
    """Add ``--min-count`` and ``--tokenized`` to a command that encodes text first; it takes them as ``text``."""
    function = gathered("text", TextFlags, ["min_count", "tokenized"])(function)
    function = click.option(
        "--tokenized",
        is_flag=True,
        help="Take the text as tokenised, if CORPUS is text: one sentence per line, words separated by whitespace.",
    )(function)
    return click.option(
        "--min-count", type=int, help="Drop words that occur less often, if CORPUS is text. [default: 100]"
    )(function)
