"""What the user gave to learn from."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..corpus import Corpus
from ..corpus.source import CorpusSource
from ..errors import Given, ParameterError
from ..progress import Progress
from ..shared_work import Helpers
from ..storage.artefact import Artefact
from ..threads import Threads
from .preparation import prepared
from .recipe import Recipe


@dataclass(frozen=True)
class Inputs(CorpusSource):
    """An encoded corpus or text to encode, and a matrix, if there is one already."""

    matrix: Any = None

    @property
    def matrix_path(self) -> Path | None:
        """Where the matrix is, if one was given."""
        if self.matrix is None:
            return None
        return Path(self.matrix.path if isinstance(self.matrix, Artefact) else self.matrix).resolve()

    @property
    def paths(self) -> list[Path]:
        """The files and folders that the output must not replace."""
        return [path for path in (self.corpus_path, self.text_path, self.matrix_path) if path]

    def encode(
        self,
        output: Path | None,
        progress: Progress,
        threads: Threads | None = None,
        helpers: Helpers | None = None,
    ) -> Corpus:
        """Return the encoded corpus; text is encoded into ``output``, or a temporary folder."""
        build = partial(self.build, progress=progress, threads=threads, helpers=helpers)
        if output is None or self.corpus_path:
            return build(None)
        return prepared(output, Corpus, build, progress).check()

    def check(self, recipe: Recipe | None) -> None:
        """Raise what can be known before anything is replaced or computed."""
        self.check_corpus()
        if self.matrix is not None:
            if recipe is None:
                raise ParameterError("this model learns from the text itself: omit ", Given("matrix"))
            recipe.open(self.matrix)
