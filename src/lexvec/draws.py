"""What is drawn at random, and from which stream: keys, and the probabilities of keeping a word.

Every random number is a function of (seed, purpose, epoch, position in the corpus): see `lexvec.kernels.rng`.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .kernels.rng import Noise, fill_alias
from .parameters import Parameters, Search, parameter

# Streams that must not be the same numbers. Append only: the order is part of what a seed means.
_PURPOSES = ("subsampling", "window sizes", "noise", "word rows", "context rows", "order", "projection")


def stream_key(seed: int, purpose: str, *which: int) -> np.uint64:
    """Return the key of a stream of random numbers; there may be one per epoch, chunk and so on."""
    sequence = np.random.SeedSequence(seed, spawn_key=(_PURPOSES.index(purpose), *(which or (0,))))
    return np.uint64(sequence.generate_state(1, np.uint64)[0])


#: How likely a token is to be kept, by the ratio t/f of the threshold to the relative frequency of its word.
KEEP_RULES: dict[str, Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]] = {
    "paper": np.sqrt,  # a token of a word with f > t is dropped with probability 1 − √(t/f)
    "word2vec": lambda ratio: np.sqrt(ratio) + ratio,  # what word2vec's program does, and gensim after it
}


@dataclass(kw_only=True, eq=False)
class WindowParameters(Parameters):
    """How windows are formed over a corpus: their size, their sides, and which tokens subsampling drops."""

    window: int = parameter(
        2, "Words on each side of a word that are its contexts.", minimum=1, maximum=2**31 - 1, search=Search(1, 12)
    )
    side: str = parameter(
        "both", "Side of the word from which contexts are taken.", choices=("both", "left", "right")
    )  # fmt: skip
    subsample: float | None = parameter(
        1e-5,
        "Threshold t of subsampling: tokens of words with a relative frequency f > t are dropped at random, the more "
        "the larger f is. 0 drops none. Use about 1e-4 for ten million words, 0 below one million.",
        minimum=0,
        maximum=1,
        # Few values, so that trials can share their counts.
        search=Search(values=(0.0, 1e-3, 1e-4, 1e-5)),
    )
    keep_rule: str = parameter(
        "paper",
        "Probability of keeping a token: paper: √(t/f); word2vec: √(t/f) + t/f, as word2vec and gensim do.",
        choices=tuple(KEEP_RULES),
    )
    subsampling: str = parameter(
        "dirty",
        "dirty: drop tokens before windows are formed, so that windows reach farther; clean: drop them afterwards.",
        choices=("dirty", "clean"),
    )

    def keep_probabilities(self, counts: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the probability that subsampling keeps a token, for each word."""
        if not self.subsample:
            return np.ones(len(counts))
        with np.errstate(divide="ignore"):
            return np.minimum(1.0, KEEP_RULES[self.keep_rule](self.subsample * counts.sum() / counts))


def noise_weights(
    counts: npt.NDArray[np.int64] | npt.NDArray[np.float64], power: float
) -> npt.NDArray[np.float64]:  # fmt: skip
    """Return how likely each context is as noise: in proportion to count^power (the paper's P_n: power 3/4)."""
    weights: npt.NDArray[np.float64] = counts.astype(np.float64) ** power * (counts > 0)
    return weights / max(float(weights.sum()), np.finfo(np.float64).tiny)  # there may be no tokens at all


def noise_table(weights: npt.NDArray[np.float64]) -> Noise:
    """Return a table for drawing contexts with these weights."""
    table = Noise(np.empty(len(weights), np.uint32), np.empty(len(weights), np.int32))
    fill_alias(weights, table)
    return table
