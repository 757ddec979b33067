"""What is drawn at random, and from which stream: keys, and the probabilities of keeping a word.

Every random number is a function of (seed, purpose, epoch, position in the corpus): see `lexvec.kernels.rng`.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from .kernels.noise import Noise, fill_alias

# Streams that must not be the same numbers. Append only: the order is part of what a seed means.
_PURPOSES = ("subsampling", "window sizes", "noise", "word rows", "context rows", "order", "projection")


def stream_key(seed: int, purpose: str, *which: int) -> np.uint64:
    """The key of a stream of random numbers, of which there may be one per epoch, chunk and so on."""
    sequence = np.random.SeedSequence(seed, spawn_key=(_PURPOSES.index(purpose), *(which or (0,))))
    return np.uint64(sequence.generate_state(1, np.uint64)[0])


#: How likely a token is to be kept, by the ratio t/f of the threshold to the relative frequency of its word.
KEEP_RULES: dict[str, Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]] = {
    "paper": np.sqrt,  # a token of a word with f > t is dropped with probability 1 − √(t/f)
    "word2vec": lambda ratio: np.sqrt(ratio) + ratio,  # what word2vec's program does, and gensim after it
}


def keep_probabilities(
    counts: npt.NDArray[np.int64], subsample: float | None, rule: str = "paper"
) -> npt.NDArray[np.float64]:
    """For each word, the probability that subsampling keeps a token of it."""
    if not subsample:
        return np.ones(len(counts))
    with np.errstate(divide="ignore"):
        return np.minimum(1.0, KEEP_RULES[rule](subsample * counts.sum() / counts))


def noise_table(counts: npt.NDArray[np.int64], power: float) -> Noise:
    """For drawing words in proportion to count^power (the paper's P_n: power 3/4)."""
    table = Noise(np.empty(len(counts), np.uint32), np.empty(len(counts), np.int32))
    fill_alias(counts.astype(np.float64) ** power * (counts > 0), table)
    return table
