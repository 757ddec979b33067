"""How much neighbours and cosines of words vary over bootstrap samples of a text (Antoniak and Mimno 2018)."""

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from ..corpus import Corpus, CorpusBuilder
from ..errors import Given, InputError, ParameterError, UnknownWordError
from ..models import Model
from ..parameters import Parameters, parameter
from ..progress import Progress, ProgressLike, resolved
from ..records import conforms
from ..trained import Combine, check_combine
from ..uncertainty import interval
from ..vectors import WordVectors
from .workspace import Workspace, pin, read_sealed, write_sealed

_COMMAND, _RUNS = "stability", "runs"
_PROBES = 300  # words of all frequencies whose neighbours are compared
_ENOUGH = 10  # runs from which on an interval means something
_MOST_WORDS = 1000
_FEWEST_BLOCKS = 10  # to draw from

Span = tuple[float, float]


@dataclass(frozen=True)
class Neighbour:
    """A neighbour that a word has in the whole corpus."""

    #: The neighbour.
    word: str
    #: The cosine in the whole corpus.
    cosine: float
    #: In what share of the samples it is among the nearest neighbours.
    kept: float
    #: The mean cosine over the samples.
    mean: float
    #: The interval that holds the cosines of most samples.
    span: Span


@dataclass(frozen=True)
class WordVariation:
    """How the neighbours of a chosen word vary."""

    word: str
    count: int
    #: The number of samples that the word occurs in.
    samples: int
    #: The mean overlap of the neighbours in two samples, shared neighbours per all neighbours of both.
    overlap: float
    #: The interval that holds the mean overlap of most samples with the others.
    span: Span
    neighbours: list[Neighbour]


@dataclass(frozen=True)
class Pair:
    """How the cosine of two chosen words varies."""

    words: tuple[str, str]
    cosine: float
    mean: float
    span: Span


@dataclass(frozen=True, kw_only=True)
class Variation:
    """What varies between bootstrap samples of a corpus."""

    model: str
    parameters: dict[str, Any]
    corpus: Corpus
    runs: int
    neighbors: int
    confidence: float
    words: list[WordVariation]
    #: The cosines of all pairs of chosen words.
    pairs: list[Pair]
    #: The count and the overlap of words of all frequencies.
    by_frequency: list[tuple[int, float]]


