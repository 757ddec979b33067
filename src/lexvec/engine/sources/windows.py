"""Pairs from windows and noise: the source of LexVec and SGNS."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...contexts import Contexts
from ...cooccurrence.chunks import Chunk
from ...corpus import Corpus
from ...draws import WindowParameters, stream_key
from ...kernels import pairs as pair_kernels
from ...kernels.counting import Window
from ...kernels.noise import Noise
from ...kernels.pairs import NoiseDraws, Pairs, Stretch, Targets
from ...kernels.windows import TokenDraws
from ...threads import Threads
from ..rows import PARTS
from ..schedule import Tally

_log = logging.getLogger(__name__)

#: Pairs that are drawn at once: enough for a row to be used several times while it is in the cache.
UNIT_PAIRS = 1 << 23
_LEAST_UNITS = 24  # an epoch has at least so many, for the learning rate to fall smoothly
_PAIR_BYTES = 12

#: Pairs should score 1 if they were seen and 0 if they are noise.
NO_TARGETS = Targets(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.float32), np.float32(0))


@dataclass(frozen=True)
class WindowSampling:
    """How pairs are drawn from a corpus."""

    windows: WindowParameters
    window: int
    random_sizes: bool
    contexts: Contexts
    negative: int
    per_pair: bool  # noise per pair (as in SGNS), or per token
    noise: Noise
    targets: Targets
    seed: int
    unit_pairs: int = UNIT_PAIRS


class _PairBuffer:
    """Room for pairs, kept between units and made larger when needed."""

    def __init__(self) -> None:
        self.pairs = Pairs(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32))

    def room(self, size: int) -> Pairs:
        if size > self.pairs.words.size:
            size += size // 4
            self.pairs = Pairs(np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.float32))
        return self.pairs


class WindowSource:
    """Draws the pairs of a stretch of the corpus at a time and cuts them into blocks."""

    size_name = "words"

    def __init__(self, corpus: Corpus, sampling: WindowSampling, workers: int) -> None:
        self.corpus, self.sampling = corpus, sampling
        self.size = corpus.tokens
        # No window reaches beyond its sentence, however large it is.
        self.widest = min(sampling.window, corpus.longest_sentence)
        self.axis = sampling.contexts.axis()
        self.keep = sampling.windows.keep_probabilities(corpus.vocabulary.counts)
        self.most = pairs_per_token(sampling, self.widest)
        self._unit_tokens = unit_tokens(corpus, self.keep, self.most, sampling.unit_pairs)
        self.units = -(-corpus.tokens // self._unit_tokens)
        _log.debug(
            "%d units of %d tokens in an epoch, %d pairs per token at most, %d × %d blocks",
            self.units, self._unit_tokens, self.most, PARTS, PARTS,
        )  # fmt: skip
        self.drawn = [_PairBuffer() for _ in range(workers)]
        self.dense = [np.full(len(sampling.contexts), sampling.targets.unseen) for _ in range(workers)]
        self.cut = [_PairBuffer() for _ in range(PARTS)]

    def rewind(self, epoch: int, number: int, threads: Threads) -> None:
        """Do nothing: no state is kept between units."""

    def unit(self, epoch: int, number: int) -> "WindowUnit":
        """Draw the tokens of one stretch of the corpus."""
        start = number * self._unit_tokens
        stop = min(start + self._unit_tokens, self.corpus.tokens)
        key = stream_key(self.sampling.seed, "noise", epoch, number)
        return WindowUnit(self, self._tokens(epoch, start, stop), key)

    def _tokens(self, epoch: int, start: int, stop: int) -> Chunk:
        sampling = self.sampling
        draws = TokenDraws(
            self.keep,
            # The matrix was counted on draw 0 of the corpus; each epoch has a draw of its own.
            stream_key(sampling.seed, "subsampling", epoch + 1),
            stream_key(sampling.seed, "window sizes", epoch + 1),
            sampling.window,
            sampling.windows.subsampling == "clean",
        )
        window = Window(np.zeros(self.widest + 1, np.int64), True, True)
        return Chunk.drawn(self.corpus, start, stop, window, draws, random_sizes=sampling.random_sizes)


class WindowUnit:
    """One unit: the pairs of a stretch of the corpus."""

    rounds: Sequence[int] = range(PARTS)

    def __init__(self, source: WindowSource, chunk: Chunk, key: np.uint64) -> None:
        sampling = source.sampling
        self.source, self._tokens = source, len(chunk.places)
        side = sampling.windows.side
        self.stretch = Stretch(
            chunk.stream, chunk.sizes, chunk.starts, chunk.places, source.widest, side != "right", side != "left"
        )
        self.draws = NoiseDraws(sampling.noise, sampling.negative, sampling.per_pair, key)
        self._order, self._bounds = np.empty(self._tokens, np.int32), np.empty(PARTS + 1, np.int64)
        pair_kernels.deal(self.stretch, PARTS, self._order, self._bounds)
        self._segments = np.empty((self._tokens, 2), np.int64)
        self._ends = np.zeros((PARTS, PARTS + 1), np.int64)

    @property
    def occurrences(self) -> npt.NDArray[np.int64]:
        """How many tokens of each word the stretch has."""
        return np.diff(self.stretch.starts)[:-1]

    def prepare(self, thread: int, part: int) -> None:
        """Draw the pairs of one word part and cut them by context part."""
        source, segments = self.source, self._segments
        own = self._order[self._bounds[part] : self._bounds[part + 1]]
        drawn = source.drawn[thread].room(len(own) * source.most)
        pair_kernels.draw_part(
            part, PARTS, self.stretch, source.axis, self.draws, source.sampling.targets, source.dense[thread],
            drawn, segments,
        )  # fmt: skip
        n = int((segments[own, 1] - segments[own, 0]).sum())
        pair_kernels.cut(drawn, segments, own, PARTS, source.cut[part].room(n), self._ends[part, 1:])

    def block(self, i: int, j: int) -> Pairs:
        """Return the pairs of one block, in the order of the text."""
        pairs, first, last = self.source.cut[i].pairs, self._ends[i, j], self._ends[i, j + 1]
        return Pairs(pairs.words[first:last], pairs.contexts[first:last], pairs.targets[first:last])

    def tally(self, losses: npt.NDArray[np.float64]) -> Tally:
        """Add up the losses of all blocks."""
        sampling = self.source.sampling
        total = int(self._ends[:, -1].sum())
        per_pair = sampling.negative * total // (sampling.negative + 1)
        noise = per_pair if sampling.per_pair else sampling.negative * self._tokens
        seen_loss, noise_loss = losses.sum(axis=(0, 1)).tolist()
        return Tally(seen_loss, noise_loss, total - noise, noise)


def pairs_per_token(sampling: WindowSampling, widest: int) -> int:
    """Return the most pairs that a token can give."""
    contexts = 2 * widest
    return contexts * (1 + sampling.negative) if sampling.per_pair else contexts + sampling.negative


def unit_tokens(corpus: Corpus, keep: npt.NDArray[np.float64], most: int, pairs: int) -> int:
    """Return how many tokens give about so many pairs; a function of the corpus and parameters only."""
    kept = float((corpus.vocabulary.counts * keep).sum()) / corpus.tokens
    fitting = int(pairs / max(kept * most, 1e-9))
    return max(1, min(fitting, -(-corpus.tokens // _LEAST_UNITS)))


def buffer_bytes() -> int:
    """Return the memory of the pairs of a unit, drawn and cut."""
    return 3 * UNIT_PAIRS * _PAIR_BYTES
