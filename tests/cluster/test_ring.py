"""A ring of workers learns what one process learns, whatever happens to it. Workers are threads here, without Dask."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import planted
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thread_engine import ThreadEngine

from lexvec import (
    PPMISVD,
    SGNS,
    ClusterError,
    Corpus,
    CorpusBuilder,
    DivergenceError,
    GloVe,
    LexVec,
    Model,
    ParameterError,
)
from lexvec.cluster import joining, worker
from lexvec.cluster.driver import ClusterTraining
from lexvec.cluster.reports import WorkerReports
from lexvec.cluster.ring import chains, first_rounds, own_parts
from lexvec.engine.rows import padded
from lexvec.engine.schedule import State
from lexvec.models.checkpoints import Checkpoints
from lexvec.models.stepwise import StepwiseModel
from lexvec.progress import Note, Silent
from notes import Notes

CASES: dict[str, tuple[type[StepwiseModel], dict[str, Any]]] = {
    "lexvec": (LexVec, {"epochs": 2, "subsample": 1e-2}),
    "lexvec minibatch": (LexVec, {"epochs": 1, "subsample": 0, "variant": "minibatch", "parts": 4}),
    "sgns": (SGNS, {"epochs": 2, "subsample": 1e-2, "noise": "independent"}),
    "glove": (GloVe, {"epochs": 2, "window": 4}),
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return planted.corpus(300)


@pytest.fixture(autouse=True)
def _same_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads of one process compute the same bits; a training for each would only take time."""
    for module in (joining, worker):
        monkeypatch.setattr(module, "probe", lambda _: {"numba": "1", "bits": "a"})


def same(one: Model, other: Model) -> bool:
    names = ["W_", "C_", *(f"{name}_" for name in one.also)]
    arrays = all(getattr(one, name).tobytes() == getattr(other, name).tobytes() for name in names)
    return arrays and one.losses_ == other.losses_


@given(st.sampled_from((1, 4, 16)), st.integers(1, 5), st.integers(1, 9), st.data())
@settings(max_examples=60)
def test_every_block_is_done_once_and_in_order(parts: int, size: int, threads: int, data: st.DataObject) -> None:
    size = min(size, parts)
    first = data.draw(st.integers(0, parts - 1))
    rounds = data.draw(st.sampled_from([range(parts), range(first, first + 1)]))
    done = []
    for rank in range(size):
        own, rows = own_parts(rank, size, parts), dict[int, int]()
        at = dict(first_rounds(own, rounds))
        assert sorted(at) == list(range(own[0] + rounds[0], own[-1] + 1 + rounds[0]))
        for chain in chains(own, rounds, threads):
            for i, column in chain:
                assert column - i == rows.get(i, rounds[0])  # the word meets its contexts in order
                rows[i] = column - i + 1
                assert column - i == at.get(column, column - own[-1])  # and the context its words
                at[column] = column - i + 1
                done.append((i, column % parts))
    assert sorted(done) == sorted((i, (i + shift) % parts) for i in range(parts) for shift in rounds)


@pytest.mark.parametrize("case", CASES)
def test_any_number_of_workers_and_threads_gives_the_same_bits(case: str, corpus: Corpus, tmp_path: Path) -> None:
    kind, parameters = CASES[case]
    one = kind(dim=12, **parameters).fit(corpus, tmp_path / "one")
    for size, threads in ((1, 2), (2, 1), (3, 2), (4, 1)):
        output = tmp_path / f"model-{size}"
        several = kind(dim=12, **parameters).fit(corpus, output, engine=ThreadEngine(size, threads))
        assert same(one, several)
        for file in sorted((tmp_path / "one").iterdir()):
            assert (output / file.name).read_bytes() == file.read_bytes()
        assert not output.with_name(f"{output.name}.run").exists()


def test_no_more_workers_than_parts(corpus: Corpus) -> None:
    engine = ThreadEngine(5)
    model = SGNS(dim=4, epochs=1, subsample=0, parts=2)
    several = model.fit(corpus, engine=engine).W_.copy()
    assert engine.attempts == [2]
    assert np.array_equal(several, model.fit(corpus).W_)


