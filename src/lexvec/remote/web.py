"""Pages and files from the web, and members of archives: read in memory, nothing unpacked to disk, nothing run."""

import base64
import http.client
import io
import netrc
import re
import ssl
import tarfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from ..errors import InputError
from ..progress import Progress, ProgressLike, resolved
from ..storage.bounded import MOST_SETTINGS
from ..storage.files import DAMAGED

TIMEOUT, LONGEST = 20.0, 600.0  # seconds without a byte, and in all
#: The largest page or archive that is fetched, and the largest file in an archive.
LARGEST, LARGEST_MEMBER = 2**26, 2**28
_PIECE = 2**18


@dataclass(frozen=True)
class Settings:
    """The settings that fetching needs."""

    indexes: tuple[str, ...] = ()
    links: tuple[str, ...] = ()  # folders and pages with archives (pip's find-links)
    cert: str | None = None  # a file of trusted certificates, instead of the system's
    client_cert: str | None = None
    proxy: str | None = None
    trusted: frozenset[str] = frozenset()  # hosts whose certificates are not checked


class Page(NamedTuple):
    """The content of a page, and its address after all redirects."""

    address: str
    content: bytes


def read_url(url: str, settings: Settings | None = None, progress: ProgressLike = None) -> Page:
    """Return the content of a page or file, unchanged."""
    settings, reported = settings or Settings(), resolved(progress, __name__)
    try:
        request = urllib.request.Request(
            re.sub(r"(?<=://)[^/]*@", "", url), headers={"Accept": "text/html, */*;q=0.1", "User-Agent": "lexvec"}
        )
        with _opener(settings).open(request, timeout=TIMEOUT) as answer:
            return Page(answer.geturl(), _content(without_user(url), answer, reported))
    except (OSError, http.client.HTTPException, ValueError) as error:
        advice = "check the connection"
        if isinstance(error, urllib.error.HTTPError):
            advice = "check the name and password" if error.code in (401, 403, 407) else "check the address"
            error.close()
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise InputError(f"cannot fetch {without_user(url)} ({one_line(reason)}): {advice}") from error


def _content(url: str, answer: Any, progress: Progress) -> bytes:
    length = answer.headers.get("Content-Length") or ""
    total = int(length) if length.isdigit() else None
    found = bytearray()
    until = time.monotonic() + LONGEST
    with progress.stage("fetching", total, "B") as stage:
        while piece := answer.read1(_PIECE):
            found += piece
            stage.advance(len(piece))
            if len(found) > LARGEST:
                raise InputError(f"{url} is larger than {LARGEST:,} bytes: check the address")
            if time.monotonic() > until:
                raise InputError(f"{url} sent {len(found):,} bytes in {LONGEST:.0f} s: try again when it is faster")
    if total is not None and len(found) < total:
        raise InputError(f"{url} broke off after {len(found):,} of {total:,} bytes: try again")
    return bytes(found)


def without_user(url: str) -> str:
    """Return an address without its name and password, so that it may be shown."""
    return re.sub(r"(?<=://).*@", "", url)  # also a password with a slash in it, which no program can use


def one_line(reason: object) -> str:
    """Return a message of several lines as one."""
    return " ".join(str(reason).split())


def _opener(settings: Settings) -> urllib.request.OpenerDirector:
    handlers: list[urllib.request.BaseHandler] = [_Https(settings), _Users(_users(settings))]
    if settings.proxy:
        handlers.append(urllib.request.ProxyHandler({"http": settings.proxy, "https": settings.proxy}))
    return urllib.request.build_opener(*handlers)


class _Https(urllib.request.HTTPSHandler):
    """Checks the certificate of every host except those that the user trusts without one."""

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        context = context_for(self._settings, urlsplit(request.full_url).netloc)
        return self.do_open(http.client.HTTPSConnection, request, context=context)


def context_for(settings: Settings, host: str) -> ssl.SSLContext:
    """Return the context for a host: the user's certificates, and no check of a host that the user trusts."""
    try:
        context = ssl.create_default_context(cafile=settings.cert)
        if settings.client_cert:
            context.load_cert_chain(settings.client_cert)
    except OSError as error:
        names = " or ".join(filter(None, (settings.cert, settings.client_cert)))
        raise InputError(f"the certificates of pip's settings, {names}, cannot be read ({one_line(error)})") from error
    if settings.trusted & {host, host.rpartition(":")[0]}:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


class _Users(urllib.request.BaseHandler):
    """Names and passwords, each for its own host only, also after redirects."""

    def __init__(self, users: Mapping[str, str]) -> None:
        self._users = users

    def http_request(self, request: urllib.request.Request) -> urllib.request.Request:
        """Add the header if this host has one; it is not passed on to the next host."""
        if user := self._users.get(urlsplit(request.full_url).netloc):
            secret = base64.b64encode(user.encode()).decode("ascii")
            request.add_unredirected_header("Authorization", f"Basic {secret}")
        return request

    https_request = http_request


def _users(settings: Settings) -> dict[str, str]:
    """Return "name:password" by host, from the user's indexes and, for their hosts, from .netrc."""
    found: dict[str, str] = {}
    try:
        file = Path("~/.netrc").expanduser()
        # Netrc reads all of a file at once, and a device has no end.
        usable = file.is_file() and file.stat().st_size <= MOST_SETTINGS
        known = netrc.netrc().hosts if usable else {}
    except (OSError, ValueError, RuntimeError, netrc.NetrcParseError):
        known = {}
    for place in (*settings.indexes, *settings.links):
        try:
            user, _, host = urlsplit(place).netloc.rpartition("@")
        except ValueError:  # an invalid address is reported when it is asked
            continue
        if user:
            found[host] = unquote(user)
        elif entry := known.get(host) or known.get(host.rpartition(":")[0]):
            found[host] = f"{entry[0]}:{entry[2] or ''}"
    return found


def member(raw: bytes, name: str, place: object) -> bytes:
    """Return the file of this name in a zip or tar archive; with an empty name, return ``raw`` unchanged."""
    if not name:
        return raw
    try:
        if raw.startswith(b"PK"):
            with zipfile.ZipFile(io.BytesIO(raw)) as packed, packed.open(name) as file:
                return _whole(file, name)
        with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
            found = archive.extractfile(name)
            if found is None:
                raise KeyError(f"{name} is not a file")
            return _whole(found, name)
    except (KeyError, OSError, RuntimeError, tarfile.TarError, zipfile.BadZipFile, *DAMAGED) as error:
        raise InputError(f"{place} does not hold what it should ({one_line(error)})") from error


def _whole(file: IO[bytes], name: str) -> bytes:
    raw = file.read(LARGEST_MEMBER + 1)
    if len(raw) > LARGEST_MEMBER:
        raise KeyError(f"{name} is larger than it should be")
    return raw
