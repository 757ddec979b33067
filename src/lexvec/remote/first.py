"""Trying places in turn."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from ..errors import InputError

T = TypeVar("T")


def first(attempts: Iterable[Callable[[], T]]) -> T:
    """Return the result of the first attempt that succeeds; if none does, raise all their reasons in one line."""
    reasons: dict[str, None] = {}
    for attempt in attempts:
        try:
            return attempt()
        except InputError as error:
            reasons[str(error)] = None
    raise InputError("; ".join(reasons))
