"""Who may ask the server what: this machine's own page, with its token, by GET, within limits."""

import hmac
import ipaddress
import socket
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

LONGEST_TARGET = 8_192  # bytes of path and query

#: Nothing is loaded from elsewhere, nothing inline runs, and no other page may frame or read this one.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-store",
}

_OWN = ("127.0.0.1", "localhost", "[::1]")


class Guard:
    """Wraps an ASGI application: refuses what it should not see, and adds `HEADERS` to all answers."""

    def __init__(self, app: Any, *, host: str, port: int, token: str) -> None:
        self._app, self._token = app, token
        self._names = {f"{name}:{port}" for name in _names(host)}
        self._everywhere = port if host in ("0.0.0.0", "::") else None
        self._cookie = f"lexvec-{port}"  # cookies are shared by all ports of a host

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = [(name.lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        refusal = self._refusal(scope, headers)
        if refusal is None:
            await self._app(scope, receive, self._sending(scope, send))
            return
        status, text = refusal
        body = f"{text}\n".encode()
        plain = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
        if status == 405:
            plain.append((b"allow", b"GET"))
        await self._sending(scope, send)({"type": "http.response.start", "status": status, "headers": plain})
        await send({"type": "http.response.body", "body": body})

    def _refusal(self, scope: Any, headers: list[tuple[bytes, str]]) -> tuple[int, str] | None:
        """Return why a request is refused, or None if it is not."""
        if scope["method"] != "GET":
            return 405, "only GET is answered"
        if any(name == b"transfer-encoding" or (name == b"content-length" and value != "0") for name, value in headers):
            return 413, "a question has no body"
        if len(scope["query_string"]) + len(scope.get("raw_path") or b"") > LONGEST_TARGET:
            return 414, f"the address is too long: give at most {LONGEST_TARGET:,} bytes"
        if not self._is_own_host([value for name, value in headers if name == b"host"]):
            return 403, "the Host header names another machine: open the address that lexvec explore printed"
        page = scope["path"] == "/"
        sites = [value for name, value in headers if name == b"sec-fetch-site"]
        if not page and any(site not in ("same-origin", "none") for site in sites):
            return 403, "another site may not ask"
        cookies = [value for name, value in headers if name == b"cookie"]
        if not (self._has_cookie(cookies) or (page and self._has_token(scope))):
            return 403, "the token is missing: open the address that lexvec explore printed"
        return None

    def _is_own_host(self, given: list[str]) -> bool:
        if len(given) != 1:
            return False
        name = given[0].lower()
        if name in self._names:
            return True
        # A page of another site that rebinds its name to this machine still has to send that name.
        host, _, port = name.rpartition(":")
        return self._everywhere is not None and port == str(self._everywhere) and _is_address(host)

    def _has_cookie(self, given: Iterable[str]) -> bool:
        for value in given:
            cookie: SimpleCookie = SimpleCookie()
            try:
                cookie.load(value)
            except CookieError:
                continue
            if self._cookie in cookie and self._is_token(cookie[self._cookie].value):
                return True
        return False

    def _has_token(self, scope: Any) -> bool:
        query = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=None)
        return any(map(self._is_token, query.get("token", [])))

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    def _sending(self, scope: Any, send: Any) -> Any:
        """Return ``send`` with the headers of every answer; the page itself also sets the cookie."""

        async def sending(message: Any) -> None:
            if message["type"] == "http.response.start":
                added = dict(HEADERS)
                if scope["path"] == "/" and message["status"] == 200 and self._has_token(scope):
                    added["Set-Cookie"] = f"{self._cookie}={self._token}; HttpOnly; SameSite=Strict; Path=/"
                new = {name.lower().encode() for name in added}
                kept = [(name, value) for name, value in message["headers"] if name.lower() not in new]
                message["headers"] = [*kept, *((name.lower().encode(), text.encode()) for name, text in added.items())]
            await send(message)

        return sending


def _names(host: str) -> set[str]:
    """Return the names by which a browser may call the server."""
    if host in ("0.0.0.0", "::"):
        return {*_OWN, socket.gethostname().lower()}
    if is_own_machine(host):
        return set(_OWN)
    return {f"[{host}]" if ":" in host else host.lower()}


def is_own_machine(host: str) -> bool:
    """Return whether a host can be reached from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True
