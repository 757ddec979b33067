"""Vectors that come from other vectors: fewer words, fewer dimensions, fewer bytes, other names, two sets in one."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from ..composition import Composer
from ..errors import Given, InputError, ParameterError, UnknownWordError
from ..progress import ProgressLike, resolved
from ..storage.arguments import check_whole
from .arguments import strings, vector_from
from .encodings import chosen_rows, encode, encoding_of
from .principal_axes import principal_axes
from .row_blocks import row_blocks
from .store import StoredVectors
from .unit_vectors import unit_vectors

T = TypeVar("T")
Unknown = Literal["raise", "skip", "zero", "compose"]


def check_unknown(unknown: str, *, allowed: Sequence[str] = get_args(Unknown)) -> str:
    """Return what to do with words that have no vector."""
    if unknown not in allowed:
        raise ParameterError(Given("unknown", unknown), f": it must be one of {', '.join(allowed)}")
    return unknown


class DerivedVectors(StoredVectors):
    """What `lexvec.WordVectors` derives from itself. Rows are shared with the original where nothing has to change."""

    def _derived(self, words: Sequence[str], matrix: Any, counts: Any, composer: Composer | None) -> Self:
        return type(self)(words, matrix, counts=counts, normalisation=self.normalisation, composer=composer)

    def _chosen(self, rows: npt.NDArray[np.intp]) -> Self:
        counts = None if self.counts is None else self.counts[rows]
        words = [self.words[row] for row in rows.tolist()]
        return self._derived(words, chosen_rows(self.matrix, rows), counts, self.composer)

    def _row(self, word: str) -> int:
        if word not in self.index:
            raise UnknownWordError(word, self.index)
        return self.index[word]

    @property
    def encoding(self) -> str:
        """How the rows are stored, which is ``"float32"`` or a name in `lexvec.vectors.ENCODINGS`."""
        return encoding_of(self.matrix)

    def get(self, word: str, default: T | None = None) -> npt.NDArray[np.float32] | T | None:
        """Return the vector of a word, or ``default`` if it has none.

        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["cat", "dog"], np.eye(2))
        >>> vectors.get("dog").tolist(), vectors.get("cow")
        ([0.0, 1.0], None)
        """
        try:
            return self[word]
        except UnknownWordError:
            return default

    def lookup(self, words: Sequence[str], *, unknown: Unknown = "raise") -> npt.NDArray[np.float32]:
        """Return the vectors of words as rows of one array.

        ``unknown`` decides about words without a row: do as ``vectors[words]`` does (``"raise"``), ``"skip"`` them,
        give them a ``"zero"`` vector, or ``"compose"`` one from n-grams (zeros if that is impossible).

        >>> from lexvec import WordVectors
        >>> WordVectors(["cat", "dog"], np.eye(2)).lookup(["dog", "cow"], unknown="zero").tolist()
        [[0.0, 1.0], [0.0, 0.0]]
        """
        given = strings("words", words)
        check_unknown(unknown)
        known = [word in self.index for word in given]
        if all(known) or unknown == "raise":
            return self[given]
        some = self.lookup([word for word, is_known in zip(given, known, strict=True) if is_known])
        if unknown == "skip":
            return some
        rows = np.zeros((len(given), self.dim), np.float32)
        rows[known] = some
        others = [word for word, is_known in zip(given, known, strict=True) if not is_known]
        if unknown == "compose":
            if self.composer is None:
                raise ParameterError(
                    Given("unknown", unknown),
                    ": these vectors have no n-grams to compose others from; use zero or skip",
                )
            rows[~np.array(known)] = self.composer.composed(others)
        return rows

    def mean(self, words: Sequence[str], weights: Sequence[float] | None = None) -> npt.NDArray[np.float64]:
        """Return the mean of the vectors of words, each scaled to length 1, with weights if they are given.

        >>> from lexvec import WordVectors
        >>> WordVectors(["cat", "dog"], np.eye(2)).mean(["cat", "dog"], weights=[3, 1]).tolist()
        [0.75, 0.25]
        """
        rows = self.lookup(words)
        if not len(rows):
            raise ParameterError("words is empty: give at least one word")
        given = check_weights(weights, len(rows))
        if not given.sum():
            raise ParameterError(Given("weights", weights), ": their sum is 0; give others")
        units: npt.NDArray[np.float64] = given @ unit_vectors(rows) / given.sum()
        return units

    def subset(self, words: Sequence[str], *, unknown: Literal["raise", "skip"] = "raise") -> Self:
        """Return vectors of these words only, in this order; ``unknown`` is ``"raise"`` or ``"skip"``.

        >>> from lexvec import WordVectors
        >>> WordVectors(["cat", "dog", "cow"], np.eye(3)).subset(["cow", "cat"])
        <WordVectors: 2 words × 3 dimensions: 'cow', 'cat'>
        """
        check_unknown(unknown, allowed=("raise", "skip"))
        rows = []
        for word in dict.fromkeys(strings("words", words)):
            if word in self.index or unknown == "raise":
                rows.append(self._row(word))
        return self._chosen(np.array(rows, np.intp))

    def limit(self, count: int) -> Self:
        """Return the most frequent words; without counts, the first ones, since files begin with frequent words.

        >>> from lexvec import WordVectors
        >>> WordVectors(["cat", "dog"], np.eye(2), counts=np.array([1, 2])).limit(1)
        <WordVectors: 1 words × 2 dimensions: 'dog'>
        """
        wanted = check_whole(count, "count", 1)
        if self.counts is None:
            return self._chosen(np.arange(min(wanted, len(self.words))))
        return self._chosen(np.sort(np.argsort(-self.counts, kind="stable")[:wanted]))

    def merge(self, other: "DerivedVectors") -> Self:
        """Return the words of both, after each other; a word of both keeps this vector. Only aligned spaces fit.

        >>> from lexvec import WordVectors
        >>> WordVectors(["cat"], [[1, 0]]).merge(WordVectors(["cat", "dog"], [[5, 5], [0, 1]]))
        <WordVectors: 2 words × 2 dimensions: 'cat', 'dog'>
        """
        if not isinstance(other, DerivedVectors):
            raise ParameterError(Given("other", other), ": it must be WordVectors; load them with WordVectors.load")
        if self.dim != other.dim:
            raise ParameterError(
                f"vectors of {self.dim} and of {other.dim} dimensions cannot be merged: reduce the longer ones"
            )
        new = np.array([row for word, row in other.index.items() if word not in self.index], np.intp)
        counts = None
        if self.counts is not None and other.counts is not None:
            counts = np.concatenate([self.counts, other.counts[new]])
        matrix = np.concatenate([np.asarray(self.matrix), other.matrix[new]])
        return self._derived([*self.words, *(other.words[row] for row in new.tolist())], matrix, counts, self.composer)

    def rename(self, names: Mapping[str, str] | Callable[[str], str]) -> Self:
        """Return the same vectors under other words: a mapping from old to new ones, or a function such as str.lower.

        >>> from lexvec import WordVectors
        >>> WordVectors(["cat", "dog"], np.eye(2)).rename({"cat": "Katze"}).words
        ['Katze', 'dog']
        """
        if isinstance(names, Mapping):
            for word in names:
                if word not in self.index:
                    raise UnknownWordError(word, self.index)
            renamed = [names.get(word, word) for word in self.words]
        elif callable(names):
            renamed = [names(word) for word in self.words]
        else:
            raise ParameterError(Given("names", names), ": it must be a mapping from words to words, or a function")
        return self._derived(renamed, self.matrix, self.counts, self.composer)

    def reduced(self, dim: int) -> Self:
        """Return vectors with fewer dimensions, along the axes on which the unit vectors vary most (PCA).

        The mean is not subtracted, so cosines stay as close as possible. Vectors of other words can no longer be
        composed.

        >>> from lexvec import WordVectors
        >>> WordVectors(["cat", "dog", "cow"], [[1, 0, 0], [0, 2, 0], [1, 1, 0]]).reduced(2)
        <WordVectors: 3 words × 2 dimensions: 'cat', 'dog', 'cow'>
        """
        wanted, have = check_whole(dim, "dim", 1), self.dim
        if wanted > have:
            raise ParameterError(Given("dim", dim), f": the vectors have {have} dimensions; give at most as many")
        if not self.words:
            raise InputError("there are no vectors to reduce: give at least one word")
        axes = principal_axes(self.matrix)[:, :wanted]
        matrix = np.empty((len(self.words), wanted), np.float32)
        for start, rows in row_blocks(self.matrix):
            matrix[start : start + len(rows)] = rows.astype(np.float64) @ axes
        return self._derived(self.words, matrix, self.counts, None)

    def encoded(self, encoding: str, *, size: int | None = None, progress: ProgressLike = None) -> Self:
        """Return the same vectors in another encoding: a name in `lexvec.vectors.ENCODINGS`, or ``"float32"``.

        ``size`` is the number of bytes per word with ``"pq"`` (default: a sixth of the dimensions). Rows are decoded
        when they are used, some at a time; a saved folder holds the codes.

        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["cat", "dog"], np.array([[3, 4], [1, 2]]))
        >>> small = vectors.encoded("int8")
        >>> small.encoding, small["cat"].round(1).tolist()
        ('int8', [3.0, 4.0])
        """
        reported = resolved(progress, __name__)
        wanted = None if size is None else check_whole(size, "size", 1)
        matrix = encode(self.matrix, encoding, self.words, size=wanted, progress=reported)
        return self._derived(self.words, matrix, self.counts, self.composer)


def check_weights(weights: Any, count: int) -> npt.NDArray[np.float64]:
    """Return a weight per term; 1 for each if none are given."""
    if weights is None:
        return np.ones(count)
    found = vector_from(weights)
    if found is None or found.shape != (count,) or not np.isfinite(found).all():
        raise ParameterError(Given("weights", weights), f": give one finite number for each of {count} terms")
    return found
