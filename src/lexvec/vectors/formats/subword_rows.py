"""Words of files that have rows for words and for n-grams: vectors composed when they are read, rows when written."""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ...progress import Progress, Stage
from ...subwords import ArrayRows, NgramComposer, NgramScheme, RowSource
from ..geometry import check_numbers
from .format import LARGEST, LabelledRows, check_memory, rows_to_write

_WORDS = 1 << 13  # composed at once
#: Shares of rounding errors that are corrected, one after the other: less and less, so that none goes to and fro.
_CORRECTIONS = (1, 1, 0.6, 0.6, 0.37, 0.37, 0.37, 0.37, 0.21, 0.21, 0.21)


def composed_words(
    name: str,
    words: list[str],
    own: RowSource,
    places: npt.NDArray[np.int64],
    composer: NgramComposer | None,
    progress: Progress,
) -> LabelledRows:
    """Return the vectors of words that have rows of their own, at ``places`` in ``own``, and perhaps n-grams."""
    dim = own.shape[1]
    check_memory(name, 4 * len(words) * dim)
    matrix = np.empty((len(words), dim), np.float32)
    with progress.stage("reading", len(words), "words") as stage:
        for start in range(0, len(words), _WORDS):
            some = slice(start, min(start + _WORDS, len(words)))
            with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused
                matrix[some] = _vectors(words[some], own, places[some], composer)
            check_numbers(matrix[some], lambda row: f"{words[start + row]!r} ({name})", LARGEST)  # noqa: B023
            stage.advance(some.stop - start)
    return LabelledRows(words, matrix, composer=composer)


def _vectors(
    words: list[str], own: RowSource, places: npt.NDArray[np.int64], composer: NgramComposer | None
) -> npt.NDArray[np.floating]:
    if composer is None:
        rows = np.empty((len(words), own.shape[1]), own.dtype)
        own.take(places, rows)
        return rows
    if composer.scheme.has_word_rows:
        return composer.composed_with(words, own, places)
    vectors = composer.composed(words)
    for row in np.flatnonzero(places == 0).tolist():  # floret gives the first word a row, whichever it is
        vectors[row] = composer.composed_with(words[row : row + 1], own, places[row : row + 1])
    return vectors


def composer_for(
    vectors: LabelledRows, scheme: type[NgramScheme], format_name: str, progress: Progress
) -> NgramComposer | None:
    """Return what composes vectors if a format has room for it, and report if it has not."""
    composer = vectors.composer
    if isinstance(composer, NgramComposer) and isinstance(composer.scheme, scheme):
        if composer.skips_missing:
            progress.note(
                "n-grams that were pruned count as zeros in the new file: vectors of unseen words get shorter",
                logging.WARNING,
            )
        return replace(composer, skips_missing=False)
    if composer is not None:
        note_loss(format_name, progress)
    return None


def note_loss(format_name: str, progress: Progress) -> None:
    """Report that a file cannot compose vectors as its source could."""
    progress.note(
        f"{format_name} files have no room for these n-grams: only the vectors of words are written", logging.WARNING
    )


def own_rows(
    vectors: LabelledRows, composer: NgramComposer | None, dtype: npt.DTypeLike, stage: Stage
) -> Iterator[npt.NDArray[np.floating]]:
    """Yield the rows, in the type that a file has, from which its readers compose the vectors."""
    for words, rows in rows_to_write(vectors, stage):
        own = rows.astype(dtype, copy=False)
        yield own if composer is None else _own(words, rows, composer, np.dtype(dtype))


def ngram_rows(composer: NgramComposer | None, dtype: npt.DTypeLike) -> Iterator[npt.NDArray[np.floating]]:
    """Yield the rows of all buckets, in the type that a file has, and refuse numbers that no reader would accept."""
    for rows in composer.full_rows() if composer else ():
        check_numbers(rows, lambda _: "an n-gram", LARGEST)
        yield rows.astype(dtype, copy=False)


def _own(
    words: Sequence[str], vectors: npt.NDArray[np.float32], composer: NgramComposer, dtype: np.dtype[Any]
) -> npt.NDArray[np.floating]:
    """Return n + 1 vectors less the sum of n rows of n-grams, corrected until readers get the same vectors again."""
    sums, counts = composer.sums(words)
    weights = (counts + 1)[:, None]
    exact = vectors.astype(np.float64) * weights - sums
    own = exact.astype(dtype)
    left = np.arange(len(words))
    for step in _CORRECTIONS if dtype == composer.table.dtype else ():
        composed = composer.composed_with(
            [words[row] for row in left.tolist()], ArrayRows(own[left]), np.arange(len(left))
        )
        wrong = vectors[left].astype(np.float64) - composed
        still = wrong.any(axis=1)
        left = left[still]
        if not len(left):
            break
        exact[left] += step * wrong[still] * weights[left]
        own[left] = exact[left]
    return own
