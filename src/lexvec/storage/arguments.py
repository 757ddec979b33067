"""Values that callers give: checked before they are used, with errors that name the parameter."""

import operator
import os
from pathlib import Path
from typing import Any

from ..errors import Given, InputError, ParameterError

STDIN = "-"  # stands for standard input


def path_from(value: Any, parameter: str) -> Path:
    """Return a path that is given as a name or as a path."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise _wrong(value, parameter, "a path")
    if "\0" in os.fspath(value):
        raise ParameterError(Given(parameter, value), ": a path has no NUL character; check the name")
    if not os.fspath(value):
        raise ParameterError(Given(parameter, value), ": a path is not empty; give a name")
    return Path(value)


def is_there(path: str | os.PathLike[str]) -> bool:
    """Return whether something has this name; where permissions hide the answer, raise an error that says so."""
    try:
        Path(path).stat()
    except PermissionError as error:
        raise InputError(f"cannot look at {os.fspath(path)} ({error.strerror}): check the permissions") from error
    except (OSError, ValueError):
        return False
    return True


def check_flag(value: Any, parameter: str) -> bool:
    """Return a value that is true or false."""
    if not isinstance(value, bool):
        raise _wrong(value, parameter, "True or False")
    return value


def check_text(value: Any, parameter: str) -> str:
    """Return a value that is text."""
    if not isinstance(value, str):
        raise _wrong(value, parameter, "text")
    return value


def check_whole(value: Any, parameter: str, least: int) -> int:
    """Return a value that is a whole number, and not less than ``least``."""
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = -1
    if number < least:
        raise _wrong(value, parameter, f"a whole number of at least {least}")
    return number


def _wrong(value: Any, parameter: str, wanted: str) -> ParameterError:
    return ParameterError(Given(parameter, value), f": it must be {wanted}")
