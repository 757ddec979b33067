"""Sources yield each pair once, in blocks that share no row within a round."""

from collections import Counter
from pathlib import Path

import numpy as np
import planted
import pytest

from lexvec import Associator, Cooccurrence, CooccurrenceCounter, Corpus, sparse
from lexvec.contexts import WordContexts
from lexvec.draws import WindowParameters, noise_weights
from lexvec.engine.sources import CellSource, WindowSampling, WindowSizes, WindowSource, targets
from lexvec.engine.sources.cells import CellsOnDisk
from lexvec.engine.sources.windows import default_unit_pairs
from lexvec.threads import Threads

PARTS = 8
ONE = Threads(1)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(400)


@pytest.fixture(scope="module")
def counts(corpus: Corpus) -> Cooccurrence:
    return CooccurrenceCounter(subsample=0, window_kind="harmonic").count(corpus)


def _cells(source: CellSource, epoch: int) -> list[tuple[int, int, float]]:
    found = []
    for number in range(source.units):
        unit = source.unit(epoch, number, ONE)
        (shift,) = unit.rounds
        for i in range(PARTS):
            j = (i + shift) % PARTS
            unit.prepare(0, i)
            block = unit.block(i, j)
            words, contexts = block.words * PARTS + i, block.contexts * PARTS + j
            found += list(zip(words.tolist(), contexts.tolist(), block.targets.tolist(), strict=True))
    return found


def test_an_epoch_has_each_cell_once_in_an_order_of_its_own(counts: Cooccurrence) -> None:
    source = CellSource(counts, PARTS, seed=3)
    first, second = _cells(source, 0), _cells(source, 1)
    rows, columns = counts.matrix.nonzero()
    expected = sorted(zip(rows.tolist(), columns.tolist(), np.log(counts.data).tolist(), strict=True))
    assert sorted(first) == sorted(second) == expected
    assert first != second


def test_the_order_of_an_epoch_does_not_depend_on_those_before(counts: Cooccurrence) -> None:
    walked, fresh = CellSource(counts, PARTS, seed=3), CellSource(counts, PARTS, seed=3)
    for epoch in range(2):
        _cells(walked, epoch)
    assert _cells(fresh, 2) == _cells(walked, 2)


def test_cells_on_disk_are_those_in_memory(counts: Cooccurrence, tmp_path: Path) -> None:
    memory, disk = CellSource(counts, PARTS, seed=3), CellSource(counts, PARTS, seed=3, folder=tmp_path)
    assert _cells(memory, 1) == _cells(disk, 1)
    assert isinstance(disk.store, CellsOnDisk)
    assert disk.store.bytes_read == 12 * len(counts.indices)


@pytest.mark.parametrize("parts", [1, 4, 64])
def test_targets_on_disk_are_those_in_memory(
    corpus: Corpus, parts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sparse, "STRETCH_CELLS", 50)
    ppmi = Associator().associate(CooccurrenceCounter(subsample=0).count(corpus))
    stored = targets.MatrixByPart(ppmi, tmp_path, np.float32(0), parts, range(parts), 2, lambda values: values * 2)
    dense = 2 * ppmi.matrix.toarray()
    found = np.zeros_like(dense)
    for part in range(parts):
        row = 0
        for stretch in stored.stretches(part % 2, part):
            assert stretch.first == row
            for begin, end in zip(stretch.starts, stretch.stops, strict=True):
                found[part + parts * row, stretch.indices[begin:end]] = stretch.data[begin:end]
                row += 1
    assert np.array_equal(found, dense)
    assert stored.bytes_read == 8 * len(ppmi.indices)


def test_windows_give_each_pair_once(corpus: Corpus) -> None:
    windows = WindowParameters(window=2, subsample=0)
    sizes = WindowSizes(
        window=2, random_sizes=False, negative=0, per_pair=False, shared=True, unit_pairs=1 << 23,
        longest_sentence=corpus.longest_sentence,
    )  # fmt: skip
    sampling = WindowSampling(
        windows=windows, sizes=sizes, contexts=WordContexts(corpus.vocabulary, 2),
        noise=noise_weights(corpus.vocabulary.counts, 0.75), targets=None, seed=1,
    )  # fmt: skip
    source = WindowSource(corpus, sampling, PARTS, workers=1)
    assert source.units >= 24
    found: Counter[tuple[int, int]] = Counter()
    occurrences = np.zeros(len(corpus.vocabulary), np.int64)
    for number in range(source.units):
        unit = source.unit(0, number, ONE)
        occurrences += unit.occurrences
        for i in range(PARTS):
            unit.prepare(0, i)
            for j in range(PARTS):
                block = unit.block(i, j).pairs
                found.update(
                    zip((block.words * PARTS + i).tolist(), (block.contexts * PARTS + j).tolist(), strict=True)
                )
    matrix = CooccurrenceCounter(window=2, subsample=0).count(corpus).matrix.toarray()
    assert {pair: int(matrix[pair]) for pair in found} == found
    assert sum(found.values()) == matrix.sum()
    assert np.array_equal(matrix, matrix.T)
    assert np.array_equal(occurrences, corpus.vocabulary.counts)


def test_units_grow_with_the_vocabulary() -> None:
    assert [default_unit_pairs(words) for words in (1, 1 << 16)] == [1 << 23, 1 << 23]
    assert default_unit_pairs(300_000) == 38_400_000
    assert default_unit_pairs(10**8) == 1 << 31
