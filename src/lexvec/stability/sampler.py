"""Bootstrap samples of a corpus: as many blocks of sentences as it has, drawn with replacement."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np

from ..corpus import Corpus, CorpusBuilder
from ..progress import ProgressLike


def resampled(
    corpus: Corpus, *, seed: int, block: int = 1, output: Path | None = None, progress: ProgressLike = None
) -> Corpus:
    """Return a bootstrap sample of a corpus with the same vocabulary; ``block`` sentences are drawn together.

    >>> corpus = CorpusBuilder(min_count=1).build([["a", "b"], ["c"], ["d", "e"]])
    >>> [len(resampled(corpus, seed=seed)) for seed in range(3)]
    [3, 3, 3]
    """
    blocks = -(-len(corpus) // block)
    drawn = np.sort(np.random.default_rng([seed, block]).integers(0, blocks, blocks))
    return CorpusBuilder(min_count=1).build(
        _Sentences(corpus, drawn, block), output, vocabulary=corpus.vocabulary, force=True, progress=progress
    )


class _Sentences:
    """The sentences of drawn blocks, in the order of the corpus; they can be read several times."""

    def __init__(self, corpus: Corpus, drawn: np.ndarray[tuple[int], np.dtype[np.int64]], block: int) -> None:
        self._corpus, self._drawn, self._block = corpus, drawn, block

    def __iter__(self) -> Iterator[list[str]]:
        words, ids, offsets = self._corpus.vocabulary.words, self._corpus.ids, self._corpus.offsets
        for number in self._drawn.tolist():
            first = number * self._block
            bounds = offsets[first : first + self._block + 1].tolist()
            for start, stop in pairwise(bounds):
                yield [words[word] for word in ids[start:stop].tolist()]
