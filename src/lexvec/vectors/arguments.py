"""Checks of what callers pass: a value of the wrong type is an error that names the parameter."""

import operator
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError

T = TypeVar("T")


def whole_number(name: str, value: Any, least: int = 1) -> int:
    """Return an integer, Python's or NumPy's, that is at least ``least``."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or number < least or isinstance(value, bool):
        raise ParameterError(f"{name}={shown(value)}: it must be a whole number of at least {least}")
    return number


def flag(name: str, value: Any) -> bool:
    """Return True or False."""
    if not isinstance(value, bool):
        raise ParameterError(f"{name}={shown(value)}: it must be True or False")
    return value


def path_from(name: str, value: Any) -> Path:
    """Return the path that a string or a path object stands for."""
    path = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(path, str) or not path or "\0" in path:
        raise ParameterError(f"{name}={shown(value)}: it must be the name of a file or folder")
    return Path(path)


def strings(name: str, value: Any, what: str = "words") -> list[str]:
    """Return a list of strings; one string alone is refused, since it would be taken for its letters."""
    return checked_list(name, value, str, f"a list of {what}")


def checked_list(name: str, value: Any, kind: type[T], wanted: str) -> list[T]:
    """Return a list of values that are all of one type."""
    if not isinstance(value, Iterable) or isinstance(value, str | bytes):
        raise ParameterError(f"{name}={shown(value)}: it must be {wanted}")
    values = list(value)
    for each in values:
        if not isinstance(each, kind):
            raise ParameterError(f"{name} has {shown(each)} in it: it must be {wanted}")
    return values


def instance(name: str, value: Any, kind: type[T], advice: str) -> T:
    """Return a value of a class."""
    if not isinstance(value, kind):
        raise ParameterError(f"{name}={shown(value)}: it must be {kind.__name__}; {advice}")
    return value


def matrix_from(name: str, value: Any) -> npt.NDArray[np.float32]:
    """Return a matrix of float32: the one given, without a copy, if it is one already."""
    numbers = _real_numbers(value)
    if numbers is None:
        raise ParameterError(f"{name}={shown(value)}: it must be a matrix of real numbers")
    if numbers.ndim != 2:
        raise ParameterError(f"{name} has the shape {numbers.shape}: give one row per word")
    with np.errstate(over="ignore"):  # numbers beyond float32 become infinite, and are refused when used
        return np.asarray(numbers, np.float32)


def vector_from(value: Any) -> npt.NDArray[np.float64] | None:
    """Return an array of doubles, or None for anything else than real numbers."""
    numbers = _real_numbers(value)
    return None if numbers is None else np.asarray(numbers, np.float64)


def _real_numbers(value: Any) -> npt.NDArray[Any] | None:
    try:
        numbers = np.asarray(value)
    except (TypeError, ValueError):  # rows of different lengths
        return None
    return numbers if numbers.dtype.kind in "fiub" else None


def shown(value: Any) -> str:
    """Return how a value looks, in a few characters on one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
