"""Parameters, declared once: type, default, range and help in one field; checks, flags and records follow from it.

A class of parameters is a dataclass whose fields are made by `parameter`. Creating one checks every value;
`Parameters.record` is what is written into an artefact's ``meta.json``; the command line turns each field into a flag
of the same name (see ``lexvec.cli.flags``); and ``help`` shows them in the docstring of the class.

A class that needs the parameters of another stage inherits them; `redeclared` changes a default or a help text.

Single arguments of functions are checked by `path_from`, `check_flag`, `check_text` and `check_whole`.
"""

import dataclasses
import functools
import inspect
import math
import operator
import os
import re
import types
import typing
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from .errors import Given, ParameterError, did_you_mean
from .presentation import cards
from .registry import Registry

P = TypeVar("P", bound="Parameters")

_WANTED: dict[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
_NO_BOUND = 2**31 - 1  # bounds that only come from array sizes are not shown
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


@dataclass(frozen=True)
class Search:
    """The values of a parameter that a search tries: from ``low`` to ``high``, or a list of ``values``."""

    low: float = 0.0
    high: float = 0.0
    #: Distance between neighbouring values; a whole-number parameter has steps of at least 1.
    step: float | None = None
    #: Whether values are spread evenly on a logarithmic scale.
    log: bool = False
    #: All values, if they are listed one by one.
    values: tuple[Any, ...] = ()
    #: Other parameters and the values that they need for this one to be searched; elsewhere it keeps its default.
    when: Mapping[str, tuple[Any, ...]] = dataclasses.field(default_factory=dict)
    #: Whether trials take so much longer that the parameter is searched only where it is named.
    costly: bool = False


@dataclass(frozen=True)
class Spec:
    """What is known of one parameter beyond its type and default."""

    help: str
    #: The values that it can have; a `Registry` is asked when a value is checked, so that it can grow.
    choices: Collection[str] = ()
    minimum: float | None = None
    maximum: float | None = None
    #: Changes how long the work takes, never its result: left out of records.
    effort: bool = False
    #: Values that name no file; with any of them, every other value names a file to read.
    file_unless: Collection[str] = ()
    #: A number of bytes, or text such as "2GB".
    is_size: bool = False
    #: What a search for good parameters tries (see ``lexvec.lab``); None keeps the default.
    search: Search | None = None


def parameter(default: Any, help: str, **spec: Any) -> Any:  # noqa: A002 (the word users know)
    """Return a dataclass field for a parameter: its default, its help text, and what else is known of it."""
    return dataclasses.field(default=default, metadata={"spec": Spec(help, **spec)})


def redeclared(cls: type, name: str, default: Any, **changes: Any) -> Any:
    """Return the field of an inherited parameter with another default and, if given, another help text."""
    spec = cls.__dataclass_fields__[name].metadata["spec"]  # type: ignore[attr-defined]
    return dataclasses.field(default=default, metadata={"spec": dataclasses.replace(spec, **changes)})


def seed_parameter() -> Any:
    """Return the field ``seed``."""
    return parameter(1, "Seed of all random numbers.", minimum=0)


def threads_parameter() -> Any:
    """Return the field ``threads``."""
    return parameter(
        None, "Number of threads; all cores if not given. Results do not depend on it.",
        minimum=1, maximum=1024, effort=True,
    )  # fmt: skip


def memory_parameter() -> Any:
    """Return the field ``memory``."""
    return parameter(
        None,
        'Limit of memory for data, such as "2GB"; the program itself takes some 0.2 GB more. What does not fit goes to '
        "disk, and the result is the same. Default: half of the machine's memory to count, free memory to train.",
        effort=True,
        is_size=True,
    )


class Parameters:
    """Base of the dataclasses of parameters."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__repr__" not in vars(cls):  # the dataclass would write one, with all parameters
            cls.__repr__ = Parameters.__repr__  # type: ignore[method-assign]
        cls.__doc__ = _documented(cls)

    def __new__(cls, *values: Any, **named: Any) -> Self:
        """Refuse what the constructor does not know, with a suggestion."""
        if values:
            raise ParameterError(f"{cls.__name__} takes parameters by name only, such as {next(declared(cls))[0]}=…")
        cls._check_names(named)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name, spec, kinds, _ in declared(type(self)):
            object.__setattr__(self, name, _checked(name, getattr(self, name), spec, kinds))

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Make one from a mapping; an unknown name is an error that suggests a known one."""
        if not isinstance(values, Mapping):
            raise ParameterError(f"{cls.__name__} needs a mapping of parameters, not {type(values).__name__}")
        cls._check_names(values)
        return cls(**values)

    @classmethod
    def _check_names(cls, values: Mapping[str, Any]) -> None:
        known = [name for name, *_ in declared(cls)]
        for name in values:
            if name not in known:
                advice = did_you_mean(name, known) or f"it has {', '.join(known)}"
                raise ParameterError(f"{cls.__name__} has no parameter {str(name)[:80]}: {advice}")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters by name, as in scikit-learn (``deep`` makes no difference: none are nested)."""
        del deep
        return {name: getattr(self, name) for name, *_ in declared(type(self))}

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters, as in scikit-learn; either all are changed, or none."""
        self._check_names(parameters)
        changed = type(self)(**{**self.get_params(), **parameters})
        for name, value in changed.get_params().items():
            try:
                setattr(self, name, value)
            except dataclasses.FrozenInstanceError:
                raise ParameterError(f"a {type(self).__name__} cannot be changed: use dataclasses.replace") from None
        return self

    def as_parameters(self, cls: type[P]) -> P:
        """Return the parameters of another class that this one has inherited, as an object of that class."""
        return cls(**{name: getattr(self, name) for name, *_ in declared(cls)})

    def changed(self) -> dict[str, Any]:
        """The parameters that are not at their defaults."""
        return {
            name: value for name, _, _, default in declared(type(self)) if (value := getattr(self, name)) != default
        }

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.changed().items())})"

    def _repr_html_(self) -> str:
        return cards.card(type(self).__name__, *self._html_parameters())

    def _html_parameters(self) -> list[str]:
        """Return those that were changed, and the others folded away."""
        changed = self.changed()
        others = {name: value for name, value in self.get_params().items() if name not in changed}
        shown = [cards.facts(changed)] if changed else []
        return [*shown, cards.folded(f"{len(others)} parameters at their defaults", cards.facts(others))]

    def record(self) -> dict[str, Any]:
        """What decides the result, for ``meta.json``."""
        return {name: getattr(self, name) for name, spec, *_ in declared(type(self)) if not spec.effort}


