"""Vectors of sentences: weighted means of the vectors of their words.

Text is normalised as the text that the vectors were trained on. Each distinct token is normalised and looked up once,
and each batch of texts is one sparse product.
"""

import logging
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from ..errors import Given, InputError, ParameterError
from ..progress import Progress
from .arguments import instance
from .geometry import Doubles, check_numbers, unit_vectors
from .long_text import SPACES, LongText, added_up, batches
from .sentence_rules import SentenceRules, normalizer_of, word_weights

if TYPE_CHECKING:
    from ..corpus import Normalizer
    from .word_vectors import WordVectors

Rows = npt.NDArray[np.int64]

_NAMED = 5  # out-of-vocabulary words in a report
#: Letters of scripts without spaces between words, more than most words have: Thai to Khmer, Japanese, Chinese.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]{5}")


@dataclass(frozen=True, kw_only=True)
class SentenceReport:
    """What was found in texts: words with and without vectors, and sentences that have none."""

    sentences: int
    words: int
    #: Words whose vectors were composed.
    composed: int
    #: Words without vectors.
    unknown: int
    #: The most frequent words without vectors, with counts.
    unknown_words: dict[str, int]
    #: Numbers, from 0, of sentences that have no word with a vector.
    empty: list[int]

    @property
    def _unsplit(self) -> bool:
        """Whether whole sentences were probably taken for words."""
        return 2 * self.unknown > self.words and any(map(_UNSPACED.search, self.unknown_words))

    def note(self, progress: Progress) -> None:
        """Report words without vectors, and, as a warning, sentences of zeros."""
        if self.unknown:
            named = ", ".join(f"{word!r:.60} ({count:,})" for word, count in self.unknown_words.items())
            share = f"{self.unknown:,} of {self.words:,} words ({self.unknown / self.words:.1%})"
            advice = "; split text without spaces into words first" if self._unsplit else ""
            progress.note(f"{share} are out of vocabulary and left out, such as {named}{advice}")
        if self.composed:
            progress.note(f"{self.composed:,} of {self.words:,} words are out of vocabulary and composed")
        if self.empty:
            progress.note(
                f"{len(self.empty):,} of {self.sentences:,} sentences have no known word: their vectors are zeros "
                f"(the first is sentence {self.empty[0] + 1:,})",
                logging.WARNING,
            )


class Sentences(NamedTuple):
    """Vectors of sentences, and what is known about them."""

    matrix: npt.NDArray[np.float32]
    report: SentenceReport
    #: The direction that was removed from all vectors, or None.
    component: Doubles | None


def encode(
    vectors: "WordVectors",
    texts: Any,
    rules: SentenceRules,
    *,
    normalizer: "Normalizer | None" = None,
    component: Doubles | None = None,
    progress: Progress,
) -> Sentences:
    """Return a vector per text; ``component`` is a direction to remove that was found before, in other texts."""
    encoder: _Encoder | None = None
    found: list[npt.NDArray[Any]] = [np.empty((0, vectors.matrix.shape[1]), np.float32)]
    to_find = rules.remove_component and component is None
    for batch in batches(texts):
        first = batch if isinstance(batch, LongText) else batch[0]
        encoder = encoder or _Encoder(vectors, rules, _cutter(vectors, first, normalizer, progress), progress)
        means = encoder.long_mean(batch) if isinstance(batch, LongText) else encoder.means(batch)
        found.append(means if to_find else _finished(means, component, rules))
    report = encoder.report if encoder else SentenceReport(
        sentences=0, words=0, composed=0, unknown=0, unknown_words={}, empty=[]
    )  # fmt: skip
    report.note(progress)
    if not to_find:
        return Sentences(np.concatenate(found), report, component)
    means = np.concatenate(found)
    component = first_component(means)
    return Sentences(_finished(means, component, rules), report, component)


def first_component(means: Doubles) -> Doubles:
    """Return the first right singular vector: the direction in which most of the vectors lie.

    >>> first_component(np.array([[2.0, 0.1], [2.0, -0.1]])).round(3).tolist()
    [1.0, 0.0]
    """
    if np.sum(means.any(axis=1)) < 2:
        raise ParameterError(Given("remove_component", True), ": it needs at least two sentences with known words")
    direction = np.linalg.eigh(means.T @ means)[1][:, -1]
    return np.asarray(direction * np.sign(direction[np.argmax(np.abs(direction))]))  # the sign is arbitrary


