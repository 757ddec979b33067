"""What the user gave to count or to learn from: an encoded corpus, or text that is encoded first."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import Given, ParameterError
from ..progress import Progress
from ..shared_work import Helpers
from ..storage.files import STDIN
from ..storage.meta import META
from ..threads import Threads
from .builder import CorpusBuilder
from .corpus import Corpus
from .inputs import text_inputs


@dataclass(frozen=True)
class CorpusSource:
    """An encoded corpus, or text and the builder that encodes it."""

    corpus: Any
    builder: CorpusBuilder | None = None

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

    def check_corpus(self) -> None:
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

    def build(
        self,
        output: Path | None,
        progress: Progress,
        threads: Threads | None = None,
        helpers: Helpers | None = None,
    ) -> Corpus:
        """Return the encoded corpus, checked; text is encoded into the folder ``output``, or into a temporary one."""
        if self.corpus_path:
            return Corpus.ensure(self.corpus).check()
        builder = self.builder or CorpusBuilder()
        return builder._build(self.corpus, output, progress=progress, threads=threads, helpers=helpers)


def _builder_parameters(builder: CorpusBuilder) -> list[Given | str]:
    """Name the parameters of a builder that were given, or the builder itself."""
    changed, tokenized = builder.changed(), CorpusBuilder.tokenized().changed()
    if tokenized.items() <= changed.items():
        changed = {"tokenized": True} | {name: value for name, value in changed.items() if name not in tokenized}
    names = [Given(name) for name in changed] or [Given("builder")]
    return [part for name in names for part in (", ", name)][1:]
