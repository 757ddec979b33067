"""The user's own settings of pip: which indexes to ask, and how.

pip itself reports them: ``pip config list`` knows every file and variable, and ``pip download --help`` the default
index, so that no index is named here. Passwords in a keyring are not used.
"""

import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from re import search

from ..errors import InputError

_TIMEOUT = 60.0
#: Where pip looks for a setting; the last place wins.
_SECTIONS = ("global", "download", ":env:")


@dataclass(frozen=True)
class Settings:
    """The settings that fetching needs."""

    indexes: tuple[str, ...] = ()
    links: tuple[str, ...] = ()  # folders and pages with archives (pip's find-links)
    cert: str | None = None  # a file of trusted certificates, instead of the system's
    client_cert: str | None = None
    proxy: str | None = None
    trusted: frozenset[str] = frozenset()  # hosts whose certificates are not checked


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
        default = search(r"--index-url <url>.*?\(default\s+([^\s)]+)\)", " ".join(_pip("download", "--help").split()))
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
