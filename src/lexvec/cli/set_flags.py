"""The flags ``--sets`` and ``--data`` of commands that score vectors on test sets."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from ..evaluation.sets import VARIABLE
from .flags import gathered
from .paths import InputNames, InputPath, listed_files, read_also

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
            type=InputNames(listed_files),
            multiple=True,
            metavar="SET",
            help="Test sets to use, separated by commas; may be repeated. A set is a name (see lexvec data list), "
            f"similarity, analogy, or a file of your own. [default: {default}]",
        )(function)
        return data_flag(function)

    return flags


def data_flag(function: F) -> F:
    """Add ``--data``, a folder of test sets; the one that the environment names is read, too."""

    def also(context: click.Context, _: click.Parameter, folder: Path | None) -> Path | None:
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
    for given in sets:
        listed = [given] if Path(given).is_file() else [name for name in given.split(",") if name]
        names += listed or [given]  # an empty name is not a set, and must not mean all of them
    return names
