"""Tiles give each word and each context as much noise as independent draws would, on average."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lexvec.kernels import pairs as pair_kernels
from lexvec.kernels import tiles as tile_kernels
from lexvec.kernels.pairs import Pairs, Targets
from lexvec.kernels.tiles import SIDE, TILE_PAIRS, Shares, Tiles

Dealt = tuple[Tiles, npt.NDArray[np.int64]]


def shares_of(weights: npt.NDArray[np.float64], parts: int) -> Shares:
    shares = Shares(np.empty(len(weights)), np.empty(parts + 1, np.int64))
    tile_kernels.fill_shares(weights / weights.sum(), parts, shares)
    return shares


def dealt(noise: npt.NDArray[np.float64], shares: Shares, key: int, part: int = 0) -> Dealt:
    """Deal noise, which is given for each word of a part."""
    parts = len(shares.starts) - 1
    most = parts + int(noise.sum() / TILE_PAIRS) + 1
    tiles = Tiles(
        np.full((most, SIDE), -1, np.int32), np.full((most, SIDE), -1, np.int32), np.empty((most, 16), np.float32)
    )
    ends = np.zeros(parts + 1, np.int64)
    count = tile_kernels.deal(part, np.cumsum(noise), shares, np.uint64(key), tiles, ends[1:])
    assert count == ends[-1] <= most
    return Tiles(tiles.words[:count], tiles.contexts[:count], tiles.targets[:count]), ends


@given(st.integers(0, 10**6), st.sampled_from((1, 2, 8)))
@settings(max_examples=60)
def test_rows_are_those_of_the_parts_and_counts_are_the_expected_ones_rounded(seed: int, parts: int) -> None:
    draw = np.random.default_rng(seed)
    noise = draw.integers(0, 400, int(draw.integers(1, 40))).astype(float)
    weights = draw.random(int(draw.integers(1, 60)))
    shares = shares_of(weights, parts)
    tiles, ends = dealt(noise, shares, seed)
    for j in range(parts):
        own = weights[j::parts] / weights.sum()
        count = int(ends[j + 1] - ends[j])
        expected = noise.sum() * own.sum() / TILE_PAIRS
        assert abs(count - expected) < 1
        for rows, share in ((tiles.words, noise), (tiles.contexts, own)):
            chosen = rows[ends[j] : ends[j + 1]]
            assert not chosen.size or 0 <= chosen.min() <= chosen.max() < len(share)
            if count:
                found = np.bincount(chosen.ravel(), minlength=len(share))
                assert (abs(found - SIDE * count * share / share.sum()) < 1 + 1e-9).all()


def test_the_expected_noise_of_a_pair_is_that_of_independent_draws() -> None:
    noise, weights, parts = np.array([0.0, 5, 1, 20, 3]), np.array([1.0, 2, 3, 4, 5, 6, 7]), 2
    shares = shares_of(weights, parts)
    met = np.zeros((len(noise), len(weights)))
    rounds = 20_000
    for key in range(rounds):
        tiles, ends = dealt(noise, shares, key)
        for j in range(parts):
            for tile in range(ends[j], ends[j + 1]):
                np.add.at(met, (tiles.words[tile][:, None], tiles.contexts[tile][None] * parts + j), 1)
    expected = noise[:, None] * weights / weights.sum()
    assert met / rounds == pytest.approx(expected, abs=0.15)
    assert met.sum() / rounds == pytest.approx(noise.sum(), rel=0.01)


def test_a_tile_has_distinct_rows_where_no_row_has_a_quarter_of_all() -> None:
    noise = np.full(64, 100.0)
    tiles, _ = dealt(noise, shares_of(np.ones(64), 1), 3)
    for rows in (tiles.words, tiles.contexts):
        ordered = np.sort(rows, axis=1)
        assert (ordered[:, 1:] == ordered[:, :-1]).sum() <= 4  # at the seams between quarters


def test_other_keys_parts_and_no_noise() -> None:
    noise, shares = np.full(30, 50.0), shares_of(np.ones(50), 4)
    assert not np.array_equal(dealt(noise, shares, 1)[0].contexts, dealt(noise, shares, 2)[0].contexts)
    assert not np.array_equal(dealt(noise, shares, 1)[0].contexts, dealt(noise, shares, 1, part=1)[0].contexts)
    assert dealt(np.zeros(30), shares, 1)[1].tolist() == [0] * 5
    assert dealt(np.zeros(0), shares, 1)[1].tolist() == [0] * 5


@given(st.integers(0, 10**6))
@settings(max_examples=30)
def test_targets_of_tiles_are_the_cells_of_the_matrix(seed: int) -> None:
    draw = np.random.default_rng(seed)
    parts, part, V = 4, int(draw.integers(0, 4)), 50
    matrix = np.where(draw.random((V, V)) < 0.4, draw.random((V, V)), 0).astype(np.float32)
    rows, columns = matrix.nonzero()
    indptr = np.searchsorted(rows, np.arange(V + 1)).astype(np.int64)
    begins, stops = (np.ascontiguousarray(each[part::parts]) for each in (indptr[:-1], indptr[1:]))
    targets = Targets(0, begins, stops, columns.astype(np.int32), matrix[rows, columns], np.float32(0))
    noise = draw.integers(0, 100, len(range(part, V, parts))).astype(float)
    tiles, ends = dealt(noise, shares_of(draw.random(V), parts), seed, part)
    starts, slots = np.empty(len(noise) + 2, np.int64), np.empty(SIDE * len(tiles.words), np.int32)
    tile_kernels.sort_slots(tiles, len(tiles.words), starts, slots)
    no_pairs = Pairs(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.float32))
    dense = np.zeros(V, np.float32)
    word_ends = np.zeros(len(noise), np.int64)
    order = draw.permutation(len(noise)).astype(np.int32)
    pair_kernels.fill_targets(
        parts, targets, dense, np.argsort(order).astype(np.int32), no_pairs, word_ends, tiles, ends[1:], starts, slots
    )
    tile_kernels.name_rows(order, len(tiles.words), tiles)
    assert not dense.any()
    block = np.repeat(np.arange(parts), np.diff(ends))
    words, contexts = tiles.words * parts + part, tiles.contexts * parts + block[:, None]
    assert np.array_equal(tiles.targets.reshape(-1, SIDE, SIDE), matrix[words[:, :, None], contexts[:, None, :]])


def test_an_order_has_each_row_once_and_every_order_is_possible() -> None:
    orders = np.empty((600, 3), np.int32)
    for key, order in enumerate(orders):
        tile_kernels.fill_order(1, np.uint64(key), order)
    found, times = np.unique(orders, axis=0, return_counts=True)
    assert len(found) == 6
    assert times.min() > 70
