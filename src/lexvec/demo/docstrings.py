"""Text that every installation has: the docstrings of Python's library, NumPy and SciPy.

Source files are parsed, never imported, so that no code is run.
"""

import ast
import sysconfig
import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from ..progress import Progress

_PACKAGES = ("numpy", "scipy")
_SKIPPED = {"site-packages", "dist-packages", "test", "tests", "idlelib", "lib2to3"}


def collect(progress: Progress) -> str:
    """Return the paragraphs of all docstrings without examples of code, each one once."""
    paths = [path for folder in _folders() for path in _sources(folder)]
    paragraphs: dict[str, None] = {}
    with progress.stage("docstrings", len(paths), "files") as stage:
        for path in paths:
            for text in _docstrings(path):
                paragraphs.update(dict.fromkeys(_prose(text)))
            stage.advance(1)
    return "\n\n".join(paragraphs) + "\n"


def _folders() -> Iterator[Path]:
    yield Path(sysconfig.get_paths()["stdlib"])
    for name in _PACKAGES:
        spec = find_spec(name)
        if spec and spec.origin:
            yield Path(spec.origin).parent


def _sources(folder: Path) -> list[Path]:
    found = (path for path in folder.rglob("*.py") if not _SKIPPED & set(path.relative_to(folder).parts[:-1]))
    return sorted(found)


def _docstrings(path: Path) -> Iterator[str]:
    try:
        with warnings.catch_warnings(action="ignore"):  # for old escapes in strings
            tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):  # some packages have files that no Python can parse
        return
    if path.name == "topics.py":  # what help() prints about the language itself
        yield from (n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def _prose(text: str) -> Iterator[str]:
    """Yield paragraphs as one line each, without code and rules under titles."""
    for paragraph in text.split("\n\n"):
        line = " ".join(paragraph.split())
        if line and not line.startswith((">>>", "...", "array(", "---")) and any(map(str.isalpha, line)):
            yield line
