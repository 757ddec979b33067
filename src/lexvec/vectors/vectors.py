"""A mapping from words to vectors, with exact search for neighbours and analogies."""

import operator
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from ..errors import InputError, ParameterError, UnknownWordError
from ..presentation import cards
from ..progress import ProgressLike, resolved
from . import search
from .formats import Combine, read, write
from .plane import Plane, plane
from .rows import blocks, check_finite

Method = Literal["add", "mul"]
Found = list[tuple[str, float]]
Term = str | npt.NDArray[Any]

_SHOWN = 5  # words in a repr, and dimensions in a notebook
_PAIRS = 4096  # pairs whose vectors are gathered at once
_QUESTIONS = 1024  # the same of analogies


class WordVectors:
    """Words and a matrix with a row for each: a float32 array is used as it is, memory-mapped or not.

    ``words`` is the list of words, ``index`` maps each to its row, ``matrix`` has the rows. ``len``, ``in`` and
    iterating are those of the words. A zero vector has the cosine 0 with everything. A row with NaN or infinity is
    refused as soon as it is used.

    >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0.1], [1, 0], [0, 1]]))
    >>> vectors.most_similar("cat", count=1)[0][0]
    'dog'
    >>> vectors
    <WordVectors: 3 words × 2 dimensions: 'cat', 'dog', 'car'>
    """

    def __init__(self, words: Sequence[str], matrix: npt.ArrayLike) -> None:
        if np.iscomplexobj(matrix):
            raise InputError("the matrix is complex: vectors are made of real numbers")
        with np.errstate(over="ignore"):  # what does not fit becomes infinite, and is refused as that
            self.matrix: npt.NDArray[np.float32] = np.asarray(matrix, np.float32)
        if self.matrix.ndim != 2:
            raise InputError(f"the matrix has shape {self.matrix.shape}: give one row for each word")
        if len(words) != len(self.matrix):
            raise InputError(f"{len(words)} words but {len(self.matrix)} vectors: give one for each")
        self.words = list(words)
        odd = next((word for word in self.words if not isinstance(word, str)), None)
        if odd is not None:
            raise InputError(f"{odd!r} is not a word: words are text")
        self.index = {word: row for row, word in enumerate(self.words)}
        if len(self.index) != len(self.words):
            double = next(word for row, word in enumerate(self.words) if self.index[word] != row)
            raise InputError(f"the word {double!r} is there twice: leave one out")

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
        """Read a file or folder in one of `lexvec.vectors.FORMATS`, told from its content unless ``format`` names it.

        ``combine`` chooses what to take from a trained model (W, C, or W + C); ``limit`` takes the first words only.
        Folders are memory-mapped.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     WordVectors(["cat", "dog"], np.eye(2)).save(f"{folder}/vectors.txt.gz")
        ...     WordVectors.load(f"{folder}/vectors.txt.gz", limit=1)
        <WordVectors: 1 words × 2 dimensions: 'cat'>
        """
        reported = resolved(progress, __name__)
        words, matrix = read(path, format=format, combine=combine, limit=limit, progress=reported)
        return cls(words, matrix)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        format: str | None = None,  # noqa: A002
        force: bool = False,
        progress: ProgressLike = None,
    ) -> None:
        r"""Write in one of `lexvec.vectors.FORMATS`, told from the name unless ``format`` says it; whole, or nothing.

        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     WordVectors(["cat", "dog"], np.eye(2)).save(f"{folder}/vectors.txt")
        ...     pathlib.Path(folder, "vectors.txt").read_text()
        '2 2\ncat 1.0 0.0\ndog 0.0 1.0\n'
        """
        reported = resolved(progress, __name__)
        write(path, self.words, self.matrix, format=format, force=force, progress=reported)

    @property
    def dim(self) -> int:
        """Dimensions of the vectors."""
        return int(self.matrix.shape[1])

    @cached_property
    def norms(self) -> npt.NDArray[np.float64]:
        """The length of each row, but 1 for a zero vector; computed by the first search."""
        norms = np.empty(len(self))
        for start, rows in blocks(self.matrix):
            self._check(rows, range(start, start + len(rows)))
            norms[start : start + len(rows)] = search.norms_of(rows)
        norms[norms == 0] = 1
        return norms

    def _check(self, rows: npt.NDArray[np.float32], places: Sequence[int]) -> None:
        check_finite(rows, lambda row: repr(self.words[places[row]]))

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.index

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __getitem__(self, words: str | Sequence[str]) -> npt.NDArray[np.float32]:
        """The vector of a word, or the vectors of several as rows; a copy.

        >>> vectors = WordVectors(["cat", "dog"], np.eye(2))
        >>> vectors["dog"].tolist(), vectors[["dog", "cat"]].shape
        ([0.0, 1.0], (2, 2))
        """
        places = [self._row(word) for word in ([words] if isinstance(words, str) else words)]
        rows = self.matrix[places]
        self._check(rows, places)
        return rows[0] if isinstance(words, str) else rows

    def _row(self, word: str) -> int:
        row = self.index.get(word)
        if row is None:
            raise UnknownWordError(word, self.index)
        return row

    def similarity(self, one: str, other: str) -> float:
        """The cosine of two words.

        >>> WordVectors(["cat", "dog"], np.array([[1, 0], [1, 1]])).similarity("cat", "dog")
        0.7071067811865475
        """
        return float(self.similarities([(one, other)])[0])

    def similarities(self, pairs: Iterable[tuple[str, str]]) -> npt.NDArray[np.float64]:
        """The cosine of each pair of words.

        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [0, 1]]))
        >>> vectors.similarities([("cat", "dog"), ("cat", "car")]).round(3).tolist()
        [0.707, 0.0]
        """
        pairs = list(pairs)
        cosines = np.empty(len(pairs))
        for start in range(0, len(pairs), _PAIRS):
            some = pairs[start : start + _PAIRS]
            one, other = (search.unit(self[[pair[side] for pair in some]]) for side in (0, 1))
            cosines[start : start + _PAIRS] = (one * other).sum(axis=1)
        return cosines

    def most_similar(
        self, positive: Term | Sequence[Term], negative: Term | Sequence[Term] = (), *, count: int = 10
    ) -> Found:
        """The words with the largest cosines to the sum of the positive terms less the negative ones.

        A term is a word, which is then left out of the result, or a vector; each is brought to length 1 first.

        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [0, 1]]))
        >>> [word for word, cosine in vectors.most_similar(["cat", "car"])]
        ['dog']
        >>> vectors.most_similar(np.array([0.0, 2.0]), count=1)
        [('car', 1.0)]
        """
        plus, minus = self._terms(positive), self._terms(negative)
        if not plus and not minus:
            raise ParameterError("most_similar needs at least one word or vector")
        total = sum((vector for _, vector in plus), np.zeros(self.dim))
        total = total - sum((vector for _, vector in minus), np.zeros(self.dim))
        own = [row for row, _ in plus + minus if row is not None]
        return self._search(total[None, None], search.add, count, [own])[0]

    def neighbors(self, terms: Sequence[Term], *, count: int = 10) -> list[Found]:
        """`most_similar` of each word or vector, all in one pass over the matrix.

        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [0, 1]]))
        >>> [[word for word, cosine in found] for found in vectors.neighbors(["cat", "car"], count=1)]
        [['dog'], ['dog']]
        """
        found = self._terms(terms)
        queries = np.array([vector for _, vector in found]).reshape(-1, 1, self.dim)
        return self._search(queries, search.add, count, [[] if row is None else [row] for row, _ in found])

    def analogy(self, a: str, b: str, c: str, *, method: Method = "add", count: int = 10) -> Found:
        """What is to c as b is to a: by 3CosAdd or 3CosMul (Levy and Goldberg 2014), without a, b and c themselves.

        >>> words = ["man", "king", "woman", "queen", "car"]
        >>> rows = np.array([[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1], [1, 1, 0]])
        >>> WordVectors(words, rows).analogy("man", "king", "woman", method="mul", count=1)[0][0]
        'queen'
        """
        return self.analogies([(a, b, c)], method=method, count=count)[0]

    def analogies(
        self, questions: Iterable[tuple[str, str, str]], *, method: Method = "add", count: int = 10
    ) -> list[Found]:
        """`analogy` of each question (a, b, c), many in one pass over the matrix."""
        if method not in get_args(Method):
            raise ParameterError(f"method={method!r}: it must be one of {', '.join(get_args(Method))}")
        rows = [[self._row(word) for word in question] for question in questions]
        if any(len(question) != 3 for question in rows):
            raise ParameterError("an analogy has three words: a is to b as c is to …")
        found: list[Found] = []
        for start in range(0, len(rows), _QUESTIONS):
            found += self._answers(rows[start : start + _QUESTIONS], method, count)
        return found

    def _answers(self, rows: list[list[int]], method: Method, count: int) -> list[Found]:
        used, inverse = np.unique(np.array(rows), return_inverse=True)
        self._check(self.matrix[used], used.tolist())
        a, b, c = search.unit(self.matrix[used])[inverse.reshape(-1, 3)].transpose(1, 0, 2)
        if method == "add":
            return self._search((b - a + c)[:, None], search.add, count, rows)
        return self._search(np.stack([b, c, a], axis=1), search.multiply, count, rows)

    def doesnt_match(self, words: Sequence[str]) -> str:
        """The word whose cosine with the mean of all is the smallest.

        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0.1], [1, 0], [0, 1]]))
        >>> vectors.doesnt_match(["cat", "dog", "car"])
        'car'
        """
        if not words or isinstance(words, str):
            raise ParameterError("doesnt_match needs a list of words")
        words = list(words)
        vectors = search.unit(self[words])
        return words[int(np.argmin((vectors * vectors.mean(axis=0)).sum(axis=1)))]

    def plane(self, words: Sequence[str]) -> Plane:
        """Where words are on the plane of the two directions in which they differ most, for a picture.

        >>> vectors = WordVectors(["cat", "dog", "car"], np.array([[1, 0], [1, 1], [0, 1]]))
        >>> points, share = vectors.plane(["cat", "dog", "car"])
        >>> points.shape, round(share, 3)
        ((3, 2), 1.0)
        """
        if isinstance(words, str):
            raise ParameterError("plane needs a list of words")
        return plane(self[list(words)])

    def _terms(self, given: Term | Sequence[Term]) -> list[tuple[int | None, npt.NDArray[np.float64]]]:
        """Words and vectors as unit vectors, with their rows where they have one."""
        if isinstance(given, str) or (isinstance(given, np.ndarray) and given.ndim == 1):
            given = [given]
        terms: list[tuple[int | None, npt.NDArray[np.float64]]] = []
        for term in given:
            vector = self[term] if isinstance(term, str) else np.asarray(term, np.float64)
            if vector.shape != (self.dim,) or not np.isfinite(vector).all():
                raise ParameterError(f"a term must be a word or {self.dim} finite numbers, not {term!r:.60}")
            terms.append((self._row(term) if isinstance(term, str) else None, search.unit(vector[None])[0]))
        return terms

    def _search(
        self, queries: npt.NDArray[np.float64], score: search.Score, count: int, excluded: list[list[int]]
    ) -> list[Found]:
        try:
            wanted = operator.index(count)
        except TypeError:
            wanted = 0
        if wanted < 1:
            raise ParameterError(f"count={count!r}: it must be a whole number of at least 1")
        number, terms, dim = queries.shape
        units = search.unit(queries.reshape(-1, dim)).reshape(number, terms, dim)
        found = search.nearest(self.matrix, self.norms, units, score, wanted, excluded)
        return [
            [(self.words[row], value) for row, value in zip(best.rows.tolist(), best.scores.tolist(), strict=True)]
            for best in found
        ]

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
