"""The vectors of words: what users call."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, get_args

import numpy as np
import numpy.typing as npt

from ..composition import Composer
from ..errors import Given, InputError, ParameterError, UnknownWordError
from ..parameters import check_flag, check_whole
from ..presentation import cards
from ..progress import ProgressLike, resolved
from ..registry import Registry
from ..trained import normalisation_from
from . import search
from .analogies import RowNumbers
from .arguments import Unknown, check_unknown, check_weights, counts_from, matrix_from, strings
from .encodings import EncodedMatrix, chosen_rows, encode, encoding_of
from .exported_page import ExportedPage
from .formats import Combine, LabelledRows, read, write
from .formats.exports import keyed_vectors
from .formats.model2vec import DTYPES, write_model2vec
from .formats.parquet import arrow_table
from .found_words import FoundWords, Term, numbered_groups, partial_similarities, unit_terms
from .geometry import (
    Doubles,
    Plane,
    check_numbers,
    cosines_of,
    norms_of,
    plane,
    principal_axes,
    row_blocks,
    unit_vectors,
)
from .sentence_rules import SentenceRules
from .sentences import encode as encode_sentences

if TYPE_CHECKING:
    from ..corpus import Normalizer


#: What makes the page of `WordVectors.explore`. A room above adds itself through an entry point.
PAGES: Registry[Callable[..., ExportedPage]] = Registry("page")

_SHOWN = 5  # words in a repr, and dimensions in a notebook

T = TypeVar("T")
Found = list[tuple[str, float]]
Method = Literal["add", "mul"]
_QUESTIONS = 1024  # analogies whose vectors are gathered at once
_PAIRS = 4096  # pairs whose vectors are gathered at once


class WordVectors:
    """Words and a matrix with one row per word. A float32 array is used without a copy, memory-mapped or not.

    ``words`` is the list of words, ``index`` maps each word to its row, and ``matrix`` holds the rows (if they are
    encoded, ``matrix[4]``, ``matrix[4:9]`` and ``matrix[[1, 5]]`` decode rows, and ``numpy.asarray`` all). ``len``,
    ``in`` and iteration refer to the words. A zero vector has the cosine 0 with everything. A row with NaN or infinity
    is refused when it is first used. ``counts``, ``normalisation`` and ``composer`` hold what the source of the vectors
    knows besides, or None: how often each word occurs, how the text was normalised, and what composes vectors of other
    words from their n-grams. With a composer, queries take any word that has an n-gram; ``in`` and searches still refer
    to the words with a row.

    >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0.1], [1, 0], [0, 1]]))
    >>> vectors.most_similar("cat", count=1)[0][0]
    'dog'
    >>> vectors
    <WordVectors: 3 words × 2 dimensions: 'cat', 'dog', 'car'>
    """

    def __init__(
        self,
        words: Sequence[str],
        matrix: npt.ArrayLike,
        *,
        counts: npt.ArrayLike | None = None,
        normalisation: Mapping[str, Any] | None = None,
        composer: Composer | None = None,
    ) -> None:
        self.words = strings("words", words)
        self.matrix = matrix_from("matrix", matrix)
        if len(self.words) != len(self.matrix):
            raise InputError(f"{len(self.words)} words but {len(self.matrix)} vectors: give one vector per word")
        self.index = {word: row for row, word in enumerate(self.words)}
        if len(self.index) != len(self.words):
            double = next(word for row, word in enumerate(self.words) if self.index[word] != row)
            raise InputError(f"the word {double!r} occurs twice: leave one out")
        self.counts = counts_from(counts, len(self.words))
        self.normalisation = normalisation_from(normalisation)
        self.composer = composer

    @property
    def dim(self) -> int:
        """Number of dimensions of the vectors."""
        return int(self.matrix.shape[1])

    @cached_property
    def norms(self) -> npt.NDArray[np.float64]:
        """The length of each row, or 1 for a zero vector; computed by the first search, or read if a folder has it."""
        stored = self.matrix.norms() if isinstance(self.matrix, EncodedMatrix) else None
        if stored is not None:
            return np.where(stored > 0, stored, 1).astype(np.float64)
        norms = np.empty(len(self))
        for start, rows in row_blocks(self.matrix):
            self._check(rows, range(start, start + len(rows)))
            norms[start : start + len(rows)] = norms_of(rows)
        norms[norms == 0] = 1
        return norms

    def _check(self, rows: npt.NDArray[np.float32], places: Sequence[int] | RowNumbers) -> None:
        check_numbers(rows, lambda row: repr(self.words[places[row]]))

    def unit_rows(self, rows: RowNumbers | slice) -> Doubles:
        """Return rows of the matrix, by number, as unit vectors in double precision.

        >>> from lexvec import WordVectors
        >>> WordVectors(["cat", "dog"], np.array([[3, 4], [0, 2]])).unit_rows(np.array([0])).tolist()
        [[0.6, 0.8]]
        """
        try:
            chosen = self.matrix[rows]
            places = range(len(self))[rows] if isinstance(rows, slice) else rows
        except (IndexError, TypeError, ValueError) as error:
            raise ParameterError(
                Given("rows", rows), f": it must be row numbers below {len(self):,}, or a slice"
            ) from error
        self._check(chosen, places)
        return unit_vectors(chosen)

    def __sklearn_clone__(self) -> Self:
        return self  # a clone of an estimator must not copy a matrix

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word in self.index

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __getitem__(self, words: str | Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a copy of the vector of a word, or of the vectors of several words as rows.

        A word without a row gets a vector from ``composer``; one that has no n-gram is an `UnknownWordError`.

        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["cat", "dog"], np.eye(2))
        >>> vectors["dog"].tolist(), vectors[["dog", "cat"]].shape
        ([0.0, 1.0], (2, 2))
        """
        given = [words] if isinstance(words, str) else strings("words", words)
        found = FoundWords(self, given)
        rows = found.rows(np.array([found.number(word) for word in given], np.int64))
        return rows[0] if isinstance(words, str) else rows

    def composed(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return a vector composed from n-grams for each word; zeros where a word has none, or without a composer.

        >>> from lexvec import WordVectors
        >>> WordVectors(["cat", "dog"], np.eye(2)).composed(["cats"]).tolist()
        [[0.0, 0.0]]
        """
        given = strings("words", words)
        if self.composer is None or not given:
            return np.zeros((len(given), self.dim), np.float32)
        rows = self.composer.composed(given)
        check_numbers(rows, lambda row: repr(given[row]))
        return rows

    def _repr_html_(self) -> str:
        more = ["…"] if self.dim > _SHOWN else []
        rows = [
            [word, *(f"{value:.3f}" for value in row[:_SHOWN].tolist()), *more]
            for word, row in zip(self.words[:_SHOWN], self.matrix[:_SHOWN], strict=True)
        ]
        heads = ["word", *(str(place) for place in range(min(self.dim, _SHOWN))), *more]
        rest = [cards.paragraph(f"and {len(self) - _SHOWN:,} more words")] if len(self) > _SHOWN else []
        heading = f"WordVectors: {len(self):,} words × {self.dim} dimensions"
        return cards.card(heading, cards.columns(heads, rows), *rest)

    def __repr__(self) -> str:
        words = ", ".join(map(repr, self.words[:_SHOWN])) + (", …" if len(self) > _SHOWN else "")
        return f"<WordVectors: {len(self):,} words × {self.dim} dimensions{': ' if words else ''}{words}>"

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,  # noqa: A002 (the word users know)
        combine: Combine = "word",
        limit: int | None = None,
        progress: ProgressLike = None,
    ) -> Self:
        """Read a file or folder in one of `lexvec.vectors.FORMATS`, recognised by its content or named by ``format``.

        ``combine`` chooses what to take from a trained model (W, C, or W + C). ``limit`` keeps only the first words.
        Folders are memory-mapped.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     WordVectors(["cat", "dog"], np.eye(2)).save(f"{folder}/vectors.txt.gz")
        ...     WordVectors.load(f"{folder}/vectors.txt.gz", limit=1)
        <WordVectors: 1 words × 2 dimensions: 'cat'>
        """
        reported = resolved(progress, __name__)
        return cls.of_rows(read(path, format=format, combine=combine, limit=limit, progress=reported))

    @classmethod
    def of_rows(cls, rows: LabelledRows) -> Self:
        """Return the vectors that a file format has read, or that a trained model has.

        >>> from lexvec.vectors import LabelledRows
        >>> WordVectors.of_rows(LabelledRows(["cat", "dog"], np.eye(2, dtype=np.float32)))
        <WordVectors: 2 words × 2 dimensions: 'cat', 'dog'>
        """
        words, matrix, counts, normalisation, composer = rows
        return cls(words, matrix, counts=counts, normalisation=normalisation, composer=composer)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,  # noqa: A002
        force: bool = False,
        progress: ProgressLike = None,
    ) -> None:
        r"""Write in one of `lexvec.vectors.FORMATS`, chosen by the name or by ``format``; complete, or nothing at all.

        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     WordVectors(["cat", "dog"], np.eye(2)).save(f"{folder}/vectors.txt")
        ...     pathlib.Path(folder, "vectors.txt").read_text()
        '2 2\ncat 1.0 0.0\ndog 0.0 1.0\n'
        """
        reported = resolved(progress, __name__)
        write(path, self._labelled(), format=format, force=check_flag(force, "force"), progress=reported)

    def similarity(self, one: str, other: str) -> float:
        """Return the cosine of two words.

        >>> WordVectors(["cat", "dog"], np.array([[1, 0], [1, 1]])).similarity("cat", "dog")
        0.7071067811865475
        """
        return float(self.similarities([tuple(strings("one, other", (one, other)))])[0])  # type: ignore[list-item]

    def similarities(self, pairs: Iterable[tuple[str, str]], *, unknown: Unknown = "raise") -> npt.NDArray[np.float64]:
        """Return the cosine of each pair of words.

        ``unknown`` decides about pairs with a word that has no row: ``"raise"`` an error, or give the pair NaN
        (``"skip"``), 0 (``"zero"``), or the cosine of composed vectors (``"compose"``).

        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [0, 1]]))
        >>> vectors.similarities([("cat", "dog"), ("cat", "car")]).round(3).tolist()
        [0.707, 0.0]
        """
        if check_unknown(unknown) != "raise":
            return partial_similarities(self, list(pairs), unknown)
        found, numbers = numbered_groups(self, "pairs", pairs, 2, "two words")
        cosines = np.empty(len(numbers))
        for start in range(0, len(numbers), _PAIRS):
            some = numbers[start : start + _PAIRS]
            cosines[start : start + _PAIRS] = cosines_of(found.unit_rows(some[:, 0]), found.unit_rows(some[:, 1]))
        return cosines

    def doesnt_match(self, words: Sequence[str]) -> str:
        """Return the word whose cosine with the mean of all is the smallest.

        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0.1], [1, 0], [0, 1]]))
        >>> vectors.doesnt_match(["cat", "dog", "car"])
        'car'
        """
        words = strings("words", words)
        if not words:
            raise ParameterError("words is empty: give at least one word")
        units = unit_vectors(self[words])
        return words[int(np.argmin(cosines_of(units, units.mean(axis=0))))]

    def plane(self, words: Sequence[str]) -> Plane:
        """Return where words lie on the plane of the two directions in which they differ most.

        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [0, 1]]))
        >>> points, share = vectors.plane(["cat", "dog", "car"])
        >>> points.shape, round(share, 3)
        ((3, 2), 1.0)
        """
        return plane(self[strings("words", words)])

    def explore(self, *, words: int = 5_000) -> ExportedPage:
        """Return a page with a map and the neighbours of the first ``words`` words; a notebook shows it in a frame.

        The map keeps neighbours together if umap-learn is installed (``pip install 'lexvec[explore]'``).

        >>> WordVectors(["cat", "dog", "car"], np.eye(3)).explore()
        <ExportedPage: 3 words, 0.1 MB; write it with save(path)>
        """
        return PAGES["explorer"](self, words=words)

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

    def merge(self, other: "WordVectors") -> Self:
        """Return the words of both, after each other; a word of both keeps this vector. Only aligned spaces fit.

        >>> from lexvec import WordVectors
        >>> WordVectors(["cat"], [[1, 0]]).merge(WordVectors(["cat", "dog"], [[5, 5], [0, 1]]))
        <WordVectors: 2 words × 2 dimensions: 'cat', 'dog'>
        """
        if not isinstance(other, WordVectors):
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
        axes = principal_axes(self.matrix)[:wanted].T
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

    def most_similar(
        self,
        positive: Term | Sequence[Term],
        negative: Term | Sequence[Term] = (),
        *,
        count: int = 10,
        weights: Sequence[float] | None = None,
        candidates: Sequence[str] | None = None,
    ) -> Found:
        """Return the words with the largest cosines to the sum of the positive terms minus the negative ones.

        A term is a word, which is left out of the result, or a vector. Each is scaled to length 1 first, and then
        multiplied by its weight: ``weights`` has one for each positive term and then for each negative one.
        ``candidates`` are the words to search among (default: all).

        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [0, 1]]))
        >>> [word for word, cosine in vectors.most_similar(["cat", "car"])]
        ['dog']
        >>> vectors.most_similar(np.array([0.0, 2.0]), count=1)
        [('car', 1.0)]
        """
        plus, minus = unit_terms(self, "positive", positive), unit_terms(self, "negative", negative)
        if not plus and not minus:
            raise ParameterError("positive and negative are empty: give at least one word or vector")
        weighted = check_weights(weights, len(plus) + len(minus)) * np.repeat([1, -1], [len(plus), len(minus)])
        total = sum((weight * vector for weight, (_, vector) in zip(weighted, plus + minus, strict=True)),
                    np.zeros(self.dim))  # fmt: skip
        own = [row for row, _ in plus + minus if row is not None]
        return self._search(total[None, None], search.cosine_score, count, [own], candidates)[0]

    def neighbors(
        self,
        terms: Sequence[Term],
        *,
        count: int = 10,
        candidates: Sequence[str] | None = None,
        unknown: Literal["raise", "skip"] = "raise",
    ) -> list[Found]:
        """Return `most_similar` of each word or vector, all in one pass over the matrix.

        With ``unknown="skip"`` the list of an unknown word is empty. `nearest` returns arrays.

        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [0, 1]]))
        >>> [[word for word, cosine in found] for found in vectors.neighbors(["cat", "car"], count=1)]
        [['dog'], ['dog']]
        """
        if isinstance(terms, str):
            raise ParameterError(Given("terms", terms), ": it must be a list of words or vectors")
        if check_unknown(unknown, allowed=("raise", "skip")) == "skip":
            known = [not isinstance(term, str) or term in self for term in terms]
            asked = iter(self.neighbors([t for t, k in zip(terms, known, strict=True) if k], count=count,
                                        candidates=candidates))  # fmt: skip
            return [next(asked) if is_known else [] for is_known in known]
        return [self._named(best) for best in self._nearest(terms, count, candidates)]

    def analogy(
        self,
        a: str,
        b: str,
        c: str,
        *,
        method: Method = "add",
        count: int = 10,
        candidates: Sequence[str] | None = None,
    ) -> Found:
        """Answer "a is to b as c is to which word?" by 3CosAdd or 3CosMul, leaving out a, b and c themselves.

        >>> from lexvec import WordVectors
        >>> words = ["man", "king", "woman", "queen", "car"]
        >>> rows = np.array([[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1], [1, 1, 0]])
        >>> WordVectors(words, rows).analogy("man", "king", "woman", method="mul", count=1)[0][0]
        'queen'
        """
        return self.analogies([(a, b, c)], method=method, count=count, candidates=candidates)[0]

    def analogies(
        self,
        questions: Iterable[tuple[str, str, str]],
        *,
        method: Method = "add",
        count: int = 10,
        candidates: Sequence[str] | None = None,
    ) -> list[Found]:
        """Answer each question (a, b, c) as `analogy` does, many in one pass over the matrix."""
        if method not in get_args(Method):
            raise ParameterError(Given("method", method), f": it must be one of {', '.join(get_args(Method))}")
        words, numbers = numbered_groups(self, "questions", questions, 3, "three words (a is to b as c is to …)")
        found: list[Found] = []
        for start in range(0, len(numbers), _QUESTIONS):
            found += self._answers(words, numbers[start : start + _QUESTIONS], method, count, candidates)
        return found

    def _answers(
        self, words: FoundWords, numbers: RowNumbers, method: Method, count: int, candidates: Sequence[str] | None
    ) -> list[Found]:
        used, inverse = np.unique(numbers, return_inverse=True)
        a, b, c = words.unit_rows(used)[inverse.reshape(-1, 3)].transpose(1, 0, 2)
        if method == "add":
            return self._search((b - a + c)[:, None], search.cosine_score, count, numbers.tolist(), candidates)
        return self._search(np.stack([b, c, a], axis=1), search.cosmul_score, count, numbers.tolist(), candidates)

    def nearest(
        self, terms: Sequence[Term], *, count: int = 10, candidates: Sequence[str] | None = None
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        """Return the row numbers and the cosines of `neighbors` as two arrays with a row per term.

        Arrays have ``count`` columns, but never more than there are words. Rows with fewer words to find end with −1
        and NaN.

        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [0, 1]]))
        >>> rows, cosines = vectors.nearest(["cat", "car"], count=1)
        >>> rows.tolist(), cosines.round(3).tolist()
        ([[1], [1]], [[0.707], [0.707]])
        """
        found = self._nearest(terms, count, candidates)
        width = min(count, len(self))
        rows, cosines = np.full((len(found), width), -1, np.int64), np.full((len(found), width), np.nan)
        for query, best in enumerate(found):
            rows[query, : len(best.rows)], cosines[query, : len(best.rows)] = best.rows, best.scores
        return rows, cosines

    def _nearest(self, terms: Sequence[Term], count: int, candidates: Sequence[str] | None) -> list[search.Best]:
        found = unit_terms(self, "terms", terms)
        queries = np.array([vector for _, vector in found]).reshape(-1, 1, self.dim)
        own = [[] if row is None else [row] for row, _ in found]
        return self._best(queries, search.cosine_score, count, own, candidates)

    def _search(
        self,
        queries: npt.NDArray[np.float64],
        score: search.Score,
        count: int,
        excluded: list[list[int]],
        candidates: Sequence[str] | None = None,
    ) -> list[Found]:
        return [self._named(best) for best in self._best(queries, score, count, excluded, candidates)]

    @cached_property
    def _lengths(self) -> search.Lengths:
        return search.Lengths(self.norms)

    def _best(
        self,
        queries: npt.NDArray[np.float64],
        score: search.Score,
        count: int,
        excluded: list[list[int]],
        candidates: Sequence[str] | None,
    ) -> list[search.Best]:
        wanted = check_whole(count, "count", 1)
        number, terms, dim = queries.shape
        units = unit_vectors(queries.reshape(-1, dim)).reshape(number, terms, dim)
        excluded = [[row for row in rows if row < len(self.words)] for rows in excluded]  # composed words have none
        if candidates is None:
            return search.nearest(self.matrix, self._lengths, units, score, wanted, excluded)
        # In the order of the rows, since of equal scores the lower row comes first.
        chosen = np.unique(np.array([self._row(word) for word in strings("candidates", candidates)], np.intp))
        place = {row: at for at, row in enumerate(chosen.tolist())}
        inside = [[place[row] for row in rows if row in place] for rows in excluded]
        found = search.nearest(self.matrix[chosen], search.Lengths(self.norms[chosen]), units, score, wanted, inside)
        return [search.Best(chosen[best.rows], best.scores) for best in found]

    def _named(self, best: search.Best) -> Found:
        return [(self.words[row], value) for row, value in zip(best.rows.tolist(), best.scores.tolist(), strict=True)]

    def sentences(
        self,
        texts: Iterable[str] | Iterable[Sequence[str]],
        *,
        normalizer: "Normalizer | None" = None,
        progress: ProgressLike = None,
        **rules: Any,
    ) -> npt.NDArray[np.float32]:
        """Return a vector per text: the weighted mean of the vectors of its words.

        Texts are normalised as the text that the vectors were trained on, or by ``normalizer``; lists of words are
        looked up as they are. The ``rules`` are ``weights`` ("sif" or "mean"), ``a``, ``remove_component``,
        ``normalize`` and ``oov``: see `lexvec.vectors.SentenceRules`. Out-of-vocabulary words are reported. A text
        without any known word has a vector of zeros, which is reported as a warning.

        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["the", "cat", "car"], np.eye(3), counts=[900, 50, 50])
        >>> vectors.sentences(["The cat!", "the car"]).astype(float).round(2).tolist()
        [[0.06, 1.0, 0.0], [0.06, 0.0, 1.0]]
        >>> vectors.sentences([["cat", "car"]], weights="mean", normalize=False).tolist()
        [[0.0, 0.5, 0.5]]
        """
        reported = resolved(progress, __name__)
        return encode_sentences(self, texts, SentenceRules.of(rules), normalizer=normalizer, progress=reported).matrix

    def to_gensim(self) -> Any:
        """Return gensim's ``KeyedVectors``, with counts as the attribute ``count``; the matrix is shared.

        >>> from lexvec import WordVectors
        >>> keyed = WordVectors(["cat", "dog"], np.eye(2), counts=[7, 3]).to_gensim()
        >>> keyed["dog"].tolist(), int(keyed.get_vecattr("dog", "count"))
        ([0.0, 1.0], 3)
        """
        return keyed_vectors(self._labelled())

    def to_arrow(self) -> Any:
        """Return a ``pyarrow.Table`` with the columns ``word``, ``vector`` and, if known, ``count``.

        >>> from lexvec import WordVectors
        >>> WordVectors(["cat", "dog"], np.eye(2), counts=[7, 3]).to_arrow().column_names
        ['word', 'vector', 'count']
        """
        return arrow_table(self._labelled())

    def save_model2vec(
        self,
        path: str | os.PathLike[str],
        *,
        weights: str = "sif",
        a: float = 1e-3,
        component_of: Iterable[str] | Iterable[Sequence[str]] | None = None,
        dtype: str = "float32",
        force: bool = False,
        progress: ProgressLike = None,
    ) -> None:
        """Write a folder that model2vec and sentence-transformers open; both then give our vectors of sentences.

        ``weights`` and ``a`` are those of `sentences`, and ``dtype`` is float32 or float16. ``component_of`` are texts
        whose first component is subtracted from all vectors of sentences, as `lexvec.SentenceEncoder` does that was
        fitted to them with ``remove_component``. ``lexvec convert --format model2vec`` does the same.

        >>> import tempfile
        >>> from lexvec import WordVectors
        >>> vectors = WordVectors(["cat", "dog"], np.eye(2), counts=[7, 3])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     vectors.save_model2vec(f"{folder}/static", weights="mean")
        """
        if dtype not in DTYPES:
            raise ParameterError(Given("dtype", dtype), f": it must be one of {', '.join(DTYPES)}")
        rules = SentenceRules(weights=weights, a=a, remove_component=component_of is not None)
        reported = resolved(progress, __name__)
        component = (
            None if component_of is None else encode_sentences(self, component_of, rules, progress=reported).component
        )
        write_model2vec(
            Path(path),
            self._labelled(),
            check_flag(force, "force"),
            reported,
            rules=rules,
            component=component,
            dtype=dtype,
        )

    def _labelled(self) -> LabelledRows:
        return LabelledRows(self.words, self.matrix, self.counts, self.normalisation, self.composer)
