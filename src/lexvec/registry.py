"""Tables that others may add to: measures, losses, models, file formats, kinds of evaluation task.

An entry is added in Python (``MEASURES["mine"] = …``), or by an installed package through an entry point in the
table's group (``[project.entry-points."lexvec.measures"]``), and then works on the command line too. Entry points are
looked up when a name is, not at import.
"""

import logging
from collections.abc import Iterator, MutableMapping
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from .errors import ParameterError, did_you_mean

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Registry(MutableMapping[str, T], Generic[T]):
    """A table from names to entries of one sort.

    >>> colors: Registry[int] = Registry("color", {"red": 0xFF0000})
    >>> colors["green"] = 0x00FF00
    >>> list(colors), colors.get("blue")
    (['red', 'green'], None)
    >>> colors["gren"]
    Traceback (most recent call last):
    ...
    lexvec.errors.ParameterError: there is no color 'gren'; did you mean 'green'?
    """

    def __init__(self, sort: str, entries: dict[str, T] | None = None, *, plural: str | None = None) -> None:
        self.sort, self.plural = sort, plural or f"{sort}s"
        self._entries: dict[str, T] = dict(entries or {})
        self._complete = False

    @property
    def group(self) -> str:
        """The group of entry points that adds to this table, such as ``lexvec.measures``."""
        return f"lexvec.{self.plural.replace(' ', '_')}"

    @property
    def present(self) -> list[str]:
        """The names that are in the table now, without looking up entry points."""
        return list(self._entries)

    def _load_entry_points(self) -> None:
        if self._complete:
            return
        self._complete = True
        before = dict(self._entries)
        for point in entry_points(group=self.group):
            try:
                entry = point.load()
            except Exception as error:  # a package of somebody else's may do anything; ours must go on
                _log.warning("the entry point %s = %s of %s failed: %s", point.name, point.value, self.group, error)
                continue
            self._entries.setdefault(point.name, entry)
        self._entries |= before  # a class that registers itself while it is loaded must not take a name from ours

    def __getitem__(self, name: str) -> T:
        if name not in self:
            raise self.unknown(name)
        return self._entries[name]

    def unknown(self, name: object) -> ParameterError:
        """Return the error for a name that is not in the table, with a suggestion."""
        advice = did_you_mean(name, self) or f"choose one of {', '.join(self)}"
        return ParameterError(f"there is no {self.sort} {str(name)[:200]!r}; {advice}")

    def __setitem__(self, name: str, entry: T) -> None:
        self._entries[name] = entry

    def __delitem__(self, name: str) -> None:
        del self._entries[name]

    def __iter__(self) -> Iterator[str]:
        self._load_entry_points()
        return iter(list(self._entries))

    def __len__(self) -> int:
        self._load_entry_points()
        return len(self._entries)

    def get(self, name: str, default: T | None = None) -> T | None:  # type: ignore[override]
        """Return an entry, or the default if there is none."""
        try:
            return self[name]
        except ParameterError:
            return default

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        if name not in self._entries:
            self._load_entry_points()
        return name in self._entries

    def __repr__(self) -> str:
        return f"<Registry of {self.plural}: {', '.join(self._entries)}>"
