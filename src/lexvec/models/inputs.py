"""What the user gave to learn from."""

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..corpus import Corpus, CorpusBuilder
from ..corpus.inputs import text_inputs
from ..errors import Given, ParameterError
from ..progress import Progress
from ..storage.artefact import META, Artefact
from ..storage.files import STDIN
from ..threads import Threads
from .preparation import prepared
from .recipe import Recipe


@dataclass(frozen=True)
class Inputs:
    """An encoded corpus or text to encode, and a matrix, if there is one already."""

    corpus: Any
    builder: CorpusBuilder | None = None
    matrix: Any = None

    @property
    def corpus_path(self) -> Path | None:
        """Where the encoded corpus is, if one was given."""
        if isinstance(self.corpus, Corpus):
            return self.corpus.path.resolve()
        if isinstance(self.corpus, str | os.PathLike) and (Path(self.corpus) / META).exists():
            return Path(self.corpus).resolve()
        return None

    @property
    def text_path(self) -> Path | None:
        """The file or folder of text, if one was given."""
        if self.corpus_path or not isinstance(self.corpus, str | os.PathLike) or os.fspath(self.corpus) == STDIN:
            return None
        return Path(self.corpus).absolute()

    @property
    def matrix_path(self) -> Path | None:
        """Where the matrix is, if one was given."""
        if self.matrix is None:
            return None
        return Path(self.matrix.path if isinstance(self.matrix, Artefact) else self.matrix).resolve()

    @property
    def folders(self) -> list[Path]:
        """The folders that the output must not replace."""
        return [path for path in (self.corpus_path, self.matrix_path) if path]

    def encode(self, folder: Path | None, progress: Progress, threads: Threads | None = None) -> Corpus:
        """Return the encoded corpus; text is encoded into ``folder``, or a temporary one."""
        if self.corpus_path:
            return Corpus.ensure(self.corpus).check()
        builder = self.builder or CorpusBuilder()
        build = partial(builder.build, self.corpus, progress=progress, threads=threads)
        return (prepared(folder / "corpus", Corpus, build, progress) if folder else build()).check()

    def check(self, recipe: Recipe | None) -> None:
        """Raise what can be known before anything is replaced or computed."""
        if self.builder is not None and not isinstance(self.builder, CorpusBuilder):
            raise ParameterError(Given("builder", self.builder), ": it must be a CorpusBuilder")
        if self.corpus_path:
            if self.builder is not None:
                raise ParameterError(
                    f"{self.corpus_path} is encoded already: omit ", *_builder_parameters(self.builder)
                )
            Corpus.ensure(self.corpus)
        elif isinstance(self.corpus, str | os.PathLike):
            text_inputs(self.corpus)
        if self.matrix is not None:
            if recipe is None:
                raise ParameterError("this model learns from the text itself: omit ", Given("matrix"))
            recipe.open(self.matrix)


def _builder_parameters(builder: CorpusBuilder) -> list[Given | str]:
    """Name the parameters of a builder that were given, or the builder itself."""
    names = [Given(name) for name in builder.changed()] or [Given("builder")]
    return [part for name in names for part in (", ", name)][1:]
