"""Scoring word vectors on test sets."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InputError
from ..machine import available_threads
from ..parameters import Parameters, parameter, threads_parameter
from ..progress import Progress, ProgressLike, resolved
from ..vectors import WordVectors
from .analogy import solve
from .bootstrap import Array, generator, interval, resampled_spearman, spearman
from .finding import TestSet, gather
from .results import Evaluation, Score
from .similarity import cosines
from .units import Rows

_NAMED = 5  # unknown words in an error


@dataclass(frozen=True, kw_only=True)
class Evaluator(Parameters):
    """How vectors are scored; `lexvec.evaluate` makes one and uses it.

    >>> Evaluator(oov="zero", seed=3).record()
    {'oov': 'zero', 'lowercase': True, 'confidence': 0.95, 'resamples': 1000, 'seed': 3}
    """

    oov: str = parameter(
        "skip",
        "items with a word that is not in the vocabulary: leave them out, count them as cosine 0 or as a wrong answer, "
        "or stop",
        choices=("skip", "zero", "error"),
    )
    lowercase: bool = parameter(True, "look words up in lower case")
    confidence: float = parameter(0.95, "of the intervals", minimum=0.01, maximum=0.9999)
    resamples: int = parameter(1000, "that an interval is made from", minimum=1, maximum=10**6)
    seed: int = parameter(1, "of the resamples", minimum=0)
    threads: int | None = threads_parameter()

    def evaluate(
        self,
        vectors: WordVectors,
        *,
        sets: Sequence[str | os.PathLike[str]] | None = None,
        data: str | os.PathLike[str] | None = None,
        progress: ProgressLike = None,
    ) -> Evaluation:
        """Score vectors on sets, as `lexvec.evaluate` has it."""
        reported = resolved(progress, __name__)
        found, missing = gather(sets, data)
        rows = {test.key: self._rows(vectors, test) for test in found}
        answers = self._answers(vectors, [test for test in found if test.kind == "analogy"], rows, reported)
        scores: list[Score] = []
        for test in found:
            if test.kind == "similarity":
                scores.append(self._correlation(vectors, test, rows[test.key]))
            else:
                scores += [
                    self._accuracy(test, rows[test.key], given[test.key], solver) for solver, given in answers.items()
                ]
        return Evaluation(
            scores=tuple(scores), missing=tuple(missing), words=len(vectors), dim=vectors.dim, parameters=self.record()
        )

    def _rows(self, vectors: WordVectors, test: TestSet) -> Rows:
        """The row of each word of each item, −1 for a word that is not there."""
        words = [[word.lower() if self.lowercase else word for word in item.words] for item in test.items]
        rows = np.array([[vectors.index.get(word, -1) for word in item] for item in words], np.int64)
        if self.oov == "error" and np.any(rows < 0):
            unknown = dict.fromkeys(word for item in words for word in item if word not in vectors.index)
            named = ", ".join(list(unknown)[:_NAMED])
            more = f" and {len(unknown) - _NAMED:,} more" if len(unknown) > _NAMED else ""
            raise InputError(f'{test.key} has words that the vectors have not: {named}{more}; use oov="skip" or "zero"')
        return rows

    def _answers(
        self, vectors: WordVectors, tests: list[TestSet], rows: dict[str, Rows], progress: Progress
    ) -> dict[str, dict[str, Rows]]:
        """By solver and set, the answers to the questions that are covered: all sets in one pass over the vectors."""
        covered = [rows[test.key][np.all(rows[test.key] >= 0, axis=1), :3] for test in tests]
        asked = np.concatenate([np.empty((0, 3), np.int64), *covered])
        solved = solve(vectors, asked, threads=available_threads(self.threads), progress=progress)
        bounds = np.cumsum([len(questions) for questions in covered])[:-1]
        return {
            solver: dict(zip((test.key for test in tests), np.split(answers, bounds), strict=True)) if tests else {}
            for solver, answers in solved.items()
        }

    def _correlation(self, vectors: WordVectors, test: TestSet, rows: Rows) -> Score:
        ratings = np.array([item.rating for item in test.items])
        known = np.all(rows >= 0, axis=1)
        outcomes = self._outcomes(known, cosines(vectors, rows[known]))
        kept = ~np.isnan(outcomes)
        value = spearman(outcomes[kept], ratings[kept])
        random = generator(self.seed, test.name)
        samples = resampled_spearman(ratings[kept], outcomes[kept], resamples=self.resamples, random=random)[0]
        return self._score(test, "Spearman", value, samples, known, outcomes, ratings)

    def _accuracy(self, test: TestSet, rows: Rows, answers: Rows, solver: str) -> Score:
        known = np.all(rows >= 0, axis=1)
        outcomes = self._outcomes(known, (answers == rows[known, 3]).astype(np.float64))
        counted = int(np.sum(~np.isnan(outcomes)))
        value = float(np.nansum(outcomes) / counted) if counted else np.nan
        # To draw n of n outcomes and count the right ones is to draw from a binomial distribution.
        random = generator(self.seed, test.name, solver)
        samples = random.binomial(counted, value, self.resamples) / counted if counted else np.empty(0)
        return self._score(test, solver, value, samples, known, outcomes, np.empty(0))

    def _outcomes(self, known: Any, values: Array) -> Array:
        outcomes = np.full(len(known), 0.0 if self.oov == "zero" else np.nan)
        outcomes[known] = values
        return outcomes

    def _score(
        self, test: TestSet, measure: str, value: float, samples: Array, known: Any, outcomes: Array, ratings: Array
    ) -> Score:
        low, high = interval(samples, self.confidence) if not np.isnan(value) else (np.nan, np.nan)
        return Score(
            key=test.key, name=test.name, kind=test.kind, measure=measure, value=value, low=low, high=high,
            covered=int(np.sum(known)), total=len(known), known=test.known, sha256=test.sha256, outcomes=outcomes,
            ratings=ratings,
        )  # fmt: skip


def evaluate(
    vectors: WordVectors,
    *,
    sets: Sequence[str | os.PathLike[str]] | None = None,
    data: str | os.PathLike[str] | None = None,
    progress: ProgressLike = None,
    **parameters: Any,
) -> Evaluation:
    r"""Score vectors on the paper's test sets: Spearman's correlation, 3CosAdd and 3CosMul, with intervals.

    ``sets`` are keys (``"simlex-999"``), groups (``"similarity"``, ``"analogy"``) or paths of files of your own; None
    means all sets of the paper that can be found, in ``data``, $LEXVEC_DATA, the user's cache or inside gensim. Other
    parameters are those of `lexvec.evaluation.Evaluator`: ``oov``, ``lowercase``, ``confidence``, ``resamples``,
    ``seed``, ``threads``.

    >>> import pathlib, tempfile
    >>> vectors = WordVectors(["cat", "dog", "car", "bus"], np.array([[3, 0], [3, 1], [0, 3], [1, 3]]))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pets = pathlib.Path(folder, "pets.txt")
    ...     size = pets.write_text("cat dog 9\ncat car 1\ndog bus 5\ncat unicorn 2\n")
    ...     scores = evaluate(vectors, sets=[pets])
    >>> scores["pets"].value, scores["pets"].covered, scores["pets"].total
    (1.0, 3, 4)
    """
    return Evaluator.of(parameters).evaluate(vectors, sets=sets, data=data, progress=progress)
