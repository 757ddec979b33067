"""``--config FILE``: a TOML file with a table for each command, its keys the command's flags."""

import difflib
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from ..errors import InputError


def read_config(group: click.Group, context: click.Context, path: Path) -> dict[str, Any]:
    """What the file says, as defaults of the commands; what is unknown is an error that suggests something known."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {path} ({error}): check the file") from error
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{path} is not TOML ({error}): mend it") from error
    return _defaults(group, context, content, str(path))


def _defaults(group: click.Group, context: click.Context, content: dict[str, Any], where: str) -> dict[str, Any]:
    defaults: dict[str, Any] = {}
    for name, table in content.items():
        command = group.get_command(context, name)
        if command is None or not isinstance(table, dict):
            raise _unknown(name, where, group.list_commands(context), "a table for each command")
        if isinstance(command, click.Group):
            defaults[name] = _defaults(command, context, table, f"{where}, [{name}]")
            continue
        flags = _flags(command)
        for key in table:
            if key not in flags:
                raise _unknown(key, f"{where}, [{name}]", flags, "the flags of the command")
        defaults[name] = {flags[key]: value for key, value in table.items()}
    return defaults


def _flags(command: click.Command) -> dict[str, str]:
    """The parameters of a command by their flags without dashes in front, with "-" or "_" inside."""
    flags: dict[str, str] = {}
    for parameter in command.params:
        for option in (*parameter.opts, parameter.name or ""):
            flag = option.lstrip("-")
            if len(flag) > 1 and parameter.name:
                flags[flag] = flags[flag.replace("-", "_")] = parameter.name
    return flags


def _unknown(name: str, where: str, known: Iterable[str], what: str) -> InputError:
    close = difflib.get_close_matches(name, list(known), 1)
    advice = f"did you mean {close[0]}?" if close else f"it may have {what}"
    return InputError(f"{where} has {name!r}, which is not known: {advice}")
