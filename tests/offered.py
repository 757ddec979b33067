"""All that users call: the functions, constructors and methods that the package offers."""

import inspect
from collections.abc import Callable
from typing import Any

import lexvec
import lexvec.evaluation
import lexvec.lab


def offered() -> list[tuple[str, Callable[..., Any]]]:
    """By name. Errors are left out: they are raised by us, and only caught by users."""
    found: list[tuple[str, Callable[..., Any]]] = []
    for home in (lexvec, lexvec.evaluation, lexvec.lab):
        for name in home.__all__:
            thing = getattr(home, name)
            if inspect.isclass(thing) and not issubclass(thing, Exception):
                members = inspect.getmembers(thing, lambda each: inspect.isfunction(each) or inspect.ismethod(each))
                found += [(f"{name}.{each}", member) for each, member in members if not each.startswith("_")]
                found.append((name, thing))
            elif inspect.isfunction(thing):
                found.append((name, thing))
    return found
