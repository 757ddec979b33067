"""Questions to vectors: what ``lexvec neighbors`` and ``lexvec analogy`` share."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import click

from ..errors import LexvecError
from ..presentation.visible import visible
from .console import console_flags
from .failures import complain
from .flags import combine_flag, json_flag

F = TypeVar("F", bound=Callable[..., Any])
Found = list[tuple[str, float]]


def query_flags(function: F) -> F:
    """Add ``--count``, ``--combine``, ``--limit``, ``--json``, ``--quiet`` and ``--verbose``."""
    function = console_flags(function)
    function = json_flag(function, "as one line of JSON per question")
    function = click.option("--limit", type=click.IntRange(1), metavar="N", help="Search only the first N words.")(
        function
    )
    function = combine_flag(function)
    return click.option(
        "--count", "-n", type=click.IntRange(1), default=10, show_default=True, help="Number of words to show."
    )(function)


def answer(given: Sequence[str], size: int, ask: Callable[[list[str]], Found], *, prompt: str, as_json: bool) -> None:
    """Answer the question on the command line, or, if there is none, each line of standard input."""
    if given:
        _show(list(given), ask(list(given)), as_json)
        return
    for words in _typed(prompt):
        if len(words) != size and size:
            complain(f"give {size} word{'s' if size > 1 else ''}, not {len(words)}")
            continue
        try:
            _show(words, ask(words), as_json)
        except LexvecError as error:
            complain(error.for_command_line())


def _typed(prompt: str) -> Iterator[list[str]]:
    """Yield the words of each line of standard input that has any."""
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
    shown = [(visible(word), score) for word, score in found]
    width = max((len(word) for word, _ in shown), default=0)
    for word, score in shown:
        click.echo(f"{word:<{width}}  {score:,}" if isinstance(score, int) else f"{word:<{width}}  {score:.3f}")
