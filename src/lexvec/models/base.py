"""What all models share: parameters, the skeleton of fit, vectors, saving and loading."""

import contextlib
import copy
import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from ..cluster import Preparation, check_engine, open_engine
from ..composition import Composition, OwnRow
from ..contexts import Contexts, WordContexts
from ..corpus import Corpus, CorpusBuilder
from ..engine import Executor, ThreadExecutor
from ..engine.footprint import Footprint, Sizes
from ..engine.rows import default_parts
from ..engine.schedule import Schedule
from ..engine.training import Learner
from ..errors import ArtefactError, Given, LexvecError, ParameterError
from ..kernels.cache import CACHE
from ..machine import available_threads
from ..parameters import Parameters, Search, memory_parameter, parameter, seed_parameter, threads_parameter
from ..presentation import cards
from ..progress import ProgressLike, resolved
from ..registry import Registry
from ..storage.arguments import check_flag, path_from
from ..storage.artefact import ArtefactWriter
from ..storage.outputs import check_folder_output
from ..vectors import WordVectors
from ..vectors.model import Combine, ModelFolder, combined, top_contexts
from ..vocabulary import FILE, Vocabulary
from .callbacks import Callback, callback_of
from .fit import Fit
from .inputs import Inputs
from .recipe import Recipe
from .run import RunFolder, Start
from .scratch import Scratch

_log = logging.getLogger(__name__)

_EPOCHS_SHOWN = 10  # in a notebook; of more, none until they are asked for

#: Models by the name that commands and files use. A subclass of `Model` with a ``name`` adds itself.
MODELS: Registry[type["Model"]] = Registry("model")


class _Learned:
    """What a model has after fit; a class of its own, because dataclasses take annotations for parameters."""

    W_: npt.NDArray[np.float32]
    C_: npt.NDArray[np.float32]
    vocabulary_: Vocabulary
    contexts_: Contexts  # what the rows of C are
    composition_: Composition  # how words' vectors come from the rows of W
    normalisation_: Mapping[str, Any] | None  # how the text was normalised, if it was
    losses_: list[dict[str, float]]
    order_: dict[str, int]


