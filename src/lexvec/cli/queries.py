"""Asking vectors: what ``lexvec neighbors`` and ``lexvec analogy`` share."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import click

from ..errors import LexvecError
from .console import console_flags
from .flags import combine_flag, json_flag

F = TypeVar("F", bound=Callable[..., Any])
Found = list[tuple[str, float]]


def query_flags(function: F) -> F:
    """``--count``, ``--combine``, ``--limit``, ``--json``, ``--quiet`` and ``--verbose``."""
    function = console_flags(function)
    function = json_flag(function, "as one line of JSON for each question")
    function = click.option("--limit", type=click.IntRange(1), help="Look only at the first so many words.")(function)
    function = combine_flag(function)
    return click.option(
        "--count", "-n", type=click.IntRange(1), default=10, show_default=True, help="How many words to show."
    )(function)


def answer(given: Sequence[str], size: int, ask: Callable[[list[str]], Found], *, prompt: str, as_json: bool) -> None:
    """Answer the question on the command line, or, if there is none, all that are typed, until the end of input."""
    if given:
        _show(list(given), ask(list(given)), as_json)
        return
    for words in _typed(prompt):
        if len(words) != size and size:
            click.echo(f"lexvec: give {size} words", err=True)
            continue
        try:
            _show(words, ask(words), as_json)
        except LexvecError as error:
            click.echo(f"lexvec: {error}", err=True)


def _typed(prompt: str) -> Iterator[list[str]]:
    """The words of each line of standard input that has any."""
    while True:
        if sys.stdin.isatty():
            click.echo(f"{prompt}> ", nl=False, err=True)
        line = sys.stdin.readline()
        if not line:
            return
        if words := line.split():
            yield words


def _show(words: list[str], found: Found, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps({"words": words, "found": found}, ensure_ascii=False))
        return
    width = max((len(word) for word, _ in found), default=0)
    for word, score in found:
        click.echo(f"{word:<{width}}  {score:.3f}")
