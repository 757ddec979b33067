"""A mapping from words to vectors, with exact search for neighbours and analogies."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from ..composition import Composer
from ..errors import Given, InputError, ParameterError
from ..presentation import cards
from ..progress import ProgressLike, resolved
from ..storage.arguments import check_flag
from . import search
from .analogies import RowNumbers
from .arguments import checked_list, counts_from, matrix_from, normalisation_from, shown, strings
from .conversions import Conversions
from .derived import Unknown, check_unknown, check_weights
from .exported_page import ExportedPage
from .formats import Combine, read, write
from .found_words import FoundWords, Term, unit_terms
from .partial_batches import partial_similarities
from .plane import Plane, plane
from .row_blocks import check_numbers, row_blocks
from .searched import Found, SearchedVectors
from .unit_vectors import Doubles, cosines_of, norms_of, unit_vectors

Method = Literal["add", "mul"]

_SHOWN = 5  # words in a repr, and dimensions in a notebook
_PAIRS = 4096  # pairs whose vectors are gathered at once
_QUESTIONS = 1024  # analogies whose vectors are gathered at once


class WordVectors(SearchedVectors, Conversions):
    """Words and a matrix with one row per word. A float32 array is used without a copy, memory-mapped or not.

    ``words`` is the list of words, ``index`` maps each word to its row, and ``matrix`` holds the rows (if they are
    encoded, ``matrix[4:9]`` and ``matrix[[1, 5]]`` decode rows, and ``numpy.asarray`` all). ``len``, ``in`` and
    iteration refer to the words. A zero vector has the cosine 0 with everything. A row with NaN or infinity is
    refused when it is first used. ``counts``, ``normalisation`` and ``composer`` hold what the source of the vectors
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
        rows = read(path, format=format, combine=combine, limit=limit, progress=reported)
        return cls(
            rows.words, rows.matrix, counts=rows.counts, normalisation=rows.normalisation, composer=rows.composer
        )

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

    @property
    def dim(self) -> int:
        """Number of dimensions of the vectors."""
        return int(self.matrix.shape[1])

    @cached_property
    def norms(self) -> npt.NDArray[np.float64]:
        """The length of each row, or 1 for a zero vector; computed by the first search."""
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

        >>> WordVectors(["cat", "dog"], np.eye(2)).composed(["cats"]).tolist()
        [[0.0, 0.0]]
        """
        given = strings("words", words)
        if self.composer is None or not given:
            return np.zeros((len(given), self.dim), np.float32)
        rows = self.composer.composed(given)
        check_numbers(rows, lambda row: repr(given[row]))
        return rows

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
        found, numbers = self._numbers_of("pairs", pairs, 2, "two words")
        cosines = np.empty(len(numbers))
        for start in range(0, len(numbers), _PAIRS):
            some = numbers[start : start + _PAIRS]
            cosines[start : start + _PAIRS] = cosines_of(found.unit_rows(some[:, 0]), found.unit_rows(some[:, 1]))
        return cosines

    def _numbers_of(
        self, name: str, groups: Iterable[Sequence[str]], size: int, wanted: str
    ) -> tuple[FoundWords, RowNumbers]:
        """Return the numbers of the words in groups, all of one size."""
        lists = checked_list(name, groups, Sequence, f"a list of {wanted} each")  # type: ignore[type-abstract]
        for words in lists:
            if isinstance(words, str) or len(words) != size:
                raise ParameterError(Given(name), f" has {shown(words)} in it: give {wanted} each")
        found = FoundWords(self, (word for words in lists for word in words))
        return found, np.array([[found.number(word) for word in words] for words in lists], np.int64).reshape(-1, size)

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
        words, numbers = self._numbers_of("questions", questions, 3, "three words (a is to b as c is to …)")
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
        # The explorer is built on top of this class, so it is loaded by name when it is asked for.
        page: ExportedPage = import_module("lexvec.explorer").explored(self, words=words)
        return page

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
