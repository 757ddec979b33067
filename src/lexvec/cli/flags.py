"""Flags from parameter classes, which a TOML file can hold as well (``--config``).

A field of a class is a flag of the same name, with its help, default and choices. A file has a table for each command,
its keys the command's flags.
"""

import functools
import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, cast

import click
from click.core import ParameterSource

from ..errors import InputError, did_you_mean
from ..parameters import Spec, declared
from ..storage.bounded import parse_toml, read_settings
from .paths import InputNames

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


def model_flag(models: Collection[str], text: str = "Model to train.") -> Callable[[F], F]:
    """Add ``--model``."""
    return click.option("--model", type=OpenChoice(models), default="lexvec", show_default=True, help=text)


def typed(context: click.Context, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters whose flags were given, on the command line or in a file; the others have defaults."""
    return {
        name: value
        for name, value in parameters.items()
        if context.get_parameter_source(name) is not ParameterSource.DEFAULT
    }


def read_config(group: click.Group, context: click.Context, path: Path) -> dict[str, Any]:
    """Return the content of the file as defaults of the commands; anything unknown is an error with a suggestion."""
    return _defaults(group, context, parse_toml(read_settings(path), str(path)), str(path))


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


def _defaults(group: click.Group, context: click.Context, content: dict[str, Any], where: str) -> dict[str, Any]:
    defaults: dict[str, Any] = {}
    for name, table in content.items():
        command = group.get_command(context, name)
        if command is None:
            advice = (
                did_you_mean(name, group.list_commands(context)) or "write a table for each command, such as [train]"
            )
            raise InputError(f"{where} has the unknown key {name!r}: {advice}")
        if not isinstance(table, dict):
            raise InputError(
                f"{where} has {name} = {_shown(table)}, but {name} is a command: write its flags in a table, [{name}]"
            )
        inner = f"{where}, [{name}]"
        if isinstance(command, click.Group):
            defaults[name] = _defaults(command, context, table, inner)
        else:
            defaults[name] = _values(command, table, inner)
    return defaults


def _values(command: click.Command, table: dict[str, Any], where: str) -> dict[str, Any]:
    """Return the values of a command's parameters, by their names."""
    flags = _flags(command)
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in flags:
            advice = did_you_mean(key, flags) or f"see lexvec {command.name} --help for its flags"
            raise InputError(f"{where} has the unknown key {key!r}: {advice}")
        parameter = flags[key]
        several = parameter.multiple or parameter.nargs != 1
        given = value if isinstance(value, list) and several else [value]
        for each in given:
            if not isinstance(each, _accepted(parameter, several)) or (
                isinstance(each, bool) and not _switch(parameter)
            ):
                raise InputError(f"{where} has {key} = {_shown(value)}: it must be {_wanted(parameter, several)}")
        values[parameter.name or key] = given if several else value
    return values


def _flags(command: click.Command) -> dict[str, click.Parameter]:
    """Return the parameters of a command by their flags without leading dashes, with "-" or "_" inside."""
    flags: dict[str, click.Parameter] = {}
    for parameter in command.params:
        for option in (*parameter.opts, parameter.name or ""):
            flag = option.lstrip("-")
            if len(flag) > 1 and parameter.name:
                flags[flag] = flags[flag.replace("-", "_")] = parameter
    return flags


def _switch(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Option) and parameter.is_flag


def _accepted(parameter: click.Parameter, several: bool) -> type | tuple[type, ...]:
    """Return the types that a value may have: nothing is rounded or taken for something else."""
    if _switch(parameter):
        return bool
    if isinstance(parameter.type, click.types.IntParamType):
        return int
    if isinstance(parameter.type, click.types.FloatParamType):
        return (int, float)
    if parameter.type is click.STRING and not several:
        return (str, int)  # --memory may be a number of bytes
    return str


def _wanted(parameter: click.Parameter, several: bool) -> str:
    names = {bool: "true or false", int: "a whole number", (int, float): "a number"}
    return names.get(_accepted(parameter, several), "a list of texts" if several else "a text in quotes")


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "{…}" if isinstance(value, dict) else f"{value!r:.40}"
