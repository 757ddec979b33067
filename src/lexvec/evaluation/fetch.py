"""Fetching test sets into the user's cache.

Archives of packages are downloaded by pip, so that the user's own settings (index, proxy, certificates) hold; pip
compares their SHA-256 before it does anything with them. Of an archive one member is read, as data; nothing is
installed (to learn the metadata of a source archive pip runs its setup.py, which is why the checksum comes first).
Whatever the origin, a set is kept only if its items are those of the registry.
"""

import http.client
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterable
from pathlib import Path

from ..errors import InputError, LexvecError
from ..files import write_text
from ..progress import Progress, Silent
from .items import digest, parse, plain
from .origins import ORIGINS, Origin, Package
from .registry import DATASETS, named, sets_in
from .sources import cache_folder

TIMEOUT = 60.0
_PIP_TIMEOUT = 600.0
_LARGEST = 64 * 2**20  # no archive or page with a test set is larger


def fetch(
    sets: Iterable[str] | None = None,
    to: str | os.PathLike[str] | None = None,
    *,
    force: bool = False,
    progress: Progress | None = None,
) -> tuple[list[Path], dict[str, str]]:
    """Fetch sets by key or group (None: all) into a folder (None: the user's cache).

    What is there already is left alone without ``force``. Returns the files that were written, and for each file that
    cannot be had, why.
    """
    progress = progress or Silent()
    folder = Path(to) if to is not None else cache_folder()
    keys = DATASETS if sets is None else [key for name in sets for key in named(name)]
    files = dict.fromkeys(DATASETS[key].file for key in keys)
    written: list[Path] = []
    failed: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="lexvec-") as scratch:
        archives = _Archives(Path(scratch))
        for file in files:
            if (folder / file).exists() and not force:
                progress.note(f"{folder / file} is there already")
                continue
            try:
                text, origin = _first(file, archives)
            except LexvecError as error:
                failed[file] = str(error)
                continue
            write_text(folder / file, text)
            written.append(folder / file)
            progress.note(f"{folder / file}: from {origin}, checksum right")
    return written, failed


def _first(file: str, archives: "_Archives") -> tuple[str, str]:
    """The text of a file from the first of its origins that has it, and that origin."""
    reasons = []
    for origin in ORIGINS[file]:
        try:
            text = plain(origin.convert(_text(origin, archives)))
            for dataset in sets_in(file):
                if digest(parse(text, f"{file} from {origin.place}", dataset.section)[1]) != dataset.sha256:
                    raise InputError(f"{origin.place} has another version of {dataset.key}")
            return text, str(origin.place)
        except LexvecError as error:
            reasons.append(str(error))
    raise InputError("; ".join(reasons))


def _text(origin: Origin, archives: "_Archives") -> str:
    raw = _page(origin.place) if isinstance(origin.place, str) else archives.get(origin.place).read_bytes()
    try:
        return _member(raw, origin.member).decode("utf-8")
    except (KeyError, OSError, ValueError, tarfile.TarError, zipfile.BadZipFile) as error:
        raise InputError(f"{origin.place} does not hold what it should ({error})") from error


def _member(raw: bytes, name: str) -> bytes:
    """One file of an archive, held in memory; an empty name means that there is no archive."""
    if not name:
        return raw
    if raw.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(raw)) as packed, packed.open(name) as member:
            return member.read(_LARGEST)
    with tarfile.open(fileobj=io.BytesIO(raw)) as archive:
        found = archive.extractfile(name)
        if found is None:
            raise KeyError(f"{name} is not a file")
        return found.read(_LARGEST)


def _page(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:
            raw: bytes = answer.read(_LARGEST)
            return raw
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise InputError(f"cannot fetch {url} ({reason}): check the connection") from error


class _Archives:
    """Archives of packages, each asked for once, whether it can be had or not."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._known: dict[Package, Path | InputError] = {}

    def get(self, package: Package) -> Path:
        """The archive of a package."""
        if package not in self._known:
            try:
                self._known[package] = self._download(package)
            except InputError as error:
                self._known[package] = error
        known = self._known[package]
        if isinstance(known, InputError):
            raise known
        return known

    def _download(self, package: Package) -> Path:
        folder = self._scratch / package.name
        folder.mkdir()
        wanted = self._scratch / f"{package.name}.txt"
        wanted.write_text(f"{package.name}=={package.version} --hash=sha256:{package.sha256}\n")
        form = "--only-binary" if package.wheel else "--no-binary"
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "download"]
        command += ["--quiet", "--no-deps", "--require-hashes", form, ":all:", "--dest", str(folder)]
        _run([*command, "--requirement", str(wanted)], package)
        archives = list(folder.iterdir())
        if len(archives) != 1:
            raise InputError(f"pip did not download {package}: check its settings")
        return archives[0]


def _run(command: list[str], package: Package) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PIP_TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        raise InputError(f"pip did not download {package} within {_PIP_TIMEOUT:.0f} s: check the connection") from None
    if done.returncode:
        if "No module named pip" in done.stderr:
            raise InputError(
                "this Python has no pip to download packages: install it (uv pip install pip, or ensurepip)"
            )
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        reason = (errors or done.stderr.splitlines() or ["no reason given"])[-1].removeprefix("ERROR: ")
        raise InputError(f"pip cannot download {package} ({reason.strip()[:300]})")
