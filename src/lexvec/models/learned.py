"""What a model has learned: vectors of words and contexts, and the losses on the way."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ..composition import Composition
from ..contexts import Contexts
from ..errors import LexvecError
from ..presentation import cards
from ..vectors import WordVectors
from ..vectors.model import Combine, combined, top_contexts
from ..vocabulary import Vocabulary

_EPOCHS_SHOWN = 10  # in a notebook; of more, none until they are asked for


class Learned:
    """What a model has after fit; a class of its own, because dataclasses take annotations for parameters."""

    W_: npt.NDArray[np.float32]
    C_: npt.NDArray[np.float32]
    vocabulary_: Vocabulary
    contexts_: Contexts  # what the rows of C are
    composition_: Composition  # how words' vectors come from the rows of W
    normalisation_: Mapping[str, Any] | None  # how the text was normalised, if it was
    losses_: list[dict[str, float]]
    order_: dict[str, int]  # the parameters that decide the order of steps, as they were

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

    def _html_losses(self) -> list[str]:
        if not self.losses_:
            return []
        names = list(self.losses_[0])
        rows = [[number, *(epoch[name] for name in names)] for number, epoch in enumerate(self.losses_, 1)]
        table = cards.columns(["epoch", *names], rows)
        return [table if len(rows) <= _EPOCHS_SHOWN else cards.folded(f"loss of {len(rows)} epochs", table)]

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
