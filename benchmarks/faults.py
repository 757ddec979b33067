"""Try every fault of the table and print how many ended right, with a clear error, or badly.

    python benchmarks/faults.py                    the whole table, about two minutes on two cores
    python benchmarks/faults.py --group folders    one group
    python benchmarks/faults.py --only meta.json   the rows whose name has this text
    python benchmarks/faults.py --long             also 75 kills and a long fuzzing of every reader
    python benchmarks/faults.py --markdown         the table as docs/reliability.md shows it

The exit code is 1 if any row is bad. Every row works on a small corpus made by this script; nothing leaves the machine.
"""

import argparse
import queue
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
sys.path[:0] = [str(TESTS / "faults"), str(TESTS)]

from fault_table.bench import Bench  # noqa: E402
from fault_table.case import Row  # noqa: E402
from fault_table.crash import Crash, Crasher, crashes  # noqa: E402
from fault_table.groups import ROWS  # noqa: E402
from fault_table.verdict import Verdict  # noqa: E402

GROUPS = ("corpus", "parameters", "folders", "vector files", "crash", "environment", "evaluation", "remote", "fuzzing")
_KILLS, _LONG_KILLS = 24, 50
_EXAMPLES, _LONG_EXAMPLES = 50, 3000


class Worker:
    """A bench, with what kills stages on it."""

    def __init__(self, stack: ExitStack) -> None:
        self.bench = stack.enter_context(Bench())
        self.crasher = Crasher(self.bench)

    def attempt(self, row: Row | Crash) -> Verdict:
        try:
            return self.crasher.attempt(row) if isinstance(row, Crash) else self.bench.attempt(row)
        except Exception as error:
            return "bad", f"the row itself failed: {error!r}"


def tried(rows: list[Row | Crash], workers: int) -> list[tuple[Row | Crash, Verdict]]:
    """Try rows on several benches at once."""
    free: queue.Queue[Worker] = queue.Queue()

    def attempt(row: Row | Crash) -> tuple[Row | Crash, Verdict]:
        worker = free.get()
        try:
            return row, worker.attempt(row)
        finally:
            free.put(worker)

    with ExitStack() as stack, ThreadPoolExecutor(workers) as pool:
        for worker in pool.map(lambda _: Worker(stack), range(workers)):
            free.put(worker)
        return list(pool.map(attempt, rows))


def fuzzed(examples: int) -> list[tuple[str, Verdict]]:
    """Fuzz every reader."""
    from fault_table.fuzz import READERS, fuzz

    results: list[tuple[str, Verdict]] = []
    for name in READERS:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                fuzz(name, Path(folder), examples)
                results.append((f"fuzzing: {name}, {examples:,} inputs", ("right", "")))
            except Exception as error:
                last = traceback.format_exception_only(error)[-1].strip()
                results.append((f"fuzzing: {name}", ("bad", last[:300])))
    return results


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--group", choices=GROUPS)
    options.add_argument("--only", default="", help="only rows whose name has this text")
    long = f"{len(crashes(_LONG_KILLS))} kills, {_LONG_EXAMPLES} inputs per reader"
    options.add_argument("--long", action="store_true", help=long)
    options.add_argument("--markdown", action="store_true", help="print the table for docs/reliability.md")
    options.add_argument("--workers", type=int, default=2, help="rows that are tried at once")
    given = options.parse_args()
    rows: list[Row | Crash] = [*ROWS, *crashes(_LONG_KILLS if given.long else _KILLS)]
    rows = [row for row in rows if given.group in (None, row.group) and given.only in row.key]
    started = time.monotonic()
    results = [(row.key, verdict) for row, verdict in (tried(rows, given.workers) if rows else [])]
    if skipped := [key for key, (kind, _) in results if kind == "skipped"]:
        print(f"{len(skipped)} rows are skipped, such as {skipped[0]}", file=sys.stderr)
        results = [result for result in results if result[0] not in skipped]
    if given.group in (None, "fuzzing") and given.only in "fuzzing":
        results += fuzzed(_LONG_EXAMPLES if given.long else _EXAMPLES)
    report(results, markdown=given.markdown, seconds=time.monotonic() - started)
    return 1 if any(kind == "bad" for _, (kind, _) in results) else 0


def report(results: list[tuple[str, Verdict]], *, markdown: bool, seconds: float) -> None:
    """Print what was bad on standard error, and the table."""
    counts = {group: Counter(kind for key, (kind, _) in results if key.startswith(f"{group}:")) for group in GROUPS}
    for key, (kind, why) in results:
        if kind == "bad":
            print(f"BAD  {key}: {why}", file=sys.stderr)
    lines = [(group, sum(found.values()), *(found[kind] for kind in ("right", "clear", "bad")))
             for group, found in counts.items() if found]  # fmt: skip
    lines.append(("all", *(sum(line[place] for line in lines) for place in range(1, 5))))  # type: ignore[misc]
    if markdown:
        print(f"{datetime.now(UTC):%Y-%m-%d}, in {seconds:.0f} s:\n")
        print("| group | tried | right | clear error | bad |\n|---|---:|---:|---:|---:|")
        for line in lines:
            print("| " + " | ".join(map(str, line)) + " |")
    else:
        print(f"{'group':<14}{'tried':>7}{'right':>7}{'clear':>7}{'bad':>7}")
        for name, *figures in lines:
            print(f"{name:<14}" + "".join(f"{figure:>7}" for figure in figures))
        print(f"in {seconds:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
