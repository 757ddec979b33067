"""Checks of the lists, objects and arrays that callers pass; those of paths and numbers are in `parameters`."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from ..errors import Given, ParameterError
from .encodings import EncodedMatrix

T = TypeVar("T")

#: What to do with words that have no row.
Unknown = Literal["raise", "skip", "zero", "compose"]


def strings(name: str, value: Any, what: str = "words") -> list[str]:
    """Return a list of strings; one string alone is refused, since it would be taken for its letters."""
    return checked_list(name, value, str, f"a list of {what}")


def checked_list(name: str, value: Any, kind: type[T], wanted: str) -> list[T]:
    """Return a list of values that are all of one type."""
    if not isinstance(value, Iterable) or isinstance(value, str | bytes):
        raise ParameterError(Given(name, value), f": it must be {wanted}")
    values = list(value)
    for each in values:
        if not isinstance(each, kind):
            raise ParameterError(Given(name), f" has {shown(each)} in it: it must be {wanted}")
    return values


def instance(name: str, value: Any, kind: type[T], advice: str) -> T:
    """Return a value of a class."""
    if not isinstance(value, kind):
        raise ParameterError(Given(name, value), f": it must be {kind.__name__}; {advice}")
    return value


def matrix_from(name: str, value: Any) -> npt.NDArray[np.float32]:
    """Return a matrix of float32: the one given, without a copy, if it is one already, or if it is encoded."""
    if isinstance(value, EncodedMatrix):
        return value.as_matrix()
    numbers = _real_numbers(value)
    if numbers is None:
        raise ParameterError(Given(name, value), ": it must be a matrix of real numbers")
    if numbers.ndim != 2:
        raise ParameterError(Given(name), f" has the shape {numbers.shape}: give one row per word")
    with np.errstate(over="ignore"):  # numbers beyond float32 become infinite, and are refused when used
        return np.asarray(numbers, np.float32)


def counts_from(value: Any, length: int) -> npt.NDArray[np.int64] | None:
    """Return one count per word, or None if there are none."""
    if value is None:
        return None
    counts = _real_numbers(value)
    whole = counts is not None and (counts.dtype.kind in "iu" or not counts.size)
    if counts is None or not whole or counts.min(initial=0) < 0 or counts.max(initial=0) >= 2**63:
        raise ParameterError(Given("counts", value), ": it must be whole numbers from 0 to 2**63 − 1")
    if counts.shape != (length,):
        raise ParameterError(
            Given("counts"), f" has the shape {counts.shape}: give one count for each of {length:,} words"
        )
    return counts.astype(np.int64, copy=False)


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


def check_unknown(unknown: str, *, allowed: Sequence[str] = get_args(Unknown)) -> str:
    """Return what to do with words that have no vector."""
    if unknown not in allowed:
        raise ParameterError(Given("unknown", unknown), f": it must be one of {', '.join(allowed)}")
    return unknown


def check_weights(weights: Any, count: int) -> npt.NDArray[np.float64]:
    """Return a weight per term; 1 for each if none are given."""
    if weights is None:
        return np.ones(count)
    found = vector_from(weights)
    if found is None or found.shape != (count,) or not np.isfinite(found).all():
        raise ParameterError(Given("weights", weights), f": give one finite number for each of {count} terms")
    return found
