"""Learning from windows and noise: the source of LexVec's and SGNS's pairs."""

import logging
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..cooccurrence.chunks import Chunk
from ..corpus import Corpus
from ..kernels import pairs as pair_kernels
from ..kernels import steps
from ..kernels.counting import Window
from ..kernels.noise import Noise
from ..kernels.pairs import Drawing, Pairs, Stretch, Targets
from ..kernels.windows import Draws
from ..sampling import stream_key
from .engine import PARTS, Array, Loss, Team

_log = logging.getLogger(__name__)

#: Pairs that are drawn at once: enough for a row to be used several times while it is in the cache.
CHUNK_PAIRS = 1 << 23
_LEAST_UNITS = 24  # an epoch has at least so many, for the learning rate to fall smoothly
_PAIR_BYTES = 12


@dataclass(frozen=True)
class Sampling:
    """How pairs are drawn from a corpus."""

    window: int
    random_sizes: bool
    keep: npt.NDArray[np.float64]  # for each word, the probability of keeping a token
    negative: int
    per_pair: bool  # noise words for each pair (as SGNS has it), or for each token
    noise: Noise
    targets: Targets
    logistic: bool
    seed: int


def no_targets() -> Targets:
    """Pairs should score 1 if seen and 0 if noise."""
    return Targets(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.float32), np.float32(0))


class _Buffer:
    """Room for pairs, kept between chunks and made larger when needed."""

    def __init__(self) -> None:
        self.pairs = Pairs(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32))

    def room(self, size: int) -> Pairs:
        if size > self.pairs.words.size:
            size += size // 4
            self.pairs = Pairs(np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.float32))
        return self.pairs


class WindowTrainer:
    """Draws pairs chunk by chunk, cuts them into blocks, and sweeps over the blocks."""

    unit_name = "words"

    def __init__(self, corpus: Corpus, sampling: Sampling, W: Array, C: Array, team: Team) -> None:
        self.arrays = {"W": W, "C": C}
        self.words = corpus.tokens
        self._corpus, self._sampling, self._team = corpus, sampling, team
        # No window reaches beyond its sentence, however large it is.
        self._widest = min(sampling.window, int(corpus.meta["facts"]["longest_sentence"]))
        self._most = pairs_per_token(sampling, self._widest)
        self._chunk = chunk_tokens(corpus, sampling.keep, self._most)
        self.units = -(-corpus.tokens // self._chunk)
        _log.debug(
            "%d chunks of %d tokens in an epoch, %d pairs a token at most, %d × %d blocks",
            self.units, self._chunk, self._most, PARTS, PARTS,
        )  # fmt: skip
        self._drawn = [_Buffer() for _ in range(team.threads)]
        self._dense = [np.full(len(corpus.vocabulary), sampling.targets.unseen) for _ in range(team.threads)]
        self._cut = [_Buffer() for _ in range(PARTS)]
        self._ends = np.zeros((PARTS, PARTS + 1), np.int64)

    def rewind(self, epoch: int, unit: int) -> None:
        """Nothing is kept between units."""

    def work(self, epoch: int, unit: int, rate: float) -> Loss:
        """Learn from one chunk of the corpus."""
        sampling = self._sampling
        chunk = self._tokens(epoch, unit)
        self._draw(chunk, stream_key(sampling.seed, "noise", epoch, unit))
        losses = np.zeros((PARTS, PARTS, 2))
        W, C = self.arrays["W"], self.arrays["C"]

        def block(i: int, j: int) -> None:
            first, last = self._ends[i, j], self._ends[i, j + 1]
            steps.sweep_pairs(W, C, self._cut[i].pairs, first, last, rate, sampling.logistic, losses[i, j])

        self._team.sweep(block)
        total = int(self._ends[:, -1].sum())
        per_pair = sampling.negative * total // (sampling.negative + 1)
        noise = per_pair if sampling.per_pair else sampling.negative * len(chunk.places)
        seen_loss, noise_loss = losses.sum(axis=(0, 1)).tolist()
        return Loss(seen_loss, noise_loss, total - noise, noise)

    def _tokens(self, epoch: int, unit: int) -> Chunk:
        sampling = self._sampling
        draws = Draws(
            sampling.keep,
            # The matrix was counted on draw 0 of the corpus; each epoch draws anew.
            stream_key(sampling.seed, "subsampling", epoch + 1),
            stream_key(sampling.seed, "window sizes", epoch + 1),
            sampling.window,
            False,
        )
        start = unit * self._chunk
        stop = min(start + self._chunk, self._corpus.tokens)
        window = Window(np.zeros(self._widest + 1, np.int64), True, True)
        return Chunk.of(self._corpus, start, stop, window, draws, random_sizes=sampling.random_sizes)

    def _draw(self, chunk: Chunk, key: np.uint64) -> None:
        sampling = self._sampling
        stretch = Stretch(chunk.stream, chunk.sizes, chunk.starts, chunk.places, self._widest)
        drawing = Drawing(sampling.noise, sampling.negative, sampling.per_pair, key)
        order, bounds = np.empty(len(chunk.places), np.int32), np.empty(PARTS + 1, np.int64)
        pair_kernels.deal(stretch, PARTS, order, bounds)
        segments = np.empty((len(chunk.places), 2), np.int64)

        def part(thread: int, i: int) -> None:
            own = order[bounds[i] : bounds[i + 1]]
            drawn = self._drawn[thread].room(len(own) * self._most)
            dense = self._dense[thread]
            pair_kernels.draw_part(i, PARTS, stretch, drawing, sampling.targets, dense, drawn, segments)
            n = int((segments[own, 1] - segments[own, 0]).sum())
            pair_kernels.cut(drawn, segments, own, PARTS, self._cut[i].room(n), self._ends[i, 1:])

        self._team.each(part, PARTS)


def pairs_per_token(sampling: Sampling, widest: int) -> int:
    """The most pairs that a token can give."""
    contexts = 2 * widest
    return contexts * (1 + sampling.negative) if sampling.per_pair else contexts + sampling.negative


def chunk_tokens(corpus: Corpus, keep: npt.NDArray[np.float64], most: int) -> int:
    """Tokens of the corpus that give about CHUNK_PAIRS pairs; a function of the corpus and parameters only."""
    kept = float((corpus.vocabulary.counts * keep).sum()) / corpus.tokens
    fitting = int(CHUNK_PAIRS / max(kept * most, 1e-9))
    return max(1, min(fitting, -(-corpus.tokens // _LEAST_UNITS)))


def buffer_bytes() -> int:
    """Memory of the pairs of a chunk, drawn and cut."""
    return 3 * CHUNK_PAIRS * _PAIR_BYTES
