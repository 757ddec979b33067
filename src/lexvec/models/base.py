"""What all models share: parameters, the skeleton of fit, saving and loading."""

import contextlib
import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from ..composition import Composition, OwnRow
from ..corpus import Corpus, CorpusBuilder
from ..engine import Executor, ThreadExecutor
from ..errors import ArtefactError, Given, ParameterError
from ..kernels.cache import CACHE
from ..machine import available_threads
from ..parameters import (
    Parameters,
    check_flag,
    memory_parameter,
    parameter,
    path_from,
    seed_parameter,
    threads_parameter,
)
from ..presentation import cards
from ..progress import Progress, ProgressLike, resolved
from ..registry import Registry
from ..storage.outputs import check_apart, check_folder_output
from ..trained import ModelFolder, Trained
from ..vocabulary import Vocabulary
from .footprint import Footprint, Sizes
from .inputs import Inputs, Recipe
from .learned import Callback, Learned, accepts, callback_of
from .memory import Memory
from .run import RunFolder, Scratch, Start
from .training import Data, Workplace

_log = logging.getLogger(__name__)

#: Models by the name that commands and files use. A subclass of `Model` with a ``name`` adds itself.
MODELS: Registry[type["Model"]] = Registry("model")

#: What opens the workers of ``fit(engine=…)``, by the first part of an address such as ``dask://…``. A room above adds
#: itself through an entry point, so that models know an `Executor` and nothing else.
ENGINES: Registry[Any] = Registry("engine")
_OWN_ENGINE = "dask"
_EXECUTOR = ("run", "own", "threads", "holds_parts", "workers", "crew")