@dataclass(kw_only=True, eq=False)
class Model(_Learned, Parameters, ABC):
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
        if executor is not None and not all(hasattr(executor, name) for name in ("run", "threads", "own")):
            raise ParameterError(Given("executor", executor), ": it must be an executor, such as ThreadExecutor(2)")
        check_engine(engine)
        if engine is not None:
            self._check_distributable()
            if executor is not None:
                raise ParameterError(Given("engine"), " and ", Given("executor"), " are mutually exclusive: choose one")
        with contextlib.ExitStack() as stack:
            run = RunFolder(output) if output is not None else None
            start = Start.from_inputs(self.name, self.record(), inputs, force=force)
            if resume:
                if run is None:
                    raise ParameterError(Given("resume", True), " needs the output that the run was started with")
                force = run.start.force
                stack.enter_context(run.resumed(start))
                inputs = run.inputs(inputs)
                inputs.check(self.recipe)
            elif run:
                check_folder_output(run.output, force=force, inputs=inputs.folders)
                stack.enter_context(run.begun(start))
            shown = resolved(progress, __name__)
            joining = None
            if engine is not None:
                from .joining import Joining  # workers build models, so it imports this module

                joining = Joining(stack.enter_context(open_engine(engine, self.threads)), type(self), shown)
            if executor is None:
                kind = ThreadExecutor if engine is None else Preparation
                executor = stack.enter_context(kind(available_threads(self.threads)))
            _log.debug(
                "%r on %d threads; compiled kernels in %s", self, executor.threads.count, CACHE.folder or CACHE.reason
            )
            bound = [callback_of(callback, self) for callback in callbacks]
            scratch = stack.enter_context(Scratch(run.path if run else None))
            fit = Fit(inputs, executor, run, shown, bound, self.checkpoint_every, self.memory, scratch, joining)
            encoded = fit.corpus()
            stack.enter_context(self._all_or_as_before())
            self.vocabulary_ = encoded.vocabulary
            self.contexts_ = WordContexts(encoded.vocabulary, 0)
            self.composition_ = OwnRow(encoded.vocabulary.words)
            self.normalisation_ = encoded.normalisation
            self.order_ = {}
            self._learn(fit, encoded)
            if output is not None:
                self.save(output, force=force, corpus=encoded)
        return self

    @contextlib.contextmanager
    def _all_or_as_before(self) -> Iterator[None]:
        """Restore what was learned before if nothing is learned in this block: W_ must fit the vocabulary."""
        before = {name: value for name, value in vars(self).items() if name.endswith("_")}
        for name in before:
            delattr(self, name)
        try:
            yield
        except BaseException:
            if not hasattr(self, "W_"):
                for name in [name for name in vars(self) if name.endswith("_")]:
                    delattr(self, name)
                vars(self).update(before)
            raise

    def _check(self) -> None:
        """Raise if parameters do not go together: `fit` calls this before anything is made."""

    def _check_distributable(self) -> None:
        """Raise if several machines cannot train this model together."""
        raise ParameterError(Given("engine"), f" cannot be used for {self.name}, which is computed at once: omit it")

    @property
    def recipe(self) -> Recipe | None:
        """How the matrix is made that the model learns from, if it learns from one."""
        return None

    def footprints(self, sizes: Sizes) -> list[Footprint]:
        """Return the ways to train the model, the fastest first, and what each takes; empty if that is unknown."""
        del sizes
        return []

    @abstractmethod
    def _learn(self, fit: Fit, corpus: Corpus) -> None:
        """Set ``W_``, ``C_`` and ``losses_``."""

    def vectors(self, combine: Combine = "word") -> WordVectors:
        """Return what was learned: W (``"word"``), C (``"context"``), or W + C (``"sum"``).

        >>> from lexvec import PPMISVD
        >>> PPMISVD(dim=2, subsample=0).fit([["a", "b", "a", "c"]] * 100).vectors("sum")
        <WordVectors: 3 words × 2 dimensions: 'a', 'b', 'c'>
        """
        self._require_fit()
        W, C = self.composition_.vectors(self.W_), self.contexts_.by_word(self.C_)
        composer = self.composition_.composer(self.W_) if combine == "word" else None
        return WordVectors(
            self.vocabulary_.words,
            combined(W, C, combine),
            counts=self.vocabulary_.counts,
            normalisation=self.normalisation_,
            composer=composer,
        )

    def top_contexts(self, word: str, *, count: int = 10) -> list[tuple[str, float]]:
        """Return the contexts that score highest with a word, by the product of its vector and theirs (W · C).

        LexVec and PPMI-SVD learn this product to be near the cell of the matrix, so that it is also high for contexts
        that the word was never seen with but words like it were.

        >>> from lexvec import LexVec
        >>> text = [["a", "cat", "sat"], ["a", "dog", "sat"], ["the", "end"]] * 100
        >>> model = LexVec(dim=8, epochs=20, subsample=0, contexts="positional", window=1).fit(text)
        >>> sorted(context for context, score in model.top_contexts("cat", count=2))
        ['a_-1', 'sat_1']
        """
        self._require_fit()
        vector = self.composition_.vectors(self.W_)[self.vocabulary_[word]]
        return top_contexts(vector, self.C_, self.contexts_, count)

    def _require_fit(self) -> None:
        if not hasattr(self, "W_"):
            raise LexvecError(f"this {type(self).__name__} has learned nothing yet: call fit first")

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
        """Write a folder with W, C, the vocabulary, the parameters and the losses.

        >>> import tempfile
        >>> from lexvec import GloVe
        >>> model = GloVe(dim=4, epochs=2, seed=7).fit([["a", "b", "a", "c"]] * 100)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/model")
        ...     Model.load(f"{folder}/model").seed
        7
        """
        self._require_fit()
        with ArtefactWriter(output, ModelFolder.kind, force=force) as out:
            for name in ("W", "C", *self.also):
                learned = getattr(self, f"{name}_")
                out.array(name, learned.dtype, learned.shape[1:]).append(learned)
            self.vocabulary_.save(out.folder / FILE)
            self.composition_.save(out)
            facts = {
                "model": self.name,
                "words": len(self.vocabulary_),
                "dim": int(self.W_.shape[1]),
                **self.contexts_.record(),
                **self.composition_.record(),
                "normalisation": self.normalisation_,
                **({"order": self.order_} if self.order_ else {}),
                "losses": self.losses_,
            }
            read = {} if corpus is None else {"ids_sha256": corpus.meta["files"]["ids.npy"]["sha256"]}
            out.seal(self.record(), facts, read)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> "Model":
        """Open a saved model of any kind; its arrays are memory-mapped."""
        folder = ModelFolder.load(path_from(path, "path"))
        facts = folder.meta["facts"]
        if facts["model"] not in MODELS:
            raise ArtefactError(f"{path} has a model of unknown kind {facts['model']!r:.60}: install what defines it")
        model = MODELS[facts["model"]].of(folder.meta["parameters"])
        model.W_, model.C_, model.vocabulary_ = folder.W, folder.C, folder.vocabulary
        model.contexts_, model.composition_ = folder.contexts, folder.composition
        model.normalisation_, model.order_ = folder.normalisation, facts.get("order", {})
        model.losses_ = folder.losses
        for name in model.also:
            setattr(model, f"{name}_", folder.array(name))
        return model


