"""Text for ``lexvec demo``: a real corpus, fetched once into the user's cache, or docstrings of this installation.

A corpus is checked against a checksum. Source files with docstrings are parsed, never imported, so no code is run.
"""

import ast
import gzip
import hashlib
import sysconfig
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from ..errors import InputError, ResourceError
from ..progress import Progress
from ..remote import Fetcher, Package, first
from ..storage.files import DAMAGED, cache_folder
from ..storage.outputs import replacing

_PACKAGES = ("numpy", "scipy")
_SKIPPED = {"site-packages", "dist-packages", "test", "tests", "idlelib", "lib2to3"}


@dataclass(frozen=True)
class DemoCorpus:
    """A file, and where to fetch it."""

    file: str
    about: str
    algorithm: str
    digest: str  # of the file in the cache
    places: tuple[tuple[Package | str, str], ...]  # each with the member of its archive; tried in turn
    convert: Callable[[bytes], bytes] = bytes


def fetch_corpus(corpus: DemoCorpus, progress: Progress) -> Path:
    """Return the file of a corpus in the user's cache; fetch it if it is missing or damaged."""
    path = cache_folder("corpora") / corpus.file
    if path.is_file() and _digest(path.read_bytes(), corpus) == corpus.digest:
        return path
    fetcher = Fetcher(progress)

    def fetched(place: Package | str, member: str) -> Path:
        text = _converted(corpus, fetcher.read(place, member), place)
        try:
            with replacing(path) as file:
                file.write(text)
        except ResourceError as error:  # advice to choose another output would be of no use
            raise ResourceError(f"cannot write {path}: the disk of the cache is full; make room there") from error
        progress.note(f"{path}: from {place}, checksum verified")
        return path

    return first(partial(fetched, place, member) for place, member in corpus.places)


def collect_docstrings(progress: Progress) -> str:
    """Return the paragraphs of all docstrings without examples of code, each one once."""
    paths = [path for folder in _folders() for path in _sources(folder)]
    paragraphs: dict[str, None] = {}
    with progress.stage("docstrings", len(paths), "files") as stage:
        for path in paths:
            for text in _docstrings(path):
                paragraphs.update(dict.fromkeys(_prose(text)))
            stage.advance(1)
    return "\n\n".join(paragraphs) + "\n"


def _converted(corpus: DemoCorpus, raw: bytes, place: object) -> bytes:
    try:
        text = corpus.convert(raw)
    except (OSError, ValueError, *DAMAGED) as error:
        raise InputError(f"{place} does not hold what it should ({error}): use another corpus") from error
    if _digest(text, corpus) != corpus.digest:
        raise InputError(f"{place} has another version of {corpus.file}: use another corpus")
    return text


def _digest(text: bytes, corpus: DemoCorpus) -> str:
    return hashlib.new(corpus.algorithm, text, usedforsecurity=False).hexdigest()


def _whole_pages(packed: bytes) -> bytes:
    """Cut enwik8, the first 100 million bytes of a dump, after its last whole page, so that it is a dump itself."""
    raw = gzip.decompress(packed)
    end = raw.rindex(b"</page>") + len(b"</page>")
    return raw[:end] + b"\n</mediawiki>\n"


_MINGRU = Package(
    "mingru-pytorch",
    "0.2.1",
    "mingru_pytorch-0.2.1.tar.gz",
    "fc9b278b4e04db930a5cd4cdab36e2713b1d6e14084269b161d4f133819e758d",
)
_INFINI = Package(
    "infini-transformer-pytorch",
    "0.2.1",
    "infini_transformer_pytorch-0.2.1.tar.gz",
    "ba31c50080255fbe6e724b399567d8c0a79b2956bf1573558e7075bdf00cc87a",
)
CORPORA = {
    "enwik8": DemoCorpus(
        "enwik8.xml",
        "English Wikipedia of 2006, the first 100 MB of the dump (carried by Python packages)",
        "sha256",
        "57c502dd439161fee706b30744723897643f0b48492208b8660ee6b6e1a9fc27",
        (
            (_MINGRU, "mingru_pytorch-0.2.1/data/enwik8.gz"),
            (_INFINI, "infini_transformer_pytorch-0.2.1/data/enwik8.gz"),
        ),
        _whole_pages,
    ),
    "text8": DemoCorpus(
        "text8",
        "English Wikipedia of 2006, 100 MB of words without markup (from its home on the web)",
        "md5",  # the digest that its author publishes
        "3bea1919949baf155f99411df5fada7e",
        (("https://mattmahoney.net/dc/text8.zip", "text8"),),
    ),
}


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
