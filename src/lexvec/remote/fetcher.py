"""Fetching from packages and pages: each place is asked once, successfully or not."""

from ..errors import InputError
from ..progress import ProgressLike, resolved
from .archive import member
from .index import Package, download
from .settings import Settings, pip_settings
from .web import read_url


class Fetcher:
    """Fetches files, and remembers what came from each place, or why nothing did."""

    def __init__(self, progress: ProgressLike = None) -> None:
        self._progress = resolved(progress, __name__)
        self._settings: Settings | None = None
        self._known: dict[Package | str, bytes | InputError] = {}

    def read(self, place: Package | str, name: str = "") -> bytes:
        """Return a member of an archive (of a package or behind an address), or, without a name, the page itself."""
        if place not in self._known:
            try:
                self._known[place] = self._asked(place)
            except InputError as error:
                self._known[place] = error
        known = self._known[place]
        if isinstance(known, InputError):
            raise InputError(str(known)) from known
        return member(known, name, place)

    def _asked(self, place: Package | str) -> bytes:
        if isinstance(place, str):
            return read_url(place, progress=self._progress).content
        self._progress.note(f"looking for {place} with your settings of pip")
        self._settings = self._settings or pip_settings()
        return download(place, self._settings, self._progress)
