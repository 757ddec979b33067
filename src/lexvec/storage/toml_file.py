"""TOML that users write: presets and configurations."""

import tomllib
from typing import Any

from ..errors import InputError

_DEEPEST = 16  # tables within tables; ours have three


def parse_toml(raw: bytes, name: str) -> dict[str, Any]:
    """Return the content of a TOML file; ``name`` is what the error calls it."""
    try:
        content = tomllib.loads(raw.decode("utf-8"))
    except RecursionError:
        raise InputError(f"{name} is nested too deeply: write at most {_DEEPEST} levels") from None
    except ValueError as error:  # also of bytes that are not UTF-8, and of numbers with thousands of digits
        reason = " ".join(str(error).split())
        raise InputError(f"{name} is not TOML ({reason[:200]}): correct it") from error
    level: list[Any] = [content]
    for _ in range(_DEEPEST):
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
        level = [each for each in level if isinstance(each, dict | list)]
    if level:
        raise InputError(f"{name} is nested too deeply: write at most {_DEEPEST} levels")
    return content
