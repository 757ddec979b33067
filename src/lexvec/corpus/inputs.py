"""What a corpus can be made from: files, dumps, strings, lists of tokens; all become streams of type numbers."""

import itertools
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..kernels.tokens import END
from ..storage import files
from . import wikipedia
from .blocks import Block, string_blocks, text_blocks
from .type_table import Ids, TypeTable

_TOKENS_AT_ONCE = 1 << 18


class Source(NamedTuple):
    """Something to read, and its name for records and messages."""

    name: str
    size: int | None  # bytes, where that is known
    items: Any  # a Path, or an iterable of strings or of lists of strings
    tokens: bool = False  # whether the items are lists of tokens


def sources(inputs: Any) -> list[Source]:
    """What the user gave, sorted out. Strings in an iterable are text; files are given by name or as paths."""
    if isinstance(inputs, str | os.PathLike):
        return _files([inputs])
    if isinstance(inputs, bytes) or not isinstance(inputs, Iterable):
        raise InputError(f"cannot read {type(inputs).__name__}: give file names, strings, or lists of tokens")
    walker = iter(inputs)
    once = walker is inputs
    try:
        first = next(walker)
    except StopIteration:
        advice = " (an iterator can be walked only once: give a list, or make it anew)" if once else ""
        raise InputError(f"there is nothing to read: the {type(inputs).__name__} is empty{advice}") from None
    items = itertools.chain([first], walker)
    if isinstance(first, os.PathLike):
        return _files(list(items))
    if isinstance(first, str):
        return [Source("strings", None, items)]
    if isinstance(first, list | tuple):
        return [Source("token lists", None, items, tokens=True)]
    raise InputError(f"cannot read an iterable of {type(first).__name__}: give strings, or lists of tokens")


def _files(names: Iterable[Any]) -> list[Source]:
    return [Source(str(path), files.size_of(path), path) for path in files.expand(names)]


def blocks(source: Source, *, format: str, encoding: str, wrapped: bool, threads: int) -> Iterator[Block]:  # noqa: A002
    """The text of a source that is not made of token lists."""
    if not isinstance(source.items, Path):
        yield from string_blocks(_strings(source.items), wrapped=wrapped)
        return
    with files.opened(source.items) as reader:
        if format == "wikipedia" or (format == "auto" and wikipedia.is_dump(reader)):
            yield from wikipedia.dump_blocks(reader, threads=threads)
        else:
            yield from text_blocks(reader, encoding=encoding, wrapped=wrapped)


def _strings(items: Iterable[Any]) -> Iterator[str]:
    for number, item in enumerate(items):
        if not isinstance(item, str):
            raise InputError(f"item {number} is {type(item).__name__}, where those before were strings: give one kind")
        if not any(blank in item for blank in " \n") and os.path.isfile(item):
            raise InputError(f"{item!r} is the name of a file, and strings in a list are text: give pathlib.Path(…)")
        yield item


def token_streams(sentences: Iterable[Any], table: TypeTable) -> Iterator[Ids]:
    """Type numbers of lists of tokens, which are taken as they are, with END behind each list."""
    held: list[str] = []
    ends: list[int] = []
    for number, sentence in enumerate(sentences):
        if not isinstance(sentence, list | tuple):
            raise InputError(f"item {number} is {type(sentence).__name__}, where those before were lists of tokens")
        for token in sentence:
            if not isinstance(token, str) or not token or "\n" in token:
                raise InputError(f"sentence {number} has the token {token!r}: a token is text without a line feed")
        held += sentence
        ends.append(len(held))
        if len(held) >= _TOKENS_AT_ONCE:
            yield _numbered(held, ends, table)
            held, ends = [], []
    yield _numbered(held, ends, table)


def _numbered(held: list[str], ends: list[int], table: TypeTable) -> Ids:
    try:
        types = table.intern(held)
    except UnicodeEncodeError as error:
        raise InputError(f"a token has half a surrogate pair in it ({error.reason}): repair the text") from error
    table.counts[:] += np.bincount(types, minlength=len(table))
    return np.insert(types, ends, np.int32(END))
