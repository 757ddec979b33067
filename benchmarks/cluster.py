"""Several workers against one process: ``python benchmarks/cluster.py TEXT [--megabytes 101] [--models lexvec sgns]``.

TEXT may also be an encoded corpus, and ``--matrix`` the matrix of LexVec, so that only training takes time.

Trains one model in this process with N threads and on N workers with one thread each, on the same cores, and prints the
time of the first epoch, what workers sent, and how long they waited. Then it computes the same epoch (see
`ring_simulation`) from the times of blocks, and prints what to expect of real clusters.

``--links`` compares Unix sockets, TCP and Dask's own communication: a ring of processes, each of which sends and
receives an array. ``--simulate STEP PREPARE DRAW PAIRS`` prints the table of clusters only, from figures that an
earlier run printed: nanoseconds per pair stepped, per pair prepared and per token of text, and pairs per token.
"""

import argparse
import asyncio
import multiprocessing
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from ring_simulation import Machine, Network, Work, unit_seconds
from texts import cut_text

from lexvec import MODELS, Associator, CooccurrenceCounter, Corpus, CorpusBuilder
from lexvec.cluster import open_engine
from lexvec.cluster.engine import Engine, Message, Running
from lexvec.cluster.links import PART, Links, Listener, connect
from lexvec.engine import ThreadExecutor
from lexvec.engine.executors import Step
from lexvec.engine.rows import Rows, default_parts, padded
from lexvec.engine.schedule import Tally
from lexvec.engine.sources import Unit, WindowSource
from lexvec.progress import Silent, Stage
from lexvec.storage.meta import META

GIGABIT = 1e9 / 8


class Stamps(Silent):
    """When each stage began and ended."""

    def __init__(self) -> None:
        self.begun: dict[str, float] = {}
        self.ended: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator[Stage]:
        self.begun[name] = time.perf_counter()
        with super().stage(name, total, unit) as stage:
            yield stage
        self.ended[name] = time.perf_counter()

    def epoch(self) -> float:
        """Seconds of the first epoch."""
        names = [name for name in self.begun if name.startswith("epoch")]
        return self.begun[names[1]] - self.begun[names[0]]


class Recorded:
    """An engine that keeps what its tasks returned."""

    dashboard = None

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def workers(self) -> dict[str, int]:
        return self._engine.workers()

    def start(
        self, function: Callable[..., Any], tasks: Mapping[str, Message], *, need_one_another: bool = False
    ) -> Running:
        self.last = self._engine.start(function, tasks, need_one_another=need_one_another)
        return self.last


class Timed(ThreadExecutor):
    """One thread that keeps how long it prepares and steps."""

    def __init__(self) -> None:
        super().__init__(1)
        self.prepared = self.stepped = 0.0

    def run(self, unit: Unit, step: Step, words: Rows, contexts: Rows, rate: float) -> Tally:
        began, before = time.perf_counter(), self.stepped

        def timed(*arguments: Any) -> None:
            at = time.perf_counter()
            step(*arguments)
            self.stepped += time.perf_counter() - at

        done = super().run(unit, timed, words, contexts, rate)
        self.prepared += time.perf_counter() - began - (self.stepped - before)
        return done


def timed_machine(model: Any, corpus: Any, matrix: Any) -> tuple[Machine, float]:
    """Measure one epoch on one thread; returns pairs per token, too."""
    drawing = [0.0]
    draw = WindowSource.unit

    def unit(self: WindowSource, *arguments: Any) -> Any:
        began = time.perf_counter()
        drawn = draw(self, *arguments)
        drawing[0] += time.perf_counter() - began
        return drawn

    WindowSource.unit = unit  # type: ignore[method-assign, assignment]
    try:
        with Timed() as executor:
            made = model.fit(corpus, matrix=matrix, executor=executor, progress=False)
    finally:
        WindowSource.unit = draw  # type: ignore[method-assign]
    pairs = sum(epoch["pairs"] for epoch in made.losses_)
    tokens = corpus.tokens * len(made.losses_)
    return Machine(executor.stepped / pairs, executor.prepared / pairs, drawing[0] / tokens), pairs / tokens


