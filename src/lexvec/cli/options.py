"""Flags that several commands share, each declared once: what they write, what they print, and what they read."""

import functools
import os
from collections.abc import Callable, Collection
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, get_args

import click

from ..trained import Combine
from .flags import OpenChoice, gathered
from .output import Console, logged
from .paths import InputNames, InputPath, OutputPath, listed_files, read_also

if TYPE_CHECKING:
    from ..corpus import CorpusBuilder

F = TypeVar("F", bound=Callable[..., Any])


def output_flag(
    text: str = "Folder to write.",
    *,
    metavar: str = "DIR",
    suffix: str = "",
    required: bool = True,
    default: str | None = None,
    force: str | None = "Replace the output folder if it exists.",
) -> Callable[[F], F]:
    """Add ``-o``, and ``--force`` unless it is None; files beside the output may have its name with ``suffix``."""

    def add(function: F) -> F:
        if force is not None:
            function = click.option("--force", is_flag=True, help=force)(function)
        more: dict[str, Any] = {} if default is None else {"default": default, "show_default": True}
        kind = OutputPath(suffix) if suffix else OutputPath()
        option = click.option("--output", "-o", type=kind, required=required, metavar=metavar, help=text, **more)
        return option(function)

    return add


def report_flags(*, forms: Collection[str] = (), json: str = "as JSON", quiet: bool = True) -> Callable[[F], F]:
    """Add the flags of what a command prints, which it takes as a `Console`, ``console``.

    Results that a program may read have ``--json``, unless it is ""; tables have ``--format``, with ``--json`` for
    short. Commands that print more than a result have ``--quiet`` and ``--verbose``.
    """

    def add(function: F) -> F:
        @functools.wraps(function)
        def run(
            *arguments: Any,
            form: str | None = None,
            as_json: bool = False,
            quiet: bool = False,
            verbose: bool = False,
            **options: Any,
        ) -> Any:
            if as_json and form not in (None, "json"):
                raise click.UsageError(f"--json and --format {form} are mutually exclusive: choose one.")
            if quiet and verbose:
                raise click.UsageError("--quiet and --verbose are mutually exclusive: choose one.")
            with logged() if verbose else nullcontext():
                console = Console(form="json" if as_json else form or "table", quiet=quiet, verbose=verbose)
                return function(*arguments, console=console, **options)

        command: Any = run
        if quiet:
            text = "Log every step with its time, instead of showing progress."
            command = click.option("--verbose", "-v", is_flag=True, help=text)(command)
            text = "Print only warnings and errors beside the result."
            command = click.option("--quiet", "-q", is_flag=True, help=text)(command)
        if json:
            text = f"Print the result {json}, for programs."
            command = click.option("--json", "as_json", is_flag=True, help=text)(command)
        if forms:
            text = "Format of the result. [default: table]"
            command = click.option("--format", "form", type=OpenChoice(forms), help=text)(command)
        return cast(F, command)

    return add


def vector_flags(
    text: str = "Vectors to read from a trained model: those of words (W), of contexts (C), or their sum.",
    *,
    default: Combine | None = "word",
    limit: str = "",
) -> Callable[[F], F]:
    """Add ``--combine`` to a command that reads vectors, and ``--limit`` if ``limit`` says what it does."""

    def add(function: F) -> F:
        if limit:
            function = click.option("--limit", type=click.IntRange(1), metavar="N", help=limit)(function)
        choice = click.Choice(get_args(Combine))
        return click.option("--combine", type=choice, default=default, show_default=True, help=text)(function)

    return add


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

    def add(function: F) -> F:
        function = gathered("chosen", ChosenSets, ["sets", "data"])(function)
        function = click.option(
            "--sets",
            type=InputNames(listed_files),
            multiple=True,
            metavar="SET",
            help="Test sets to use, separated by commas; may be repeated. A set is a name (see lexvec data list), "
            f"similarity, analogy, or a file of your own. [default: {default}]",
        )(function)
        return data_flag(function)

    return add


def data_flag(function: F) -> F:
    """Add ``--data``, a folder of test sets; the one that the environment names is read, too."""

    def also(context: click.Context, _: click.Parameter, folder: Path | None) -> Path | None:
        from ..evaluation.sets import VARIABLE  # which commands without this flag do not import

        read_also(context, [os.environ.get(VARIABLE, "")])
        return folder

    return click.option(
        "--data", type=InputPath(), callback=also, metavar="DIR", help="Folder with test sets, searched first."
    )(function)


def split(sets: tuple[str, ...]) -> list[str] | None:
    """Return the names that --sets lists, or None if it was not given; the name of a file may contain commas."""
    if not sets:
        return None
    names: list[str] = []
    for text in sets:
        listed = [text] if Path(text).is_file() else [name for name in text.split(",") if name]
        names += listed or [text]  # an empty name is not a set, and must not mean all of them
    return names


@dataclass(frozen=True)
class TextFlags:
    """How text is encoded, as far as flags say so."""

    min_count: int | None
    tokenized: bool

    def builder(self) -> "CorpusBuilder | None":
        """Return the builder that the flags ask for, or None if no flag was given."""
        from ..corpus import CorpusBuilder  # which commands without these flags do not import

        parameters: dict[str, Any] = {} if self.min_count is None else {"min_count": self.min_count}
        if self.tokenized:
            return CorpusBuilder.tokenized(**parameters)
        return CorpusBuilder(**parameters) if parameters else None


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
