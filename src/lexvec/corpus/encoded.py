"""An encoded corpus: text as int32 ids on disk, with sentence boundaries."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ..artefact import Artefact
from ..vocabulary import FILE, Vocabulary


class Corpus(Artefact):
    """A corpus as ids, memory-mapped. Iterating gives sentences as lists of words, as often as you like."""

    kind = "corpus"

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words, most frequent first."""
        return Vocabulary.load(self.path / FILE)

    @property
    def ids(self) -> npt.NDArray[np.int32]:
        """All tokens, sentence after sentence."""
        return self.array("ids")

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Sentence s is ids[offsets[s]:offsets[s + 1]]."""
        return self.array("offsets")

    @property
    def tokens(self) -> int:
        """How many tokens there are."""
        return int(self.meta["facts"]["tokens"])

    def __len__(self) -> int:
        return int(self.meta["facts"]["sentences"])

    def __iter__(self) -> Iterator[list[str]]:
        words, ids, offsets = self.vocabulary.words, self.ids, self.offsets
        for start, stop in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            yield [words[word] for word in ids[start:stop].tolist()]

    def __repr__(self) -> str:
        facts = self.meta["facts"]
        return (
            f"<Corpus {str(self.path)!r}: {facts['tokens']:,} tokens, {facts['sentences']:,} sentences, "
            f"{facts['words']:,} words>"
        )
