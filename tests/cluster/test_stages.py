"""Encoding, counting and association on workers give the folders of one process. Workers are threads here."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import planted
import pytest
from thread_engine import ThreadEngine

from lexvec import SGNS, ClusterError, Corpus, CorpusBuilder, GloVe, InputError, LexVec
from lexvec.association import Associator
from lexvec.cluster import joining, worker
from lexvec.cluster.joining import Joining
from lexvec.cluster.links import PeerLostError
from lexvec.cluster.stages import WorkerHelpers
from lexvec.cooccurrence import CooccurrenceCounter, counting
from lexvec.corpus import inputs
from lexvec.progress import Silent
from notes import Notes

TEXT = (
    "The cat sat on the mat. It was 1,000 years old!\r\nA dog, Mr. Smith said, is no cat.\n\n"
    "“Über alles”, sagte er… und ging. 3.14 is a number\nthat goes on\n\n\nMost words come again; the cat did too. "
)
RULES: dict[str, dict[str, Any]] = {
    "default": {},
    "paragraphs": {"sentences_by": "paragraphs"},
    "lines": {"sentences_by": "lines", "punctuation": "keep"},
}


@pytest.fixture(autouse=True)
def _same_probe(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (joining, worker):
        monkeypatch.setattr(module, "probe", lambda _: {"numba": "1", "bits": "a"})


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return planted.corpus(300)


def helpers(engine: ThreadEngine, progress: Any = None) -> WorkerHelpers:
    return WorkerHelpers(Joining(engine, GloVe, progress or Silent()))


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def text_files(folder: Path) -> Path:
    """Write files of all kinds: plain ones, a compressed one, an empty one, and a long line."""
    folder.mkdir()
    for number, copies in enumerate((40, 3, 200)):
        (folder / f"{number}.txt").write_text(TEXT * copies, encoding="utf-8", newline="")
    (folder / "3.txt.gz").write_bytes(gzip.compress(TEXT.encode() * 20))
    (folder / "4.txt").write_text("")
    (folder / "5.txt").write_bytes(b"\xef\xbb\xbf" + ("one long line, it has no end. " * 900).encode() + b"\xff \xfe")
    return folder


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("least", [997, 20_000])
def test_text_is_encoded_as_by_one_process(
    rules: str, least: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "_LEAST_STRETCH", least)
    monkeypatch.setattr(WorkerHelpers, "shares", 100)
    builder = CorpusBuilder(min_count=3, **RULES[rules])
    text = text_files(tmp_path / "text")
    builder.build(text, tmp_path / "one")
    for size, threads in ((1, 2), (3, 1)):
        output = tmp_path / f"on-{size}"
        made = builder._build(text, output, helpers=helpers(ThreadEngine(size, threads)))
        assert files_of(output) == files_of(tmp_path / "one")
    assert made.meta["facts"]["replaced"] == 2


def test_stretches_have_all_of_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "_LEAST_STRETCH", 1)
    given = inputs.text_inputs(text_files(tmp_path / "text"))
    cut = inputs.stretches(given, 12, format="auto", encoding="utf-8", wrapped=False)
    assert 10 <= len(cut) <= 13
    joined = b""
    for one in (one for some in cut for one in some):
        whole = one.items.read_bytes()
        joined += whole if one.span is None else whole[slice(*one.span)]
    assert joined == b"".join(one.items.read_bytes() for one in given)
    # Text in another encoding is cut between files only.
    assert all(one.span is None for some in inputs.stretches(given[:3], 9, format="auto", encoding="latin-1",
                                                             wrapped=False) for one in some)  # fmt: skip
    strings = inputs.text_inputs([TEXT])
    assert inputs.stretches(strings, 9, format="auto", encoding="utf-8", wrapped=False) == [strings]


@pytest.mark.parametrize("kind", ["fixed", "random", "harmonic"])
def test_counts_are_those_of_one_process(kind: str, corpus: Corpus, tmp_path: Path) -> None:
    counter = CooccurrenceCounter(window=3, window_kind=kind, subsample=1e-2)
    counter.count(corpus, tmp_path / "one")
    for size, threads in ((1, 1), (3, 2)):
        counter._count(corpus, tmp_path / f"on-{size}", helpers=helpers(ThreadEngine(size, threads)))
        assert files_of(tmp_path / f"on-{size}") == files_of(tmp_path / "one")


def test_workers_count_and_merge_within_memory(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counter = CooccurrenceCounter(window=3, contexts="positional", subsample=0)
    counter.count(corpus, tmp_path / "one")
    plan = counting.Counting._planned
    monkeypatch.setattr(counting.Counting, "_planned", lambda own: plan(own)._replace(tokens=50, fan_in=2))
    counter._count(corpus, tmp_path / "several", helpers=helpers(ThreadEngine(2)))
    assert files_of(tmp_path / "several") == files_of(tmp_path / "one")


@pytest.mark.parametrize("measure", ["ppmi", "npmi"])
def test_association_is_that_of_one_process(
    measure: str, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lexvec.association._BLOCK_CELLS", 64)
    counts = CooccurrenceCounter(window=2, subsample=0).count(corpus, tmp_path / "counts")
    associator = Associator(measure=measure)
    associator.associate(counts, tmp_path / "one")
    for size in (1, 3):
        associator._associate(counts, tmp_path / f"on-{size}", helpers=helpers(ThreadEngine(size)))
        assert files_of(tmp_path / f"on-{size}") == files_of(tmp_path / "one")


def test_text_to_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "_LEAST_STRETCH", 1000)
    text = text_files(tmp_path / "text")
    jobs: set[str] = set()
    each = WorkerHelpers.each

    def kept(self: WorkerHelpers, job: Callable[..., Any], *rest: Any, **more: Any) -> Any:
        jobs.add(job.__name__)
        return each(self, job, *rest, **more)

    monkeypatch.setattr(WorkerHelpers, "each", kept)
    model, builder = LexVec(dim=8, epochs=1, subsample=0), CorpusBuilder(min_count=3)
    model.fit(str(text), tmp_path / "one", builder=builder)
    model.fit(str(text), tmp_path / "several", builder=builder, engine=ThreadEngine(2))
    assert files_of(tmp_path / "one") == files_of(tmp_path / "several")
    assert jobs == {"reading_job", "encoding_job", "counting_job", "merging_job", "associating_job"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "several", "text"]


@pytest.mark.parametrize("job", ["hand_over", "add_up"])
def test_what_a_lost_worker_had_to_do_is_done_again(
    job: str, corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = CooccurrenceCounter(window=3, subsample=0)
    counter.count(corpus, tmp_path / "one")
    engine, notes = ThreadEngine(3), Notes()
    real = getattr(counting.Counting, job)

    def dying(self: Any, folder: Path, **task: Any) -> Any:
        if 0 in task.values() and "worker-0" not in engine.killed:
            engine.killed.add("worker-0")
            (folder / "half").write_text("of it")
            raise PeerLostError("connection lost: x")
        return real(self, folder, **task)

    monkeypatch.setattr(counting.Counting, job, dying)
    counter._count(corpus, tmp_path / "several", helpers=helpers(engine, notes))
    assert files_of(tmp_path / "several") == files_of(tmp_path / "one")
    assert any("worker-0 is gone; going on with the workers that are left" in text for text in notes.texts)


def test_workers_that_are_lost_again_and_again(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    def dying(*_: Any, **__: Any) -> None:
        raise PeerLostError("connection lost: x")

    monkeypatch.setattr(counting.Counting, "hand_over", dying)
    with pytest.raises(ClusterError, match=r"workers were lost 3 times without doing anything \(connection lost\)"):
        CooccurrenceCounter(window=3)._count(corpus, helpers=helpers(ThreadEngine(2)))


def test_a_worker_that_does_not_see_the_text_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "_LEAST_STRETCH", 1000)
    text = text_files(tmp_path / "text")
    seen = worker.fingerprint
    monkeypatch.setattr(worker, "fingerprint", lambda path: None if path.suffix == ".gz" else seen(path))
    with pytest.raises(ClusterError, match=r"worker worker-0 does not see .*3\.txt\.gz: put the"):
        SGNS(dim=4, epochs=1).fit(str(text), engine=ThreadEngine(1), builder=CorpusBuilder(min_count=3))


def test_errors_in_text_reach_the_caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inputs, "_LEAST_STRETCH", 1000)
    text = text_files(tmp_path / "text")
    (text / "1.txt").write_bytes(bytes(range(256)) * 40)
    with pytest.raises(InputError, match=r"1\.txt looks like a binary file"):
        CorpusBuilder(min_count=3)._build(text, tmp_path / "corpus", helpers=helpers(ThreadEngine(2)))
    assert not (tmp_path / "corpus").exists()
