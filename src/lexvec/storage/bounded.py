"""Files that are read in bounded memory: line by line, or whole if they are small, such as settings in TOML."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from ..errors import InputError

#: Bytes of a line that has a word, a label or parts of words; a token has at most half as many.
LONGEST_LINE = 1 << 21
#: Bytes of all lines of such a file: some forty million words.
MOST_TEXT = 1 << 29
#: Bytes of a file of settings.
MOST_SETTINGS = 1 << 20
#: Bytes of a record of ours.
MOST_RECORD = 1 << 26
_DEEPEST = 16  # tables within tables; ours have three


def numbered_lines(stream: BinaryIO, name: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers, from 1; a line or a file that is too long is an error."""
    number = size = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        size += len(line)
        if len(line) > LONGEST_LINE:
            raise InputError(
                f"{name}, line {number} is longer than {LONGEST_LINE >> 20} MB: check that it is the right file"
            )
        if size > MOST_TEXT:
            raise InputError(
                f"{name} has more than {MOST_TEXT >> 20} MB of text up to line {number}: use a smaller file"
            )
        yield number, line


def read_settings(path: Path) -> bytes:
    """Return the content of a file of settings; one that is too large is an error."""
    try:
        with path.open("rb") as file:
            raw = file.read(MOST_SETTINGS + 1)
    except OSError as error:
        raise InputError(f"cannot read {path} ({error.strerror}): check the file and its permissions") from error
    if len(raw) > MOST_SETTINGS:
        line = raw.count(b"\n") + 1
        raise InputError(
            f"{path} has more than {MOST_SETTINGS >> 20} MB up to line {line}: give a file of settings in TOML"
        )
    return raw


def parse_toml(raw: bytes, name: str) -> dict[str, Any]:
    """Return the content of a TOML file; ``name`` is what the error calls it."""
    import tomllib  # only settings need it; words and lines are read without

    try:
        content = tomllib.loads(raw.decode("utf-8"))
    except RecursionError:
        raise InputError(f"{name} is nested too deeply: write at most {_DEEPEST} levels") from None
    except ValueError as error:  # also of bytes that are not UTF-8, and of numbers with thousands of digits
        reason = " ".join(str(error).split())
        raise InputError(f"{name} is not TOML ({reason[:200]}): correct it") from error
    level: list[Any] = [content]
    for _ in range(_DEEPEST):
        level = [inner for each in level for inner in (each.values() if isinstance(each, dict) else each)]
        level = [each for each in level if isinstance(each, dict | list)]
    if level:
        raise InputError(f"{name} is nested too deeply: write at most {_DEEPEST} levels")
    return content


def read_record(path: Path) -> str:
    """Return the text of a record of ours; one that is too large raises a `ValueError`, as other damage does."""
    with path.open("rb") as file:
        raw = file.read(MOST_RECORD + 1)
    if len(raw) > MOST_RECORD:
        raise ValueError(f"{path} has more than {MOST_RECORD >> 20} MB")
    return raw.decode("utf-8")
