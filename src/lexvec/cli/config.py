"""``--config FILE``: a TOML file with a table for each command, its keys the command's flags."""

from pathlib import Path
from typing import Any

import click

from ..errors import InputError, did_you_mean
from ..storage.bounded import parse_toml, read_settings


def read_config(group: click.Group, context: click.Context, path: Path) -> dict[str, Any]:
    """Return the content of the file as defaults of the commands; anything unknown is an error with a suggestion."""
    return _defaults(group, context, parse_toml(read_settings(path), str(path)), str(path))


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
