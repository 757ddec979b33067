"""Types of arguments and flags that are paths: each says whether the command reads or writes there.

Every command thereby refuses an output that is, holds or lies in one of its inputs or other outputs, as soon as its
arguments are parsed. An argument with a plain `click.Path` would escape this check; a test allows none.
"""

import glob
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from ..errors import ArtefactError

_KEY = f"{__name__}.claims"
Places = list[str]


@dataclass
class _Claims:
    """What the arguments parsed so far read and write."""

    inputs: Places = field(default_factory=list)
    outputs: dict[click.Parameter, list[Path]] = field(default_factory=dict)

    @classmethod
    def of(cls, context: click.Context | None) -> "_Claims":
        """Return those of a command; it shares them with its group, which reads --config."""
        claims: _Claims = context.meta.setdefault(_KEY, cls()) if context else cls()
        return claims

    def read(self, places: Places) -> None:
        """Add inputs."""
        from ..storage.outputs import check_apart  # a list of all commands needs no storage

        self.inputs += places
        for written in self.outputs.values():
            for place in written:
                check_apart(place, places)

    def write(self, parameter: click.Parameter, places: Places) -> None:
        """Add the outputs of an argument."""
        from ..storage.outputs import check_apart, output_place, overlap

        written = [output_place(place) for place in places]
        for place in written:
            check_apart(place, self.inputs)
            for other in (one for name, ones in self.outputs.items() if name is not parameter for one in ones):
                if overlap(place, other):
                    raise ArtefactError(f"the output {place} overlaps the output {other}: choose another output")
        self.outputs[parameter] = written


class InputPath(click.Path):
    """A file or folder to read."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        path = super().convert(value, param, ctx)
        read_also(ctx, files_and_patterns(str(path)))
        return path


class InputNames(click.ParamType[str]):
    """Text that can name files or folders to read; ``named`` returns those that it names."""

    name = "text"

    def __init__(self, named: Callable[[str], Iterable[str]]) -> None:
        self._named = named

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the text."""
        text: str = click.STRING.convert(value, param, ctx)
        read_also(ctx, list(self._named(text)))
        return text


class OutputPath(click.Path):
    """A file or folder to write, and those beside it whose names have ``suffixes``."""

    def __init__(self, *suffixes: str, path_type: type[str] | type[Path] = Path) -> None:
        super().__init__(path_type=path_type)
        self._suffixes = ("", *suffixes)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path."""
        path = super().convert(value, param, ctx)
        text = os.fsdecode(path)
        if param is not None and text not in ("", "-") and "\0" not in text:  # commands refuse these
            place = Path(text).absolute()
            _Claims.of(ctx).write(param, [f"{place}{suffix}" for suffix in self._suffixes])
        return path


def read_also(context: click.Context | None, places: Places) -> None:
    """Add inputs to those of a command; an empty name is none."""
    _Claims.of(context).read([place for place in places if place and "\0" not in place])


def files_and_patterns(text: str) -> Places:
    """Return what a name or a pattern stands for."""
    return glob.glob(text, recursive=True) if glob.has_magic(text) and not Path(text).exists() else [text]


def listed_files(text: str) -> Places:
    """Return the files in a list that is separated by commas, each perhaps followed by =WEIGHT."""
    parts = [part for given in text.split(",") for part in (given, given.rpartition("=")[0])]
    return [name for name in (text, *parts) if os.path.isfile(name)]
