"""What training gives: vectors of words and contexts, and what is needed to read them.

A model has one, the folder of a model and a checkpoint are read as one, and vectors come from one.
"""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self, get_args

import numpy as np
import numpy.typing as npt

from .composition import BUCKETS, Composer, Composition, OwnRow, recorded_composition
from .contexts import Contexts, WordContexts, recorded_contexts
from .errors import ArtefactError, Given, InputError, ParameterError
from .parameters import check_whole, path_from
from .storage.artefact import Artefact, ArtefactWriter
from .vocabulary import FILE, Vocabulary, folder_vocabulary

if TYPE_CHECKING:  # reading vectors does not wait for the compiler of the kernels
    from .corpus import Corpus

Combine = Literal["word", "context", "sum"]
Matrix = npt.NDArray[np.float32]
Losses = list[dict[str, float]]


class LabelledRows(NamedTuple):
    """Distinct words, a matrix with one row per word, and what else is known about them.

    A file format fills in what its files hold, and writes what it has room for.
    """

    words: list[str]
    matrix: Matrix
    #: How often each word occurs in the text, in the order of the words.
    counts: npt.NDArray[np.int64] | None = None
    #: Parameters of the normaliser that made the words from text, by name.
    normalisation: Mapping[str, Any] | None = None
    #: Composes vectors of words that have no row.
    composer: Composer | None = None