def _finished(means: Doubles, component: Doubles | None, rules: SentenceRules) -> npt.NDArray[np.float32]:
    if component is not None:
        means = means - np.outer(means @ component, component)
    return (unit_vectors(means) if rules.normalize else means).astype(np.float32)


class _Cut(NamedTuple):
    """Texts as numbers of distinct tokens: text t is types[ends[t − 1]:ends[t]]."""

    types: Rows
    ends: Rows


class _Cutter(Protocol):
    """Cuts texts into tokens; `lexvec.corpus.normalizer.TextCutter` is one."""

    #: The words that each distinct token becomes.
    words: list[list[str]]
    #: What is surely between two words.
    separators: re.Pattern[str]

    def cut(self, texts: Sequence[Any]) -> Any:
        """Return texts as numbers."""


class _ListCutter:
    """Cuts lists of words, which are looked up as they are."""

    separators = SPACES

    def __init__(self) -> None:
        self.words: list[list[str]] = []
        self._numbers: dict[str, int] = {}

    def cut(self, texts: Sequence[Sequence[str]]) -> _Cut:
        numbers = [self._numbers.setdefault(word, len(self._numbers)) for text in texts for word in text]
        self.words += [[word] for word in islice(self._numbers, len(self.words), None)]
        return _Cut(np.array(numbers, np.int64), np.cumsum([len(text) for text in texts], dtype=np.int64))


def _cutter(vectors: "WordVectors", first: Any, normalizer: Any, progress: Progress) -> _Cutter:
    if isinstance(first, LongText) and not first.tokenized:
        first = ""
    if not isinstance(first, str):
        if normalizer is not None:
            raise ParameterError(Given("normalizer"), " is for texts, and these are lists of words: omit it")
        return _ListCutter()
    from ..corpus import Normalizer
    from ..corpus.normalizer import TextCutter

    if normalizer is None:
        return TextCutter(normalizer_of(vectors.normalisation, vectors.words, progress))
    return TextCutter(instance("normalizer", normalizer, Normalizer, "such as Normalizer(numbers='keep')"))


