"""Pairs are those of a readable twin, drawn token by token in plain Python."""

import numpy as np
import planted
from hypothesis import given, settings
from hypothesis import strategies as st

import reference
from lexvec import Associator, CooccurrenceCounter
from lexvec.contexts import WordContexts
from lexvec.cooccurrence.chunks import Chunk
from lexvec.draws import noise_table, noise_weights
from lexvec.engine.sources.targets import MatrixInMemory
from lexvec.kernels import pairs as pair_kernels
from lexvec.kernels import rng
from lexvec.kernels.counting import Window
from lexvec.kernels.pairs import NoiseDraws, Pairs, Stretch
from lexvec.kernels.tiles import Tiles
from lexvec.kernels.windows import TokenDraws
from lexvec.threads import Threads

NO_TILES = Tiles(np.empty((0, 4), np.int32), np.empty((0, 4), np.int32), np.empty((0, 16), np.float32))


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40).filter(lambda weights: sum(weights) > 0))
def test_alias_tables_hold_their_distribution_exactly(weights: list[float]) -> None:
    table = rng.Noise(np.empty(len(weights), np.uint32), np.empty(len(weights), np.int32))
    rng.fill_alias(np.array(weights), table)
    accept = (table.accept.astype(float) + 1) / 2**32
    found = accept.copy()
    np.add.at(found, table.alias, 1 - accept)
    assert np.allclose(found / len(weights), np.array(weights) / sum(weights), atol=1e-8)


@given(st.integers(0, 10**6), st.booleans(), st.booleans(), st.booleans(), st.sampled_from(("both", "left", "right")))
@settings(max_examples=40)
def test_pairs_are_those_of_a_readable_twin(
    seed: int, per_pair: bool, random_sizes: bool, labels: bool, side: str
) -> None:
    draw = np.random.default_rng(seed)
    corpus = planted.corpus(int(draw.integers(1, 12)), seed)
    window, negative, parts = int(draw.integers(1, 4)), int(draw.integers(0, 4)), 4
    V = len(corpus.vocabulary)
    ppmi = Associator().associate(CooccurrenceCounter(subsample=0).count(corpus))
    table = noise_table(noise_weights(corpus.vocabulary.counts, 0.75))
    draws = TokenDraws(np.full(V, 0.7), np.uint64(seed), np.uint64(seed + 1), window, False)
    chunk = Chunk.drawn(
        corpus,
        0,
        corpus.tokens,
        Window(np.zeros(window + 1, np.int64), True, True),
        draws,
        Threads(1),
        random_sizes=random_sizes,
    )
    left, right = side != "right", side != "left"
    stretch = Stretch(chunk.stream, chunk.sizes, chunk.starts, chunk.places, window, left, right)
    axis = WordContexts(corpus.vocabulary, window).axis()
    noise_draws = NoiseDraws(table, negative, per_pair, np.uint64(seed + 2))
    store = MatrixInMemory(ppmi, ppmi.data, np.float32(0), parts)
    dense = ppmi.matrix.toarray()

    expected: list[list[tuple[int, int, float]]] = [[] for _ in range(parts * parts)]
    orders = [draw.permutation(len(range(part, V, parts))).astype(np.int32) for part in range(parts)]

    def rank(token: tuple[int, int]) -> tuple[int, int]:
        place, word = token
        return orders[word % parts].tolist().index(word // parts), place

    tokens = [(place, word) for place, word in enumerate(chunk.stream.tolist()) if word >= 0]
    for place, word in sorted(tokens, key=rank):
        contexts: list[int] = []
        counter = place * (2 * window * negative if per_pair else negative)
        size = int(chunk.sizes[place]) if random_sizes else window

        def noise(counter: int) -> int:
            bits = reference.random_bits(seed + 2, counter)
            column = ((bits >> 32) * V) >> 32
            return ~(column if (bits & 0xFFFFFFFF) <= int(table.accept[column]) else int(table.alias[column]))

        for direction in [-1] * left + [1] * right:
            for d in range(1, size + 1):
                context = int(chunk.stream[place + direction * d])
                if context < 0:
                    break
                contexts.append(context)
                if per_pair:
                    contexts += [noise(counter + i) for i in range(negative)]
                    counter += negative
        if not per_pair:
            contexts += [noise(counter + i) for i in range(negative)]
        for context in contexts:
            column = context if context >= 0 else ~context
            target = float(context >= 0) if labels else float(dense[word, column])
            local = column // parts if context >= 0 else ~(column // parts)
            expected[(word % parts) * parts + column % parts].append((word // parts, local, target))

    size = len(chunk.places) * 2 * window * (negative + 1) + len(chunk.places) * negative
    for part in range(parts):
        drawn, cut = (
            Pairs(np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.float32)) for _ in "ab"
        )
        row = np.zeros(V, np.float32)
        word_ends, ends = np.zeros(len(range(part, V, parts)), np.int64), np.zeros(parts + 1, np.int64)
        pair_kernels.draw_part(part, parts, stretch, axis, noise_draws, orders[part], drawn, word_ends)
        count = int(word_ends[-1]) if len(word_ends) else 0
        if labels:
            pair_kernels.fill_labels(drawn, count)
        else:
            no_slots = np.zeros(len(word_ends) + 2, np.int64), np.empty(0, np.int32)
            (targets,), places = store.stretches(0, part), np.argsort(orders[part]).astype(np.int32)
            tile_ends = np.zeros(parts, np.int64)
            pair_kernels.fill_targets(parts, targets, row, places, drawn, word_ends, NO_TILES, tile_ends, *no_slots)
        pair_kernels.cut(drawn, count, parts, cut, ends[1:])
        assert not row.any()
        for j in range(parts):
            span = slice(ends[j], ends[j + 1])
            found = list(
                zip(cut.words[span].tolist(), cut.contexts[span].tolist(), cut.targets[span].tolist(), strict=True)
            )
            assert found == expected[part * parts + j]


@given(st.integers(0, 10**6), st.sampled_from((1, 2, 8)))
@settings(max_examples=30)
def test_cells_are_sorted_by_block(seed: int, parts: int) -> None:
    draw = np.random.default_rng(seed)
    matrix = draw.random((int(draw.integers(1, 30)), int(draw.integers(1, 30)))) * (draw.random() < 0.9)
    matrix[draw.random(matrix.shape) < 0.5] = 0
    first = int(draw.integers(0, 20))
    rows, columns = matrix.nonzero()
    ends = np.searchsorted(rows, np.arange(len(matrix) + 1))
    values = matrix[rows, columns].astype(np.float32)
    cells = list(zip((rows + first).tolist(), columns.tolist(), values.tolist(), strict=True))
    expected = sorted(cells, key=lambda cell: (cell[0] % parts, cell[1] % parts))  # stable
    out = Pairs(np.empty(len(rows), np.int32), np.empty(len(rows), np.int32), np.empty(len(rows), np.float32))
    block_ends = np.zeros(parts * parts, np.int64)
    pair_kernels.sort_blocks(first, ends, columns.astype(np.int32), values, parts, out, block_ends)
    blocks = [cell[0] % parts * parts + cell[1] % parts for cell in expected]
    assert block_ends.tolist() == np.cumsum(np.bincount(blocks, minlength=parts * parts)).tolist()
    found = zip(out.words.tolist(), out.contexts.tolist(), out.targets.tolist(), strict=True)
    assert list(found) == [(word // parts, context // parts, value) for word, context, value in expected]
