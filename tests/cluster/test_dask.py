"""Workers of Dask, each a process of its own: the same bits, whichever process dies."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import planted
import psutil
import pytest
from click.testing import CliRunner

from children import run, running, wait_until
from lexvec import SGNS, ClusterError, Corpus, CorpusBuilder, GloVe, LexVec
from lexvec.cli import main
from lexvec.cluster.engine import Engine, Message, Running
from lexvec.cluster.links import PeerLostError, SilentWorkerError
from lexvec.models.stepwise import StepwiseModel
from notes import Notes

pytest.importorskip("distributed", reason="needs Dask: pip install 'lexvec[cluster]'")
import dask
from distributed import Client, LocalCluster

from lexvec.cluster.dask_engine import DaskEngine, DaskRunning, scheduler_address

# Dask and Tornado leave sockets and loops to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")

CASES: dict[str, tuple[type[StepwiseModel], dict[str, Any]]] = {
    "lexvec": (LexVec, {"epochs": 2, "subsample": 1e-2}),
    "sgns": (SGNS, {"epochs": 2, "subsample": 1e-2}),
    "glove": (GloVe, {"epochs": 2, "window": 4}),
}


class Some:
    """Some workers of an engine."""

    dashboard = None

    def __init__(self, engine: Engine, count: int) -> None:
        self._engine, self._count = engine, count

    def workers(self) -> dict[str, int]:
        return dict(list(self._engine.workers().items())[: self._count])

    def start(
        self, function: Callable[..., Any], tasks: Mapping[str, Message], *, need_one_another: bool = False
    ) -> Running:
        return self._engine.start(function, tasks, need_one_another=need_one_another)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return planted.corpus(500)


def started(workers: int, **options: Any) -> LocalCluster:
    return LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        memory_limit=0,
        **options,
    )


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with started(4) as cluster, Client(cluster, set_as_default=False) as client:
        yield client


def equal_folders(one: Path, other: Path) -> bool:
    names = sorted(path.name for path in one.iterdir())
    return names == sorted(path.name for path in other.iterdir()) and all(
        (one / name).read_bytes() == (other / name).read_bytes() for name in names
    )


@pytest.mark.slow
@pytest.mark.xdist_group("dask")
@pytest.mark.parametrize("case", CASES)
def test_every_number_of_workers_writes_the_folder_of_one_process(
    case: str, client: Client, corpus: Corpus, tmp_path: Path
) -> None:
    kind, parameters = CASES[case]
    kind(dim=12, **parameters).fit(corpus, tmp_path / "one")
    for count in (1, 2, 3, 4):
        engine = Some(DaskEngine(client), count)
        kind(dim=12, **parameters).fit(corpus, tmp_path / f"on-{count}", engine=engine)
        assert equal_folders(tmp_path / "one", tmp_path / f"on-{count}")
    assert not client.processing() or not any(client.processing().values())  # nothing is left to do on workers


@pytest.mark.slow
def test_text_becomes_the_folder_of_one_process(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Encoding, counting, merging and association are sent to other processes."""
    monkeypatch.setattr("lexvec.corpus.inputs._LEAST_STRETCH", 1000)
    text = tmp_path / "text"
    text.mkdir()
    for number in range(3):
        (text / f"{number}.txt").write_text("The cat sat on the mat. A dog did not. " * 50 * (number + 1))
    model, builder = LexVec(dim=8, epochs=1, subsample=0), CorpusBuilder(min_count=1)
    model.fit(str(text), tmp_path / "one", builder=builder)
    model.fit(str(text), tmp_path / "several", builder=builder, engine=client)
    assert equal_folders(tmp_path / "one", tmp_path / "several")


def _pids(client: Client) -> dict[str, int]:
    found: dict[str, int] = client.run(os.getpid)
    return found


def _at_checkpoint(run: Path, act: Callable[[], None]) -> threading.Thread:
    """Do something when the first checkpoint of a run is there, and a little later."""

    def wait() -> None:
        until = time.monotonic() + 120
        while not list(run.glob("checkpoint-*")) and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.2)
        act()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


LONG: dict[str, Any] = {"dim": 64, "epochs": 12, "subsample": 0, "window": 10}


