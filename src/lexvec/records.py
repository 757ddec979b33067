"""Records read from JSON: one check of their form against a dataclass or another type."""

import dataclasses
import functools
import types
import typing
from typing import Any


def conforms(value: Any, form: Any, *, extra: bool = False) -> bool:
    """Return whether a value read from JSON has the form of a type.

    A dataclass stands for an object with exactly its fields; with ``extra``, objects may have other names, too, as
    those of newer versions do. Lists, tuples, objects with any names (``dict[str, int]``) and unions are checked to
    every depth. A whole number passes for a float, since JSON has one type of number; true and false are no numbers.

    >>> @dataclasses.dataclass
    ... class Epoch:
    ...     loss: float
    ...     scores: dict[str, float | None]
    >>> conforms({"loss": 1, "scores": {"men": None}}, Epoch)
    True
    >>> conforms({"loss": 1}, Epoch), conforms([{"loss": "1", "scores": {}}], list[Epoch])
    (False, False)
    """
    if form is Any:
        return True
    if isinstance(form, types.UnionType) or typing.get_origin(form) is typing.Union:
        return any(conforms(value, choice, extra=extra) for choice in typing.get_args(form))
    if dataclasses.is_dataclass(form):
        fields = _fields(typing.cast(type, form))
        return (
            isinstance(value, dict)
            and (fields.keys() <= value.keys() if extra else fields.keys() == value.keys())
            and all(conforms(value[name], kind, extra=extra) for name, kind in fields.items())
        )
    kind, inner = typing.get_origin(form) or form, typing.get_args(form)
    if kind is dict:
        names, values = inner or (Any, Any)
        return isinstance(value, dict) and all(
            conforms(name, names) and conforms(each, values, extra=extra) for name, each in value.items()
        )
    if kind is list:
        return isinstance(value, list) and all(conforms(each, *(inner or (Any,)), extra=extra) for each in value)
    if kind is tuple and Ellipsis not in inner:  # JSON has lists only
        fits = isinstance(value, list) and len(value) == len(inner)
        return fits and all(conforms(each, own, extra=extra) for each, own in zip(value, inner, strict=True))
    if isinstance(value, bool):
        return kind is bool
    if kind in (None, types.NoneType):
        return value is None
    if kind is float:
        return isinstance(value, int | float)
    if kind in (str, int, bool):
        return isinstance(value, kind)
    raise TypeError(f"no form of a record: {form!r}")


@functools.cache
def _fields(form: type) -> dict[str, Any]:
    """Return the types of the fields of a dataclass by name."""
    hints = typing.get_type_hints(form)
    return {field.name: hints[field.name] for field in dataclasses.fields(form)}
