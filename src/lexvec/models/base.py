"""What all models share: parameters, the skeleton of fit, vectors, saving and loading."""

import contextlib
import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from ..corpus import Corpus, CorpusBuilder
from ..errors import LexvecError, ParameterError, ResourceError
from ..kernels import jit
from ..machine import available_threads, free_memory
from ..parameters import Parameters, parameter
from ..presentation import cards
from ..progress import Progress, ProgressLike, resolved
from ..storage.artefact import ArtefactWriter
from ..vectors import WordVectors
from ..vectors.model import Combine, ModelFolder, combined
from ..vocabulary import FILE, Vocabulary
from .engine import Array, Schedule, State, Team, Trainer, aligned, train
from .job import EpochCallback, Inputs, Job
from .recipe import Recipe
from .run import Run

_log = logging.getLogger(__name__)

_EPOCHS_SHOWN = 10  # in a notebook; of more, none until they are asked for

#: Models by the name that commands and files use.
MODELS: dict[str, type["Model"]] = {}


@dataclass(kw_only=True, eq=False)
class Model(Parameters, ABC):
    """Base of all models: the constructor assigns, `fit` works, and what was learned ends in ``_``.

    After `fit` there are ``W_`` and ``C_`` (float32, a row for each word), ``vocabulary_`` (a `Vocabulary`) and
    ``losses_`` (a record for each epoch: the mean ``loss`` over its ``pairs``).

    >>> from lexvec import LexVec
    >>> model = LexVec(dim=4, epochs=2, subsample=0)
    >>> model.fit([["a", "b", "a", "c"]] * 200).W_.shape
    (3, 4)
    >>> [record["pairs"] for record in model.losses_]
    [6000, 6000]
    """

    name: ClassVar[str]
    also: ClassVar[tuple[str, ...]] = ()  # what is learned beside W and C, and saved with them

    dim: int = parameter(300, "dimensions of the vectors", minimum=1)
    seed: int = parameter(1, "of all random numbers", minimum=0)
    threads: int | None = parameter(None, "threads to use (default: all cores)", minimum=1, maximum=1024, effort=True)
    memory: str | int | None = parameter(
        None, 'for counting: use about so much memory, such as "2GB" (default: half of all)', effort=True
    )
    checkpoint_every: float = parameter(
        10.0, "minutes between checkpoints, when training into a folder", minimum=0, effort=True
    )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in cls.__dict__:
            MODELS[cls.name] = cls

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters, as scikit-learn has it; either all are changed, or none."""
        self._check_names(parameters)
        changed = type(self)(**{**self.get_params(), **parameters})
        for name, value in changed.get_params().items():
            setattr(self, name, value)
        return self

    def fit(
        self,
        corpus: Any,
        output: str | os.PathLike[str] | None = None,
        *,
        matrix: Any = None,
        builder: CorpusBuilder | None = None,
        resume: bool = False,
        force: bool = False,
        progress: ProgressLike = None,
        callbacks: Sequence[EpochCallback] = (),
    ) -> Self:
        """Learn from a corpus: a `Corpus`, its folder, or text that ``builder`` encodes first.

        With ``output`` the model is saved there at the end, checkpoints are made on the way, and ``resume=True`` goes
        on from the latest (``corpus`` may then be None). ``matrix`` is one that was made of the corpus with
        the model's parameters, or its folder: an `Association`, or a `Cooccurrence` for GloVe; several models can share
        it. ``callbacks`` are called after each epoch with its number and its losses.

        >>> from lexvec import CorpusBuilder, SGNS
        >>> seen = []
        >>> model = SGNS(dim=4, epochs=3, subsample=0)
        >>> model = model.fit(
        ...     ["The cat sat on the mat."] * 100,
        ...     builder=CorpusBuilder(min_count=100),
        ...     callbacks=[lambda epoch, losses: seen.append(epoch)],
        ... )
        >>> model.vocabulary_.words, seen
        (['the', 'cat', 'mat', 'on', 'sat'], [1, 2, 3])
        """
        progress = resolved(progress, __name__)
        inputs = Inputs(corpus, builder, matrix)
        inputs.check(self.recipe)
        record = {"model": self.name, "parameters": self.record(), **inputs.record()}
        run = Run(Path(output)) if output is not None else None
        if resume:
            if run is None:
                raise ParameterError("resume=True needs the output that the run was started with")
            record = {"model": self.name, "parameters": self.record(), **inputs.given()}
            inputs, force = inputs.resumed(run), bool(run.record["force"])
            inputs.check(self.recipe)
        with contextlib.ExitStack() as stack:
            if run:
                if not resume:
                    ArtefactWriter(run.output, ModelFolder.kind, force=force, inputs=inputs.folders)
                stack.enter_context(run.started(record, resume=resume, force=force))
            encoded = inputs.encode(run.folder if run else None, progress)
            if run:
                run.pin("corpus", encoded.meta["files"])
            self.vocabulary_: Vocabulary = encoded.vocabulary
            team = stack.enter_context(Team(available_threads(self.threads)))
            _log.debug("%r on %d threads; compiled kernels in %s", self, team.threads, jit.CACHE or "memory only")
            self._learn(Job(encoded, inputs.matrix, team, run, progress, callbacks))
            if output is not None:
                self.save(output, force=force, corpus=encoded)
        return self

    @property
    def recipe(self) -> Recipe | None:
        """How the matrix is made that the model learns from, if it learns from one."""
        return None

    @abstractmethod
    def _learn(self, job: Job) -> None:
        """Set ``W_``, ``C_`` and ``losses_``."""

    def _train(self, trainer: Trainer, schedule: Schedule, job: Job) -> None:
        """Drive a trainer from the latest checkpoint, or the beginning, to the end."""
        run, progress = job.run, job.progress
        state = run.restore(trainer.arrays, progress) if run else State()
        self.losses_ = train(
            trainer,
            schedule,
            state,
            progress=progress,
            checkpoint=(lambda now: run.save(now, trainer.arrays)) if run else (lambda _: None),
            every=self.checkpoint_every * 60,
            callbacks=job.callbacks,
        )
        if not any(epoch["pairs"] for epoch in self.losses_):
            progress.note(
                "there was no pair to learn from: a small corpus wants a larger subsample (or 0, for none)",
                logging.WARNING,
            )

    def _rows(self, words: int) -> Array:
        return aligned(words, self.dim)

    def _keep(self, W: Array, C: Array) -> None:
        """What was learned, without padding."""
        self.W_: npt.NDArray[np.float32] = W[:, : self.dim]
        self.C_: npt.NDArray[np.float32] = C[:, : self.dim]

    def _require(self, needed: int, what: str, progress: Progress) -> None:
        available = free_memory()
        _log.debug("%.2f GB of memory are free", available / 1e9)
        progress.note(f"training needs about {needed / 1e9:.2f} GB of memory ({what})")
        if needed > available:
            raise ResourceError(
                f"training needs about {needed / 1e9:.1f} GB ({what}) and {available / 1e9:.1f} are free: "
                "lower dim, or raise min_count for fewer words"
            )

    def vectors(self, combine: Combine = "word") -> WordVectors:
        """What was learned, to look at: W (``"word"``), C (``"context"``), or W + C (``"sum"``).

        >>> from lexvec import PPMISVD
        >>> PPMISVD(dim=2, subsample=0).fit([["a", "b", "a", "c"]] * 100).vectors("sum")
        <WordVectors: 3 words × 2 dimensions: 'a', 'b', 'c'>
        """
        if not hasattr(self, "W_"):
            raise LexvecError(f"this {type(self).__name__} has learned nothing yet: call fit first")
        return WordVectors(self.vocabulary_.words, combined(self.W_, self.C_, combine))

    def _repr_html_(self) -> str:
        name = type(self).__name__
        if not hasattr(self, "W_"):
            return cards.card(f"{name}, not fitted", *self._html_parameters())
        heading = f"{name}, fitted: {len(self.vocabulary_):,} words × {self.W_.shape[1]} dimensions"
        return cards.card(heading, *self._html_parameters(), *self._html_losses())

    def _html_losses(self) -> list[str]:
        if not self.losses_:
            return []
        names = list(self.losses_[0])
        rows = [[number, *(epoch[name] for name in names)] for number, epoch in enumerate(self.losses_, 1)]
        table = cards.columns(["epoch", *names], rows)
        return [table if len(rows) <= _EPOCHS_SHOWN else cards.folded(f"loss of {len(rows)} epochs", table)]

    def save(self, output: str | os.PathLike[str], *, force: bool = False, corpus: Corpus | None = None) -> None:
        """Write a folder with W, C, the vocabulary, and all about the model.

        >>> import tempfile
        >>> from lexvec import GloVe
        >>> model = GloVe(dim=4, epochs=2, seed=7).fit([["a", "b", "a", "c"]] * 100)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model")
        ...     Model.load(f"{folder}/model").seed
        7
        """
        losses = getattr(self, "losses_", [])
        with ArtefactWriter(output, ModelFolder.kind, force=force) as out:
            for name in ("W", "C", *self.also):
                learned = getattr(self, f"{name}_")
                out.array(name, learned.dtype, learned.shape[1:]).append(learned)
            self.vocabulary_.save(out.folder / FILE)
            facts = {"model": self.name, "words": len(self.vocabulary_), "dim": int(self.W_.shape[1]), "losses": losses}
            read = {} if corpus is None else {"ids_sha256": corpus.meta["files"]["ids.npy"]["sha256"]}
            out.seal(self.record(), facts, read)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Model":
        """Open a saved model, of whatever kind; its arrays are memory-mapped."""
        folder = ModelFolder.load(path)
        facts = folder.meta["facts"]
        model = MODELS[facts["model"]].of(folder.meta["parameters"])
        model.W_, model.C_, model.vocabulary_ = folder.W, folder.C, folder.vocabulary
        model.losses_ = facts["losses"]
        for name in model.also:
            setattr(model, f"{name}_", folder.array(name))
        return model