def declared(cls: type) -> Iterator[tuple[str, Spec, tuple[type, ...], Any]]:
    """Name, spec, accepted types and default of each parameter of a class."""
    hints = _hints(cls)
    for field in dataclasses.fields(cls):
        if "spec" in field.metadata:
            yield field.name, field.metadata["spec"], hints[field.name], field.default


@functools.cache
def _hints(cls: type) -> dict[str, tuple[type, ...]]:
    return {name: _kinds(hint) for name, hint in typing.get_type_hints(cls).items()}


def _kinds(hint: Any) -> tuple[type, ...]:
    if isinstance(hint, types.UnionType):
        return tuple(kind for part in typing.get_args(hint) for kind in _kinds(part))
    return (typing.get_origin(hint) or hint,)


def _documented(cls: type) -> str:
    """The docstring of a class that is being made, with its parameters in the manner of numpydoc."""
    # The dataclass decorator comes later: what it will make of the class is what its bases have and the fields in it.
    inherited: dict[str, dataclasses.Field[Any]] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited |= vars(base).get("__dataclass_fields__", {})
    own = {name: field for name, field in vars(cls).items() if isinstance(field, dataclasses.Field)}
    hints = {**{name: field.type for name, field in inherited.items()}, **inspect.get_annotations(cls)}
    entries = [
        _entry(name, field.metadata["spec"], _kinds(hints[name]), field.default)
        for name, field in {**inherited, **own}.items()
        if "spec" in field.metadata
    ]
    said = inspect.cleandoc(vars(cls).get("__doc__") or cls.__name__)
    return "\n".join([said, "", "Parameters", "----------", *entries]) if entries else said