@dataclass(kw_only=True, eq=False)
class Model(Learned, Parameters, ABC):
    """Base of all models: the constructor assigns, `fit` works, and what was learned ends in ``_``.

    After `fit` there are ``W_`` and ``C_`` (float32; a row per word, or more with subwords, and a row per context),
    ``vocabulary_`` (a `Vocabulary`) and ``losses_`` (a record per epoch: the mean ``loss`` over its ``pairs``).

    >>> from lexvec import LexVec
    >>> model = LexVec(dim=4, epochs=2, subsample=0)
    >>> model.fit([["a", "b", "a", "c"]] * 200).W_.shape
    (3, 4)
    >>> [sorted(record) for record in model.losses_]
    [['loss', 'noise', 'pairs', 'seen'], ['loss', 'noise', 'pairs', 'seen']]
    """

    name: ClassVar[str]
    also: ClassVar[tuple[str, ...]] = ()  # what is learned beside W and C, and saved with them

    dim: int = parameter(300, "Number of dimensions of the vectors.", minimum=1)
    seed: int = seed_parameter()
    threads: int | None = threads_parameter()
    memory: str | int | None = memory_parameter()
    checkpoint_every: float = parameter(
        10.0, "Minutes between checkpoints, when training into a folder.", minimum=0, effort=True
    )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in cls.__dict__:
            MODELS[cls.name] = cls

    def fit(
        self,
        corpus: Any,
        output: str | os.PathLike[str] | None = None,
        *,
        matrix: Any = None,
        builder: CorpusBuilder | None = None,
        resume: bool = False,
        force: bool = False,
        executor: Executor | None = None,
        engine: Any = None,
        progress: ProgressLike = None,
        callbacks: Sequence[Callback] = (),
    ) -> Self:
        """Learn from a corpus: a `Corpus`, its folder, or text that ``builder`` encodes first.

        With ``output`` the model is saved there at the end, checkpoints are made on the way, and ``resume=True``
        resumes from the latest one (``corpus`` may then be None). ``matrix`` is one that was made from the corpus with
        the model's parameters, or its folder: an `Association`, or a `Cooccurrence` for GloVe; several models can share
        it. ``executor`` does the work (default: a `lexvec.engine.ThreadExecutor` with ``threads`` threads).
        With ``engine``, workers train instead of this process, to the same bits: a number of workers on this machine,
        the address of a Dask scheduler such as ``"dask://127.0.0.1:8786"``, or a ``distributed.Client``. All workers
        must see the corpus and the output. ``threads`` is then the number per worker.
        ``callbacks`` are called after each epoch with its number and its losses, and with the model itself if they take
        a third argument; its ``W_``, ``C_`` and ``losses_`` are then those so far. One that returns True stops the
        training.

        If training is interrupted or fails, the model keeps what it has learned until then: ``losses_`` has the epochs
        that are complete. If it fails before, while the corpus is read or counted, the model is as it was.

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
        self._check()
        inputs = Inputs(corpus, builder, matrix)
        inputs.check(self.recipe)
        check_flag(resume, "resume")
        check_flag(force, "force")
        _check_callbacks(callbacks)
        self._check_workers(executor, engine)
        with contextlib.ExitStack() as stack:
            run = RunFolder(output) if output is not None else None
            inputs, force = self._enter_run(stack, run, inputs, resume=resume, force=force)
            shown = resolved(progress, __name__)
            if executor is None:
                executor = stack.enter_context(self._executor(engine, shown))
            _log.debug(
                "%r on %d threads; compiled kernels in %s", self, executor.threads.count, CACHE.folder or CACHE.reason
            )
            place = Workplace(
                executor,
                Memory(self.memory, executor, shown),
                stack.enter_context(Scratch(run.path if run else None)),
                shown,
                run,
                self._keep,
                [callback_of(callback, self) for callback in callbacks],
                self.checkpoint_every,
            )
            encoded = inputs.encode(
                run.corpus if run else None, shown, executor.threads, executor.crew.helpers if executor.crew else None
            )
            place.pin("corpus", encoded.meta["files"])
            model = self._settled(place.settled(self._order(len(encoded.vocabulary))))
            composition = model._compose(encoded.vocabulary, place)
            matrix = model._matrix(encoded, inputs.matrix, composition, place)
            self._keep(model._learn(Data(encoded, composition, matrix), place))
            if output is not None:
                self.save(output, force=force, corpus=encoded)
        return self

    def _keep(self, trained: Trained) -> None:
        if not isinstance(trained, Trained):
            raise ParameterError(f"{type(self).__name__}._learn returned {type(trained).__name__}: return a Trained")
        self.trained_ = trained.check()

    def _executor(self, engine: Any, progress: Progress) -> AbstractContextManager[Executor]:
        """Return who trains: threads of this process, or the workers of an engine."""
        if engine is None:
            return ThreadExecutor(available_threads(self.threads))
        opened: AbstractContextManager[Executor] = _engine_room(engine).open_executor(
            engine, type(self), self.threads, progress
        )
        return opened

    def _settled(self, order: dict[str, int]) -> Self:
        """Return a model with the parameters that decide the order of steps, whatever this version's defaults are."""
        return type(self)(**{**self.get_params(), **order}) if order else self

    def _matrix(self, corpus: Corpus, given: Any, composition: Composition, place: Workplace) -> Any:
        """Return the matrix to learn from: the one that was given, if it fits, or one made for this run."""
        recipe = self.recipe
        if recipe is None:
            return None
        if given is not None:
            matrix = recipe.checked(given, corpus)
            place.pin("matrix", matrix.meta["files"])
            return matrix
        sizes, crew = Sizes.of(corpus, place.executor, input_rows=composition.rows), place.executor.crew
        place.memory.check(self.footprints, sizes, recipe)
        folder = place.run.path if place.run else None
        return recipe.make(corpus, folder, place.progress, place.executor.threads, crew.helpers if crew else None)

    def _check_workers(self, executor: Any, engine: Any) -> None:
        if executor is not None and not all(hasattr(executor, name) for name in _EXECUTOR):
            raise ParameterError(Given("executor", executor), ": it must be an executor, such as ThreadExecutor(2)")
        if engine is not None:
            _engine_room(engine).check_engine(engine)
            self._check_distributable()
            if executor is not None:
                raise ParameterError(Given("engine"), " and ", Given("executor"), " are mutually exclusive: choose one")

    def _enter_run(
        self, stack: contextlib.ExitStack, run: RunFolder | None, inputs: Inputs, *, resume: bool, force: bool
    ) -> tuple[Inputs, bool]:
        """Hold the folder of a new or resumed run; return what it learns from and whether it replaces its output."""
        start = Start.from_inputs(self.name, self.record(), inputs, force=force)
        if resume:
            if run is None:
                raise ParameterError(Given("resume", True), " needs the output that the run was started with")
            run.remove_emptied()
            force = run.start.force
            stack.enter_context(run.resumed(start, type(self)().record()))
            inputs = run.inputs(inputs)
            inputs.check(self.recipe)
        elif run:
            check_folder_output(run.output, force=force, inputs=inputs.paths)
            check_apart(run.path, inputs.paths)
            stack.enter_context(run.begun(start))
        return inputs, force

    def _check(self) -> None:
        """Raise if parameters do not go together: `fit` calls this before anything is made."""

    def _check_distributable(self) -> None:
        """Raise if several machines cannot train this model together."""
        raise ParameterError(f"{self.name} is computed at once, which workers cannot share: train it without them")

    @property
    def recipe(self) -> Recipe | None:
        """How the matrix is made that the model learns from, if it learns from one."""
        return None

    def footprints(self, sizes: Sizes) -> list[Footprint]:
        """Return the ways to train the model, the fastest first, and what each takes; empty if that is unknown."""
        del sizes
        return []

    def _order(self, words: int) -> dict[str, int]:
        """Return the parameters that decide the order of steps, and so the exact result, with their defaults."""
        del words
        return {}

    def _compose(self, vocabulary: Vocabulary, place: Workplace) -> Composition:
        """Return how words' vectors are composed: each from a row of its own."""
        del place
        return OwnRow(vocabulary.words)

    @abstractmethod
    def _learn(self, data: Data, place: Workplace) -> Trained:
        """Learn from a corpus, and from the matrix that `recipe` makes of it, if there is one."""

    def _repr_html_(self) -> str:
        name = type(self).__name__
        if not hasattr(self, "trained_"):
            return cards.card(f"{name}, not fitted", *self._html_parameters())
        heading = f"{name}, fitted: {len(self.vocabulary_):,} words × {self.W_.shape[1]} dimensions"
        return cards.card(heading, *self._html_parameters(), *self._html_losses())

    def save(self, output: str | os.PathLike[str], *, force: bool = False, corpus: Corpus | None = None) -> None:
        """Write a folder with W, C, the vocabulary, the parameters and the losses.

        >>> import tempfile
        >>> from lexvec import GloVe
        >>> model = GloVe(dim=4, epochs=2, seed=7).fit([["a", "b", "a", "c"]] * 100)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model")
        ...     Model.load(f"{folder}/model").seed
        7
        """
        self._trained().save(output, self.name, self.record(), force=force, corpus=corpus)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Model":
        """Open a saved model of any kind; its arrays are memory-mapped."""
        folder = ModelFolder.load(path_from(path, "path"))
        facts = folder.meta["facts"]
        if facts["model"] not in MODELS:
            raise ArtefactError(f"{path} has a model of unknown kind {facts['model']!r:.60}: install what defines it")
        model = MODELS[facts["model"]].of(folder.meta["parameters"])
        model.trained_ = Trained.of_folder(folder, model.also)
        return model


def _check_callbacks(callbacks: Any) -> None:
    if not isinstance(callbacks, Sequence) or not all(map(callable, callbacks)):
        raise ParameterError(Given("callbacks"), ": it must be a list of functions, each called after an epoch")
    for callback in callbacks:
        if not (accepts(callback, 2) or accepts(callback, 3)):
            raise ParameterError(
                Given("callbacks"),
                f": {callback!r:.80} cannot be called with the number of an epoch and its losses; let it take two or "
                "three arguments",
            )


def _engine_room(engine: Any) -> Any:
    """Return what opens an engine: by the name in its address, or what this package brings."""
    name = engine.partition("://")[0] if isinstance(engine, str) and "://" in engine else _OWN_ENGINE
    room = ENGINES.get(name) or ENGINES.get(_OWN_ENGINE)
    if room is None:
        raise ParameterError(Given("engine", engine), ": lexvec's own entry points are missing; install it again")
    return room
