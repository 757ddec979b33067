"""A model has the same bits wherever its matrix is: memory decides how it is trained, and nothing else."""

import math
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import planted
import pytest

from lexvec import PPMISVD, SGNS, Corpus, CorpusBuilder, GloVe, LexVec, Model, ParameterError, ResourceError, sparse
from lexvec.models import footprint, svd
from lexvec.models.footprint import Footprint, Sizes
from lexvec.models.memory import Memory
from lexvec.models.planning import planned

MODELS: list[Model] = [
    LexVec(dim=8, epochs=2, subsample=1e-2),
    LexVec(dim=8, epochs=2, subsample=1e-2, variant="minibatch", noise="independent", parts=32),
    LexVec(dim=8, epochs=2, subsample=0, cells="above", threshold=0.5, measure="clipped_pmi"),
    LexVec(dim=8, epochs=2, subsample=1e-2, subwords="ngrams", buckets=100),
    LexVec(dim=8, epochs=2, subsample=1e-2, contexts="positional", window_sampling="sgns", sampling_window=2),
    GloVe(dim=8, epochs=3),
    GloVe(dim=8, epochs=2, window_kind="fixed", parts=4),
    SGNS(dim=20, epochs=2, subsample=1e-2, parts=32),
    PPMISVD(dim=8, subsample=0),
]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(500)


