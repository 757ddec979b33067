"""Counts how often words and contexts co-occur in windows."""

from dataclasses import dataclass
from typing import Any

from ..corpus import CorpusBuilder
from ..corpus.source import CorpusSource
from ..progress import ProgressLike, resolved
from ..shared_work import Helpers
from ..storage.artefact import ArtefactWriter
from ..threads import Threads, running
from .counting import Counting, CountingParameters, least_memory
from .counts import Cooccurrence


@dataclass(kw_only=True, eq=False)
class CooccurrenceCounter(CountingParameters):
    """Counts how often words co-occur within a window; the defaults are those of the paper's PPMI* matrix.

    >>> from lexvec import CorpusBuilder
    >>> corpus = CorpusBuilder(min_count=1).build([["a", "b", "a", "c"]])
    >>> counts = CooccurrenceCounter(window=1, subsample=0).count(corpus)
    >>> counts.vocabulary.words, counts.matrix.toarray().tolist()
    (['a', 'b', 'c'], [[0, 2, 1], [2, 0, 0], [1, 0, 0]])
    """

    def count(
        self,
        corpus: Any,
        output: Any = None,
        *,
        builder: CorpusBuilder | None = None,
        force: bool = False,
        progress: ProgressLike = None,
    ) -> Cooccurrence:
        """Count a `Corpus`, the one in a folder, or text that ``builder`` encodes first.

        ``output`` is the folder to make (None: a temporary one). The result is the same for any ``memory`` and any
        number of threads. ``threads`` are those of a caller that has some already. Text is encoded into a folder that
        is removed when it has been counted; to keep it, encode it with `CorpusBuilder.build`.

        >>> counter = CooccurrenceCounter(window=1, subsample=0)
        >>> counts = counter.count(["The cat sat."] * 100, builder=CorpusBuilder(min_count=100))
        >>> counts.top_contexts("cat")
        [('sat', 100), ('the', 100)]
        """
        return self._count(corpus, output, builder=builder, force=force, progress=progress)

    def _count(
        self,
        corpus: Any,
        output: Any = None,
        *,
        builder: CorpusBuilder | None = None,
        force: bool = False,
        progress: ProgressLike = None,
        threads: Threads | None = None,
        helpers: Helpers | None = None,
    ) -> Cooccurrence:
        """Do so on threads that are running.

        With ``helpers``, other processes count stretches of the corpus and add them up, and this one joins the rows.
        """
        reported = resolved(progress, __name__)
        source = CorpusSource(corpus, builder)
        source.check_corpus()
        paths = [path for path in (source.corpus_path, source.text_path) if path]
        with (
            running(threads, self.threads) as pool,
            ArtefactWriter(output, Cooccurrence.kind, force=force, inputs=paths) as out,
        ):
            encoded = source.build(out.scratch / "corpus", reported, pool)
            return Counting(self, encoded, pool, reported, helpers).run(out)

    def least_memory(self, *, words: int, contexts: int, tokens: int, threads: int) -> int:
        """Return how many bytes of memory counting needs at least."""
        return least_memory(self, words=words, contexts=contexts, tokens=tokens, threads=threads)
