"""Similarity of sentences (STS): the cosines of pairs of sentences, compared with people's ratings."""

import csv
from collections.abc import Mapping, Sequence
from itertools import chain, repeat

import numpy as np

from ...progress import Progress, ProgressLike, resolved
from ...progress.protocol import Silent
from ...uncertainty import Array
from ...vectors import SentenceRules, WordVectors
from ...vectors.sentences import encode
from .similarity import Similarity, rating_from
from .task import Item

_MEASURES = {"SIF": "sif", "mean": "mean"}


class Sts(Similarity):
    """Pairs of sentences with a rating: lines of CSV, or fields between tabs.

    Each measure is Spearman's correlation, once with vectors of SIF weights and once with plain means. A pair is
    covered if both sentences have a known word.
    """

    line = "two sentences and a rating, separated by commas or tabs"
    measures = tuple(_MEASURES)
    averaged = False
    looked_up = False

    def split(self, line: str) -> list[str]:
        """Return the fields of a line of CSV, or of one with tabs; none if its quotation marks are unbalanced."""
        if "\t" in line:
            return line.split("\t")
        try:
            return next(csv.reader([line], strict=True))
        except (csv.Error, StopIteration):
            return []

    def text(self, item: Item) -> str:
        """Return a line of CSV, all of it in quotation marks: a sentence may be empty, or begin with ``#``."""
        return ",".join('"' + field.replace('"', '""') + '"' for field in [*item.words, repr(item.rating)])

    def recognises(self, line: str) -> bool:
        """Whether a line has three fields, the last one a rating, that are not just words between whitespace."""
        fields = self.split(line)
        try:
            rating_from(fields[-1] if len(fields) == self.fields else "")
        except ValueError:
            return False
        return "\t" not in line or len(line.split()) > len(fields)

    def outcomes(
        self, vectors: WordVectors, items: Sequence[Item], *, threads: int = 1, progress: ProgressLike = None
    ) -> Mapping[str, Array]:
        """Return the cosine of each pair, or NaN if one of its sentences has no known word."""
        del threads
        texts = [sentence for item in items for sentence in item.words]
        reporters = chain([resolved(progress, __name__)], repeat(Silent()))  # once is enough
        return {
            name: self._cosines(vectors, texts, weights, reporter)
            for (name, weights), reporter in zip(_MEASURES.items(), reporters, strict=False)
        }

    @staticmethod
    def _cosines(vectors: WordVectors, texts: list[str], weights: str, progress: Progress) -> Array:
        found = encode(vectors, texts, SentenceRules(weights=weights), progress=progress)
        units = found.matrix.astype(np.float64)
        cosines = np.round((units[::2] * units[1::2]).sum(axis=1), 6)  # equal sentences must have equal cosines
        cosines[[number // 2 for number in found.report.empty]] = np.nan
        return np.asarray(cosines)
