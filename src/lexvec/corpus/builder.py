"""Text → an encoded corpus, in one pass over the text and one over its ids.

In the first pass, threads cut blocks of text into types, each thread with its own table. The streams of type numbers
go to a scratch file in the order of the text. Then the tables are joined, each type is normalised once, the words are
counted and the vocabulary is chosen. In the second pass, types become word ids. Out-of-vocabulary words are omitted
here, so windows are later formed over the remaining words. Nothing depends on which thread cuts which block.
"""

import logging
import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..errors import Given, InputError, ParameterError
from ..kernels import tokens
from ..parameters import parameter, threads_parameter
from ..progress import Progress, ProgressLike, resolved
from ..storage.files import STDIN
from ..storage.writer import ArtefactWriter
from ..threads import Threads, running
from ..vocabulary import FILE, Vocabulary
from .blocks import TextBlock, text_encoding
from .corpus import Corpus
from .inputs import TextInput, blocks, text_inputs, token_streams
from .normalise import Normalizer
from .type_table import Ids, TypeTable

_log = logging.getLogger(__name__)

_TYPES_AT_ONCE = 100_000


@dataclass(frozen=True, kw_only=True)
class CorpusBuilder(Normalizer):
    """Read text, normalise it, choose a vocabulary and encode the text.

    >>> corpus = CorpusBuilder(min_count=2).build(["The cat sat. The dog sat.", "The cat ran."])
    >>> corpus.vocabulary.words, list(corpus)
    (['the', 'cat', 'sat'], [['the', 'cat', 'sat'], ['the', 'sat'], ['the', 'cat']])
    """

    min_count: int = parameter(100, "Omit words that occur less often than this.", minimum=1)
    max_vocab: int | None = parameter(
        None, "Largest number of words to keep, the most frequent ones; all if not given.", minimum=1
    )
    encoding: str = parameter("utf-8", "Character encoding of text files, such as latin-1 or utf-16.")
    input_format: str = parameter(
        "auto",
        "Format of the files: text, wikipedia (a MediaWiki XML dump), auto (detected by name and content).",
        choices=("auto", "text", "wikipedia"),
    )
    threads: int | None = threads_parameter()

    @classmethod
    def tokenized(cls, **parameters: Any) -> Self:
        """Make a builder for tokenised text: one sentence per line, words separated by whitespace, nothing changed.

        >>> CorpusBuilder.tokenized(min_count=1).build(["New_York 's </s>"]).vocabulary.words
        ["'s", '</s>', 'New_York']
        """
        unchanged = {name: getattr(Normalizer.tokenized(), name) for name in Normalizer.__dataclass_fields__}
        return cls.of({**unchanged, **parameters})

    def build(
        self,
        inputs: Any,
        output: Any = None,
        *,
        vocabulary: Any = None,
        force: bool = False,
        progress: ProgressLike = None,
        threads: Threads | None = None,
    ) -> Corpus:
        """Encode files, strings, or lists of tokens.

        ``inputs`` is the name of a file or folder, a pattern, an iterable of paths, a list of strings, or a list of
        lists of tokens. A single string is always a name. Lists of tokens are not normalised.

        ``output`` is the folder to write; by default it is a temporary one, removed with the corpus. ``vocabulary`` (a
        `Vocabulary`, its file, or words) replaces ``min_count`` and ``max_vocab``: exactly these words are used, with
        counts from this text.

        >>> corpus = CorpusBuilder().build([["a", "b"], ["b", "c", "b"]], vocabulary=["a", "b"])
        >>> list(corpus.vocabulary), list(corpus)
        ([('b', 3), ('a', 1)], [['a', 'b'], ['b', 'b']])
        """
        progress = resolved(progress, __name__)
        text_encoding(self.encoding)
        given = text_inputs(inputs)
        wanted = None if vocabulary is None else Vocabulary.ensure(vocabulary)
        read = [one.items for one in given if isinstance(one.items, Path)]
        read += [Path(path) for path in (inputs, vocabulary) if isinstance(path, str | os.PathLike)]
        with (
            running(threads, self.threads) as pool,
            ArtefactWriter(
                output, Corpus.kind, force=force, inputs=[path for path in read if str(path) != STDIN]
            ) as out,
            closing(_Spool(out.scratch / "types")) as spool,
        ):
            table = self._read(given, spool, pool, progress)
            words = _unchanged(table) if given[0].tokens else self._words(table)
            chosen, ids = self._choose(table, words, wanted)
            _log.debug("%d types; %d words are kept", len(table), len(chosen))
            sentences, longest = self._encode(spool, words, ids, out, pool, progress)
            chosen.save(out.folder / FILE)
            facts = {
                "tokens": chosen.total,
                "sentences": sentences,
                "longest_sentence": longest,
                "words": len(chosen),
                "tokens_read": int(words.counts.sum()),
                "types_read": int(np.count_nonzero(words.counts)),
                "replaced": spool.replaced,
            }
            sources = [{"name": one.name, "bytes": one.size} for one in given]
            out.seal(self.record(), facts, {"sources": sources, "vocabulary_given": vocabulary is not None})
        if spool.replaced:
            progress.note(
                f"{spool.replaced:,} invalid characters were replaced by spaces: if the text is not in "
                f"{self.encoding}, name its encoding",
                logging.WARNING,
            )
        if vocabulary is None and self.max_vocab is None and chosen.total < facts["tokens_read"] // 2:
            progress.note(
                f"only {chosen.total:,} of {facts['tokens_read']:,} tokens are words that occur {self.min_count:,} "
                "times or more: use a lower min_count for a text of this size",
                logging.WARNING,
            )
        return Corpus.written(out)

    def _read(self, given: list[TextInput], spool: "_Spool", threads: Threads, progress: Progress) -> TypeTable:
        """Make the first pass: write all text to the spool. Return the types of all threads in one table."""
        tables = [TypeTable() for _ in range(threads.count)]
        sizes = [one.size for one in given]
        total = None if None in sizes else sum(size or 0 for size in sizes)
        _log.debug("%d inputs (%s) on %d threads", len(given), _names(given), threads.count)
        with progress.stage("reading", total, "B") as stage:
            if given[0].tokens:
                for stream in token_streams(given[0].items, tables[0]):
                    spool.append(stream, 0)
            else:
                for stream, table, block in self._segmented(given, threads, tables):
                    spool.append(stream, tables.index(table))
                    spool.replaced += block.replaced
                    stage.advance(block.read)
        joined = spool.join(tables)
        if not joined.counts.sum():
            raise InputError(f"there are no words in {_names(given)}: give text")
        return joined

    def _segmented(
        self, given: list[TextInput], threads: Threads, tables: list[TypeTable]
    ) -> Iterator[tuple[Ids, TypeTable, TextBlock]]:
        rules = self.rules()

        def cut(table: TypeTable, block: TextBlock) -> tuple[Ids, TypeTable, TextBlock]:
            return table.segment(block.text, rules), table, block._replace(text=b"")

        read = partial(
            blocks,
            format=self.input_format,
            encoding=self.encoding,
            wrapped=self.sentences_by == "paragraphs",
            punctuation=self.punctuation,
            threads=len(tables),
        )
        return threads.map(cut, chain.from_iterable(map(read, given)), tables)

    def _words(self, table: TypeTable) -> "_Words":
        """Normalise each type, and count the words that come out."""
        n = len(table)
        plain = table.plain(capitals=not self.lowercase)
        lengths = np.ones(n, np.int64)
        others = np.flatnonzero(~plain)
        became: list[Ids] = [np.empty(0, np.int32)]
        for start in range(0, len(others), _TYPES_AT_ONCE):
            batch = others[start : start + _TYPES_AT_ONCE]
            words = [self.words(raw) for raw in table.words(batch)]
            lengths[batch] = [len(word) for word in words]
            became.append(table.intern(chain.from_iterable(words)))
        first = np.concatenate(([0], np.cumsum(lengths)))
        flat = np.empty(first[-1], np.int32)
        flat[first[:-1][plain]] = np.flatnonzero(plain)
        flat[np.repeat(~plain, lengths)] = np.concatenate(became)
        counts = np.zeros(len(table), np.int64)
        np.add.at(counts, flat, np.repeat(table.counts[:n], lengths))
        return _Words(first, flat, counts)

    def _choose(self, table: TypeTable, words: "_Words", vocabulary: Vocabulary | None) -> tuple[Vocabulary, Ids]:
        """Return the vocabulary, and for each word of the table its id there, or −1."""
        counts = words.counts
        if vocabulary is not None:
            kept = table.intern(vocabulary.words)
            counts = np.concatenate((counts, np.zeros(len(table) - len(counts), np.int64)))
            chosen = Vocabulary.from_counts(vocabulary.words, counts[kept])
        else:
            kept = np.flatnonzero(counts >= self.min_count).astype(np.int32)
            chosen = Vocabulary.from_counts(table.words(kept), counts[kept], max_vocab=self.max_vocab)
        if not chosen.total:
            most = int(counts.max())
            top = min(table.words(np.flatnonzero(counts == most)))
            given = vocabulary is not None
            reason = (
                ("the text has no word of the vocabulary",) if given else ("lower ", Given("min_count", self.min_count))
            )
            raise ParameterError(
                "no word is left: ", *reason, f" (the most frequent word, {top!r}, occurs {most:,} times)"
            )
        ids = np.full(len(table), -1, np.int32)
        ids[table.intern(chosen.words)] = np.arange(len(chosen), dtype=np.int32)
        return chosen, ids

    def _encode(
        self, spool: "_Spool", words: "_Words", ids: Ids, out: ArtefactWriter, threads: Threads, progress: Progress
    ) -> tuple[int, int]:
        """Make the second pass: types become ids. Return the number of non-empty sentences and the longest's length."""
        flat = ids[words.flat]
        lengths = np.append(np.diff(words.first), 0)  # END, which is −1, finds the last one

        def renumber(_: None, stream: Ids) -> tuple[Ids, npt.NDArray[np.int64], int]:
            encoded = np.empty(lengths[stream].sum(), np.int32)
            ends = np.empty(stream.size, np.int64)
            n_ids, n_ends = tokens.renumber(stream, words.first, flat, encoded, ends)
            return encoded[:n_ids], ends[:n_ends], stream.size

        target, offsets = out.array("ids", np.int32), out.array("offsets", np.int64)
        offsets.append(np.zeros(1, np.int64))
        last = longest = 0
        with progress.stage("encoding", spool.length, "tokens") as stage:
            for encoded, ends, size in threads.map(renumber, spool):
                bounds = np.concatenate(([last], target.length + ends))
                lengths_here = np.diff(bounds)
                offsets.append(bounds[1:][lengths_here > 0])
                longest = max(longest, int(lengths_here.max(initial=0)))
                last = int(bounds[-1])
                target.append(encoded)
                stage.advance(size)
        return offsets.length - 1, longest