@pytest.mark.parametrize("case", ["lexvec", "glove"])
def test_bytes_sent_follow_a_formula(case: str, corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    costs: list[dict[str, Any]] = []
    run = ClusterTraining.run

    def kept(self: ClusterTraining) -> None:
        run(self)
        costs.extend(self.costs)

    monkeypatch.setattr(ClusterTraining, "run", kept)
    kind, parameters = CASES[case]
    model = kind(dim=12, **parameters)
    size, parts = 3, 16
    model.fit(corpus, engine=ThreadEngine(size))
    contexts, header = len(corpus.vocabulary), 20
    rows = contexts * padded(12) * 4
    # C goes once around per sweep: with its biases and sums of squares for AdaGrad.
    sweep = size * (2 * rows + 2 * contexts * 4 if case == "glove" else rows) + size * parts * header
    units = 24 if case == "lexvec" else parts  # of an epoch
    counted = 2 if case == "lexvec" else 1
    sums = (size - 1) * (parts * parts * 2 * 8 + parts * counted * 8 + size * 8 + size * header)
    sweeps = units if case == "lexvec" else 1
    assert sum(cost["bytes_sent"] for cost in costs) == 2 * (sweeps * sweep + units * sums)


def _killing(engine: ThreadEngine, victim: str, pieces: int) -> None:
    """Let a worker die after some pieces of checkpoints were written."""
    seen = [0]

    def watch(messages: list[Any]) -> None:
        seen[0] += sum("piece" in message for _, message in messages)
        if seen[0] >= pieces:
            engine.killed.add(victim)

    engine.watch = watch


@pytest.mark.parametrize("case", ["sgns", "glove"])
def test_a_lost_worker_is_survived_to_the_same_bits(case: str, corpus: Corpus, tmp_path: Path) -> None:
    kind, parameters = CASES[case]
    one = kind(dim=12, **parameters).fit(corpus)
    engine, notes = ThreadEngine(3), Notes()
    _killing(engine, "worker-1", 20)
    several = kind(dim=12, checkpoint_every=0, **parameters)
    several.fit(corpus, tmp_path / "model", engine=engine, progress=notes)
    assert engine.attempts == [3, 2]
    assert any("worker-1 is gone; going on from checkpoint-" in text for text in notes.texts)
    assert same(one, several)


@pytest.mark.parametrize("then", [None, 2, 4])
def test_a_stopped_run_resumes_on_any_number(then: int | None, corpus: Corpus, tmp_path: Path) -> None:
    """GloVe has checkpoints in the middle of a sweep, when contexts are away from home."""
    kind, parameters = CASES["glove"]
    one = kind(dim=12, **parameters).fit(corpus)
    engine, seen = ThreadEngine(3), [0]

    def watch(messages: list[Any]) -> None:
        seen[0] += sum("piece" in message for _, message in messages)
        if seen[0] > 13:
            raise KeyboardInterrupt

    engine.watch = watch
    with pytest.raises(KeyboardInterrupt):
        kind(dim=12, checkpoint_every=0, **parameters).fit(corpus, tmp_path / "model", engine=engine)
    run = tmp_path / "model.run"
    assert len(list(run.glob("checkpoint-000000-*"))) == 1 and not (run / ".pieces.partial").exists()
    resumed = kind(dim=12, **parameters)
    resumed.fit(None, tmp_path / "model", resume=True, engine=None if then is None else ThreadEngine(then))
    assert same(one, resumed)


def test_callbacks_see_the_model_and_can_stop(corpus: Corpus) -> None:
    def stop(epoch: int, losses: dict[str, float], model: Model) -> bool:
        seen.append((epoch, losses["loss"], float(model.W_.std())))
        return epoch == 2

    runs = []
    for engine in (None, ThreadEngine(2)):
        seen: list[Any] = []
        SGNS(dim=8, epochs=4, subsample=0).fit(corpus, engine=engine, callbacks=[stop])
        runs.append(seen)
    assert runs[0] == runs[1] and len(runs[0]) == 2


class _Batch:
    """Workers whose messages arrive all at once."""

    def __init__(self, messages: list[tuple[str, Any]]) -> None:
        self._messages, self.outcomes, self.sent = messages, dict[str, Any](), list[tuple[str, Any]]()

    def messages(self) -> list[tuple[str, Any]]:
        found, self._messages = self._messages, []
        self.outcomes = {worker: {"saved": (1, 0)} for worker in "ab"}
        return found

    def send(self, worker: str, message: Any) -> None:
        self.sent.append((worker, message))

    def stop(self) -> None:
        pass


def test_callbacks_wait_for_pieces_that_come_behind_the_epoch(tmp_path: Path) -> None:
    state = {"epoch": 1, "unit": 0, "so_far": [0.0, 0.0, 0, 0], "losses": [{"loss": 1.0}]}
    assert State.from_record(state).losses == [{"loss": 1.0}]
    events: list[str] = []

    def called(*_: Any) -> bool:
        events.append("called")
        return True

    class Sealed(Checkpoints):
        def adopt(self, *_: Any) -> None:
            events.append("sealed")

    pieces = [
        (worker, {"piece": rank, "folder": "", "state": state, "parts": {}, "files": {}})
        for rank, worker in enumerate("ab")
    ]
    training: Any = SimpleNamespace(progress=Silent(), callbacks=[called])
    running = _Batch([pieces[0], ("a", {"epoch": state}), pieces[1]])
    reports = WorkerReports(training, Sealed(tmp_path, {}), ["a", "b"], lambda: events.append("kept"))
    reports.until_all_have_ended(running)
    assert events == ["sealed", "kept", "called"]
    assert running.sent == [("a", {"stop": True}), ("b", {"stop": True})]
    assert reports.stopped


def test_workers_that_have_nothing_to_learn_from() -> None:
    lonely = CorpusBuilder(min_count=1).build([["a"], ["b"]] * 5)
    for engine in (None, ThreadEngine(2)):
        notes = Notes()
        SGNS(dim=4, epochs=1, subsample=0, noise="independent").fit(lonely, engine=engine, progress=notes)
        assert any("there was no pair to learn from" in text for text in notes.texts)


@pytest.mark.parametrize("workers", [None, 2])
def test_notes_of_training_have_their_figures_as_data(corpus: Corpus, workers: int | None) -> None:
    seen: list[Note] = []

    class Figures(Silent):
        @contextmanager
        def stage(self, name: str, total: int | None, unit: str) -> Iterator[Any]:
            yield SimpleNamespace(advance=lambda _, note="": seen.append(note) if isinstance(note, Note) else None)

    SGNS(dim=4, epochs=2, subsample=0).fit(corpus, engine=workers and ThreadEngine(workers), progress=Figures())
    last = seen[-1]
    assert (last.figures["epoch"], last.figures["epochs"]) == (2, 2)
    assert last == f"loss {last.figures['loss']:.4f}, rate {last.figures['rate']:.4f}"


def test_parts_without_words() -> None:
    few = CorpusBuilder(min_count=1).build([["a", "b", "a", "c"]] * 50)
    for kind in (SGNS, GloVe):
        one, several = (kind(dim=4, epochs=1).fit(few, engine=engine) for engine in (None, ThreadEngine(2)))
        assert same(one, several)


def test_errors_of_workers_reach_the_caller(corpus: Corpus) -> None:
    with pytest.raises(DivergenceError, match="training diverged in epoch 1"):
        LexVec(dim=8, epochs=2, subsample=0, learning_rate=50.0).fit(corpus, engine=ThreadEngine(2))


def test_a_worker_that_differs_is_refused(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([{"numba": "2", "bits": "b"}, {"numba": "1", "bits": "a"}])
    monkeypatch.setattr(worker, "probe", lambda _: next(answers))
    engine, notes = ThreadEngine(2), Notes()
    model = SGNS(dim=4, epochs=1, subsample=0).fit(corpus, engine=engine, progress=notes)
    assert engine.attempts == [1] and model.W_.any()
    refused = [text for text in notes.texts if "would compute other bits" in text]
    assert len(refused) == 1 and "(numba 2 instead of 1, bits b instead of a): use workers of one kind" in refused[0]
    monkeypatch.setattr(worker, "probe", lambda _: {"numba": "2", "bits": "b"})
    with pytest.raises(ClusterError, match="would compute other bits"):
        model.fit(corpus, engine=ThreadEngine(2))


def test_a_worker_that_does_not_see_the_corpus_says_so(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "fingerprint", lambda _: None)
    with pytest.raises(ClusterError, match=r"worker worker-\d does not see .*: put the corpus and the output"):
        SGNS(dim=4, epochs=1, subsample=0).fit(corpus, engine=ThreadEngine(1))


def test_no_workers(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joining, "_NO_WORKERS", 0.1)
    with pytest.raises(ClusterError, match="the cluster has no worker: start some"):
        SGNS(dim=4, epochs=1, subsample=0).fit(corpus, engine=ThreadEngine(0))


def test_what_cannot_be_distributed(corpus: Corpus) -> None:
    with pytest.raises(ParameterError, match="subwords='ngrams': all words share these rows, which workers cannot"):
        SGNS(dim=4, subwords="ngrams").fit(corpus, engine=2)
    with pytest.raises(ParameterError, match="ppmi-svd is computed at once, which workers cannot share"):
        PPMISVD(dim=4).fit(corpus, engine=2)
    for wrong in ("127.0.0.1:8786", "ray://1.2.3.4:5", 2.5, True):
        with pytest.raises(ParameterError, match="it must be an address such as dask://"):
            SGNS(dim=4).fit(corpus, engine=wrong)
    with pytest.raises(ParameterError, match="workers=0: it must be from 1 to 1024"):
        SGNS(dim=4).fit(corpus, engine=0)


def test_notes_go_to_the_driver(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    train = worker._run

    def noted(channel: Any, executor: Any, task: Any) -> Any:
        worker._Reported(channel).note("something is odd", logging.WARNING)
        return train(channel, executor, task)

    monkeypatch.setattr(worker, "_run", noted)
    notes = Notes()
    SGNS(dim=4, epochs=1, subsample=0).fit(corpus, engine=ThreadEngine(1), progress=notes)
    assert "something is odd" in notes.texts
