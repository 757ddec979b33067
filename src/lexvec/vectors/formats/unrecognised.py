"""Content that no format recognises: what it looks like, and what to do about it."""

import re
from pathlib import Path

from ...errors import InputError

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
