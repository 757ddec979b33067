"""Compiled kernels on disk: where they are kept, and how a damaged or full cache is survived.

Numba's own cache looks only at the file of the function it compiles, so a kernel would keep using an old version of a
helper that was changed in another file. Here the folder's name is a digest of all kernel sources, so it cannot.

Numba restores objects from what it finds in the cache, and that can run code. So the folder must belong to the user and
nobody else may write to it; otherwise kernels are compiled again in each process, in memory.
"""

import contextlib
import hashlib
import logging
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np
import platformdirs
from numba.core import config as _config
from numba.core.caching import FunctionCache

_log = logging.getLogger(__name__)

# Numba's own types do not know that settings are attributes.
_settings: Any = _config
_NumbaCache: Any = FunctionCache

_UNUSED = 30 * 24 * 3600  # seconds after which the kernels of another version are removed


@dataclass(frozen=True)
class CacheFolder:
    """Where compiled kernels are kept, or why they are kept in memory only."""

    folder: Path | None
    reason: str = ""


def find_cache() -> CacheFolder:
    """Make or find the private folder of these kernels' compiled code."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    digest = hashlib.sha256(b"\0".join(source.read_bytes() for source in sources)).hexdigest()[:16]
    base = Path(os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("lexvec", appauthor=False))
    folder = base / f"kernels-{digest}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(folder):
            return CacheFolder(None, f"{folder} belongs to another user or others may write to it")
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)
    except OSError as error:
        return CacheFolder(None, f"{folder} cannot be used: {error.strerror}")
    _remove_unused(base, folder)
    return CacheFolder(folder)


def _is_private(folder: Path) -> bool:
    if not hasattr(os, "getuid"):  # Windows: the user's cache folder is private by its access list
        return True
    facts = folder.lstat()
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & 0o022


def _remove_unused(base: Path, own: Path) -> None:
    """Remove the kernels of other versions that nobody has used for a month."""
    for folder in base.glob("kernels-*"):
        with contextlib.suppress(OSError):
            if folder != own and _is_private(folder) and time.time() - folder.stat().st_mtime > _UNUSED:
                shutil.rmtree(folder, ignore_errors=True)


CACHE = find_cache()


class KernelCache(_NumbaCache):
    """Numba's cache of one function, which a damaged file or a full disk does not stop."""

    def __init__(self, function: Callable[..., Any]) -> None:
        with _numba_folder():
            super().__init__(function)
        self._identity = _identity(function)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        # Numba hashes a dump of what a function closes over, which differs from process to process.
        return sig, codegen.magic_tuple(), self._identity

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled code, or None to have it compiled again."""
        try:
            return super().load_overload(sig, target_context)
        except Exception as error:  # a damaged file raises nearly anything
            _log.warning("compiled kernels in %s are damaged (%r); compiling again", self.cache_path, error)
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep compiled code on disk; if that fails, it stays in memory only."""
        try:
            super().save_overload(sig, data)
        except Exception as error:
            reason = error.strerror if isinstance(error, OSError) else repr(error)
            _log.warning("cannot keep compiled kernels in %s (%s); they are compiled again next time",
                         self.cache_path, reason)  # fmt: skip
            self.disable()


@contextlib.contextmanager
def _numba_folder() -> Iterator[None]:
    before = _settings.CACHE_DIR
    _settings.CACHE_DIR = str(CACHE.folder or before)
    try:
        yield
    finally:
        _settings.CACHE_DIR = before


def _identity(function: Callable[..., Any]) -> tuple[str, ...]:
    """Tell functions of the same name and place apart: a loss that somebody else wrote may come from a factory."""
    if function.__module__.rpartition(".")[0] == __package__:  # the folder's name covers our own code
        captured = [cell.cell_contents for cell in function.__closure__ or ()]
    else:
        captured = [function]
    return tuple(_fingerprint(value) for value in captured)


def _fingerprint(value: Any, callers: tuple[Any, ...] = ()) -> str:
    """Digest a function with all that it uses, compiled or not; show any other value."""
    function = getattr(value, "py_func", value)
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if not isinstance(function, FunctionType):
        return repr(value)
    name = f"{function.__module__}.{function.__qualname__}"
    if function in callers:
        return name
    code, known = function.__code__, function.__globals__
    used = [cell.cell_contents for cell in function.__closure__ or ()]
    used += [known[each] for each in code.co_names if each in known]
    used += function.__defaults__ or ()
    prints = [_fingerprint(each, (*callers, function)) for each in used]
    text = repr((code.co_code, code.co_consts, code.co_names, prints))
    return f"{name} {hashlib.sha256(text.encode()).hexdigest()}"