class _Encoder:
    """Computes means batch by batch, and remembers what was found."""

    def __init__(self, vectors: "WordVectors", rules: SentenceRules, cutter: _Cutter, progress: Progress) -> None:
        self._vectors, self._oov, self._cutter = vectors, rules.oov, cutter
        self._weights = word_weights(rules, len(vectors.words), vectors.counts, progress)
        self._composed: list[npt.NDArray[np.float32]] = []  # their rows are behind those of the matrix
        self._missing: Counter[str] = Counter()
        self._words = self._known = self._made = self._sentences = 0
        self._empty: list[int] = []
        # What each distinct token becomes: rows[first:first + sizes], with −1 for a word without a vector.
        self._rows, self._first, self._sizes = (np.empty(0, np.int64) for _ in range(3))
        self._lacking = np.empty(0, np.bool_)

    def means(self, texts: Sequence[Any]) -> Doubles:
        """Return the weighted mean of the vectors of each text's words."""
        rows, owners = self._rows_of(texts)
        known = rows >= 0
        self._count_texts(np.bincount(owners[known], minlength=len(texts)))
        return self._weighted(rows[known], owners[known], len(texts))

    def long_mean(self, text: LongText) -> Doubles:
        """Return the same for one text, in memory that depends on its distinct words only."""
        times = np.zeros(0, np.int64)  # of each row
        for part in text.parts(self._cutter.separators):
            rows, _ = self._rows_of([part])
            before, times = times, np.bincount(rows[rows >= 0], minlength=len(times))
            times[: len(before)] += before
        self._count_texts(times.sum(keepdims=True))
        used = np.flatnonzero(times)
        vectors, weights = self._vectors_and_weights(used)
        shares = added_up(weights / max(1, times.sum()), times[used])
        return _product(shares, np.zeros_like(used), np.arange(len(used)), vectors, 1)

    def _rows_of(self, texts: Sequence[Any]) -> tuple[Rows, Rows]:
        """Return the row of each word of some texts, −1 where it has none, and the text that it is from."""
        cut = self._cutter.cut(texts)
        self._look_up(self._cutter.words[len(self._sizes) :])
        lengths = self._sizes[cut.types]
        begins = np.cumsum(lengths) - lengths
        rows = self._rows[np.repeat(self._first[cut.types] - begins, lengths) + np.arange(lengths.sum())]
        ends = np.append(np.cumsum(lengths), 0)[cut.ends - 1]  # before the first token there is nothing: 0
        owners = np.repeat(np.arange(len(texts)), np.diff(ends, prepend=0))
        self._count_words(cut.types, rows)
        return rows, owners

    def _look_up(self, new: list[list[str]]) -> None:
        """Find the rows of words of new tokens."""
        words = dict.fromkeys(chain.from_iterable(new))
        index = self._vectors.index
        unseen = [word for word in words if word not in index]
        if unseen and self._oov == "error":
            raise InputError(f"{unseen[0]!r:.80} is not in the vocabulary: set ", Given("oov"), " to skip or compose")
        made: dict[str, int] = {}
        if unseen and self._oov == "compose" and self._vectors.composer:
            for word, vector in zip(unseen, self._vectors.composer.composed(unseen), strict=True):
                if np.any(vector):
                    made[word] = len(self._vectors.words) + len(self._composed)
                    self._composed.append(vector)
        rows = [[index[word] if word in index else made.get(word, -1) for word in each] for each in new]
        sizes = np.array([len(each) for each in rows], np.int64)
        self._rows = np.concatenate((self._rows, np.fromiter(chain.from_iterable(rows), np.int64, int(sizes.sum()))))
        self._sizes = np.concatenate((self._sizes, sizes))
        self._first = np.cumsum(self._sizes) - self._sizes
        self._lacking = np.concatenate((self._lacking, np.array([-1 in each for each in rows], np.bool_)))

    def _count_texts(self, known: Rows) -> None:
        self._known += int(known.sum())
        self._empty += (np.flatnonzero(known == 0) + self._sentences).tolist()
        self._sentences += len(known)

    def _count_words(self, types: Rows, rows: Rows) -> None:
        self._words += len(rows)
        self._made += int(np.sum(rows >= len(self._vectors.words)))
        for number, times in zip(*np.unique(types[self._lacking[types]], return_counts=True), strict=True):
            first = self._first[number]
            for word, row in zip(self._cutter.words[number], self._rows[first:], strict=False):
                if row < 0:
                    self._missing[word] += int(times)

    def _weighted(self, rows: Rows, owners: Rows, texts: int) -> Doubles:
        used, columns = np.unique(rows, return_inverse=True)
        vectors, weights = self._vectors_and_weights(used)
        sizes = np.bincount(owners, minlength=texts)
        return _product(weights[columns] / sizes[owners], owners, columns, vectors, texts)

    def _vectors_and_weights(self, used: Rows) -> tuple[Doubles, Doubles]:
        """Return the vectors and the weights of rows, which are in ascending order."""
        own = used[used < len(self._vectors.words)]
        matrix = self._vectors.matrix[own]
        check_numbers(matrix, lambda row: repr(self._vectors.words[own[row]]))
        vectors = np.concatenate((matrix.astype(np.float64), self._composed_rows(used[len(own) :])))
        # A composed word does not occur in the text that was counted: its p is 0, and its weight 1.
        weights = np.concatenate((self._weights[own], np.ones(len(used) - len(own))))
        return vectors, weights

    def _composed_rows(self, rows: Rows) -> Doubles:
        made = [self._composed[row - len(self._vectors.words)] for row in rows]
        return np.array(made, np.float64).reshape(len(rows), self._vectors.matrix.shape[1])

    @property
    def report(self) -> SentenceReport:
        """What was found so far."""
        return SentenceReport(
            sentences=self._sentences,
            words=self._words,
            composed=self._made,
            unknown=self._words - self._known,
            unknown_words=dict(self._missing.most_common(_NAMED)),
            empty=self._empty,
        )


def _product(shares: Doubles, owners: Rows, columns: Rows, vectors: Doubles, texts: int) -> Doubles:
    """Return the sums of vectors of each text, each vector with its share; equal cells are added up first."""
    from scipy import sparse  # takes a tenth of a second, which other queries need not wait for

    return np.asarray(sparse.csr_array((shares, (owners, columns)), shape=(texts, len(vectors))) @ vectors)
