"""What a model learns from, and what it works with: an encoded corpus, a matrix, threads, a run on disk, progress."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

from ..corpus import Corpus, CorpusBuilder
from ..corpus.inputs import sources
from ..errors import ParameterError
from ..progress import Progress
from ..storage.artefact import META, Artefact
from ..storage.files import STDIN
from .engine import Team
from .recipe import Recipe
from .run import Run, prepared

EpochCallback = Callable[[int, dict[str, float]], None]


@dataclass(frozen=True)
class Inputs:
    """What the user gave: an encoded corpus or text to encode, and a matrix, if there is one already."""

    corpus: Any
    builder: CorpusBuilder | None = None
    matrix: Any = None

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
    def _made(self) -> Path | None:
        """Where the matrix lies."""
        if self.matrix is None:
            return None
        return Path(self.matrix.path if isinstance(self.matrix, Artefact) else self.matrix).resolve()

    @property
    def folders(self) -> list[Path]:
        """What must not be replaced by the output."""
        return [path for path in (self._encoded, self._made) if path]

    def check(self, recipe: Recipe | None) -> None:
        """What cannot be read is to be told before anything is replaced."""
        if not self._encoded and isinstance(self.corpus, str | os.PathLike):
            sources(self.corpus)
        if self.matrix is not None:
            if recipe is None:
                raise ParameterError("this model learns from the text itself: leave matrix out")
            recipe.open(self.matrix)

    def record(self) -> dict[str, Any]:
        """For the record of a run."""
        encoded, made = self._encoded, self._made
        return {
            "corpus": str(encoded) if encoded else None,
            "text": self._text,
            "builder": (self.builder or CorpusBuilder()).record(),
            "matrix": str(made) if made else None,
        }

    def given(self) -> dict[str, Any]:
        """The part of the record that the user has said, which must be what a run was started with."""
        said = {"corpus": self.corpus, "text": self.corpus, "builder": self.builder, "matrix": self.matrix}
        return {key: value for key, value in self.record().items() if said[key] is not None}

    def resumed(self, run: Run) -> Self:
        """What the run was started with."""
        return type(self)(run.corpus(self.corpus), CorpusBuilder.of(run.record["builder"]), run.record["matrix"])

    def encode(self, folder: Path | None, progress: Progress) -> Corpus:
        """The encoded corpus; text is encoded into ``folder``, or a temporary one."""
        builder = self.builder or CorpusBuilder()
        if isinstance(self.corpus, Corpus):
            encoded = self.corpus
        elif path := self._encoded:
            encoded = Corpus.load(path)
        elif folder:
            build = partial(builder.build, self.corpus, progress=progress)
            encoded = prepared(folder / "corpus", Corpus, build, progress)
        else:
            encoded = builder.build(self.corpus, progress=progress)
        return encoded.check()


@dataclass(frozen=True)
class Job:
    """One fit under way."""

    corpus: Corpus
    given: Any  # a matrix of this corpus, or its folder, or None
    team: Team
    run: Run | None
    progress: Progress
    callbacks: Sequence[EpochCallback]

    def matrix(self, recipe: Recipe) -> Any:
        """The matrix to learn from: the one given, if it fits, or made and, when a run is resumed, found again."""
        if self.given is None:
            return recipe.make(self.corpus, self.run.folder if self.run else None, self.progress)
        matrix = recipe.checked(self.given, self.corpus)
        if self.run:
            self.run.pin("matrix", matrix.meta["files"])
        return matrix
