"""Pairs from windows and noise: the source of LexVec and SGNS."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...contexts import Contexts
from ...cooccurrence.chunks import MAX_CHUNK, Chunk
from ...corpus import Corpus
from ...draws import WindowParameters, noise_table, stream_key
from ...kernels import pairs as pair_kernels
from ...kernels import tiles as tile_kernels
from ...kernels.counting import Window
from ...kernels.pairs import NoiseDraws, Pairs, Stretch
from ...kernels.rng import Noise
from ...kernels.steps import Block
from ...kernels.tiles import SIDE, TILE_PAIRS, Shares, Tiles
from ...kernels.windows import TokenDraws
from ...threads import Threads
from ..schedule import Tally
from .targets import TargetStore

_log = logging.getLogger(__name__)

#: The fewest and the most pairs that are drawn at once, by default. Their number decides the order of steps, and so the
#: bits. Each unit reads all rows, and a matrix on disk, so units have more pairs if there are more words.
UNIT_PAIRS, MOST_UNIT_PAIRS = 1 << 23, 1 << 31
_PAIRS_PER_WORD = 128
_LEAST_UNITS = 24  # an epoch has at least so many, for the learning rate to fall smoothly
_NO_TABLE = Noise(np.empty(0, np.uint32), np.empty(0, np.int32))
_NO_SHARES = Shares(np.empty(0), np.empty(0, np.int64))


@dataclass(frozen=True)
class WindowSizes:
    """How many pairs windows give: what decides how large a unit of work is."""

    window: int
    random_sizes: bool
    negative: int
    per_pair: bool  # noise per pair (as in SGNS), or per token
    shared: bool  # noise in tiles that words share, or each token's own
    unit_pairs: int  # to draw at once
    longest_sentence: int

    @property
    def widest(self) -> int:
        """The largest window: none reaches beyond its sentence, however large it is."""
        return min(self.window, self.longest_sentence)

    @property
    def most(self) -> int:
        """The most pairs that a token can give."""
        return self._pairs(self.negative)

    @property
    def most_drawn(self) -> int:
        """The most pairs of a token that are drawn one by one: shared noise is not."""
        return self._pairs(0 if self.shared else self.negative)

    def _pairs(self, negative: int) -> int:
        contexts = 2 * self.widest
        return contexts * (1 + negative) if self.per_pair else contexts + negative


@dataclass(frozen=True)
class WindowSampling:
    """How pairs are drawn from a corpus."""

    windows: WindowParameters
    sizes: WindowSizes
    contexts: Contexts
    noise: npt.NDArray[np.float64]  # how likely each context is
    targets: TargetStore | None  # None: 1 for seen pairs, and 0 for noise
    seed: int


class _PairBuffer:
    """Room for pairs, kept between units and made larger when needed."""

    def __init__(self) -> None:
        self.pairs = Pairs(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32))

    def room(self, size: int) -> Pairs:
        if size > self.pairs.words.size:
            size += size // 4
            self.pairs = Pairs(np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.float32))
        return self.pairs


class _TileBuffer:
    """Room for the tiles of a part of words, kept between units and made larger when needed."""

    def __init__(self, *, has_targets: bool) -> None:
        self._has_targets = has_targets
        self.tiles = self._empty(0)

    def _empty(self, size: int) -> Tiles:
        return Tiles(
            np.empty((size, SIDE), np.int32),
            np.empty((size, SIDE), np.int32),
            np.empty((size if self._has_targets else 0, TILE_PAIRS), np.float32),
        )

    def room(self, size: int) -> Tiles:
        if size > len(self.tiles.words):
            self.tiles = self._empty(size + size // 4)
        return self.tiles


class WindowSource:
    """Draws the pairs of a stretch of the corpus at a time and cuts them into blocks."""

    size_name = "words"

    def __init__(self, corpus: Corpus, sampling: WindowSampling, parts: int, workers: int) -> None:
        self.corpus, self.sampling, self.parts = corpus, sampling, parts
        self.size = corpus.tokens
        sizes = self.sizes = sampling.sizes
        self.axis = sampling.contexts.axis()
        self.keep = sampling.windows.keep_probabilities(corpus.vocabulary.counts)
        self._unit_tokens = unit_tokens(corpus.vocabulary.counts, self.keep, sizes)
        self.units = -(-corpus.tokens // self._unit_tokens)
        _log.debug(
            "%d units of %d tokens in an epoch, %d pairs per token at most, %d × %d blocks",
            self.units, self._unit_tokens, sizes.most, parts, parts,
        )  # fmt: skip
        self.shares, self.table = _NO_SHARES, _NO_TABLE
        if sizes.shared:
            self.shares = Shares(np.empty(len(sampling.noise)), np.empty(parts + 1, np.int64))
            tile_kernels.fill_shares(sampling.noise, parts, self.shares)
        else:
            self.table = noise_table(sampling.noise)
        targets = sampling.targets
        self.drawn = [_PairBuffer() for _ in range(workers)]
        self.dense = [np.full(len(sampling.contexts), targets.unseen) for _ in range(workers)] if targets else []
        self.cut = [_PairBuffer() for _ in range(parts)]
        self.tiles = [_TileBuffer(has_targets=targets is not None) for _ in range(parts)]

    def rewind(self, epoch: int, number: int, threads: Threads) -> None:
        """Do nothing: no state is kept between units."""

    def unit(self, epoch: int, number: int, threads: Threads) -> "WindowUnit":
        """Draw the tokens of one stretch of the corpus."""
        start = number * self._unit_tokens
        stop = min(start + self._unit_tokens, self.corpus.tokens)
        keys = (stream_key(self.sampling.seed, purpose, epoch, number) for purpose in ("noise", "order"))
        return WindowUnit(self, self._tokens(epoch, start, stop, threads), *keys)

    def _tokens(self, epoch: int, start: int, stop: int, threads: Threads) -> Chunk:
        sampling = self.sampling
        draws = TokenDraws(
            self.keep,
            # The matrix was counted on draw 0 of the corpus; each epoch has a draw of its own.
            stream_key(sampling.seed, "subsampling", epoch + 1),
            stream_key(sampling.seed, "window sizes", epoch + 1),
            self.sizes.window,
            sampling.windows.subsampling == "clean",
        )
        window = Window(np.zeros(self.sizes.widest + 1, np.int64), True, True)
        return Chunk.drawn(self.corpus, start, stop, window, draws, threads, random_sizes=self.sizes.random_sizes)


class WindowUnit:
    """One unit: the pairs of a stretch of the corpus."""

    def __init__(self, source: WindowSource, chunk: Chunk, noise_key: np.uint64, order_key: np.uint64) -> None:
        self.source, self._chunk, self._noise_key, self._order_key = source, chunk, noise_key, order_key
        self._parts = source.parts
        self.rounds: Sequence[int] = range(source.parts)
        side = source.sampling.windows.side
        self.stretch = Stretch(
            chunk.stream, chunk.sizes, chunk.starts, chunk.places, source.sizes.widest, side != "right", side != "left"
        )
        own = 0 if source.sizes.shared else source.sizes.negative
        self.draws = NoiseDraws(source.table, own, source.sizes.per_pair, noise_key)
        self._ends = np.zeros((self._parts, self._parts + 1), np.int64)
        self._tile_ends = np.zeros((self._parts, self._parts + 1), np.int64)

    @property
    def occurrences(self) -> npt.NDArray[np.int64]:
        """How many tokens of each word the stretch has."""
        return self._chunk.kept

    def prepare(self, thread: int, part: int) -> None:
        """Draw the pairs of one word part, deal its noise, and cut the pairs by context part."""
        source, sizes = self.source, self.source.sizes
        tokens = self._chunk.kept[part :: self._parts]
        drawn = source.drawn[thread].room(int(tokens.sum()) * sizes.most_drawn)
        order, ends = np.empty(len(tokens), np.int32), np.empty(len(tokens), np.int64)
        tile_kernels.fill_order(part, self._order_key, order)
        pair_kernels.draw_part(part, self._parts, self.stretch, source.axis, self.draws, order, drawn, ends)
        count = int(ends[-1]) if len(ends) else 0
        if sizes.shared:
            per_word = ends if sizes.per_pair else np.cumsum(tokens[order])
            self._deal(part, sizes.negative * per_word.astype(np.float64))
        if source.sampling.targets is None:
            pair_kernels.fill_labels(drawn, count)
        else:
            self._fill_targets(thread, part, source.sampling.targets, order, drawn, ends)
        tile_kernels.name_rows(order, self._tile_ends[part, -1], source.tiles[part].tiles)
        pair_kernels.cut(drawn, count, self._parts, source.cut[part].room(count), self._ends[part, 1:])

    def _deal(self, part: int, noise: npt.NDArray[np.float64]) -> None:
        """Deal tiles to the words of a part, which should get so much noise (cumulative)."""
        # Each block rounds up by one tile at most.
        most = self._parts + int(noise[-1] / TILE_PAIRS) if len(noise) else 0
        tiles = self.source.tiles[part].room(most)
        tile_kernels.deal(part, noise, self.source.shares, self._noise_key, tiles, self._tile_ends[part, 1:])

    def _fill_targets(
        self,
        thread: int,
        part: int,
        targets: TargetStore,
        order: npt.NDArray[np.int32],
        drawn: Pairs,
        ends: npt.NDArray[np.int64],
    ) -> None:
        """Look up what pairs and tiles should score; the words of tiles are still places in ``order``."""
        tiles, tile_ends = self.source.tiles[part].tiles, self._tile_ends[part, 1:]
        slot_starts = np.empty(len(ends) + 2, np.int64)
        slots = np.empty(SIDE * tile_ends[-1], np.int32)
        tile_kernels.sort_slots(tiles, tile_ends[-1], slot_starts, slots)
        places = np.empty_like(order)
        places[order] = np.arange(len(order), dtype=np.int32)
        dense = self.source.dense[thread]
        for rows in targets.stretches(thread, part):
            pair_kernels.fill_targets(
                self._parts, rows, dense, places, drawn, ends, tiles, tile_ends, slot_starts, slots
            )  # fmt: skip

    def block(self, i: int, j: int) -> Block:
        """Return the pairs and tiles of one block; pairs are in the order of their words."""
        pairs, tiles = self.source.cut[i].pairs, self.source.tiles[i].tiles
        some = slice(self._ends[i, j], self._ends[i, j + 1])
        dealt = slice(self._tile_ends[i, j], self._tile_ends[i, j + 1])
        return Block(
            Pairs(pairs.words[some], pairs.contexts[some], pairs.targets[some]),
            Tiles(tiles.words[dealt], tiles.contexts[dealt], tiles.targets[dealt]),
        )

    def counts(self) -> npt.NDArray[np.int64]:
        """Return the pairs and tiles of each word part."""
        return np.stack((self._ends[:, -1], self._tile_ends[:, -1]), axis=1)

    def tally(self, losses: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]) -> Tally:
        """Add up the losses of all blocks."""
        sizes, tokens = self.source.sizes, len(self._chunk.places)
        drawn, tiles = counts.sum(axis=0).tolist()
        shared = TILE_PAIRS * tiles
        own = self.draws.negative * (drawn // (self.draws.negative + 1) if sizes.per_pair else tokens)
        seen_loss, noise_loss = losses.sum(axis=(0, 1)).tolist()
        return Tally(seen_loss, noise_loss, drawn - own, own + shared)


def default_unit_pairs(words: int) -> int:
    """Return how many pairs to draw at once for so many words."""
    return min(max(UNIT_PAIRS, _PAIRS_PER_WORD * words), MOST_UNIT_PAIRS)


def unit_tokens(counts: npt.NDArray[np.int64], keep: npt.NDArray[np.float64], sizes: WindowSizes) -> int:
    """Return how many tokens give about as many pairs as a unit should have; never a function of the machine."""
    tokens = int(counts.sum())
    kept = float((counts * keep).sum()) / tokens
    fitting = int(sizes.unit_pairs / max(kept * sizes.most, 1e-9))
    return max(1, min(fitting, -(-tokens // _LEAST_UNITS), MAX_CHUNK))
