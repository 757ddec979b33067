"""Flags from parameter classes: a field is a flag of the same name, with its help, default and choices."""

import functools
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast, get_args

import click
from click.core import ParameterSource

from ..parameters import Spec, declared
from ..trained import Combine
from .console import console_flags
from .paths import InputNames, OutputPath

F = TypeVar("F", bound=Callable[..., Any])


class OpenChoice(click.Choice[str]):
    """One of the names in a table that users may add to: the table is read when the flag is, not at import."""

    def __init__(self, names: Collection[str]) -> None:
        self._names = names
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """The names that are in the table now."""
        return tuple(self._names)


def parameter_flags(cls: type, leave_out: Collection[str] = ()) -> Callable[[F], F]:
    """Add a flag for each parameter of a class, in the order of its fields."""

    def add(function: F) -> F:
        for name, spec, kinds, default in reversed(list(declared(cls))):
            if name not in leave_out:
                function = _flag(name, spec, kinds, default)(function)
        return function

    return add


def typed(context: click.Context, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters whose flags were given, on the command line or in a file; the others have defaults."""
    return {
        name: value
        for name, value in parameters.items()
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT
    }


def gathered(name: str, make: Callable[..., Any], flags: Collection[str]) -> Callable[[F], F]:
    """Let a command take the values of some flags as one argument, which ``make`` builds from them."""

    def add(function: F) -> F:
        @functools.wraps(function)
        def run(*arguments: Any, **given: Any) -> Any:
            own = {flag: given.pop(flag) for flag in flags}
            return function(*arguments, **{name: make(**own)}, **given)

        return cast(F, run)

    return add


def gathered_parameters(name: str, cls: type) -> Callable[[F], F]:
    """Add a flag for each parameter of a class; the command takes an object of the class."""

    def add(function: F) -> F:
        return parameter_flags(cls)(gathered(name, cls, [flag for flag, *_ in declared(cls)])(function))

    return add


def optional_flags(cls: type, names: Collection[str], when: str) -> Callable[[F], F]:
    """Add flags for some parameters of a class; those that are not given are None. ``when`` says what they are for."""

    def add(function: F) -> F:
        for name, spec, kinds, default in reversed(list(declared(cls))):
            if name in names:
                text = f"{when}: {spec.help} [default: {default}]"
                function = _flag(name, replace(spec, help=text), kinds, None)(function)
        return function

    return add


def merged_flags(classes: Mapping[str, type]) -> Callable[[F], F]:
    """Add one flag for each parameter of any of the classes; help and default name their classes where they differ."""
    found: dict[str, list[tuple[str, Spec, tuple[type, ...], Any]]] = {}
    for owner, cls in classes.items():
        for name, spec, kinds, default in declared(cls):
            found.setdefault(name, []).append((owner, spec, kinds, default))

    def add(function: F) -> F:
        for name, uses in reversed(found.items()):
            _, spec, kinds, default = uses[0]
            if any(use[1].choices is not spec.choices for use in uses):
                spec = replace(spec, choices=_all_choices([use[1].choices for use in uses]))
            owners = ", ".join(use[0] for use in uses)
            text = _by_owner([(use[0], use[1].help) for use in uses])
            if len(uses) < len(classes) and text == spec.help:
                text = f"{owners}: {text}"
            defaults = _by_owner([(use[0], str(use[3])) for use in uses])
            same = defaults == str(default)
            text += "" if same else f" [default: {defaults}]"
            function = _flag(name, replace(spec, help=text), kinds, default if same else None)(function)
        return function

    return add


def _all_choices(choices: list[Collection[str]]) -> tuple[str, ...]:
    """Return what any class accepts, or nothing if one accepts any text; each class checks its own values."""
    return tuple(dict.fromkeys(name for names in choices for name in names)) if all(map(len, choices)) else ()


def _by_owner(texts: list[tuple[str, str]]) -> str:
    """Return the text if all have the same, and otherwise each one with its owners."""
    owners: dict[str, list[str]] = {}
    for owner, text in texts:
        owners.setdefault(text, []).append(owner)
    if len(owners) == 1:
        return texts[0][1]
    stop = "." if texts[0][1].endswith(".") else ""
    return "; ".join(f"{', '.join(names)}: {text.removesuffix('.')}" for text, names in owners.items()) + stop


def _flag(name: str, spec: Spec, kinds: tuple[type, ...], default: Any) -> Callable[[F], F]:
    dashed = name.replace("_", "-")
    if bool in kinds:
        return click.option(f"--{dashed}/--no-{dashed}", name, default=default, show_default=True, help=spec.help)
    plain = next(kind for kind in (str, float, int) if kind in kinds)
    kind: Any = plain if spec.choices == () else OpenChoice(spec.choices)
    if spec.file_unless:
        kind = InputNames(lambda value: (value,) if value not in spec.file_unless and os.path.isfile(value) else ())
    return click.option(
        f"--{dashed}", name, type=kind, default=default, show_default=default is not None, help=spec.help
    )


def combine_flag(function: F) -> F:
    """Add ``--combine`` to a command that reads vectors."""
    return click.option(
        "--combine",
        type=click.Choice(get_args(Combine)),
        default="word",
        show_default=True,
        help="Vectors to read from a trained model: those of words (W), of contexts (C), or their sum.",
    )(function)


def output_flags(function: F) -> F:
    """Add ``-o``, ``--force``, ``--json``, ``--quiet`` and ``--verbose`` to a command that writes a folder."""
    function = json_flag(console_flags(function))
    function = click.option("--force", is_flag=True, help="Replace the output folder if it exists.")(function)
    return click.option("--output", "-o", type=OutputPath(), required=True, metavar="DIR", help="Folder to write.")(
        function
    )


def json_flag(function: F, form: str = "as JSON") -> F:
    """Add ``--json`` to a command whose result a program may read."""
    return click.option("--json", "as_json", is_flag=True, help=f"Print the result {form}, for programs.")(function)


def format_flag(forms: Collection[str]) -> Callable[[F], F]:
    """Add ``--format`` to a command that prints a table, and ``--json``, which is short for one of the formats."""

    def add(function: F) -> F:
        @json_flag
        @click.option("--format", "form", type=OpenChoice(forms), help="Format of the result. [default: table]")
        @functools.wraps(function)
        def run(*arguments: Any, form: str | None, as_json: bool, **options: Any) -> Any:
            if as_json and form not in (None, "json"):
                raise click.UsageError(f"--json and --format {form} are mutually exclusive: choose one.")
            return function(*arguments, form="json" if as_json else form or "table", **options)

        return cast(F, run)

    return add
