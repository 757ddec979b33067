"""What a model learns from: the corpus and the matrix that users give, or that are made, and how."""

import contextlib
import hashlib
import json
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np

from ..association import Association, Associator
from ..contexts import WordContexts
from ..cooccurrence import Cooccurrence, CooccurrenceCounter
from ..corpus import Corpus
from ..corpus.source import CorpusSource
from ..errors import ArtefactError, Given, ParameterError
from ..parameters import declared
from ..progress import Progress
from ..shared_work import Helpers
from ..storage.artefact import Artefact
from ..storage.atomic import try_lock
from ..threads import Threads
from .footprint import Sizes

_PATIENCE = 0.1  # seconds between two looks whether another process is ready

_log = logging.getLogger(__name__)

A = TypeVar("A", bound=Artefact)


def prepared(path: Path, kind: type[A], make: Callable[[Path], A], progress: Progress) -> A:
    """Return the artefact in a folder; make it if it is not there, and again if it is damaged."""
    if path.exists():
        try:
            found = kind.load(path)
            found.verify()
            _log.debug("%s is there from before", path)
            return found
        except ArtefactError as error:
            progress.note(f"rebuilding {path.name}: {error}", logging.WARNING)
            shutil.rmtree(path)
    return make(path)


def prepared_together(path: Path, kind: type[A], make: Callable[[Path], A], progress: Progress) -> A:
    """Return the artefact in a folder as `prepared` does; of several processes, one makes it and the others wait."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with _held(path.with_name(f".lock-{path.name}")):
        return prepared(path, kind, make, progress)


@contextlib.contextmanager
def _held(path: Path) -> Iterator[None]:
    """Hold a lock file inside the block, and remove it at the end; wait while another process holds it."""
    while True:
        with path.open("ab") as file:
            while not try_lock(file):
                time.sleep(_PATIENCE)
            if _is_there(file, path):
                try:
                    yield
                finally:
                    with contextlib.suppress(OSError):  # on Windows an open file cannot be removed
                        path.unlink()
                return


def _is_there(file: IO[Any], path: Path) -> bool:
    """Return whether an open file is still the one of its name: the process that held it before removes it."""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    return False


def digest_of(record: Any) -> str:
    """Return a short digest of what JSON can hold, the same for equal records."""
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:8]


@dataclass(frozen=True)
class Recipe:
    """Counting and, unless the model learns from counts, association. Models with equal recipes can share a matrix."""

    counter: CooccurrenceCounter
    associator: Associator | None = None

    def record(self) -> dict[str, Any]:
        """Return all parameters that decide the matrix."""
        return self.counter.record() | (self.associator.record() if self.associator else {})

    def begun(self, sizes: Sizes) -> Sizes:
        """Return the sizes as far as they are known before counting: the contexts, and no cell."""
        reach = min(self.counter.window, sizes.longest_sentence)
        positions = 1 if self.counter.contexts == WordContexts.kind else 2 * reach
        return replace(sizes, contexts=sizes.words * positions, cells=0, longest_row=0)

    def most(self, sizes: Sizes) -> Sizes:
        """Return the largest sizes that counting can lead to: each place of each window has a cell of its own."""
        begun = self.begun(sizes)
        sides = 2 if self.counter.side == "both" else 1
        places = sides * min(self.counter.window, sizes.longest_sentence)
        rows = np.minimum(sizes.counts * places, begun.contexts)
        return replace(begun, cells=int(rows.sum()), longest_row=int(rows.max(initial=0)))

    def least_memory(self, sizes: Sizes) -> int:
        """Return how many bytes of memory counting needs at least."""
        return self.counter.least_memory(
            words=sizes.words, contexts=self.begun(sizes).contexts, tokens=sizes.tokens, threads=sizes.threads
        )

    def make(
        self,
        corpus: Corpus,
        folder: Path | None,
        progress: Progress,
        threads: Threads | None = None,
        helpers: Helpers | None = None,
        *,
        shared: bool = False,
    ) -> Cooccurrence | Association:
        """Make the matrix in ``folder`` (None: a temporary one), or find it there from an earlier run.

        In a ``shared`` folder, matrices are found by their parameters, and each is made once by one of the processes
        that need it.
        """
        counts_name, matrix_name = self.shared_names() if shared else ("counts", "matrix")
        prepare = prepared_together if shared else prepared

        def count(to: Path | None) -> Cooccurrence:
            return self.counter._count(corpus, to, progress=progress, threads=threads, helpers=helpers)

        def stage(name: str, kind: Any, make: Callable[[Path | None], Any]) -> Any:
            return prepare(folder / name, kind, make, progress) if folder else make(None)

        counts: Cooccurrence = stage(counts_name, Cooccurrence, count)
        associator = self.associator
        if associator is None:
            return counts

        def associate(to: Path | None) -> Association:
            return associator._associate(counts, to, progress=progress, threads=threads, helpers=helpers)

        matrix: Association = stage(matrix_name, Association, associate)
        return matrix

    def shared_names(self) -> tuple[str, str]:
        """Return the names of the counts and of the matrix in a folder that recipes share."""
        record = self.counter.record()
        if not record["subsample"] and record["window_kind"] != "random":
            del record["seed"]  # nothing is drawn, so all seeds share them
        window = f"{record['window_kind']}-{record['window']}"
        counts = f"counts-{window}-{digest_of(record)}"
        if self.associator is None:
            return counts, counts
        record |= self.associator.record()
        return counts, f"{record['measure']}-{window}-{digest_of(record)}"

    def checked(self, given: Any, corpus: Corpus) -> Cooccurrence | Association:
        """Return a matrix that was made beforehand, if it is what this recipe would make."""
        matrix: Cooccurrence | Association = self.open(given)
        matrix.verify()
        own, other = corpus.vocabulary, matrix.vocabulary
        if own.words != other.words or not np.array_equal(own.counts, other.counts):
            raise ArtefactError(f"{matrix.path} belongs to another vocabulary: make one from this corpus")
        if matrix.meta["provenance"]["ids_sha256"] != corpus.meta["files"]["ids.npy"]["sha256"]:
            raise ArtefactError(f"{matrix.path} was made from another corpus: make one from this corpus")
        differing = self._differing(matrix.recipe)
        if differing:
            parts = [part for name, value in differing.items() for part in (", ", Given(name, value))][1:]
            raise ParameterError(f"{matrix.path} was made with ", *parts, ": give the model the same, or rebuild it")
        return matrix.check()

    def _differing(self, made: dict[str, Any]) -> dict[str, Any]:
        """Return the parameters of a matrix that differ from the recipe's.

        The seed may differ: one draw of the subsampled corpus is as good as another. A parameter that an older matrix
        does not record had its default; a threshold of 0 and none at all are the same.
        """
        makers = (self.counter, self.associator) if self.associator else (self.counter,)
        defaults = {name: default for maker in makers for name, _, _, default in declared(type(maker))}
        made = {name: made.get(name, defaults[name]) for name in self.record() if name != "seed"}
        return {name: value for name, value in made.items() if (value or 0) != (self.record()[name] or 0)}

    def open(self, given: Any) -> Any:
        """Open what the user gave as a matrix."""
        return (Association if self.associator else Cooccurrence).ensure(given, parameter="matrix")


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