def _entry(name: str, spec: Spec, kinds: tuple[type, ...], default: Any) -> str:
    names = ["None" if kind is types.NoneType else kind.__name__ for kind in kinds]
    # Entry points are not looked up here: this runs at import.
    choices: Collection[str] = getattr(spec.choices, "present", spec.choices)
    kind = f"{{{', '.join(map(repr, choices))}}}" if choices else " or ".join(names)
    if spec.minimum is not None:
        bounded = spec.maximum is not None and spec.maximum < _NO_BOUND
        kind += f", {spec.minimum:g} to {spec.maximum:g}" if bounded else f", at least {spec.minimum:g}"
    return f"{name} : {kind}, default {default!r}\n    {spec.help}"


def _checked(name: str, value: Any, spec: Spec, kinds: tuple[type, ...]) -> Any:
    if value is None and types.NoneType in kinds:
        return None
    if isinstance(spec.choices, Registry) or spec.choices:
        if not isinstance(value, str) or value not in spec.choices:
            raise ParameterError(Given(name, value), f": it must be one of {', '.join(spec.choices)}")
        return value
    value = _converted(name, value, kinds)
    if spec.is_size:
        bytes_of(name, value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if isinstance(value, float) and not math.isfinite(value):
            raise ParameterError(Given(name, value), ": it must be a finite number")
        if spec.minimum is not None and value < spec.minimum:
            raise ParameterError(Given(name, value), f": it must be at least {spec.minimum}")
        if spec.maximum is not None and value > spec.maximum:
            raise ParameterError(Given(name, value), f": it must be at most {spec.maximum}")
    return value


def _converted(name: str, value: Any, kinds: tuple[type, ...]) -> Any:
    """Accept what is plainly meant (a numpy integer for an int, an int for a float) and nothing else."""
    if isinstance(value, bool) != (bool in kinds):
        wanted = " or ".join(_WANTED[kind] for kind in kinds if kind in _WANTED)
        raise ParameterError(Given(name, value), f": it must be {wanted}, not {type(value).__name__}")
    if isinstance(value, kinds):
        return value
    for kind in kinds:
        try:
            if kind is int:
                return operator.index(value)
            if kind is float and not isinstance(value, str):
                return float(value)
        except TypeError:
            pass
        except OverflowError:
            raise ParameterError(Given(name, value), ": it is too large for a number; use a smaller one") from None
    wanted = " or ".join(kind.__name__ for kind in kinds if kind is not types.NoneType)
    raise ParameterError(Given(name, value), f": it must be {wanted}, not {type(value).__name__}")


def bytes_of(name: str, size: str | int) -> int:
    """A size such as ``"2GB"``, ``"512 MiB"`` or a number of bytes."""
    if isinstance(size, int):
        return size
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?)?b?\s*", size, re.IGNORECASE)
    if not match:
        raise ParameterError(Given(name, size), ': write a size such as "2GB" or "512MiB"')
    bytes_ = float(match[1]) * _UNITS[(match[2] or "").lower()]
    if bytes_ > 2**62:
        raise ParameterError(Given(name, size), ": no machine has so much memory; use a smaller size")
    return int(bytes_)


def path_from(value: Any, parameter: str) -> Path:
    """Return a path that is given as a name or as a path."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise _wrong(value, parameter, "a path")
    if "\0" in os.fspath(value):
        raise ParameterError(Given(parameter, value), ": a path has no NUL character; check the name")
    if not os.fspath(value):
        raise ParameterError(Given(parameter, value), ": a path is not empty; give a name")
    return Path(value)


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
