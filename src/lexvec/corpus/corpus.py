"""An encoded corpus: text as int32 ids on disk, with sentence boundaries."""

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from ..errors import ArtefactError
from ..parameters import check_whole
from ..presentation import cards
from ..storage.arrays import ArrayFile
from ..storage.artefact import Artefact, ArtefactWriter
from ..vocabulary import FILE, Vocabulary, folder_vocabulary
from .inputs import TOKEN_LISTS
from .normalizer import Normalizer

_AT_ONCE = 1 << 16  # sentences whose offsets are read at once


class Corpus(Artefact):
    """A corpus as ids, memory-mapped: made by `CorpusBuilder.build`, opened again by `load`.

    Iterating gives sentences as lists of words, as often as you like; ``len`` is the number of sentences.

    >>> from lexvec import CorpusBuilder
    >>> corpus = CorpusBuilder(min_count=1).build(["The cat sat. The cat ran."])
    >>> corpus.vocabulary.words, corpus.ids.tolist(), corpus.offsets.tolist()
    (['cat', 'the', 'ran', 'sat'], [1, 0, 3, 1, 0, 2], [0, 3, 6])
    >>> len(corpus), corpus.tokens, corpus.longest_sentence, list(corpus)
    (2, 6, 3, [['the', 'cat', 'sat'], ['the', 'cat', 'ran']])
    """

    kind = "corpus"
    facts: ClassVar[Mapping[str, Any]] = dict.fromkeys(("tokens", "sentences", "words", "longest_sentence"), int)
    contents = ("ids.npy", "offsets.npy", FILE)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words, most frequent first."""
        return folder_vocabulary(self)

    @property
    def normalisation(self) -> dict[str, Any] | None:
        """Parameters of the `Normalizer` that made the words, or None if the text came as lists of tokens.

        >>> from lexvec import CorpusBuilder
        >>> CorpusBuilder(min_count=1, lowercase=False).build(["The cat sat."]).normalisation["lowercase"]
        False
        """
        if self.meta["provenance"].get("sources") == [{"name": TOKEN_LISTS, "bytes": None}]:
            return None
        parameters = self.meta["parameters"]
        return {name: parameters[name] for name in Normalizer.__dataclass_fields__ if name in parameters}

    @property
    def ids(self) -> npt.NDArray[np.int32]:
        """All tokens, sentence after sentence."""
        return self.array("ids", dtype=np.int32, dimensions=1)

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where sentences begin and end; sentence s is ``ids[offsets[s]:offsets[s + 1]]``."""
        return self.array("offsets", dtype=np.int64, dimensions=1)

    @property
    def tokens(self) -> int:
        """The number of tokens, by the length of ``ids``."""
        return self.layout("ids").shape[0]

    @property
    def words(self) -> int:
        """The number of words, by the vocabulary."""
        return len(self.vocabulary)

    @property
    def longest_sentence(self) -> int:
        """The number of tokens in the longest sentence, by ``offsets``."""
        return self._extremes[1]

    @cached_property
    def _extremes(self) -> tuple[int, int]:
        """The lengths of the shortest and the longest sentence."""
        offsets, shortest, longest = self.file("offsets", dtype=np.int64), np.iinfo(np.int64).max, 0
        for first in range(0, len(self), _AT_ONCE):
            lengths = np.diff(offsets.read(first, min(first + _AT_ONCE, len(self)) + 1))
            shortest, longest = min(shortest, int(lengths.min())), max(longest, int(lengths.max()))
        return shortest, longest

    def tokens_between(self, first: int, last: int) -> npt.NDArray[np.int32]:
        """Read some tokens: only these are in memory, unlike ``ids``, which the system keeps as it sees fit."""
        return self._ids_file.read(first, last)

    def sentences_between(self, start: int, stop: int) -> npt.NDArray[np.int64]:
        """Read where the sentences begin and end that have any of the tokens start..stop."""
        first = self._sentence_bound(start, "right") - 1
        last = self._sentence_bound(stop, "left")
        return self._offsets_file.read(first, last + 1)

    def _sentence_bound(self, token: int, side: str) -> int:
        """Return the number of the first sentence that begins at a token or behind it ("right": behind it)."""
        low, high = 0, len(self) + 1
        while high - low > _AT_ONCE:
            middle = (low + high) // 2
            begin = int(self._offsets_file.read(middle, middle + 1)[0])
            low, high = (low, middle) if begin > token or (begin == token and side == "left") else (middle, high)
        return low + int(np.searchsorted(self._offsets_file.read(low, high), token, side))  # type: ignore[call-overload]

    @cached_property
    def _ids_file(self) -> ArrayFile:
        return self.file("ids", dtype=np.int32)

    @cached_property
    def _offsets_file(self) -> ArrayFile:
        return self.file("offsets", dtype=np.int64)

    def __len__(self) -> int:
        return max(0, self.layout("offsets").shape[0] - 1)

    def __iter__(self) -> Iterator[list[str]]:
        words, ids, offsets = self.vocabulary.words, self.ids, self.offsets
        for first in range(0, len(self), _AT_ONCE):
            for start, stop in pairwise(offsets[first : first + _AT_ONCE + 1].tolist()):
                yield [words[word] for word in ids[start:stop].tolist()]

    def sampled(self, seed: int, *, block: int = 1, output: str | os.PathLike[str] | None = None) -> Self:
        """Return a bootstrap sample: as many blocks of ``block`` sentences as the corpus has, drawn with replacement.

        The sample has the same words, with its own counts. ``output`` is the folder to write, replaced if it is there;
        by default it is a temporary one.

        >>> from lexvec import CorpusBuilder
        >>> corpus = CorpusBuilder(min_count=1).build([["a", "b"], ["c"], ["d", "e"]])
        >>> sample = corpus.sampled(2)
        >>> list(sample), len(sample.vocabulary)
        ([['a', 'b'], ['a', 'b'], ['d', 'e']], 5)
        """
        seed, block = check_whole(seed, "seed", 0), check_whole(block, "block", 1)
        blocks = -(-len(self) // block)
        drawn = np.sort(np.random.default_rng([seed, block]).integers(0, blocks, blocks))
        counts = np.zeros(self.words, np.int64)
        for tokens, _ in self._gathered(drawn, block):
            counts += np.bincount(tokens, minlength=self.words)
        vocabulary = Vocabulary.from_counts(self.vocabulary.words, counts)
        new_ids = np.array([vocabulary.index[word] for word in self.vocabulary.words], np.int32)
        longest = 0
        with ArtefactWriter(output, self.kind, force=True, inputs=[self.path]) as out:
            ids, offsets = out.array("ids", np.int32), out.array("offsets", np.int64)
            offsets.append(np.zeros(1, np.int64))
            for tokens, lengths in self._gathered(drawn, block):
                offsets.append(ids.length + np.cumsum(lengths))
                ids.append(new_ids[tokens])
                longest = max(longest, int(lengths.max()))
            vocabulary.save(out.folder / FILE)
            facts = {
                "tokens": vocabulary.total,
                "sentences": offsets.length - 1,
                "longest_sentence": longest,
                "words": len(vocabulary),
                "tokens_read": vocabulary.total,
                "types_read": int(np.count_nonzero(counts)),
                "replaced": 0,
            }
            sample = {"seed": seed, "block": block}
            out.seal(self.meta["parameters"], facts, {**self.meta["provenance"], "sample": sample})
        return type(self).written(out)

    def _gathered(
        self, drawn: npt.NDArray[np.int64], block: int
    ) -> Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]]:
        """Yield the tokens of drawn blocks of sentences, and the lengths of their sentences, a batch at a time."""
        ids, offsets = self.ids, self.offsets
        within = np.arange(min(block, len(self)))
        step = max(1, _AT_ONCE // block)
        for first in range(0, len(drawn), step):
            sentences = (drawn[first : first + step, None] * block + within).reshape(-1)
            sentences = sentences[sentences < len(self)]  # the last block may be shorter
            starts = offsets[sentences]
            lengths = offsets[sentences + 1] - starts
            before = np.cumsum(lengths) - lengths
            yield ids[np.repeat(starts - before, lengths) + np.arange(lengths.sum())], lengths

    def check(self) -> Self:
        """Compare files with their checksums, and make sure of all that kernels rely on: they do not check."""
        super().check()
        ids, offsets = self.file("ids", dtype=np.int32), self.file("offsets", dtype=np.int64)
        fits = len(ids) > 0 and len(offsets) > 1
        fits = fits and (*offsets.read(0, 1), *offsets.read(len(offsets) - 1, len(offsets))) == (0, len(ids))
        fits = fits and self._extremes[0] > 0 and self.vocabulary.total == len(ids)
        low, high = ids.extremes() if fits else (0, 0)
        if not (fits and low >= 0 and high < self.words):
            raise ArtefactError(f"{self.path} is damaged (its arrays do not fit together): rebuild it")
        self.check_facts(
            tokens=self.tokens, sentences=len(self), words=self.words, longest_sentence=self.longest_sentence
        )
        return self

    def _html_parts(self) -> list[str]:
        return [cards.paragraph(f"most frequent: {self.vocabulary.first()}")]

    def __repr__(self) -> str:
        words = self.meta["facts"]["words"]  # rather than the vocabulary, which takes time to read
        return f"<Corpus {str(self.path)!r}: {self.tokens:,} tokens, {len(self):,} sentences, {words:,} words>"
