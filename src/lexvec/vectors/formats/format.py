"""What a file format of vectors knows: its suffixes, how to recognise it, how to read it and how to write it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...progress import Progress
from ...storage.files import check_output
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
    check_output: Callable[..., Any] = check_output
