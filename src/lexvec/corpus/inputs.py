"""What a corpus can be built from: files, dumps, strings, lists of tokens; all become streams of type numbers."""

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
from .blocks import LONGEST_TOKEN, MARKS, SPACES, TextBlock, string_blocks, text_blocks
from .type_table import Ids, TypeTable

TOKEN_LISTS = "token lists"
_TOKENS_AT_ONCE = 1 << 18


class TextInput(NamedTuple):
    """Something to read, and its name for records and messages."""

    name: str
    size: int | None  # bytes, where that is known
    items: Any  # a Path, or an iterable of strings or of lists of strings
    tokens: bool = False  # whether the items are lists of tokens


def text_inputs(inputs: Any) -> list[TextInput]:
    """Tell apart what users give. Strings in an iterable are text; files are given by one name or as paths."""
    if isinstance(inputs, str | os.PathLike):
        return _files([inputs])
    if isinstance(inputs, bytes) or not isinstance(inputs, Iterable):
        raise InputError(f"cannot read {type(inputs).__name__}: give file names, strings, or lists of tokens")
    walker = iter(inputs)
    once = walker is inputs
    try:
        first = next(walker)
    except StopIteration:
        advice = " (an iterator can be used only once: give a list, or a new one)" if once else ""
        raise InputError(f"there is nothing to read: the {type(inputs).__name__} is empty{advice}") from None
    items = itertools.chain([first], walker)
    if isinstance(first, os.PathLike):
        return _files(list(items))
    if isinstance(first, str):
        return [TextInput("strings", None, items)]
    if isinstance(first, list | tuple):
        return [TextInput(TOKEN_LISTS, None, items, tokens=True)]
    raise InputError(f"cannot read an iterable of {type(first).__name__}: give strings, or lists of tokens")


def _files(names: Iterable[Any]) -> list[TextInput]:
    return [TextInput(str(path), files.size_of(path), path) for path in files.expand(names)]


def blocks(
    given: TextInput,
    *,
    format: str,  # noqa: A002 (the word users know)
    encoding: str,
    wrapped: bool,
    punctuation: str,
    threads: int,
) -> Iterator[TextBlock]:
    """Yield the text of an input that does not consist of token lists."""
    separators = SPACES if punctuation == "keep" else MARKS
    if not isinstance(given.items, Path):
        yield from string_blocks(_strings(given.items), wrapped=wrapped, separators=separators)
        return
    with files.opened(given.items) as reader:
        if format == "wikipedia" or (format == "auto" and wikipedia.is_dump(reader)):
            yield from wikipedia.dump_blocks(reader, threads=threads)
        else:
            yield from text_blocks(reader, encoding=encoding, wrapped=wrapped, separators=separators)


def _strings(items: Iterable[Any]) -> Iterator[str]:
    for number, item in enumerate(items):
        if not isinstance(item, str):
            raise InputError(
                f"item {number} is {type(item).__name__}, but those before it are strings: give only one kind"
            )
        if not any(blank in item for blank in " \n") and os.path.isfile(item):
            raise InputError(f"{item!r} is the name of a file, but strings in a list are text: give pathlib.Path(…)")
        yield item


def token_streams(sentences: Iterable[Any], table: TypeTable) -> Iterator[Ids]:
    """Yield the type numbers of lists of tokens, which are not normalised, with END behind each list."""
    held: list[str] = []
    ends: list[int] = []
    for number, sentence in enumerate(sentences):
        if not isinstance(sentence, list | tuple):
            raise InputError(f"item {number} is {type(sentence).__name__}, but those before it are lists of tokens")
        for token in sentence:
            if not isinstance(token, str) or not token or "\n" in token:
                raise InputError(f"sentence {number} has the token {token!r:.80}: a token is text without a line feed")
            if len(token) > LONGEST_TOKEN:
                raise InputError(f"sentence {number} has a token of {len(token):,} characters: check that it is text")
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
        raise InputError(f"a token contains half a surrogate pair ({error.reason}): repair the text") from error
    table.counts[:] += np.bincount(types, minlength=len(table))
    return np.insert(types, ends, np.int32(END))
