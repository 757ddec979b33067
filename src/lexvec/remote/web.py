"""Reading what is behind an address."""

import base64
import http.client
import netrc
import ssl
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from ..errors import InputError
from ..progress import Progress, ProgressLike, resolved
from .settings import Settings

TIMEOUT = 20.0
LARGEST = 64 * 2**20  # no page or archive that is asked for is larger
_PIECE = 2**18


def read_url(url: str, settings: Settings | None = None, progress: ProgressLike = None) -> bytes:
    """The content of a page or file, as it is."""
    settings, progress = settings or Settings(), resolved(progress, __name__)
    plain, request = _request(url)
    try:
        with _opener(plain, settings).open(request, timeout=TIMEOUT) as answer:
            return _content(plain, answer, progress)
    except (OSError, http.client.HTTPException, ValueError) as error:
        if isinstance(error, urllib.error.HTTPError):
            error.close()
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise InputError(f"cannot fetch {plain} ({reason}): check the connection") from error


def _content(url: str, answer: Any, progress: Progress) -> bytes:
    length = answer.headers.get("Content-Length") or ""
    total = int(length) if length.isdigit() else None
    found = bytearray()
    with progress.stage("fetching", total, "B") as stage:
        while piece := answer.read(_PIECE):
            found += piece
            stage.advance(len(piece))
            if len(found) > LARGEST:
                raise InputError(f"{url} is larger than it should be: it was not fetched")
    if total is not None and len(found) < total:
        raise InputError(f"{url} broke off after {len(found):,} of {total:,} bytes: try again")
    return bytes(found)


def without_user(url: str) -> str:
    """An address that may be shown: without a name and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _request(url: str) -> tuple[str, urllib.request.Request]:
    """The name and password of an address, or of the user's .netrc, go into a header, for that host alone."""
    plain, parts = without_user(url), urlsplit(url)
    request = urllib.request.Request(plain, headers={"Accept": "text/html, */*;q=0.1", "User-Agent": "lexvec"})
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if not user and parts.hostname:
        try:
            known = netrc.netrc().authenticators(parts.hostname)
        except (OSError, netrc.NetrcParseError):
            known = None
        user, password = (known[0], known[2] or "") if known else ("", "")
    if user:
        secret = base64.b64encode(f"{user}:{password}".encode()).decode("ascii")
        request.add_unredirected_header("Authorization", f"Basic {secret}")
    return plain, request


def _opener(url: str, settings: Settings) -> urllib.request.OpenerDirector:
    context = ssl.create_default_context(cafile=settings.cert)
    host = urlsplit(url)
    if settings.trusted & {host.hostname, host.netloc}:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    handlers: list[urllib.request.BaseHandler] = [urllib.request.HTTPSHandler(context=context)]
    if settings.proxy:
        handlers.append(urllib.request.ProxyHandler({"http": settings.proxy, "https": settings.proxy}))
    return urllib.request.build_opener(*handlers)
