"""What a model learns from, and what it works with: an encoded corpus, counts, threads, a run on disk, progress."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..artefact import META
from ..cooccurrence import Cooccurrence, CooccurrenceCounter
from ..corpus import Corpus, CorpusBuilder
from ..corpus.sources import sources
from ..errors import ArtefactError, ParameterError
from ..files import STDIN
from ..progress import Progress
from .engine import Team
from .run import Run

EpochCallback = Callable[[int, dict[str, float]], None]


@dataclass(frozen=True)
class Inputs:
    """What the user gave: an encoded corpus or text to encode, and counts, if they are there already."""

    corpus: Any
    builder: CorpusBuilder
    counts: Any = None

    @property
    def _encoded(self) -> Path | None:
        """Where the encoded corpus lies, if that is what was given."""
        if isinstance(self.corpus, Corpus):
            return self.corpus.path.resolve()
        if isinstance(self.corpus, str | os.PathLike) and (Path(self.corpus) / META).exists():
            return Path(self.corpus).resolve()
        return None

    @property
    def _text(self) -> str | None:
        """The file of text, if that is what was given."""
        if self._encoded or not isinstance(self.corpus, str | os.PathLike) or os.fspath(self.corpus) == STDIN:
            return None
        return str(Path(self.corpus).absolute())

    @property
    def _counted(self) -> Path | None:
        if self.counts is None:
            return None
        return Path(self.counts.path if isinstance(self.counts, Cooccurrence) else self.counts).resolve()

    @property
    def folders(self) -> list[Path]:
        """What must not be replaced by the output."""
        return [path for path in (self._encoded, self._counted) if path]

    def check(self) -> None:
        """What cannot be read is to be told before anything is replaced."""
        if not self._encoded and isinstance(self.corpus, str | os.PathLike):
            sources(self.corpus)
        if self.counts is not None:
            Cooccurrence.of(self.counts)

    def record(self) -> dict[str, Any]:
        """For the record of a run."""
        encoded, counted = self._encoded, self._counted
        return {
            "corpus": str(encoded) if encoded else None,
            "text": self._text,
            "builder": self.builder.record(),
            "counts": str(counted) if counted else None,
        }

    def resumed(self, run: Run) -> Self:
        """What the run was started with, where nothing else is given."""
        corpus, builder = self.corpus, self.builder
        if corpus is None:
            corpus, builder = run.corpus, CorpusBuilder.of(run.record["builder"])
        return type(self)(corpus, builder, run.record["counts"] if self.counts is None else self.counts)

    def encode(self, run: Run | None, progress: Progress) -> Corpus:
        """The encoded corpus; text is encoded into the folder of the run, or a temporary one."""
        if isinstance(self.corpus, Corpus):
            encoded = self.corpus
        elif path := self._encoded:
            encoded = Corpus.load(path)
        elif run:
            make = lambda path: self.builder.build(self.corpus, path, progress=progress)  # noqa: E731
            encoded = run.prepared("corpus", Corpus, make, progress)
        else:
            encoded = self.builder.build(self.corpus, progress=progress)
        if run:
            run.pin("corpus", encoded.meta["files"])
        return encoded.check()


@dataclass(frozen=True)
class Job:
    """One fit under way."""

    corpus: Corpus
    given: Any  # counts of this corpus, or their folder, or None
    team: Team
    run: Run | None
    progress: Progress
    callbacks: Sequence[EpochCallback]

    def counts(self, counter: CooccurrenceCounter) -> Cooccurrence:
        """Counts of the corpus: those given, if they are what this counter would make; or made, or found again."""
        if self.given is not None:
            return self._fitting(Cooccurrence.of(self.given), counter)
        if self.run:
            make = lambda path: counter.count(self.corpus, path, progress=self.progress)  # noqa: E731
            return self.run.prepared("counts", Cooccurrence, make, self.progress)
        return counter.count(self.corpus, progress=self.progress)

    def _fitting(self, counts: Cooccurrence, counter: CooccurrenceCounter) -> Cooccurrence:
        own, other = self.corpus.vocabulary, counts.vocabulary
        if own.words != other.words or not np.array_equal(own.counts, other.counts):
            raise ArtefactError(f"{counts.path} was counted with another vocabulary: count this corpus")
        made = counts.meta["parameters"]
        # One draw of the subsampled corpus is as good as another: the seed need not be the same.
        differing = [name for name, value in counter.record().items() if name != "seed" and made[name] != value]
        if differing:
            wanted = ", ".join(f"{name}={made[name]!r}" for name in differing)
            raise ParameterError(f"{counts.path} was counted with {wanted}: give the model the same, or count anew")
        if self.run:
            self.run.pin("counts", counts.meta["files"])
        return counts.check()
