"""What a fitted model offers, and what it calls after each epoch of a fit."""

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..composition import Composition
from ..contexts import Contexts
from ..engine.training import EpochCallback
from ..errors import LexvecError
from ..presentation import cards
from ..trained import Combine, Losses, Trained
from ..vectors import WordVectors
from ..vocabulary import Vocabulary

_EPOCHS_SHOWN = 10  # in a notebook; of more, none until they are asked for


class Learned:
    """What a model has after fit; a class of its own, because dataclasses take annotations for parameters."""

    trained_: Trained

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Say what to do where nothing was learned yet."""
            if name == "trained_" or isinstance(getattr(type(self), name, None), property):
                raise AttributeError(f"this {type(self).__name__} has learned nothing yet: call fit first")
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @property
    def W_(self) -> npt.NDArray[np.float32]:  # noqa: N802 (the paper's name)
        """The input rows: a row per word, or more with subwords."""
        return self.trained_.W

    @property
    def C_(self) -> npt.NDArray[np.float32]:  # noqa: N802
        """The vectors of contexts."""
        return self.trained_.C

    @property
    def vocabulary_(self) -> Vocabulary:
        """The words."""
        return self.trained_.vocabulary

    @property
    def contexts_(self) -> Contexts:
        """What the rows of C are."""
        return self.trained_.contexts

    @property
    def composition_(self) -> Composition:
        """How words' vectors come from the rows of W."""
        return self.trained_.composition

    @property
    def normalisation_(self) -> Mapping[str, Any] | None:
        """How the text was normalised, if it was."""
        return self.trained_.normalisation

    @property
    def losses_(self) -> Losses:
        """A record per epoch."""
        return self.trained_.losses

    @property
    def order_(self) -> dict[str, int]:
        """The parameters that decide the order of steps, as they were."""
        return self.trained_.order

    def vectors(self, combine: Combine = "word") -> WordVectors:
        """Return what was learned: W (``"word"``), C (``"context"``), or W + C (``"sum"``).

        >>> from lexvec import PPMISVD
        >>> PPMISVD(dim=2, subsample=0).fit([["a", "b", "a", "c"]] * 100).vectors("sum")
        <WordVectors: 3 words × 2 dimensions: 'a', 'b', 'c'>
        """
        return WordVectors.of_rows(self._trained().rows(combine))

    def top_contexts(self, word: str, *, count: int = 10) -> list[tuple[str, float]]:
        """Return the contexts that score highest with a word, by the product of its vector and theirs (W · C).

        LexVec and PPMI-SVD learn this product to be near the cell of the matrix, so it is also high for contexts seen
        only with similar words.

        >>> from lexvec import LexVec
        >>> text = [["a", "cat", "sat"], ["a", "dog", "sat"], ["the", "end"]] * 100
        >>> model = LexVec(dim=8, epochs=20, subsample=0, contexts="positional", window=1).fit(text)
        >>> sorted(context for context, score in model.top_contexts("cat", count=2))
        ['a_-1', 'sat_1']
        """
        return self._trained().top_contexts(word, count=count)

    def _trained(self) -> Trained:
        if not hasattr(self, "trained_"):
            raise LexvecError(f"this {type(self).__name__} has learned nothing yet: call fit first")
        return self.trained_

    def _html_losses(self) -> list[str]:
        if not self.losses_:
            return []
        names = list(self.losses_[0])
        rows = [[number, *(epoch[name] for name in names)] for number, epoch in enumerate(self.losses_, 1)]
        table = cards.columns(["epoch", *names], rows)
        return [table if len(rows) <= _EPOCHS_SHOWN else cards.folded(f"loss of {len(rows)} epochs", table)]


#: Takes the number of the epoch and its losses, and the model if it has room for a third argument.
Callback = Callable[..., bool | None]


def callback_of(callback: Callback, model: Any) -> EpochCallback:
    """Return a callback of an epoch and its losses, which hands the model on if the given one takes it.

    It gets a copy of the losses, so what it writes there is not in the model. NumPy's true stops training, too.
    """
    more = (model,) if accepts(callback, 3) else ()

    def called(epoch: int, losses: dict[str, float]) -> bool:
        answer = callback(epoch, dict(losses), *more)
        return isinstance(answer, bool | np.bool_) and bool(answer)

    return called


def accepts(callback: Callback, arguments: int) -> bool:
    """Return whether a callback takes so many arguments; one that does not say, such as a builtin, takes two.

    >>> accepts(lambda epoch, losses: None, 2), accepts(lambda: None, 2), accepts(lambda *_: None, 3)
    (True, False, True)
    """
    try:
        inspect.signature(callback).bind(*range(arguments))
    except ValueError:
        return arguments == 2
    except TypeError:
        return False
    return True
