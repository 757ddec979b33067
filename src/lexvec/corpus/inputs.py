"""What a corpus can be built from: files, dumps, strings, lists of tokens; all become streams of type numbers."""

import hashlib
import itertools
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..kernels.tokens import END
from ..storage import files
from . import wikipedia
from .blocks import LONGEST_TOKEN, MARKS, SPACES, TextBlock, place_to_cut, string_blocks, text_blocks, text_encoding
from .type_table import Ids, TypeTable

TOKEN_LISTS = "token lists"
_TOKENS_AT_ONCE = 1 << 18
_NEAR = 1 << 12  # bytes to look for a place to cut in, at first
_SAMPLE = 1 << 26  # bytes of a file that tell it from others, in three places of a larger one
_LEAST_STRETCH = 1 << 24  # bytes, or handing them to another process would cost more than reading them


class TextInput(NamedTuple):
    """Something to read, and its name for records and messages."""

    name: str
    size: int | None  # bytes, where that is known
    items: Any  # a Path, or an iterable of strings or of lists of strings
    tokens: bool = False  # whether the items are lists of tokens
    span: files.Span | None = None  # the part of a file to read; None: all of it


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


def fingerprint(given: Iterable[TextInput]) -> str:
    """Return what tells text from other text.

    That is all of strings and tokens; the names, sizes and bytes of files; and of very large files, the bytes in three
    places.
    """
    digest = hashlib.sha256()
    for one in given:
        digest.update(f"{one.name}\0{one.size}\0".encode(errors="surrogateescape"))
        if not isinstance(one.items, Path):
            for item in one.items:
                digest.update(json.dumps(item).encode())
            continue
        if not one.size:  # empty, or such as a pipe, which can be read only once
            continue
        places = [0] if one.size <= _SAMPLE else [0, one.size // 2, one.size - _SAMPLE]
        for place in places:
            with files.opened(one.items, (place, min(place + _SAMPLE, one.size))) as reader:
                digest.update(reader.stream.read())
    return digest.hexdigest()


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
    with files.opened(given.items, given.span) as reader:
        if given.span is None and _is_dump(reader, format):
            yield from wikipedia.dump_blocks(reader, threads=threads)
        else:
            yield from text_blocks(reader, encoding=encoding, wrapped=wrapped, separators=separators)


def _is_dump(reader: files.Reader, format: str) -> bool:  # noqa: A002 (the word users know)
    return format == "wikipedia" or (format == "auto" and wikipedia.is_dump(reader))


def stretches(
    given: list[TextInput],
    count: int,
    *,
    format: str,  # noqa: A002 (the word users know)
    encoding: str,
    wrapped: bool,
) -> list[list[TextInput]]:
    """Cut files into ``count`` stretches of about the same size, or fewer: each is a part of a file, or some files.

    Only plain text in UTF-8 can be cut within a file. Without files that can be opened again, there is one stretch.
    """
    if any(one.size is None or not isinstance(one.items, Path) or str(one.items) == files.STDIN for one in given):
        return [given]
    size = max(_LEAST_STRETCH, -(-sum(one.size or 0 for one in given) // count))
    found: list[list[TextInput]] = [[]]
    room = size
    for one in given:
        for part in _cut_file(one, size, room, format=format, encoding=encoding, wrapped=wrapped):
            if room <= 0:
                found.append([])
                room = size
            found[-1].append(part)
            room -= part.size or 0
    return found


def _cut_file(
    one: TextInput,
    size: int,
    room: int,
    *,
    format: str,  # noqa: A002 (the word users know)
    encoding: str,
    wrapped: bool,
) -> Iterator[TextInput]:
    """Cut a file after ``room`` bytes, and then after every ``size`` bytes, if it can be cut."""
    with files.opened(one.items) as reader:
        if reader.is_compressed or _is_dump(reader, format) or text_encoding(encoding) != "utf-8":
            yield one
            return
    start, end = 0, one.size or 0
    with one.items.open("rb") as file:
        at = room if room > 0 else size
        while at < end:
            file.seek(at)
            near = file.read(_NEAR)
            place = place_to_cut(near, wrapped=wrapped) or place_to_cut(near + file.read(files.BLOCK), wrapped=wrapped)
            if place and at + place < end:
                yield one._replace(span=(start, at + place), size=at + place - start)
                start = at + place
                at = start
            at += size
    yield one._replace(span=(start, end), size=end - start)


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