def _choosing(monkeypatch: pytest.MonkeyPatch, place: int) -> list[Footprint]:
    """Let training choose a way by its place, in stretches of a few cells; returns what it chose.

    There are all ways, also those that save nothing with so little data.
    """
    chosen: list[Footprint] = []

    def choose(_: Memory, footprints: Callable[[Sizes], list[Footprint]], sizes: Sizes) -> Footprint:
        ways = footprints(sizes)
        chosen.append(ways[min(place, len(ways) - 1)])
        return chosen[-1]

    monkeypatch.setattr(footprint, "_leaner", list)

    monkeypatch.setattr(Memory, "choose", choose)
    monkeypatch.setattr(sparse, "STRETCH_CELLS", 100)
    return chosen


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_same_bits_in_memory_and_on_disk(model: Model, corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(svd, "_DENSE", 0)
    learned = model.set_params(threads=3).fit(corpus)
    before = [array.tobytes() for array in (learned.W_, learned.C_)], learned.losses_
    ways: list[tuple[tuple[str, ...], tuple[int, int] | None]] = []
    while True:
        chosen = _choosing(monkeypatch, len(ways) + 1)
        learned = model.set_params(threads=2).fit(corpus)
        assert ([array.tobytes() for array in (learned.W_, learned.C_)], learned.losses_) == before
        if (way := (chosen[0].on_disk, chosen[0].resident)) in ways:
            break  # it was the last one
        ways.append(way)
    assert all(on_disk for on_disk, _ in ways)
    assert len(ways) > 1 or model.get_params().get("subwords") == "ngrams"


@pytest.mark.parametrize("model", [MODELS[0], MODELS[5]], ids=repr)
def test_a_run_resumes_with_another_memory(
    model: Model, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.set_params(checkpoint_every=0, threads=2).fit(corpus, tmp_path / "whole")

    def stop(epoch: int, _: object) -> None:
        if epoch == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.fit(corpus, tmp_path / "stopped", callbacks=[stop])
    (tmp_path / "stopped.run" / "scratch").mkdir()  # as kill -9 would leave it
    (tmp_path / "stopped.run" / "scratch" / "matrix.columns").write_bytes(b"cut off")
    assert _choosing(monkeypatch, 99) == []
    model.fit(None, tmp_path / "stopped", resume=True)
    for name in ("W.npy", "C.npy", "meta.json"):
        assert (tmp_path / "stopped" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stopped", "whole"]


@pytest.mark.parametrize(("model", "dense"), [*((model, svd._DENSE) for model in MODELS), (MODELS[-1], 0)], ids=repr)
def test_a_memory_that_is_too_small_names_the_least(
    model: Model, dense: int, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(svd, "_DENSE", dense)
    given = model.get_params() | {"threads": 1}
    with pytest.raises(
        ParameterError, match=r"memory=1000 is too small: training needs .*; use at least \d+MB"
    ) as error:
        type(model)(**given | {"memory": 1000}).fit(corpus, tmp_path / "model")
    assert not list(tmp_path.iterdir())
    least = str(error.value).split("use at least ")[1].split(",")[0]
    # It is the least for counting and for training, so that nobody has to ask twice.
    assert type(model)(**given | {"memory": least}).fit(corpus).W_.any()
    fewer = f"{int(least.removesuffix('MB')) - 1}MB"
    with pytest.raises(ParameterError, match="is too small"):
        type(model)(**given | {"memory": fewer}).fit(corpus)


#: What decides how many rows, cells and contexts there are.
VARIANTS: list[Model] = [
    *(LexVec(contexts=kind, variant=variant, cells=cells, threshold=0.5)
      for kind in ("words", "positional") for variant in ("minibatch", "stochastic") for cells in ("all", "above")),
    *(LexVec(subwords="ngrams", subword_scheme=scheme) for scheme in ("fasttext", "lexvec", "floret")),
    LexVec(window=8, side="left", window_sampling="sgns"),
    SGNS(),
    SGNS(subwords="ngrams"),
    *(GloVe(contexts=kind, side=side) for kind in ("words", "positional") for side in ("both", "right")),
    *(PPMISVD(contexts=kind) for kind in ("words", "positional")),
]  # fmt: skip


@pytest.fixture(scope="module")
def many_words() -> Corpus:
    draw = np.random.default_rng(1)
    lines = [[f"w{number}" for number in draw.zipf(1.3, 100) % 3000] for _ in range(1000)]
    return CorpusBuilder(min_count=1).build(lines, progress=False)


@pytest.mark.parametrize("model", VARIANTS, ids=repr)
def test_the_least_memory_that_is_named_is_enough(model: Model, many_words: Corpus) -> None:
    """Also where counting shows only later how many cells there are."""
    model.set_params(dim=16, subsample=None if isinstance(model, GloVe) else 0.0, threads=2)
    if not isinstance(model, PPMISVD):
        model.set_params(epochs=1)
    plan = planned(model.set_params(memory=1000), many_words)
    with pytest.raises(ParameterError, match="is too small") as error:
        model.fit(many_words)
    least = int(str(error.value).split("use at least ")[1].split("MB")[0])
    assert model.set_params(memory=f"{least}MB").fit(many_words).W_.any()
    assert math.ceil(plan.least / 1e6) == least


def test_rows_of_subwords_stay_in_memory(corpus: Corpus) -> None:
    with pytest.raises(ParameterError, match=r"memory=1000 is too small: .*rows of subwords, which stay in memory"):
        SGNS(dim=8, memory=1000, subwords="ngrams", buckets=100).fit(corpus)


def test_scratch_files_that_are_removed_meanwhile(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _choosing(monkeypatch, 99)

    def remove(epoch: int, _: object) -> None:
        if epoch == 1:
            shutil.rmtree(tmp_path / "model.run" / "scratch")

    for model in (MODELS[0], MODELS[5], MODELS[7]):
        with pytest.raises(ResourceError, match=r"cannot write .*\.whole: another program removed its folder; start"):
            model.fit(corpus, tmp_path / "model", force=True, callbacks=[remove])


def test_a_disk_that_fills_is_one_line(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _choosing(monkeypatch, 99)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("lexvec.storage.arrays.reserve", full)
    for model in (MODELS[0], MODELS[5]):
        with pytest.raises(ResourceError, match=r"cannot write .*: no space is left on the disk; free some space or"):
            model.fit(corpus, tmp_path / "model", force=True)
        assert not (tmp_path / "model.run" / "scratch").exists()
