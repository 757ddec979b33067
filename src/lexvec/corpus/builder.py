"""Text → an encoded corpus, in one pass over the text and one over its ids.

In the first pass, threads cut blocks of text into types, each thread with its own table. The streams of type numbers go
to a spool in the order of the text, and the tables are joined. Then each type is normalised once, the words are counted
and the vocabulary is chosen. In the second pass, types become word ids, and out-of-vocabulary words are omitted, so
windows are later formed over the remaining words. Nothing depends on who cuts which block: threads of this process, or
helpers that each have a stretch of the text.
"""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..errors import Given, InputError, ParameterError
from ..parameters import parameter, threads_parameter
from ..progress import Progress, ProgressLike, Silent, Stage, resolved
from ..shared_work import Helpers, Task
from ..storage.arrays import read_blocks, write_blocks
from ..storage.artefact import ArtefactWriter
from ..storage.files import STDIN, Span
from ..threads import Threads, running
from ..vocabulary import FILE, Vocabulary
from .blocks import TextBlock, text_encoding
from .corpus import Corpus
from .inputs import TextInput, blocks, stretches, text_inputs, token_streams
from .normalizer import Normalizer
from .type_table import EncodedBlock, Ids, Spool, TypeTable

_log = logging.getLogger(__name__)

_IDS = "ids"  # the file of what a helper has encoded
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
        return self._build(inputs, output, vocabulary=vocabulary, force=force, progress=progress)

    def _build(
        self,
        inputs: Any,
        output: Any = None,
        *,
        vocabulary: Any = None,
        force: bool = False,
        progress: ProgressLike = None,
        threads: Threads | None = None,
        helpers: Helpers | None = None,
    ) -> Corpus:
        """Do so on threads that are running.

        With ``helpers``, other processes read stretches of the files and encode them; strings, standard input and a
        single compressed file are encoded here.
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
        ):
            encoding = self._helped(given, out.scratch, helpers) or Here(self, given, out.scratch, pool)
            table, replaced = encoding.read(progress)
            if not table.counts.sum():
                raise InputError(f"there are no words in {names_of(given)}: give text")
            words = _unchanged(table) if given[0].tokens else self._words(table)
            chosen, ids = self._choose(table, words, wanted)
            _log.debug("%d types; %d words are kept", len(table), len(chosen))
            sentences, longest = write_encoded(encoding.encoded(words.first, ids[words.flat], progress), out)
            chosen.save(out.folder / FILE)
            facts = {
                "tokens": chosen.total,
                "sentences": sentences,
                "longest_sentence": longest,
                "words": len(chosen),
                "tokens_read": int(words.counts.sum()),
                "types_read": int(np.count_nonzero(words.counts)),
                "replaced": replaced,
            }
            sources = [{"name": one.name, "bytes": one.size} for one in given]
            out.seal(self.record(), facts, {"sources": sources, "vocabulary_given": vocabulary is not None})
        if replaced:
            progress.note(
                f"{replaced:,} invalid characters were replaced by spaces: if the text is not in "
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

    def _helped(self, given: list[TextInput], scratch: Path, helpers: Helpers | None) -> "ByHelpers | None":
        """Return who encodes instead of this process, if there is anybody and more than one stretch of text."""
        if helpers is None or given[0].tokens:
            return None
        wrapped = self.sentences_by == "paragraphs"
        cut = stretches(given, helpers.shares, format=self.input_format, encoding=self.encoding, wrapped=wrapped)
        return ByHelpers(self, cut, scratch, helpers) if len(cut) > 1 else None

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


class _Words(NamedTuple):
    """The words of each type: type t becomes flat[first[t]:first[t + 1]], numbered as in the table of types."""

    first: npt.NDArray[np.int64]
    flat: Ids
    counts: npt.NDArray[np.int64]


def _unchanged(table: TypeTable) -> _Words:
    return _Words(np.arange(len(table) + 1), np.arange(len(table), dtype=np.int32), table.counts.copy())


class Here:
    """Reads and encodes text in this process."""

    def __init__(self, builder: "CorpusBuilder", given: list[TextInput], scratch: Path, threads: Threads) -> None:
        self._builder, self._given, self._threads = builder, given, threads
        self.spool = Spool(scratch)
        self.tables = [TypeTable() for _ in range(threads.count)]

    def spooled(self, stage: Stage) -> None:
        """Make the first pass: write all text to the spool."""
        with closing(self.spool):
            if self._given[0].tokens:
                for stream in token_streams(self._given[0].items, self.tables[0]):
                    self.spool.append(stream, 0)
                return
            for stream, table, block in _segmented(self._builder, self._given, self._threads, self.tables):
                self.spool.append(stream, self.tables.index(table))
                self.spool.replaced += block.replaced
                stage.advance(block.read)

    def read(self, progress: Progress) -> tuple[TypeTable, int]:
        """Return the types of all threads in one table, and how many characters were replaced."""
        sizes = [one.size for one in self._given]
        total = None if None in sizes else sum(size or 0 for size in sizes)
        _log.debug("%d inputs (%s) on %d threads", len(self._given), names_of(self._given), self._threads.count)
        with progress.stage("reading", total, "B") as stage:
            self.spooled(stage)
        self.spool.join(self.tables[0], self.tables)
        return self.tables[0], self.spool.replaced

    def encoded(self, first: npt.NDArray[np.int64], ids: Ids, progress: Progress) -> Iterator[EncodedBlock]:
        """Make the second pass: types become ids."""
        with progress.stage("encoding", self.spool.length, "tokens") as stage:
            for block in self.spool.encoded(first, ids, self._threads):
                yield block
                stage.advance(block[2])


class ByHelpers:
    """Lets others read and encode stretches of the text; this process joins their tables of types."""

    def __init__(self, builder: "CorpusBuilder", cut: list[list[TextInput]], scratch: Path, helpers: Helpers) -> None:
        self._builder, self._cut, self._scratch, self._helpers = builder, cut, scratch, helpers
        self._spools: list[Spool] = []

    def read(self, progress: Progress) -> tuple[TypeTable, int]:
        """Have the first pass made, and join the types."""
        tasks = [
            Task(
                sum(one.size or 0 for one in some),
                {"given": [[str(one.items.absolute()), one.size, one.span] for one in some]},
            )
            for some in self._cut
        ]
        settings = {"parameters": self._builder.record()}
        reads = sorted({one.items.absolute() for some in self._cut for one in some})
        with progress.stage("reading", sum(task.size for task in tasks), "B") as stage:
            done = self._helpers.each(reading_job, settings, tasks, folder=self._scratch, reads=reads, stage=stage)
        self._spools = [Spool.taken_over(each.folder, each.result) for each in done]
        joined = TypeTable()
        for spool in self._spools:
            spool.join(joined)
            spool.give_numbers()
        return joined, sum(spool.replaced for spool in self._spools)

    def encoded(self, first: npt.NDArray[np.int64], ids: Ids, progress: Progress) -> Iterator[EncodedBlock]:
        """Have the second pass made."""
        words = self._scratch / "words"
        write_blocks(words, [(first, ids)])
        tasks = [Task(spool.length, {"spool": str(spool.folder)}) for spool in self._spools]
        settings = {"words": str(words)}
        with progress.stage("encoding", sum(task.size for task in tasks), "tokens") as stage:
            done = self._helpers.each(encoding_job, settings, tasks, folder=self._scratch, reads=[], stage=stage)
        for each in done:
            for found, ends in read_blocks(each.folder / _IDS, 2):
                yield found, ends, len(found)


def reading_job(threads: Threads, *, parameters: dict[str, Any]) -> Callable[..., int]:
    """Let a helper make the first pass over a stretch of text."""
    # which imports this module

    builder = CorpusBuilder.of(parameters)

    def read(folder: Path, *, given: list[tuple[str, int, Span | None]]) -> int:
        inputs = [TextInput(name, size, Path(name), span=span) for name, size, span in given]
        here = Here(builder, inputs, folder, threads)
        with Silent().stage("reading", None, "B") as stage:
            here.spooled(stage)
        here.spool.hand_over(here.tables)
        return here.spool.replaced

    return read


def encoding_job(threads: Threads, *, words: str) -> Callable[..., None]:
    """Let a helper make the second pass over a stretch of text."""
    first, ids = next(read_blocks(Path(words), 2))

    def encode(folder: Path, *, spool: str) -> None:
        stretch = Spool.taken_over(Path(spool))
        stretch.take_numbers()
        write_blocks(folder / _IDS, (block[:2] for block in stretch.encoded(first, ids, threads)))

    return encode


def write_encoded(blocks: Iterator[EncodedBlock], out: ArtefactWriter) -> tuple[int, int]:
    """Write encoded text. Return the number of non-empty sentences and the longest's length."""
    target, offsets = out.array("ids", np.int32), out.array("offsets", np.int64)
    offsets.append(np.zeros(1, np.int64))
    last = longest = 0
    for encoded, ends, _ in blocks:
        bounds = np.concatenate(([last], target.length + ends))
        lengths = np.diff(bounds)
        offsets.append(bounds[1:][lengths > 0])
        longest = max(longest, int(lengths.max(initial=0)))
        last = int(bounds[-1])
        target.append(encoded)
    return offsets.length - 1, longest


def _segmented(
    builder: "CorpusBuilder", given: list[TextInput], threads: Threads, tables: list[TypeTable]
) -> Iterator[tuple[Ids, TypeTable, TextBlock]]:
    """Cut text into types: yield streams of their numbers, the table of each, and the block of text."""
    rules = builder.rules()

    def cut(table: TypeTable, block: TextBlock) -> tuple[Ids, TypeTable, TextBlock]:
        return table.segment(block.text, rules), table, block._replace(text=b"")

    read = partial(
        blocks,
        format=builder.input_format,
        encoding=builder.encoding,
        wrapped=builder.sentences_by == "paragraphs",
        punctuation=builder.punctuation,
        threads=len(tables),
    )
    return threads.map(cut, chain.from_iterable(map(read, given)), tables)


def names_of(given: list[TextInput]) -> str:
    """Return a name for all inputs together."""
    return given[0].name if len(given) == 1 else f"{given[0].name} and {len(given) - 1} more"
