"""File formats of vectors: an open table. Content decides what is read, the name decides what is written.

Add a format with ``FORMATS["mine"] = Format(…)``, or through an entry point in the group ``lexvec.formats``. Formats
that are added later are asked first.
"""

import logging
import os
from pathlib import Path

import numpy as np

from ...errors import Given, InputError, ParameterError
from ...parameters import check_whole, path_from
from ...progress import Progress
from ...registry import Registry
from ...storage.atomic import absence
from ...storage.files import STDIN, is_zip, only_member, opened, split_member
from ...storage.meta import read_meta
from ...storage.outputs import COMPRESSED
from ...trained import Combine, ModelFolder, check_combine
from ..encodings import EncodedMatrix
from .exports import GENSIM, PROJECTOR, SPACY
from .fasttext import FASTTEXT
from .floret import FLORET
from .folder import LEXVEC
from .format import Format, LabelledRows, unrecognised
from .lexvec_go import LEXVEC_GO
from .model2vec import MODEL2VEC
from .npz import NUMPY, is_npz
from .parquet import PARQUET
from .subword_rows import note_loss
from .text import GLOVE, WORD2VEC
from .word2vec import WORD2VEC_BINARY

__all__ = ["FORMATS", "Combine", "Format", "LabelledRows", "format_of_name", "prepare", "read", "write"]

FORMATS: Registry[Format] = Registry(
    "format",
    {
        "word2vec": WORD2VEC,
        "word2vec-binary": WORD2VEC_BINARY,
        "glove": GLOVE,
        "numpy": NUMPY,
        "lexvec": LEXVEC,
        "parquet": PARQUET,
        "model2vec": MODEL2VEC,
        "spacy": SPACY,
        "gensim": GENSIM,
        "projector": PROJECTOR,
        "fasttext": FASTTEXT,
        "floret": FLORET,
        "lexvec-go": LEXVEC_GO,
    },
)

_log = logging.getLogger(__name__)

_START = 1 << 16


def read(
    path: str | os.PathLike[str],
    *,
    format: str | None,  # noqa: A002 (the word users know)
    combine: Combine,
    limit: int | None,
    progress: Progress,
) -> LabelledRows:
    """Return the words and vectors of a file or folder."""
    given = path_from(path, "path")
    check_combine(combine)
    if limit is not None:
        limit = check_whole(limit, "limit", 1)
    if format is not None:
        _check_format(format)
    place = place_of(given)
    if format is not None and FORMATS[format].read and place.is_dir() and format != recognised(place):
        raise ParameterError(Given("format", format), f": {place} is a folder; omit ", Given("format"))
    name = format or recognised(place)
    _log.debug("%s: format %s", place, name)
    if not FORMATS[name].compressible and split_member(place):
        raise InputError(f"{place} has the format {name}, which is not read inside an archive: unpack it first")
    if name == "lexvec" and (model := _model(place)):
        return model.trained.rows(combine, limit)
    if combine != "word":
        raise ParameterError(
            f"{place} has word vectors only: omit ", Given("combine", combine), ", which is for trained models"
        )
    reader = FORMATS[name].read
    if reader is None:
        raise ParameterError(Given("format", name), " is for output only: read the vectors that it was made from")
    return LabelledRows(*reader(place, limit, progress))


def write(
    path: str | os.PathLike[str],
    vectors: LabelledRows,
    *,
    format: str | None,  # noqa: A002
    force: bool,
    progress: Progress,
) -> None:
    """Write words and vectors to a file or folder."""
    name = prepare(path, format=format, force=force)
    if isinstance(vectors.matrix, EncodedMatrix) and not FORMATS[name].by_rows:
        vectors = vectors._replace(matrix=np.asarray(vectors.matrix))
    if vectors.composer is not None and not FORMATS[name].keeps_ngrams:
        note_loss(name, progress)
    FORMATS[name].write(Path(path), vectors, force, progress)


def prepare(path: str | os.PathLike[str], *, format: str | None, force: bool) -> str:  # noqa: A002
    """Return the format to write, once the output is known to be possible: before hours of reading, not after."""
    given = path_from(path, "path")
    name = format_of_name(path) if format is None else _check_format(format)
    suffix = given.suffix.lower()
    if suffix in COMPRESSED and not FORMATS[name].compressible:
        raise ParameterError(f"the format {name} cannot be compressed: remove {suffix} from {given}")
    FORMATS[name].check_output(path, force=force)
    return name


def format_of_name(path: str | os.PathLike[str]) -> str:
    """Return the format that a name stands for."""
    given = path_from(path, "path")
    compressed = given.suffix.lower() in COMPRESSED
    suffix = (given.with_suffix("") if compressed else given).suffix.lower()
    if os.fspath(path).endswith(os.sep) or given.is_dir():
        suffix = ""
    for name in reversed(list(FORMATS)):
        if suffix in FORMATS[name].suffixes and not (compressed and not suffix):
            return name
    if given.suffix.lower() == ".zip":
        raise ParameterError(f"zip archives are only read, and {os.fspath(path)} is one: use .gz or another suffix")
    raise ParameterError(f"no format has the suffix of {os.fspath(path)}: name one of {', '.join(FORMATS)}")


def place_of(path: Path) -> Path:
    """Return the file or folder that has the vectors: the path itself, or the only file in a zip archive."""
    place = path if str(path) != STDIN else path.absolute()
    if split_member(place) is None:
        _check_input(place)
        if is_zip(place) and not is_npz(place):
            place = only_member(place)
    return place


def recognised(path: Path) -> str:
    """Return the format of a file or folder, by its content."""
    start = b""
    if not path.is_dir():
        with opened(path) as reader:
            start = reader.stream.read(_START)
    for name in reversed(list(FORMATS)):
        if FORMATS[name].recognise(path, start):
            return name
    raise unrecognised(path, start, ", ".join(FORMATS))


def _check_format(name: str) -> str:
    if not isinstance(name, str) or name not in FORMATS:
        raise ParameterError(Given("format", name), f": it must be one of {', '.join(FORMATS)}")
    return name


def _check_input(path: Path) -> None:
    try:
        path.stat()
    except FileNotFoundError:
        raise InputError(absence(path)) from None
    except OSError as error:
        raise InputError(f"cannot read {path} ({error.strerror}): check the name and its permissions") from None
    if not path.is_dir() and not path.is_file():
        raise InputError(f"{path} is not a file that can be read twice: write it to a file first")


def _model(path: Path) -> ModelFolder | None:
    """Return the trained model in a folder, or None for any other folder."""
    return ModelFolder.load(path) if read_meta(path)["format"] == f"lexvec-{ModelFolder.kind}" else None