@pytest.mark.slow
def test_kill_9_and_a_pause_of_a_worker(corpus: Corpus, tmp_path: Path) -> None:
    one = SGNS(**LONG).fit(corpus)
    with started(3) as cluster, Client(cluster, set_as_default=False) as client:
        victims = list(_pids(client).values())

        def act() -> None:
            os.kill(victims[0], signal.SIGSTOP)
            time.sleep(2)
            os.kill(victims[0], signal.SIGCONT)
            time.sleep(0.5)
            os.kill(victims[1], signal.SIGKILL)

        acting, notes = _at_checkpoint(tmp_path / "model.run", act), Notes()
        several = SGNS(**LONG, checkpoint_every=0)
        several.fit(corpus, tmp_path / "model", engine=client, progress=notes)
        acting.join()
    assert several.W_.tobytes() == one.W_.tobytes() and several.losses_ == one.losses_
    assert any("going on from checkpoint-" in text for text in notes.texts), notes.texts


def _train(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "lexvec", "train", *map(str, arguments)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "others"),
    [(signal.SIGKILL, ["--workers", "3"]), (signal.SIGINT, []), (signal.SIGTERM, [])],
    ids=["SIGKILL", "SIGINT", "SIGTERM"],
)
def test_the_driver_dies_and_another_resumes(
    how: signal.Signals, others: list[str], corpus: Corpus, tmp_path: Path
) -> None:
    SGNS(dim=64, epochs=12, subsample=0, checkpoint_every=0).fit(corpus, tmp_path / "one")
    flags = ["--model", "sgns", "--dim", 64, "--epochs", 12, "--subsample", 0, "--checkpoint-every", 0, "-q"]
    output = tmp_path / "model"
    command = _train(corpus.path, "-o", output, "--workers", 2, "--threads", 1, *flags)
    with running(command, stderr=subprocess.PIPE) as driver:
        wait_until(lambda: list((tmp_path / "model.run").glob("checkpoint-*")), driver)
        children = psutil.Process(driver.pid).children(recursive=True)
        assert len(children) >= 2
        if how == signal.SIGINT:  # Ctrl-C reaches the workers, too
            os.killpg(driver.pid, how)
        else:
            driver.send_signal(how)
        message = driver.communicate(timeout=60)[1]
        if how != signal.SIGKILL:
            assert driver.returncode == 128 + how
            assert message.splitlines() == [f"lexvec: stopped; resume with: lexvec train --resume {output}"]
        _, alive = psutil.wait_procs(children, timeout=30)
        assert not alive
    resumed = CliRunner().invoke(main, ["train", "--resume", str(output), *others, "-q"])
    assert (resumed.exit_code, resumed.output) == (0, "")
    assert equal_folders(tmp_path / "one", output)
    assert not (tmp_path / "model.run").exists()


class _Task:
    """A task that has failed, or one that goes on."""

    def __init__(self, error: Exception | None) -> None:
        self._error, self.status = error, "error" if error else "pending"

    def done(self) -> bool:
        return self._error is not None

    def exception(self) -> Exception | None:
        return self._error


class _Cluster:
    """A client of Dask whose first worker fails, and whose last one has not been heard of."""

    names = ("tcp://a:1", "tcp://b:1", "tcp://c:1")
    dashboard_link = None

    def subscribe_topic(self, *_: Any) -> None:
        pass

    def submit(self, *_: Any, workers: list[str], **__: Any) -> _Task:
        return _Task(PeerLostError("a closed") if workers[0] == self.names[0] else None)

    def nthreads(self) -> dict[str, int]:
        return dict.fromkeys(self.names, 1)

    def scheduler_info(self, n_workers: int) -> Any:
        assert n_workers == -1
        return {"workers": {name: {"last_seen": 70.0 if name == self.names[2] else 100.0} for name in self.names}}