class _Words(NamedTuple):
    """The words of each type: type t becomes flat[first[t]:first[t + 1]], numbered as in the table of types."""

    first: npt.NDArray[np.int64]
    flat: Ids
    counts: npt.NDArray[np.int64]


def _unchanged(table: TypeTable) -> _Words:
    return _Words(np.arange(len(table) + 1), np.arange(len(table), dtype=np.int32), table.counts.copy())


class _Spool:
    """Streams of type numbers on disk, in the order of the text, each in the numbering of the table that cut it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("wb")
        self._parts: list[tuple[int, int]] = []
        self.length = 0
        self.replaced = 0
        self.renumberings: list[Ids] = []

    def append(self, stream: Ids, table: int) -> None:
        self._file.write(stream.data)
        self._parts.append((stream.size, table))
        self.length += stream.size

    def join(self, tables: list[TypeTable]) -> TypeTable:
        """Join all tables into one, and remember the new number of each type."""
        joined = tables[0]
        numbers = [np.arange(len(joined), dtype=np.int32), *map(joined.absorb, tables[1:])]
        # END is −1, so it is found at the end of the array.
        self.renumberings = [np.append(renumbering, np.int32(tokens.END)) for renumbering in numbers]
        return joined

    def close(self) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[Ids]:
        """The streams in the joined numbering."""
        self.close()
        with self._path.open("rb") as file:
            for size, table in self._parts:
                stream = np.fromfile(file, np.int32, size)
                yield self.renumberings[table][stream]


def _names(given: list[TextInput]) -> str:
    return given[0].name if len(given) == 1 else f"{given[0].name} and {len(given) - 1} more"
