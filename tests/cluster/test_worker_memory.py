"""A limit of memory holds for each worker and for the driver. Workers are threads here."""

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import planted
import pytest
from thread_engine import ThreadEngine

from lexvec import SGNS, Corpus, GloVe, LexVec, ParameterError, sparse
from lexvec.cluster import joining, worker
from lexvec.cluster.ring import RingExecutor
from lexvec.engine.executors import passing_parts
from lexvec.models.footprint import Footprint, Sizes
from lexvec.models.memory import Memory
from lexvec.models.stepwise import StepwiseModel
from lexvec.progress import Silent
from notes import Notes

CASES: dict[str, tuple[type[StepwiseModel], dict[str, Any], str]] = {
    "lexvec": (LexVec, {"epochs": 2, "subsample": 0}, "matrix"),
    "glove": (GloVe, {"epochs": 2, "window": 4}, "cells"),
}


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(300)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (joining, worker):
        monkeypatch.setattr(module, "probe", lambda _: {"numba": "1", "bits": "a"})
    # A small matrix then takes less memory on disk than in memory, as a large one does.
    monkeypatch.setattr(sparse, "STRETCH_CELLS", 16)
    for name in ("models.footprint", "engine.sources.cells"):
        monkeypatch.setattr(f"lexvec.{name}.SORTED_CELLS", 16)


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Sizes, Footprint]]:
    """What was chosen, by workers and by the driver."""
    found: list[tuple[Sizes, Footprint]] = []
    choose = Memory.choose

    def kept(self: Memory, footprints: Any, sizes: Sizes) -> Footprint:
        found.append((sizes, choose(self, footprints, sizes)))
        return found[-1][1]

    monkeypatch.setattr(Memory, "choose", kept)
    return found


@pytest.mark.parametrize("case", CASES)
def test_what_does_not_fit_is_on_disk_of_each_worker(
    case: str, corpus: Corpus, tmp_path: Path, chosen: list[tuple[Sizes, Footprint]]
) -> None:
    kind, parameters, on_disk = CASES[case]
    one = kind(dim=4, **parameters)
    assert one.recipe is not None
    matrix = one.recipe.make(corpus, tmp_path, Silent())
    one.fit(corpus, tmp_path / "one", matrix=matrix)
    sizes = replace(chosen.pop()[0], workers=3, threads=1)
    in_memory, smaller = one.footprints(sizes)[:2]
    assert smaller.total < in_memory.total and smaller.kept == on_disk
    several = kind(dim=4, memory=in_memory.total - 1, **parameters)
    notes = Notes()
    several.fit(corpus, tmp_path / "several", matrix=matrix, engine=ThreadEngine(3), progress=notes)
    ways = {sizes.workers: way.kept for sizes, way in chosen}
    assert ways == {1: "", 3: on_disk}  # the driver only gathers the rows
    assert any("on disk) on each of 3 workers" in text for text in notes.texts)
    assert several.W_.tobytes() == one.W_.tobytes() and several.losses_ == one.losses_
    with pytest.raises(
        ParameterError, match=r"is too small: training needs .* on each of 3 workers; use at least 1MB, m"
    ):
        kind(dim=4, memory=smaller.total - 1, **parameters).fit(corpus, matrix=matrix, engine=ThreadEngine(3))


def test_the_driver_gathers_on_disk(
    corpus: Corpus, tmp_path: Path, chosen: list[tuple[Sizes, Footprint]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With many dimensions, rows take most of the memory."""
    for module in ("models.footprint", "engine.rows"):
        monkeypatch.setattr(f"lexvec.{module}.GATHERED_ROWS", 4)
    parameters: dict[str, Any] = {"dim": 3000, "epochs": 1, "subsample": 0, "unit_pairs": 1 << 10}
    one = SGNS(**parameters).fit(corpus, tmp_path / "one")
    sizes = chosen.pop()[0]
    limit = one.footprints(replace(sizes, workers=4, threads=1))[0].total
    several = SGNS(memory=limit, **parameters).fit(corpus, tmp_path / "several", engine=ThreadEngine(4))
    driver = next(way for sizes, way in chosen if sizes.workers == 1)
    assert driver.kept == "rows" and driver.total <= limit
    assert several.W_.tobytes() == one.W_.tobytes() and several.C_.tobytes() == one.C_.tobytes()
    files = [sorted(path.name for path in (tmp_path / name).iterdir()) for name in ("one", "several")]
    assert files[0] == files[1]


def test_context_parts_wait_until_there_is_room(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that is slower than its neighbours does not take in all that they have done."""
    held: dict[int, int] = {}
    room, step_of = RingExecutor._room, RingExecutor._sweep

    def counted(self: RingExecutor, j: int, contexts: Any) -> Any:
        found = room(self, j, contexts)
        arrays = len(contexts.arrays["rows"].parts) + len(self._spare) + 1
        held[self.rank] = max(held.get(self.rank, 0), arrays)
        return found

    def slowed(self: RingExecutor, unit: Any, step: Any, *rest: Any) -> None:
        def slow(*arguments: Any) -> None:
            time.sleep(0.002 if self.rank == 0 else 0)
            step(*arguments)

        step_of(self, unit, slow, *rest)

    monkeypatch.setattr(RingExecutor, "_room", counted)
    monkeypatch.setattr(RingExecutor, "_sweep", slowed)
    SGNS(dim=4, epochs=1, subsample=0, parts=16).fit(corpus, engine=ThreadEngine(4))
    own = 4
    assert max(held.values()) <= own + passing_parts(own)
    assert held[0] > own + 1  # which the slow one came near to
