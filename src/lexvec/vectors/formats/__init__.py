"""File formats of vectors: a table. What is read is told from its content, what is written from its name."""

import logging
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...errors import ArtefactError, InputError, ParameterError
from ...progress import Progress
from ...storage.artefact import ArtefactWriter, read_meta
from ...storage.files import COMPRESSED, STDIN, check_output, opened
from ..model import Combine, ModelFolder, check_combine
from .binary import read_binary, write_binary
from .folder import VectorsFolder, read_folder, write_folder
from .npz import read_npz, write_npz
from .table import Table
from .text import HEADER, NUMBER, read_glove, read_word2vec, write_glove, write_word2vec

__all__ = ["FORMATS", "Combine", "Format", "format_of_name", "prepare", "read", "write"]


@dataclass(frozen=True)
class Format:
    """One way to keep vectors on disk."""

    help: str
    suffixes: tuple[str, ...]  # an output with one of these is written so; "" is a name without any
    read: Callable[[Path, int | None, Progress], Table]
    write: Callable[[Path, Table, bool, Progress], None]
    packed: bool = False  # whether a suffix such as .gz may follow


FORMATS: dict[str, Format] = {
    "word2vec": Format(
        "text with a header, as word2vec, fastText (.vec) and gensim read and write it",
        (".txt", ".vec"), read_word2vec, write_word2vec, packed=True,
    ),
    "word2vec-binary": Format(
        "binary, as word2vec and gensim read and write it", (".bin",), read_binary, write_binary, packed=True
    ),
    "glove": Format("text without a header", (".glove",), read_glove, write_glove, packed=True),
    "numpy": Format("an archive of the arrays words and vectors", (".npz",), read_npz, write_npz),
    "lexvec": Format("a folder, memory-mapped", ("",), read_folder, write_folder),
}  # fmt: skip

_log = logging.getLogger(__name__)

_START = 1 << 16
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_OF_NUMBERS = b"0123456789+-.eE \r\n"
#: How files begin that are none of ours, what they look like, and what to do.
_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"\xba\x16\x4f\x2f", "looks like a fastText model: use the .vec file beside it, which has its vectors as text"),
    (b"\x80", "looks like an object that Python or gensim saved: load it there and use save_word2vec_format"),
    (b"\x93NUMPY", "looks like one numpy array, without words: save words and vectors together, as .npz"),
    (b"\x89HDF", "looks like HDF5: convert it to text first"),
    (b"%PDF", "looks like a PDF: give a file with vectors"),
)
_PAGE = re.compile(rb"\s*<(!doctype|html|head|body|\?xml)\b", re.IGNORECASE)


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None,  # noqa: A002 (the word users know)
    combine: Combine,
    limit: int | None,
    progress: Progress,
) -> Table:
    """Words and vectors of a file or folder."""
    place = Path(path) if os.fspath(path) != STDIN else Path(path).absolute()
    check_combine(combine)
    if limit is not None and (not isinstance(limit, int | np.integer) or limit < 1):
        raise ParameterError(f"limit={limit!r}: it must be a whole number of at least 1")
    if format is not None:
        _known(format)
    if place.is_dir():
        kind = read_meta(place)["format"]
        if format not in (None, "lexvec"):
            raise ParameterError(f"format={format!r}: {place} is a folder; leave format out")
        if kind == f"lexvec-{ModelFolder.kind}":
            model = ModelFolder.load(place)
            return Table(model.vocabulary.words[:limit], model.vectors(combine, limit))
        if kind != f"lexvec-{VectorsFolder.kind}":
            raise ArtefactError(f"{place} holds {kind}, not vectors: train a model from it first")
    elif not place.is_file():
        what = "is not a file that can be read twice" if place.exists() else "does not exist"
        raise InputError(f"{place} {what}: check the name")
    if combine != "word":
        raise ParameterError(f"{place} has word vectors only: leave combine={combine!r} out (it is for trained models)")
    name = format or sniffed(place)
    _log.debug("%s: format %s", place, name)
    return FORMATS[name].read(place, limit, progress)


def write(
    path: str | os.PathLike[str],
    words: list[str],
    matrix: npt.NDArray[np.float32],
    *,
    format: str | None,  # noqa: A002
    force: bool,
    progress: Progress,
) -> None:
    """Write words and vectors to a file or folder."""
    name = prepare(path, format=format, force=force)
    FORMATS[name].write(Path(path), Table(words, matrix), force, progress)


def prepare(path: str | os.PathLike[str], *, format: str | None, force: bool) -> str:  # noqa: A002
    """The format to write, once it is sure that the output can be made: to be told before hours of reading."""
    name = format_of_name(path) if format is None else _known(format)
    suffix = Path(path).suffix.lower()
    if suffix in COMPRESSED and not FORMATS[name].packed:
        raise ParameterError(f"the format {name} is not compressed: leave {suffix} out of {os.fspath(path)}")
    if name == "lexvec":
        ArtefactWriter(path, VectorsFolder.kind, force=force)
    else:
        check_output(path, force=force)
    return name


def format_of_name(path: str | os.PathLike[str]) -> str:
    """The format that a name stands for."""
    given = Path(path)
    packed = given.suffix.lower() in COMPRESSED
    suffix = (given.with_suffix("") if packed else given).suffix.lower()
    if os.fspath(path).endswith(os.sep) or given.is_dir():
        suffix = ""
    for name, format_ in FORMATS.items():
        if suffix in format_.suffixes and not (packed and not suffix):
            return name
    raise ParameterError(f"the name {os.fspath(path)} does not tell a format: give one of {', '.join(FORMATS)}")


def _known(name: str) -> str:
    if name not in FORMATS:
        raise ParameterError(f"format={name!r}: it must be one of {', '.join(FORMATS)}")
    return name


def sniffed(path: Path) -> str:
    """The format of what is there, by how it begins."""
    if path.is_dir():
        return "lexvec"
    with opened(path) as reader:
        start = reader.stream.read(_START)
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "numpy"
    for magic, what in _OTHERS:
        if start.startswith(magic):
            raise InputError(f"{path} {what}")
    if not start:
        raise InputError(f"{path} is empty: give a file with vectors")
    header = HEADER.match(start)
    if header:
        return "word2vec-binary" if _binary(start[header.end() :], int(header[2])) else "word2vec"
    last = start.partition(b"\n")[0].removesuffix(b"\r").removesuffix(b" ").rpartition(b" ")[2]
    if NUMBER.fullmatch(last):
        return "glove"
    if _PAGE.match(start):
        raise InputError(f"{path} looks like a web page: the download went wrong; get it again")
    if _CONTROL.search(start):
        raise InputError(f"{path} is in no known format of vectors: give one of {', '.join(FORMATS)}")
    return "glove"


def _binary(body: bytes, dim: int) -> bool:
    """Whether the vectors behind a header are bytes: the first is no line of numbers, not even a damaged one."""
    line, end, _ = body.partition(b"\n")
    fields = line.removesuffix(b"\r").removesuffix(b" ").split(b" ")
    if end and len(fields) == dim + 1 and all(map(NUMBER.fullmatch, fields[1:])):
        return False
    vector = body.partition(b" ")[2][: max(0, 4 * dim)]
    return 2 * sum(map(_OF_NUMBERS.__contains__, vector)) < len(vector)
