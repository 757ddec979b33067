"""Finding the archive of a package through the simple interface of package indexes (PEP 503).

pip could download it too, but it runs code of a source archive to learn its metadata. Here an archive is only bytes
with the right checksum.
"""

import hashlib
import re
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

from ..errors import InputError
from ..progress import Progress
from .first import first
from .settings import Settings
from .web import Page, read_url, without_user


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
    """Return the archive, from the first place of the settings that has it."""
    places = _places(package, settings)
    try:
        return first(partial(_from, place, package, settings, progress) for place in places)
    except InputError as error:
        raise InputError(f"{package.file} cannot be fetched ({str(error) or 'pip has no index to ask'})") from error


def _from(place: str, package: Package, settings: Settings, progress: Progress) -> bytes:
    try:
        links = [link for link in _links(place, settings, progress) if _file_of(link) == package.file]
    except (OSError, ValueError, RuntimeError, AssertionError) as error:  # an invalid address, file name or page
        raise InputError(f"{without_user(place)} cannot be read ({error})") from error
    if not links:
        raise InputError(f"{without_user(place)} has no such file")
    return first(partial(_checked, link, package, settings, progress) for link in links)


def _checked(link: str, package: Package, settings: Settings, progress: Progress) -> bytes:
    raw = read_url(link, settings, progress).content
    if hashlib.sha256(raw).hexdigest() != package.sha256:
        raise InputError(f"{without_user(link)} has another checksum")
    return raw


def _places(package: Package, settings: Settings) -> Iterator[str]:
    yield from settings.links
    page = re.sub(r"[-_.]+", "-", package.name).lower()
    for index in settings.indexes:
        yield f"{index.rstrip('/')}/{page}/"


def _links(place: str, settings: Settings, progress: Progress) -> list[str]:
    """Return the addresses in a folder or on a page."""
    folder = _local(place)
    if folder is None:
        return _hrefs(read_url(place, settings, progress))
    if (folder / "index.html").is_file():
        return _hrefs(Page(f"{folder.as_uri()}/", (folder / "index.html").read_bytes()))
    if folder.is_dir():
        return [path.as_uri() for path in sorted(folder.iterdir())]
    return _hrefs(Page(folder.as_uri(), folder.read_bytes())) if folder.is_file() else []


def _local(place: str) -> Path | None:
    if place.lower().startswith("file:"):
        return Path(urllib.request.url2pathname(urlsplit(place).path)).absolute()
    return None if re.match(r"[a-z][a-z0-9+.-]+://", place, re.IGNORECASE) else Path(place).expanduser().absolute()


def _file_of(link: str) -> str:
    return unquote(urlsplit(link).path.rpartition("/")[2])


def _hrefs(page: Page) -> list[str]:
    base, found = page.address, list[str]()

    class Links(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            nonlocal base
            if href := dict(attrs).get("href"):
                if tag == "base":
                    base = urljoin(page.address, href)
                elif tag == "a":
                    found.append(urljoin(base, href))

    Links().feed(page.content.decode("utf-8", "replace"))
    return found
