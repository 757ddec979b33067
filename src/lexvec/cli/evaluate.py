"""``lexvec evaluate``: from vectors to scores."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from ..evaluation import FORMATS, Evaluator
from ..presentation.render import render
from ..vectors import WordVectors
from ..vectors.model import Combine
from .console import Console, console_flags
from .flags import combine_flag, format_flag, gathered, gathered_parameters
from .output import terminal_width

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True)
class ChosenSets:
    """The test sets that a user wants: what --sets lists, and the folder that --data names."""

    sets: tuple[str, ...]
    data: Path | None

    @property
    def names(self) -> list[str] | None:
        """The names of the sets, or None for all that are found."""
        return split(self.sets)

    def __bool__(self) -> bool:
        return bool(self.sets or self.data)


def set_flags(default: str = "all that are found") -> Callable[[F], F]:
    """Add ``--data`` and ``--sets`` to a command that scores; it takes `ChosenSets` as ``chosen``.

    ``default`` describes the sets without ``--sets``.
    """

    def flags(function: F) -> F:
        function = gathered("chosen", ChosenSets, ["sets", "data"])(function)
        function = click.option(
            "--sets",
            multiple=True,
            metavar="SET",
            help="Test sets to use, separated by commas; may be repeated. A set is a name (see lexvec data list), "
            f"similarity, analogy, or a file of your own. [default: {default}]",
        )(function)
        return click.option(
            "--data", type=click.Path(path_type=Path), metavar="DIR", help="Folder with test sets, searched first."
        )(function)

    return flags


def split(sets: tuple[str, ...]) -> list[str] | None:
    """Return the names that --sets lists, or None if it was not given; the name of a file may contain commas."""
    if not sets:
        return None
    names: list[str] = []
    for given in sets:
        listed = [given] if Path(given).is_file() else [name for name in given.split(",") if name]
        names += listed or [given]  # an empty name is not a set, and must not mean all of them
    return names


def show(result: Any, form: str) -> None:
    """Print a result."""
    width = terminal_width()
    click.echo(render(result, form, terminal=width is not None, width=width))


@click.command()
@click.argument("model", type=click.Path(path_type=Path))
@set_flags()
@format_flag(FORMATS)
@combine_flag
@console_flags
@gathered_parameters("evaluator", Evaluator)
def evaluate(
    model: Path, chosen: ChosenSets, form: str, combine: Combine, console: Console, evaluator: Evaluator
) -> None:
    """Score vectors on similarity and analogy sets.

    MODEL is a folder written by lexvec train, or vectors in any format that lexvec convert reads. A similarity set is
    scored by Spearman's correlation of cosines with human ratings, an analogy set by the share of correct answers, with
    3CosAdd and with 3CosMul. Each score has a bootstrap interval and the number of items whose words are known. Use
    lexvec data fetch to get the sets.
    """
    vectors = WordVectors.load(model, combine=combine, progress=console.progress)
    show(evaluator.evaluate(vectors, sets=chosen.names, data=chosen.data, progress=console.progress), form)