def measure(arguments: argparse.Namespace, folder: Path) -> dict[str, tuple[Machine, float]]:
    """Print a row per model, as Markdown."""
    if (arguments.text / META).exists():
        corpus = Corpus.load(arguments.text)
    else:
        text = folder / "text.txt"
        cut_text(arguments.text, text, arguments.megabytes)
        corpus = CorpusBuilder(min_count=5).build(text, folder / "corpus")
    size = arguments.workers
    print(f"{corpus.tokens:,} tokens, {len(corpus.vocabulary):,} words, dim {arguments.dim}\n")
    print("| model | one process | workers | overhead | sent per worker and unit | waiting per round | computed |")
    print("|---|---|---|---|---|---|---|", flush=True)
    found = {}
    for name in arguments.models:
        kind = MODELS[name]
        given = {"dim": arguments.dim, "epochs": 2, "subsample": 1e-4}
        if arguments.unit_pairs:
            given["unit_pairs"] = arguments.unit_pairs
        matrix: Any = arguments.matrix if name == "lexvec" else None
        if name == "lexvec" and matrix is None:
            counts = CooccurrenceCounter(subsample=1e-4).count(corpus, folder / "counts")
            matrix = Associator().associate(counts, folder / "matrix")
        one, several = Stamps(), Stamps()
        kind(**given, threads=size).fit(corpus, matrix=matrix, progress=one)
        with open_engine(size, 1) as engine:
            recorded = Recorded(engine)
            made: Any = kind(**given).fit(
                corpus, folder / f"{name}-model", matrix=matrix, engine=recorded, progress=several
            )
        costs = list(recorded.last.outcomes.values())
        parts = default_parts(len(corpus.vocabulary))
        row = 4 * padded(arguments.dim)
        sent = max(cost["bytes_sent"] for cost in costs)
        units = round(sent / (len(corpus.vocabulary) * row))
        waiting = max(cost["sweeping"] - cost["stepping"] for cost in costs) / units / parts
        found[name] = timed_machine(kind(**{**given, "epochs": 1}), corpus, matrix)
        machine = found[name][0]
        pairs = made.losses_[0]["pairs"]
        work = Work(2 * pairs // units, 2 * corpus.tokens // units, parts, len(corpus.vocabulary), row)
        computed = units / 2 * unit_seconds(machine, Network(arguments.loopback), work, size)
        print(
            f"| {name} | {one.epoch():.1f} s | {several.epoch():.1f} s | {several.epoch() / one.epoch() - 1:+.0%} | "
            f"{sent / units / 1e6:.0f} MB | {waiting * 1e6:.0f} µs | {computed:.1f} s |",
            flush=True,
        )
    for name, (machine, per_token) in found.items():
        print(
            f"\n{name}: {machine.step * 1e9:.1f} ns per pair stepped, {machine.prepare * 1e9:.1f} to draw and cut it, "
            f"{machine.draw * 1e9:.1f} ns per token of text, {per_token:.1f} pairs per token"
        )
    return found


def simulate(measured: Mapping[str, tuple[Machine, float]], threads: int, dim: int, unit: int) -> None:
    """Print hours per epoch and efficiency for clusters."""
    counts = (1, 2, 4, 8, 16, 32, 64)
    for name, (machine, per_token) in measured.items():
        machine = machine._replace(threads=threads)
        print(f"\n{name}, {threads} threads per machine, {unit} pairs per word and unit:\n")
        print("| words | tokens | network | " + " | ".join(map(str, counts)) + " |")
        print("|---|---|---|" + "---|" * len(counts))
        for words in (300_000, 2_000_000):
            for gigabits in (10, 25, 100):
                seconds = []
                for machines in counts:
                    parts = max(64, 4 * machines)
                    pairs = max(1 << 23, unit * words)
                    work = Work(pairs, round(pairs / per_token), parts, words, 4 * padded(dim))
                    network = Network(gigabits * GIGABIT)
                    seconds.append(unit_seconds(machine, network, work, machines) / pairs * per_token)
                for tokens in (7e9, 100e9):
                    cells = [
                        f"{tokens * each / 3600:.2f} h, {seconds[0] / each / machines:.0%}"
                        for machines, each in zip(counts, seconds, strict=True)
                    ]
                    shown = f"{words / 1e6:.1f} M | {tokens / 1e9:.0f} B | {gigabits} Gb/s"
                    print(f"| {shown} | " + " | ".join(cells) + " |", flush=True)


def _by_sockets(host: str, rank: int, size: int, array: Any, rounds: int, mail: Any) -> tuple[float, float]:
    listener = Listener(host)
    addresses = mail(listener.address)
    deadline = time.monotonic() + 30
    outgoing = connect(tuple(addresses[(rank - 1) % size]), b"x", deadline)
    links = Links(outgoing, listener.accept(b"x", deadline), patience=60)
    listener.close()
    room = np.empty_like(array)
    began, used = time.perf_counter(), time.process_time()
    for _ in range(rounds):
        sending = threading.Thread(target=links.send, args=(PART, 0, [array]))
        sending.start()
        links.receive(PART, 0, [room])
        sending.join()
    spent = (time.perf_counter() - began) / rounds, (time.process_time() - used) / rounds
    mail(None)
    links.close()
    return spent


def _by_dask(rank: int, size: int, array: Any, rounds: int, mail: Any) -> tuple[float, float]:
    from distributed.comm import connect as dask_connect
    from distributed.comm import listen
    from distributed.protocol import to_serialize

    async def ring() -> tuple[float, float]:
        arrived: asyncio.Queue[Any] = asyncio.Queue()
        finished = asyncio.Event()

        async def handle(comm: Any) -> None:
            for _ in range(rounds):
                await arrived.put(await comm.read())
            await finished.wait()
            await comm.close()

        listener = await listen("tcp://127.0.0.1:0", handle)
        addresses = await asyncio.to_thread(mail, listener.contact_address)
        comm = await dask_connect(addresses[(rank - 1) % size])
        began, used = time.perf_counter(), time.process_time()
        for _ in range(rounds):
            sending = asyncio.ensure_future(comm.write({"array": to_serialize(array)}))
            await arrived.get()
            await sending
        spent = (time.perf_counter() - began) / rounds, (time.process_time() - used) / rounds
        await asyncio.to_thread(mail, None)
        finished.set()
        await comm.close()
        listener.stop()
        return spent

    return asyncio.run(ring())


#: Links of one machine are Unix sockets by its usual address only, so another one shows what TCP takes.
WAYS: dict[str, Callable[..., tuple[float, float]]] = {
    "Unix sockets": partial(_by_sockets, "127.0.0.1"),
    "TCP": partial(_by_sockets, "127.0.0.2"),
    "Dask's communication": _by_dask,
}


def _ring_process(way: str, rank: int, size: int, count: int, rounds: int, to: Any, back: Any, out: Any) -> None:
    def mail(own: Any) -> Any:
        to.put((rank, own))
        return back.get()

    run = WAYS[way]
    out.put(run(rank, size, np.ones(count, np.uint8), rounds, mail))


def links(size: int = 4, megabytes: tuple[int, ...] = (3, 12), rounds: int = 40) -> None:
    """Print the time of one round of a ring, in which each process sends an array and receives one."""
    print("| array | way | time per round | processor time per round and process |")
    print("|---|---|---|---|")
    context = multiprocessing.get_context("spawn")
    for count in megabytes:
        for way in WAYS:
            to, out = context.Queue(), context.Queue()
            back = [context.Queue() for _ in range(size)]
            processes = [
                context.Process(target=_ring_process, args=(way, k, size, count * 10**6, rounds, to, back[k], out))
                for k in range(size)
            ]
            for process in processes:
                process.start()
            for _ in range(2):  # addresses, and the end
                sent = dict(to.get() for _ in range(size))
                for queue in back:
                    queue.put([sent[rank] for rank in range(size)])
            spent = [out.get() for _ in range(size)]
            for process in processes:
                process.join()
            wall, used = (sum(each) / size for each in zip(*spent, strict=True))
            print(f"| {count} MB | {way} | {wall * 1e3:.1f} ms | {used * 1e3:.1f} ms |", flush=True)


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path, nargs="?")
    parser.add_argument("--matrix", type=Path)
    parser.add_argument("--megabytes", type=int, default=408)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--models", nargs="+", default=["lexvec", "sgns"])
    parser.add_argument("--unit-pairs", type=int, help="pairs in a unit of work, instead of the default")
    parser.add_argument("--loopback", type=float, default=1.5e9, help="bytes per second between processes")
    parser.add_argument("--threads", type=int, default=16, help="threads of a machine in the tables of clusters")
    parser.add_argument("--pairs-per-word", type=int, default=128, help="pairs per word and unit in these tables")
    parser.add_argument("--links", action="store_true")
    parser.add_argument("--simulate", type=float, nargs=4, metavar=("STEP", "PREPARE", "DRAW", "PAIRS"))
    arguments = parser.parse_args()
    if arguments.links:
        links()
        return
    if arguments.simulate:
        step, prepare, draw, pairs = arguments.simulate
        found = {"given figures": (Machine(step / 1e9, prepare / 1e9, draw / 1e9), pairs)}
    elif arguments.text is None:
        sys.exit("give a TEXT, or --simulate or --links")
    else:
        with tempfile.TemporaryDirectory(prefix="lexvec-benchmark-") as name:
            found = measure(arguments, Path(name))
    simulate(found, arguments.threads, arguments.dim, arguments.pairs_per_word)


if __name__ == "__main__":
    main()
