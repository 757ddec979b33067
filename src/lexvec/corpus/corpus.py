"""An encoded corpus: text as int32 ids on disk, with sentence boundaries."""

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import Self

import numpy as np
import numpy.typing as npt

from ..errors import ArtefactError
from ..presentation import cards
from ..storage.artefact import Artefact
from ..vocabulary import FILE, Vocabulary

_AT_ONCE = 1 << 16  # sentences whose offsets are read at once


class Corpus(Artefact):
    """A corpus as ids, memory-mapped: made by `CorpusBuilder.build`, opened again by `load`.

    Iterating gives sentences as lists of words, as often as you like; ``len`` is the number of sentences.

    >>> from lexvec import CorpusBuilder
    >>> corpus = CorpusBuilder(min_count=1).build(["The cat sat. The cat ran."])
    >>> corpus.vocabulary.words, corpus.ids.tolist(), corpus.offsets.tolist()
    (['cat', 'the', 'ran', 'sat'], [1, 0, 3, 1, 0, 2], [0, 3, 6])
    >>> len(corpus), corpus.tokens, list(corpus)
    (2, 6, [['the', 'cat', 'sat'], ['the', 'cat', 'ran']])
    """

    kind = "corpus"
    facts = ("tokens", "sentences", "words", "longest_sentence")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words, most frequent first."""
        return Vocabulary.load(self.path / FILE, exact=True)

    @property
    def ids(self) -> npt.NDArray[np.int32]:
        """All tokens, sentence after sentence."""
        return self.array("ids")

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Where sentences begin and end; sentence s is ``ids[offsets[s]:offsets[s + 1]]``."""
        return self.array("offsets")

    @property
    def tokens(self) -> int:
        """How many tokens there are."""
        return int(self.meta["facts"]["tokens"])

    @cached_property
    def longest_sentence(self) -> int:
        """Tokens of the longest sentence."""
        return int(np.diff(self.offsets).max(initial=0))

    def __len__(self) -> int:
        return int(self.meta["facts"]["sentences"])

    def __iter__(self) -> Iterator[list[str]]:
        words, ids, offsets = self.vocabulary.words, self.ids, self.offsets
        for first in range(0, len(self), _AT_ONCE):
            for start, stop in pairwise(offsets[first : first + _AT_ONCE + 1].tolist()):
                yield [words[word] for word in ids[start:stop].tolist()]

    def check(self) -> Self:
        """Make sure that ids and offsets are within bounds, so that kernels, which do not look, may use them."""
        ids, offsets = self.ids, self.offsets
        fine = len(ids) == self.tokens and len(offsets) == len(self) + 1 and len(ids) > 0
        fine = fine and ids.min() >= 0 and ids.max() < len(self.vocabulary)
        if not (fine and offsets[0] == 0 and offsets[-1] == len(ids) and np.all(offsets[1:] > offsets[:-1])):
            raise ArtefactError(f"{self.path} is damaged (its arrays do not fit together): make it anew")
        return self

    def _html_parts(self) -> list[str]:
        return [cards.paragraph(f"most frequent: {self.vocabulary.first()}")]

    def __repr__(self) -> str:
        facts = self.meta["facts"]
        return (
            f"<Corpus {str(self.path)!r}: {facts['tokens']:,} tokens, {facts['sentences']:,} sentences, "
            f"{facts['words']:,} words>"
        )
