"""The archive of a package, through the simple interface of the user's package indexes (PEP 503).

pip could download it too, but it runs code of a source archive to learn its metadata. Here an archive is only bytes
with the right checksum.

The indexes are those of the user's pip, which reports its own settings: ``pip config list`` knows every file and
variable, and ``pip download --help`` the default index, so that no index is named here. Passwords in a keyring are not
used.
"""

import ast
import hashlib
import os
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import TypeVar
from urllib.parse import unquote, urljoin, urlsplit

from ..errors import InputError
from ..progress import Progress, ProgressLike, resolved
from .web import Page, Settings, member, read_url, without_user

T = TypeVar("T")
_TIMEOUT = 60.0
#: Where pip looks for a setting; the last place wins.
_SECTIONS = ("global", "download", ":env:")


@dataclass(frozen=True)
class Package:
    """One archive of a package."""

    name: str
    version: str
    file: str
    sha256: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}"


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


def first(attempts: Iterable[Callable[[], T]]) -> T:
    """Return the result of the first attempt that succeeds; if none does, raise all their reasons in one line."""
    reasons: dict[str, None] = {}
    for attempt in attempts:
        try:
            return attempt()
        except InputError as error:
            reasons[str(error)] = None
    raise InputError("; ".join(reasons))


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


def pip_settings() -> Settings:
    """Return the settings that pip reports."""
    reported = dict(_parsed(line) for line in _pip("config", "list").splitlines() if "=" in line)
    indexes = [] if _value(reported, "no-index").lower() in ("1", "true", "yes", "on") else _indexes(reported)
    return Settings(
        tuple(indexes),
        tuple(_value(reported, "find-links").split()),
        _value(reported, "cert") or os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE"),
        _value(reported, "client-cert") or None,
        _value(reported, "proxy") or None,
        frozenset(_value(reported, "trusted-host").split()),
    )


def _indexes(reported: Mapping[str, str]) -> list[str]:
    first = _value(reported, "index-url")
    if not first:
        offered = " ".join(_pip("download", "--help").split())
        default = re.search(r"--index-url <url>.*?\(default\s+([^\s)]+)\)", offered)
        first = default[1] if default else ""
    return [*first.split(), *_value(reported, "extra-index-url").split()]


def _parsed(line: str) -> tuple[str, str]:
    """Split a line such as ``global.index-url='https://…'``."""
    name, _, value = line.partition("=")
    try:
        return name.strip(), str(ast.literal_eval(value.strip()))
    except (ValueError, SyntaxError):
        return name.strip(), value.strip()


def _value(reported: Mapping[str, str], name: str) -> str:
    values = [reported[key] for section in _SECTIONS if (key := f"{section}.{name}") in reported]
    return values[-1].strip() if values else ""


def _pip(*words: str) -> str:
    # -P: a file pip.py in the current folder is not pip.
    command = [sys.executable, "-P", "-m", "pip", "--disable-pip-version-check", "--no-input", *words]
    wide = {**os.environ, "COLUMNS": "500"}  # so that no address is broken over two lines
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT, check=False, env=wide)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"pip does not report its settings ({error}): check that python -m pip works") from error
    if "No module named pip" in done.stderr:
        raise InputError(
            "this Python has no pip, whose settings name the package index to ask: "
            "install it (python -m ensurepip, or uv pip install pip)"
        )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1].removeprefix("ERROR: ")
        raise InputError(f"pip does not report its settings ({reason[:300]}): check that python -m pip works")
    return done.stdout