@dataclass(frozen=True, kw_only=True)
class Stability(Parameters):
    """Trains a model on bootstrap samples of a corpus, and compares neighbours and cosines.

    >>> import tempfile
    >>> from lexvec import PPMISVD
    >>> text = [["the", "cat", "sat"], ["the", "dog", "ran"], ["a", "cat", "ran"], ["a", "dog", "sat"]] * 9
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     stability = Stability(runs=3, neighbors=2)
    ...     found = stability.measure(PPMISVD(dim=2, subsample=0), text, f"{folder}/work", words=["cat"],
    ...                               builder=CorpusBuilder(min_count=1))
    >>> found.words[0].word, found.words[0].samples, 0 <= found.words[0].overlap <= 1
    ('cat', 3, True)
    """

    runs: int = parameter(20, "Number of bootstrap samples to train on, at least 2; more are added later.", minimum=0)
    neighbors: int = parameter(10, "Number of nearest neighbours that are compared.", minimum=1, maximum=1000)
    block: int = parameter(
        1, "Number of consecutive sentences that are drawn together, such as those of a document.", minimum=1
    )
    confidence: float = parameter(
        0.95, "Share of the samples that the intervals hold.", minimum=0.01, maximum=0.9999
    )  # fmt: skip

    def measure(
        self,
        model: Model,
        corpus: Any,
        output: str | os.PathLike[str],
        *,
        words: Sequence[str] = (),
        combine: Combine = "word",
        builder: CorpusBuilder | None = None,
        progress: ProgressLike = None,
    ) -> Variation:
        """Train in a folder, or resume there, and return how neighbours of chosen ``words`` vary."""
        progress = resolved(progress, __name__)
        if self.runs < 2:
            raise ParameterError(
                Given("runs", self.runs),
                f": one sample or none cannot show how vectors vary; use at least {_ENOUGH}",
            )
        if self.runs < _ENOUGH:
            progress.note(f"{self.runs} samples make rough intervals: use at least {_ENOUGH}", logging.WARNING)
        if not isinstance(model, Model):
            raise ParameterError(Given("model", model), ": it must be a model, such as LexVec()")
        words = _checked_words(words)
        check_combine(combine)
        settings: dict[str, Any] = {
            "model": model.name,
            "parameters": model.record(),
            "combine": combine,
            "words": sorted(words),
            "neighbors": self.neighbors,
            "block": self.block,
        }
        with Workspace.held(Path(output), corpus, builder or CorpusBuilder(), progress, command=_COMMAND) as work:
            self._check_corpus(work.corpus, words)  # before settings: a corrected command works in the same folder
            pin(work.folder, settings)
            runs = self._trained(model, work.corpus, work.folder / _RUNS, words, combine, progress)
        return self._variation(model, work.corpus, words, runs)

    def _check_corpus(self, corpus: Corpus, words: Sequence[str]) -> None:
        """Raise an error if a word is not in the corpus, or there are too few sentences to draw from."""
        for word in words:
            if word not in corpus.vocabulary.words:
                rarest = min(count for _, count in corpus.vocabulary)
                advice = f"check the spelling, or keep words that occur less than {rarest} times"
                raise UnknownWordError(word, corpus.vocabulary.words, advice=advice)
        if len(corpus) < _FEWEST_BLOCKS:
            raise InputError(
                f"the corpus has too few sentences ({len(corpus)}), so that samples of them would hardly differ; "
                f"use text with at least {_FEWEST_BLOCKS}"
            )
        if len(corpus) < _FEWEST_BLOCKS * self.block:
            raise ParameterError(
                Given("block", self.block),
                f": samples of {len(corpus):,} sentences would hardly differ; use at most "
                f"{len(corpus) // _FEWEST_BLOCKS:,}, or more text",
            )

    def _trained(
        self, model: Model, corpus: Corpus, folder: Path, words: list[str], combine: Combine, progress: Progress
    ) -> list["_Run"]:
        """Return what was found on the whole corpus and then on each sample, trained now or before."""
        asked = list(dict.fromkeys([*words, *_probes(corpus.vocabulary.words)]))
        folder.mkdir(exist_ok=True)
        runs: list[_Run] = []
        with progress.stage("samples", self.runs + 1, "runs") as stage:
            for number in range(self.runs + 1):
                path = folder / f"{number}.json"
                run = _Run.read(path)
                if run is None or (number == 0 and not run.neighbours.keys() >= set(words)):
                    text = corpus if number == 0 else corpus.sampled(model.seed + number, block=self.block)
                    fitted = type(model).of({**model.get_params(), "seed": model.seed + number})
                    vectors = fitted.fit(text, progress=False).vectors(combine)
                    present = {word for word, count in text.vocabulary if count}
                    pairs = list(combinations(words, 2))
                    if number:
                        pairs += [(word, other) for word in words for other, _ in runs[0].neighbours[word]]
                    run = _Run.measured(vectors, present, asked, pairs, self.neighbors)
                    write_sealed(path, vars(run))
                runs.append(run)
                stage.advance(1)
        return runs

    def _variation(self, model: Model, corpus: Corpus, words: list[str], runs: list["_Run"]) -> Variation:
        whole, samples = runs[0], runs[1:]
        counts = dict(corpus.vocabulary)
        overlaps = {word: _overlaps([run.names(word) for run in samples]) for word in whole.neighbours}
        pairs = []
        for one, other in combinations(words, 2):
            varied = self._varied([run.cosine(one, other) for run in samples])
            pairs.append(Pair((one, other), whole.cosine(one, other) or 0.0, *varied))
        return Variation(
            model=model.name,
            parameters=model.record(),
            corpus=corpus,
            runs=len(samples),
            neighbors=self.neighbors,
            confidence=self.confidence,
            words=[self._word(word, counts[word], whole, samples, overlaps[word]) for word in words],
            pairs=pairs,
            by_frequency=[
                (counts[word], float(np.mean(found))) for word, found in overlaps.items() if len(found)
            ],
        )  # fmt: skip

    def _word(
        self, word: str, count: int, whole: "_Run", samples: list["_Run"], overlaps: Sequence[float]
    ) -> WordVariation:
        named = [names for run in samples if (names := run.names(word)) is not None]
        neighbours = []
        for other, cosine in whole.neighbours[word]:
            kept = sum(other in names for names in named) / max(1, len(named))
            mean, span = self._varied([run.cosine(word, other) for run in samples])
            neighbours.append(Neighbour(other, cosine, kept, mean, span))
        return WordVariation(word, count, len(named), *self._varied(overlaps), neighbours)

    def _varied(self, values: Sequence[float | None]) -> tuple[float, Span]:
        """Return the mean of what is known, and the interval that holds most of it."""
        known = np.array([value for value in values if value is not None])
        if len(known) < 2:
            return float("nan"), (float("nan"), float("nan"))
        low, high = interval(known, self.confidence)
        return float(known.mean()), (float(low), float(high))


