"""Text → an encoded corpus, in one pass over the text and one over its ids (see `passes`).

After the first pass, each type is normalised once, the words are counted and the vocabulary is chosen. In the second
pass, out-of-vocabulary words are omitted, so windows are later formed over the remaining words.
"""

import logging
import os
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ..errors import Given, InputError, ParameterError
from ..parameters import parameter, threads_parameter
from ..progress import ProgressLike, resolved
from ..shared_work import Helpers
from ..storage.artefact import ArtefactWriter
from ..storage.files import STDIN
from ..threads import Threads, running
from ..vocabulary import FILE, Vocabulary
from .blocks import text_encoding
from .corpus import Corpus
from .inputs import TextInput, stretches, text_inputs
from .normalise import Normalizer
from .passes import ByHelpers, Here, names_of, write_encoded
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
        helpers: Helpers | None = None,
    ) -> Corpus:
        """Encode files, strings, or lists of tokens.

        ``inputs`` is the name of a file or folder, a pattern, an iterable of paths, a list of strings, or a list of
        lists of tokens. A single string is always a name. Lists of tokens are not normalised.

        ``output`` is the folder to write; by default it is a temporary one, removed with the corpus. ``vocabulary`` (a
        `Vocabulary`, its file, or words) replaces ``min_count`` and ``max_vocab``: exactly these words are used, with
        counts from this text. With ``helpers``, other processes read stretches of the files and encode them; strings,
        standard input and a single compressed file are encoded here.

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

    def _helped(self, given: list[TextInput], scratch: Path, helpers: Helpers | None) -> ByHelpers | None:
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
