"""What a file format of vectors knows: how to recognise, read and write it; and content that no format knows."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...progress import Progress
from ...storage.outputs import check_file_output
from .labelled_rows import LabelledRows


@dataclass(frozen=True, kw_only=True)
class Format:
    """One file format for vectors. Register an instance in `lexvec.vectors.FORMATS` to add a format."""

    #: What the format is, in a few words, for help texts.
    help: str
    #: Outputs with one of these suffixes are written in this format; "" means a name without a suffix.
    suffixes: tuple[str, ...]
    #: Whether a path holds this format, given the path and its first 64 KB, decompressed (b"" for a folder).
    recognise: Callable[[Path, bytes], bool] = lambda path, start: False  # noqa: ARG005
    #: Read a path, and stop after so many words unless the number is None. Without it, the format is only written.
    read: Callable[[Path, int | None, Progress], LabelledRows] | None = None
    #: Write to a path; replace what exists if the flag is True.
    write: Callable[[Path, LabelledRows, bool, Progress], None]
    #: Whether it may be compressed, so that a suffix such as .gz may follow.
    compressible: bool = False
    #: Whether it writes rows some at a time, so that an encoded matrix need not be decoded as a whole.
    by_rows: bool = False
    #: Whether it has room for the n-grams that vectors of other words are composed from, or reports that it has not.
    keeps_ngrams: bool = False
    #: Raise if an output cannot be written, before anything is read; takes a path and ``force``.
    check_output: Callable[..., Any] = check_file_output


_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_WEB_PAGE = re.compile(rb"\s*<(!doctype|html|head|body|\?xml)\b", re.IGNORECASE)
#: How other programs' files begin, what they look like, and what to do.
_OTHERS: tuple[tuple[bytes, str], ...] = (
    (b"\x80", "looks like an object that Python or gensim saved: load it there and use save_word2vec_format"),
    (b"\x93NUMPY", "looks like one numpy array, without words: save words and vectors together, as .npz"),
    (b"\x89HDF", "looks like HDF5: convert it to text first"),
    (b"%PDF", "looks like a PDF: give a file with vectors"),
    (b"PK\x03\x04", "looks like a zip archive: unpack it and give the file with vectors"),
)
_TAR = slice(257, 262)


def unrecognised(path: Path, start: bytes, known: str) -> InputError:
    """Return the error for a file that begins so; ``known`` lists the formats."""
    if not start:
        return InputError(f"{path} is empty: give a file with vectors")
    for magic, what in _OTHERS:
        if start.startswith(magic):
            return InputError(f"{path} {what}")
    if start[_TAR] == b"ustar":
        return InputError(f"{path} looks like a tar archive: unpack it and give the file with vectors")
    if _WEB_PAGE.match(start):
        return InputError(f"{path} looks like a web page: the download failed; get it again")
    if _CONTROL.search(start):
        return InputError(f"{path} is in no known format of vectors: give one of {known}")
    return InputError(f"{path}, line 1: there is no word with numbers behind it: give a file with vectors")