@dataclass(frozen=True)
class _Run:
    """What was found in one training run; words that do not occur in a sample are missing."""

    neighbours: dict[str, list[tuple[str, float]]]
    cosines: dict[str, float]

    @classmethod
    def measured(
        cls, vectors: WordVectors, present: set[str], asked: list[str], pairs: list[tuple[str, str]], count: int
    ) -> "_Run":
        terms = [word for word in asked if word in present]
        occurring = vectors.subset([word for word in vectors.words if word in present])  # others were not trained
        neighbours = dict(zip(terms, occurring.neighbors(terms, count=count), strict=True)) if terms else {}
        there = [(one, other) for one, other in pairs if one in present and other in present]
        cosines = vectors.similarities(there).tolist() if there else []
        return cls(neighbours, {_key(*pair): cosine for pair, cosine in zip(there, cosines, strict=True)})

    @classmethod
    def read(cls, path: Path) -> "_Run | None":
        """Return a run that was finished before; None if it is missing or damaged."""
        record = read_sealed(path)
        return cls(record["neighbours"], record["cosines"]) if record and conforms(record, cls, extra=True) else None

    def names(self, word: str) -> set[str] | None:
        """Return the nearest neighbours of a word, or None if it does not occur."""
        found = self.neighbours.get(word)
        return None if found is None else {name for name, _ in found}

    def cosine(self, one: str, other: str) -> float | None:
        """Return the cosine of two words, or None if one does not occur."""
        return self.cosines.get(_key(one, other))


def _key(one: str, other: str) -> str:
    return "\t".join(sorted((one, other)))


def _overlaps(named: Sequence[set[str] | None]) -> list[float]:
    """Return, for each sample that has the word, the mean overlap of its neighbours with those of the others."""
    sets = [names for names in named if names is not None]
    if len(sets) < 2:
        return []
    shared = np.array([[len(one & other) / max(1, len(one | other)) for other in sets] for one in sets])
    np.fill_diagonal(shared, 0)
    return [float(value) for value in shared.sum(axis=1) / (len(sets) - 1)]


def _probes(known: Sequence[str]) -> list[str]:
    """Return words of all frequencies: as many between ranks 10 and 100 as between 100 and 1000."""
    ranks = np.unique(np.geomspace(1, len(known), min(_PROBES, len(known))).astype(np.int64)) - 1
    return [known[rank] for rank in ranks.tolist()]


def _checked_words(words: Any) -> list[str]:
    if isinstance(words, str | Mapping) or not all(isinstance(word, str) for word in words):
        raise ParameterError(Given("words", words), ": it must be a list of words")
    unique = list(dict.fromkeys(words))
    if len(unique) > _MOST_WORDS:
        raise ParameterError(f"{len(unique):,} words are too many: choose at most {_MOST_WORDS:,}")
    return unique