def _check_callbacks(callbacks: Any) -> None:
    if not isinstance(callbacks, Sequence) or not all(map(callable, callbacks)):
        raise ParameterError(Given("callbacks"), ": it must be a list of functions, each called after an epoch")


@dataclass(kw_only=True, eq=False)
class StepwiseModel(Model):
    """Base of the models that learn step by step: each declares its source of pairs, its step and its schedule."""

    epochs: int = parameter(5, "Number of passes over the corpus.", minimum=1, search=Search(1, 10))
    learning_rate: float = parameter(
        0.025, "Initial learning rate; it falls linearly.", minimum=1e-9, search=Search(0.005, 0.1, log=True)
    )
    parts: int | None = parameter(
        None,
        "Number of parts that words and contexts are dealt to, a power of two; no more threads can work at once. It "
        "decides the order of steps, and so the exact result. Default: 16, or 64 for more than 131,072 words; 32 for "
        "GloVe with more than 32,768 words; 8 with subwords.",
        minimum=1,
        maximum=1024,
    )

    def _check(self) -> None:
        super()._check()
        if self.parts and self.parts.bit_count() > 1:
            raise ParameterError(Given("parts", self.parts), ": it must be a power of two, such as 64")

    @property
    @abstractmethod
    def schedule(self) -> Schedule:
        """How long and how fast to train."""

    def _check_distributable(self) -> None:
        """Accept: word parts stay with workers and context parts travel."""

    def _parts(self, words: int) -> int:
        """Return the number of parts for so many words."""
        return self.parts or default_parts(words)

    @abstractmethod
    def _learner(self, fit: Fit, corpus: Corpus) -> Learner:
        """Return the source of pairs, the step, and the rows that it moves."""

    def _order(self, words: int) -> dict[str, int]:
        """Return the parameters that decide the order of steps, and so the exact result, with their defaults."""
        return {"parts": self._parts(words)}

    def _learn(self, fit: Fit, corpus: Corpus) -> None:
        self.order_ = fit.settled(self._order(len(corpus.vocabulary)))
        model = copy.copy(self)  # its parameters are those of the run, whatever the defaults of this version are
        vars(model).update(self.order_)
        if self.recipe is not None:
            known = fit.sizes(corpus, input_rows=1)
            fit.check(model.footprints(known), known, self.recipe)
        learner = model._learner(fit, corpus)
        vars(self).update({name: value for name, value in vars(model).items() if name.endswith("_")})

        def keep(losses: list[dict[str, float]], *, last: bool) -> None:
            self.losses_ = list(losses)
            self._keep(learner, last=last)

        if fit.joining is None:
            fit.train(learner, self.schedule, keep)
        else:
            from .distributed import ClusterTraining  # workers build models, so it imports this module

            ClusterTraining(fit, model, corpus, learner, keep).run()
        fit.check_pairs(self.losses_)

    def _keep(self, learner: Learner, *, last: bool) -> None:
        """Take over what was learned; the last time, rows are given up once they are copied."""
        for name, rows in (("W_", learner.words.arrays["rows"]), ("C_", learner.contexts.arrays["rows"])):
            setattr(self, name, rows.whole())
            if last:
                rows.release()
