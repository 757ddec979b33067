"""Scoring word vectors on test sets."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import Given, InputError, ParameterError
from ..machine import available_threads
from ..parameters import Parameters, parameter, threads_parameter
from ..progress import Progress, ProgressLike, resolved
from ..uncertainty import Array, generator, interval
from ..vectors import WordVectors
from ..vectors.arguments import instance
from .results import Composed, Evaluation, Score
from .sets import TestSet, gather
from .tasks import Item

_NAMED = 5  # out-of-vocabulary words in an error


class _LookedUp(NamedTuple):
    """The items of a set as the vectors spell them, and which of them the vocabulary covers."""

    test: TestSet
    items: list[Item]
    covered: npt.NDArray[np.bool_]
    #: Which of them are covered if vectors of other words are composed.
    reached: npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Evaluator(Parameters):
    """Scores vectors on test sets; `lexvec.evaluate` makes one and uses it.

    >>> Evaluator(oov="zero", seed=3).record()
    {'oov': 'zero', 'lowercase': True, 'confidence': 0.95, 'resamples': 1000, 'seed': 3}
    """

    oov: str = parameter(
        "skip",
        "What to do with items that have an out-of-vocabulary word: skip them, score them as zero (cosine 0 or a "
        "wrong answer), or stop with an error.",
        choices=("skip", "zero", "error"),
    )
    lowercase: bool = parameter(True, "Lowercase words before looking them up.")
    confidence: float = parameter(0.95, "Confidence of the intervals.", minimum=0.01, maximum=0.9999)
    resamples: int = parameter(
        1000, "Number of bootstrap resamples behind each confidence interval.", minimum=1, maximum=10**6
    )
    seed: int = parameter(1, "Seed of the bootstrap resamples.", minimum=0)
    threads: int | None = threads_parameter()

    def evaluate(
        self,
        vectors: WordVectors,
        *,
        sets: Sequence[str | os.PathLike[str]] | None = None,
        data: str | os.PathLike[str] | None = None,
        progress: ProgressLike = None,
    ) -> Evaluation:
        """Score vectors on sets, as `lexvec.evaluate` does."""
        instance("vectors", vectors, WordVectors, "load them with WordVectors.load")
        reported = resolved(progress, __name__)
        found, missing = gather(sets, data)
        by_word = [test for test in found if test.task.looked_up]
        composed = Composed.of(vectors, (word for test in by_word for item in self._items(test) for word in item.words))
        asked = [self._look_up(vectors, test, composed) for test in found]
        outcomes: dict[str, dict[str, Array]] = {}
        for kind in dict.fromkeys(test.kind for test in found):
            outcomes |= self._outcomes(vectors, [each for each in asked if each.test.kind == kind], reported)

        def evaluation(asked: list[_LookedUp], **more: Any) -> Evaluation:
            scores = [
                self._score(each, measure, np.where(each.covered, values, np.nan))
                for each in asked
                for measure, values in outcomes[each.test.key].items()
            ]
            return Evaluation(
                scores=tuple(scores), missing=tuple(missing), words=len(vectors), dim=vectors.dim,
                parameters=self.record(), **more,
            )  # fmt: skip

        if vectors.composer is None:
            return evaluation(asked)
        with_composed = evaluation([each._replace(covered=each.reached) for each in asked])
        return evaluation(asked, with_composed=with_composed, composed=composed)

    def _items(self, test: TestSet) -> list[Item]:
        """Return the items of a set as they are looked up."""
        if not self.lowercase or not test.task.looked_up:
            return test.items
        return [replace(item, words=tuple(word.lower() for word in item.words)) for item in test.items]

    def _look_up(self, vectors: WordVectors, test: TestSet, composed: Composed) -> _LookedUp:
        """Return the items of a set, and whether all their words have vectors."""
        items, task = self._items(test), test.task
        if not task.looked_up:
            everything = np.ones(len(items), np.bool_)
            return _LookedUp(test, items, everything, everything)
        unknown = [[word for word in item.words if word not in vectors.index] for item in items]
        missing = [
            [word for word in words if word not in composed.words or word not in task.composable(item)]
            for item, words in zip(items, unknown, strict=True)
        ]
        if self.oov == "error" and (words := list(dict.fromkeys(word for words in missing for word in words))):
            more = f" and {len(words) - _NAMED:,} more" if len(words) > _NAMED else ""
            raise InputError(
                f"{test.key} has words that are not in the vocabulary: {', '.join(words[:_NAMED])}{more}; set ",
                Given("oov"),
                " to skip or zero",
            )
        covered, reached = (np.array([not words for words in lists], np.bool_) for lists in (unknown, missing))
        return _LookedUp(test, items, covered, reached)

    def _outcomes(
        self, vectors: WordVectors, asked: list[_LookedUp], progress: Progress
    ) -> dict[str, dict[str, Array]]:
        """Return the outcomes of all sets of one kind, by set and measure, from one call of the task."""
        kind, task = asked[0].test.kind, asked[0].test.task
        items = [item for each in asked for item, reached in zip(each.items, each.reached, strict=True) if reached]
        given = task.outcomes(vectors, items, threads=available_threads(self.threads), progress=progress)
        bounds = np.cumsum([np.sum(each.reached) for each in asked])[:-1]
        outcomes: dict[str, dict[str, Array]] = {each.test.key: {} for each in asked}
        for measure in task.measures:
            values = np.asarray(given[measure], np.float64)
            if values.shape != (len(items),):
                raise ParameterError(f"the task {kind} returned {len(values):,} outcomes for {len(items):,} items")
            if self.oov == "error" and np.isnan(values).any():
                missed = items[int(np.flatnonzero(np.isnan(values))[0])].words
                raise InputError(f"{missed!r:.120} have no known word: set ", Given("oov"), " to skip or zero")
            for each, part in zip(asked, np.split(values, bounds), strict=True):
                all_items = np.full(len(each.items), np.nan)
                all_items[each.reached] = part
                outcomes[each.test.key][measure] = all_items
        return outcomes

    def _score(self, each: _LookedUp, measure: str, outcomes: Array) -> Score:
        test, task = each.test, each.test.task
        ratings = np.array([item.rating for item in each.items])
        covered = int(np.sum(~np.isnan(outcomes)))
        if self.oov == "zero":
            outcomes = np.nan_to_num(outcomes, nan=0.0)
        kept = ~np.isnan(outcomes)
        value = task.value(outcomes[kept], ratings[kept])
        low, high = np.nan, np.nan
        if not np.isnan(value):
            # The draws of a set depend on its name, and not on which other sets are scored.
            random = generator(self.seed, test.name, *([measure] if len(task.measures) > 1 else []))
            samples = task.resampled(outcomes[kept], ratings[kept], resamples=self.resamples, random=random)
            low, high = interval(samples, self.confidence)
        return Score(
            key=test.key, name=test.name, kind=test.kind, measure=measure, value=value, low=low, high=high,
            covered=covered, total=len(each.items), known=test.known, sha256=test.sha256,
            outcomes=outcomes, ratings=ratings,
        )  # fmt: skip


def evaluate(
    vectors: WordVectors,
    *,
    sets: Sequence[str | os.PathLike[str]] | None = None,
    data: str | os.PathLike[str] | None = None,
    progress: ProgressLike = None,
    **parameters: Any,
) -> Evaluation:
    r"""Score vectors on test sets: Spearman's correlation, 3CosAdd and 3CosMul, with intervals.

    ``sets`` are keys (``"simlex-999"``), kinds of task (``"similarity"``, ``"analogy"``) or paths of your own files.
    None means all sets of the paper that are found in ``data``, $LEXVEC_DATA, the user's cache or inside gensim. The
    other parameters are those of `lexvec.evaluation.Evaluator`: ``oov``, ``lowercase``, ``confidence``, ``resamples``,
    ``seed`` and ``threads``.

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
