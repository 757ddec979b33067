"""How vectors of words become vectors of sentences: weights of words, and the rules that cut text into words.

The weight of a word is a / (a + p), where p is its share of all tokens (SIF: Arora, Liang and Ma 2017, *A simple but
tough-to-beat baseline for sentence embeddings*), or 1 for a plain mean.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..errors import ParameterError
from ..parameters import Parameters, parameter
from ..progress import Progress

if TYPE_CHECKING:
    from ..corpus import Normalizer

_LOOKED_AT = 20_000  # words that tell whether a vocabulary is in lowercase
_ZIPF_OFFSET = 2.7  # Mandelbrot's, for English


@dataclass(frozen=True, kw_only=True)
class SentenceRules(Parameters):
    """How vectors of words become vectors of sentences.

    >>> SentenceRules(weights="mean")
    SentenceRules(weights='mean')
    """

    weights: str = parameter(
        "sif",
        "Weights of words: sif (frequent words count less), mean (all words count the same).",
        choices=("sif", "mean"),
    )
    a: float = parameter(
        1e-3, "Parameter a of SIF: a word with probability p has the weight a / (a + p).", minimum=1e-9
    )
    remove_component: bool = parameter(
        False, "Subtract what all sentences have in common: their projection onto the first singular vector."
    )
    normalize: bool = parameter(True, "Scale the vectors of sentences to length 1, so that dot products are cosines.")
    oov: str = parameter(
        "compose",
        "Words without a vector: compose (build one from subwords if the vectors can, omit the word otherwise), skip "
        "(omit the word), error (stop).",
        choices=("compose", "skip", "error"),
    )


def word_weights(
    rules: SentenceRules, words: int, counts: npt.NDArray[np.int64] | None, progress: Progress
) -> npt.NDArray[np.float64]:
    """Return the weight of each word, by counts or, where there are none, by Zipf's law of the order of words."""
    if rules.weights == "mean":
        return np.ones(words)
    if counts is None:
        progress.note("the vectors have no counts: word frequencies are estimated from the order, most frequent first")
        shares = 1 / (np.arange(words) + 1 + _ZIPF_OFFSET)
    else:
        shares = counts.astype(np.float64)
    total = shares.sum()
    return rules.a / (rules.a + (shares / total if total > 0 else shares))


def normalizer_of(normalisation: Mapping[str, Any] | None, words: Sequence[str], progress: Progress) -> "Normalizer":
    """Return the rules by which the text of vectors was normalised, or a guess from their words if that is unknown."""
    from ..corpus import Normalizer  # imports the compiler of kernels, which only text needs

    if normalisation is not None:
        try:
            return Normalizer.of(normalisation)
        except ParameterError as error:
            raise ParameterError(
                f"the normalisation of these vectors is unusable ({error}): pass a normalizer"
            ) from None
    lowercase = all(word == word.lower() for word in islice(words, _LOOKED_AT))
    progress.note(
        "the vectors do not record how their text was normalised: punctuation is removed, numbers are kept, case is "
        f"{'lowered' if lowercase else 'kept'}"
    )
    return Normalizer(numbers="keep", lowercase=lowercase)