@dataclass(frozen=True, eq=False)
class Trained:
    """The rows that a model has learned, what they belong to, and how they were learned."""

    W: Matrix  # a row per input row: per word, or more with subwords
    C: Matrix  # a row per context
    vocabulary: Vocabulary
    contexts: Contexts
    composition: Composition  # how the vectors of words come from the rows of W
    normalisation: Mapping[str, Any] | None = None  # how the text was normalised, if it was
    losses: Losses = field(default_factory=list)  # a record per epoch
    order: dict[str, int] = field(default_factory=dict)  # the parameters that decide the order of steps, as they were
    more: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)  # what a model learns beside W and C, by name

    @classmethod
    def of_words(cls, W: Matrix, C: Matrix, corpus: "Corpus", **more: npt.NDArray[Any]) -> Self:
        """Return what was learned if both W and C have a row per word of a corpus."""
        vocabulary = corpus.vocabulary
        contexts, composition = WordContexts(vocabulary, 0), OwnRow(vocabulary.words)
        return cls(W, C, vocabulary, contexts, composition, corpus.normalisation, more=more)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Open what was learned from the folder of a model; its arrays are memory-mapped."""
        return cls.of_folder(ModelFolder.load(path_from(path, "path")))

    @classmethod
    def of_folder(cls, folder: "ModelFolder", more: Iterable[str] | None = None) -> Self:
        """Return what is in the folder of a model; ``more`` names the arrays beside W and C (None: all that are)."""
        if more is None:
            more = [name.removesuffix(".npy") for name in folder.meta["files"] if name.endswith(".npy")]
            more = [name for name in more if name not in ("W", "C", BUCKETS)]
        vocabulary, facts = folder.vocabulary, folder.meta["facts"]
        contexts = folder.contexts
        composition = recorded_composition(folder, vocabulary.words)
        return cls(
            folder.matrix("W", composition.rows),
            folder.matrix("C", len(contexts)),
            vocabulary,
            contexts,
            composition,
            recorded_normalisation(folder),
            folder.losses,
            facts.get("order", {}),
            {name: folder.array(name) for name in more},
        )

    def check(self) -> Self:
        """Raise unless W and C are float32, with a row for each input row and each context."""
        for name, array, rows in (("W", self.W, self.composition.rows), ("C", self.C, len(self.contexts))):
            fits = isinstance(array, np.ndarray) and array.dtype == np.float32 and array.ndim == 2
            if not fits or array.shape[0] != rows or array.shape[1] != self.W.shape[1]:
                found = (
                    f"{array.dtype} of shape {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
                )
                raise InputError(f"{name} is {found}: learn {rows:,} rows of float32, as many columns in W and in C")
        return self

    def save(
        self,
        output: str | os.PathLike[str],
        model: str,
        parameters: dict[str, Any],
        *,
        force: bool = False,
        corpus: "Corpus | None" = None,
    ) -> None:
        """Write the folder of a model of a kind, with the parameters that it had and the corpus that it read."""
        with ArtefactWriter(output, ModelFolder.kind, force=force) as out:
            for name, array in {"W": self.W, "C": self.C, **self.more}.items():
                out.array(name, array.dtype, array.shape[1:]).append(array)
            self.vocabulary.save(out.folder / FILE)
            self.composition.save(out)
            facts = {
                "model": model,
                "words": len(self.vocabulary),
                "dim": int(self.W.shape[1]),
                **self.contexts.record(),
                **self.composition.record(),
                "normalisation": self.normalisation,
                **({"order": self.order} if self.order else {}),
                "losses": self.losses,
            }
            read = {} if corpus is None else {"ids_sha256": corpus.meta["files"]["ids.npy"]["sha256"]}
            out.seal(parameters, facts, read)

    def rows(self, combine: Combine, limit: int | None = None) -> LabelledRows:
        """Return W (``"word"``), C (``"context"``) or W + C (``"sum"``) with a row per word, of the first ``limit``."""
        check_combine(combine)
        matrix = self.contexts.by_word(self.C)[:limit] if combine != "word" else None
        if combine != "context":
            W = self.composition.vectors(self.W, limit)
            matrix = W if matrix is None else W + matrix
        assert matrix is not None
        # What composes vectors of other words has no part in contexts.
        composer = self.composition.composer(self.W) if combine == "word" else None
        words, counts = self.vocabulary.words[:limit], self.vocabulary.counts[:limit]
        return LabelledRows(words, matrix, counts, self.normalisation, composer)

    def top_contexts(self, word: str, *, count: int = 10) -> list[tuple[str, float]]:
        """Return the contexts that score highest with a word, by the product of its vector and theirs."""
        vector = self.composition.vectors(self.W)[self.vocabulary[word]]
        return self.contexts.strongest(self.C @ vector, check_whole(count, "count", 1))


class ModelFolder(Artefact):
    """The folder of a trained model."""

    kind = "model"
    facts: ClassVar[Mapping[str, Any]] = {"model": str, "words": int, "dim": int, "losses": list}
    contents = ("W.npy", "C.npy", FILE)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The words, most frequent first."""
        return folder_vocabulary(self)

    @cached_property
    def contexts(self) -> Contexts:
        """The contexts, a row of C each."""
        return recorded_contexts(self.meta["facts"], self.vocabulary, self.path)

    @cached_property
    def trained(self) -> Trained:
        """What was learned; its arrays are memory-mapped."""
        return Trained.of_folder(self)

    @property
    def losses(self) -> Losses:
        """A record per epoch."""
        losses: Losses = self.meta["facts"]["losses"]
        if not all(isinstance(epoch, dict) and all(map(_is_number, epoch.values())) for epoch in losses):
            raise ArtefactError(f"{self.path} is damaged (its losses are not numbers): rebuild it")
        return losses

    def matrix(self, name: str, rows: int) -> Matrix:
        """Return W or C, which must have as many rows as what they belong to."""
        array = self.array(name)
        words, dim = self.meta["facts"]["words"], self.meta["facts"]["dim"]
        if array.dtype != np.float32 or words != len(self.vocabulary) or array.shape != (rows, dim):
            raise ArtefactError(f"{self.path} is damaged (its arrays do not fit together): rebuild it")
        return array


def check_combine(combine: str) -> None:
    """Raise unless ``combine`` names a way to make vectors from W and C."""
    if combine not in get_args(Combine):
        raise ParameterError(f"combine={combine!r}: it must be one of {', '.join(get_args(Combine))}")


def normalisation_from(value: Any) -> dict[str, Any] | None:
    """Return parameters of a normaliser, or None if they are unknown; what they mean is checked when they are used."""
    if value is None:
        return None
    plain = isinstance(value, Mapping) and all(
        isinstance(name, str) and isinstance(each, str | bool | int) for name, each in value.items()
    )
    if not plain:
        raise ParameterError(Given("normalisation", value), ": it must be a mapping of parameters of Normalizer")
    return dict(value)


def recorded_normalisation(folder: Artefact) -> dict[str, Any] | None:
    """Return how the text of a folder was normalised; older folders, which do not say, give None."""
    try:
        return normalisation_from(folder.meta["facts"].get("normalisation"))
    except ParameterError:
        raise ArtefactError(f"{folder.path} is damaged (its normalisation is unusable): rebuild it") from None


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