@pytest.mark.parametrize("need_one_another", [False, True])
def test_a_failure_ends_only_work_that_needs_it(need_one_another: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexvec.cluster.dask_engine._GRACE", -1.0)
    cluster: Any = _Cluster()
    engine = DaskEngine(cluster)
    running = DaskRunning(engine, print, {name: {} for name in cluster.names}, need_one_another=need_one_another)
    running.messages()
    kinds = [type(running.outcomes.get(name)) for name in cluster.names]
    # One that only has not ended yet may take part again; one that stands still may not.
    expected = [PeerLostError, SilentWorkerError] if need_one_another else [type(None)] * 2
    assert kinds == [PeerLostError, *expected]


def test_a_scheduler_that_stands_still(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in (("_REPORT_AFTER", 0.05), ("_PATIENCE", 0.15)):
        monkeypatch.setattr(f"lexvec.cluster.dask_engine.{name}", seconds)
    cluster: Any = _Cluster()
    goes_on, texts = threading.Event(), list[str]()
    monkeypatch.setattr(_Cluster, "nthreads", lambda _: goes_on.wait(10) and {"tcp://a:1": 2})
    engine = DaskEngine(cluster, texts.append)
    with pytest.raises(ClusterError, match=r"the scheduler has not answered for 0 s: start it again, then resume"):
        engine.workers()
    assert texts == ["waiting for the scheduler for 0 s; giving up after 0 s"]
    goes_on.set()
    assert engine.workers() == {"tcp://a:1": 2}

    def closed(_: Any) -> None:
        raise OSError("closed")

    monkeypatch.setattr(_Cluster, "nthreads", closed)
    with pytest.raises(ClusterError, match=r"the scheduler does not answer \(closed\): start it again"):
        engine.workers()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate of this test")
def test_an_address_is_encrypted_where_dask_is(tmp_path: Path) -> None:
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    command = f"openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=lexvec -keyout {key} -out {certificate}"
    run(command.split(), check=True)
    files = {"ca-file": certificate, "client.key": key, "client.cert": certificate}
    assert scheduler_address("dask://[::1]:8786") == "tcp://[::1]:8786"
    with dask.config.set({f"distributed.comm.tls.{name}": file for name, file in files.items()}):
        assert scheduler_address("dask://10.0.0.1:8786") == "tls://10.0.0.1:8786"


def test_a_scheduler_that_is_not_there(corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lexvec.cluster.dask_engine._CONNECT", 0.5)
    model = SGNS(dim=4, epochs=1, subsample=0)
    with pytest.raises(ClusterError, match="there is no scheduler at engine='dask://127.0.0.1:9'"):
        model.fit(corpus, tmp_path / "model", engine="dask://127.0.0.1:9")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_port_that_accepts_and_is_silent(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("lexvec.cluster.dask_engine._REPORT_AFTER", 1.0)
    monkeypatch.setattr("lexvec.cluster.dask_engine._GREETING", 2.0)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"dask://127.0.0.1:{silent.getsockname()[1]}"
        notes = Notes()
        with pytest.raises(ClusterError, match=f"{address}' accepts connections but does not answer as a scheduler"):
            SGNS(dim=4).fit(corpus, engine=address, progress=notes)
    assert notes.texts == [f"waiting for {address} to answer for 1 s; giving up after 2 s"]


def test_a_worker_for_another_processor_is_refused(corpus: Corpus) -> None:
    environment = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    model = SGNS(dim=4, epochs=1, subsample=0)
    with started(1, env=environment) as cluster, Client(cluster, set_as_default=False) as client:
        expected = r"worker tcp://\S+ would compute other bits \(processor generic instead of .*bits \w+ instead of \w+"
        with pytest.raises(ClusterError, match=expected):
            model.fit(corpus, engine=client)


def _listening(process: psutil.Process) -> set[Any]:
    """Return the addresses that a process listens at."""
    return {link.laddr for link in process.net_connections("tcp") if link.status == psutil.CONN_LISTEN}


@pytest.mark.slow
def test_nothing_is_left(corpus: Corpus, tmp_path: Path) -> None:
    here = psutil.Process()
    before = {child.pid for child in here.children(recursive=True)}
    open_before = _listening(here)
    SGNS(dim=4, epochs=1, subsample=0).fit(corpus, tmp_path / "model", engine=2)
    left = [child for child in here.children(recursive=True) if child.pid not in before]
    _, alive = psutil.wait_procs(left, timeout=20)
    assert not [child for child in alive if "resource_tracker" not in " ".join(child.cmdline())]
    assert _listening(here) <= open_before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model"]
