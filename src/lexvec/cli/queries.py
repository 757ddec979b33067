"""Questions to vectors: what ``lexvec neighbors`` and ``lexvec analogy`` share."""

import itertools
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

import click

from ..errors import InputError, LexvecError
from ..presentation.visible import visible
from ..storage.bounded import LONGEST_LINE
from ..trained import Combine
from ..vectors import WordVectors
from .failures import complain
from .options import report_flags, vector_flags
from .output import Console, composed_note, counted, show_json

F = TypeVar("F", bound=Callable[..., Any])
Found = list[tuple[str, float]]
Ask = Callable[[list[str]], "Answer"]


class Answer(NamedTuple):
    """The words found, and those of the question that have no row: their vectors are composed."""

    found: Found
    composed: list[str]

    @classmethod
    def of(cls, vectors: WordVectors, asked: Iterable[str], found: Found) -> Self:
        """Return what was found for the words of a question."""
        return cls(found, list(dict.fromkeys(word for word in asked if word not in vectors)))


def query_flags(function: F) -> F:
    """Add ``--count``, ``--combine``, ``--limit``, ``--json``, ``--quiet`` and ``--verbose``."""
    function = report_flags(json="as one line of JSON per question")(function)
    function = vector_flags(limit="Search only the first N words.")(function)
    return click.option(
        "--count", "-n", type=click.IntRange(1), default=10, show_default=True, help="Number of words to show."
    )(function)


def searchable(path: Path, *, combine: Combine, limit: int | None, console: Console) -> WordVectors:
    """Load vectors that have words to search."""
    vectors = WordVectors.load(path, combine=combine, limit=limit, progress=console.progress)
    if not len(vectors):
        raise InputError(f"{path} has n-grams and no words, so there is nothing to search: give vectors with words")
    return vectors


def answer(given: Sequence[str], size: int, ask: Ask, *, prompt: str, console: Console) -> None:
    """Answer the question on the command line, or, if there is none, each line of standard input."""
    if given:
        _show(list(given), ask(list(given)), console)
        return
    for words in _typed(prompt):
        if len(words) != size and size:
            complain(f"give {counted(size, 'word')}, not {len(words)}")
            continue
        try:
            _show(words, ask(words), console)
        except LexvecError as error:
            complain(error.for_command_line())


def _typed(prompt: str) -> Iterator[list[str]]:
    """Yield the words of each line of standard input that has any."""
    for number in itertools.count(1):
        if sys.stdin.isatty():
            click.echo(f"{prompt}> ", nl=False, err=True)
        line = sys.stdin.readline(LONGEST_LINE + 1)
        if not line:
            return
        if len(line) > LONGEST_LINE:
            raise InputError(f"standard input, line {number} is longer than {LONGEST_LINE:,} characters: ask for less")
        if words := line.split():
            yield words


def _show(words: list[str], answer: Answer, console: Console) -> None:
    if console.as_json:
        show_json(
            {"words": words, **({"composed": answer.composed} if answer.composed else {}), "found": answer.found},
            indent=None,
        )
        return
    if answer.composed:
        console.progress.note(composed_note(answer.composed), logging.WARNING)
    shown = [(visible(word), score) for word, score in answer.found]
    width = max((len(word) for word, _ in shown), default=0)
    lines = [
        f"{word:<{width}}  {score:,}" if isinstance(score, int) else f"{word:<{width}}  {score:.3f}"
        for word, score in shown
    ]
    if lines:
        click.echo("\n".join(lines))  # at once, for a reader that leaves after the first line
