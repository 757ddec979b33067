"""A mapping from words to vectors, with exact search for neighbours and analogies."""

import os
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Self

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError
from ..progress import ProgressLike, resolved
from ..storage.arguments import check_flag
from .arguments import strings
from .conversions import Conversions
from .derived import Unknown, check_unknown
from .exported_page import ExportedPage
from .formats import Combine, LabelledRows, read, write
from .found_words import numbered_groups
from .partial_batches import partial_similarities
from .plane import Plane, plane
from .searched import SearchedVectors
from .unit_vectors import cosines_of, unit_vectors

_PAIRS = 4096  # pairs whose vectors are gathered at once


class WordVectors(SearchedVectors, Conversions):
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
        # The explorer is built on top of this class, so it is loaded by name when it is asked for.
        page: ExportedPage = import_module("lexvec.explorer").explored(self, words=words)
        return page
