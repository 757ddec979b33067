"""Flags from parameter classes: a field is a flag of the same name, with its help, default and choices."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from ..parameters import Spec, declared

F = TypeVar("F", bound=Callable[..., Any])


def parameter_flags(cls: type) -> Callable[[F], F]:
    """Add a flag for each parameter of a class, in the order of its fields."""

    def add(function: F) -> F:
        for name, spec, kinds, default in reversed(list(declared(cls))):
            function = _flag(name, spec, kinds, default)(function)
        return function

    return add


def _flag(name: str, spec: Spec, kinds: tuple[type, ...], default: Any) -> Callable[[F], F]:
    dashed = name.replace("_", "-")
    if bool in kinds:
        return click.option(f"--{dashed}/--no-{dashed}", name, default=default, show_default=True, help=spec.help)
    kind: Any = click.Choice(spec.choices) if spec.choices else next(k for k in (str, float, int) if k in kinds)
    return click.option(
        f"--{dashed}", name, type=kind, default=default, show_default=default is not None, help=spec.help
    )


def output_flags(function: F) -> F:
    """``-o``, ``--force`` and ``--quiet``, which every command has that makes a folder."""
    function = click.option("--quiet", "-q", is_flag=True, help="Show no progress and no summary.")(function)
    function = click.option("--force", is_flag=True, help="Replace the output folder if it exists.")(function)
    return click.option(
        "--output", "-o", type=click.Path(path_type=Path), required=True, metavar="DIR", help="The folder to make."
    )(function)
