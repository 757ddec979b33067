"""Trying places one after another."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from ..errors import InputError

T = TypeVar("T")


def first(attempts: Iterable[Callable[[], T]]) -> T:
    """What the first attempt gives that succeeds; if none does, all their reasons, each once, in one line."""
    reasons: dict[str, None] = {}
    for attempt in attempts:
        try:
            return attempt()
        except InputError as error:
            reasons[str(error)] = None
    raise InputError("; ".join(reasons))
