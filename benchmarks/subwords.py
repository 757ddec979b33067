"""Models with subwords against fastText and the authors' program: ``python benchmarks/subwords.py TEXT --data DIR``.

All learn from the same tokens with the same settings (dim 100, 5 epochs, min_count 5, t = 10⁻⁴, n-grams 3–6). Per run:
all similarity sets and their mean, three analogy sets by 3CosAdd, processor seconds, and the size on disk. With
``--speed``, nothing is scored: each program runs for one epoch and for several, and the difference is what epochs take.
Programs that are not given are left out. The authors' program has no seed to choose: its runs differ by the races of
its threads only.
"""

import argparse
import csv
import io
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean, stdev

from peers import LEXVEC, Bench, program

SGNS = "--model sgns --window 5 --learning-rate 0.05 --noise-power 0.5"
LEXVEC_NGRAMS = "--model lexvec --noise-counts pairs --subwords ngrams --subword-scheme lexvec"
# As the authors' program learns.
LEXVEC_GO = f"{LEXVEC_NGRAMS} --subword-gradient shared --noise independent"
OURS = {
    "SGNS": f"{SGNS} --noise independent",
    "SGNS, n-grams": f"{SGNS} --subwords ngrams",
    "SGNS, n-grams, shared gradient": f"{SGNS} --subwords ngrams --subword-gradient shared",
    "SGNS, n-grams, independent noise": f"{SGNS} --subwords ngrams --noise independent",
    "SGNS, floret, 50,000 rows": f"{SGNS} --subwords ngrams --subword-scheme floret",
    "SGNS, floret, 100,000 rows": f"{SGNS} --subwords ngrams --subword-scheme floret --buckets 100000",
    "SGNS, floret, 200,000 rows": f"{SGNS} --subwords ngrams --subword-scheme floret --buckets 200000",
    "LexVec, n-grams": LEXVEC_NGRAMS,
    "LexVec, n-grams, as the authors' program": LEXVEC_GO,
    "LexVec, n-grams, positional, as the authors' program": f"{LEXVEC_GO} --contexts positional",
}
COMPARED = ("SGNS, n-grams", "LexVec, n-grams", "LexVec, n-grams, as the authors' program")
FASTTEXT = "skipgram -loss ns -neg 5 -ws 5 -t 1e-4 -minCount 5 -lr 0.05 -minn 3 -maxn 6"
GO = "-window 2 -subsample 1e-4 -minfreq 5 -verbose 1 -minn 3 -maxn 6"
ANALOGIES = ("GSem", "GSyn", "MSR")
OTHERS = ("processor s", "MB")

Command = Callable[[int], list[str]]


def commands(bench: Bench, seed: int, arguments: argparse.Namespace) -> dict[str, tuple[Command, str, str]]:
    """Return how each program is started for a number of epochs, the vectors that it writes, and its model."""
    fixed = ["-o", "model", "--force", "-q", "--threads", bench.threads, "--dim", "100", "--subsample", "1e-4"]

    def ours(flags: str) -> Command:
        start = [*LEXVEC, "train", "corpus", *fixed, "--seed", str(seed), *flags.split()]
        return lambda epochs: [*start, "--epochs", str(epochs)]

    found = {name: (ours(flags), "model", "model") for name, flags in OURS.items() if arguments.only in name}
    if arguments.fasttext:
        own = ["-input", "sentences.txt", "-output", "theirs", "-dim", "100", "-thread", bench.threads]
        start = [arguments.fasttext, *FASTTEXT.split(), *own, "-seed", str(seed)]
        found["fastText"] = (lambda epochs: [*start, "-epoch", str(epochs)], "theirs.vec", "theirs.bin")
    for positional in ("false", "true") if arguments.lexvec_go else ():
        own = [
            "-corpus",
            "sentences.txt",
            "-vocab",
            f"vocab-go-{positional}.txt",
            "-threads",
            bench.threads,
            f"-pos={positional}",
        ]
        bench.run(arguments.lexvec_go, "vocab", *own, *GO.split())
        output = ["-dim", "100", "-output", "theirs.txt"]
        model = [] if arguments.speed else ["-outputsub", "theirs-go.bin"]
        go = [arguments.lexvec_go, "train", *own, *GO.split(), *output, *model]

        def theirs(epochs: int, go: list[str] = go) -> list[str]:
            return [*go, "-iterations", str(epochs)]

        name = "authors' program" + (", positional" if positional == "true" else "")
        found[name] = (theirs, "theirs.txt", "theirs-go.bin")
    return found


def scores(bench: Bench, vectors: str, data: str) -> dict[str, float]:
    """Score vectors on the words of their vocabulary."""
    command = [*LEXVEC, "evaluate", vectors, "--data", data, "--format", "csv", "--resamples", "1", "-q"]
    result = subprocess.run(command, cwd=bench.folder, check=True, capture_output=True, text=True)
    rows = [
        row
        for row in csv.DictReader(io.StringIO(result.stdout))
        if row["measure"] != "3CosMul" and row.get("with_composed") != "True"
    ]
    found = {row["name"]: float(row["value"]) for row in rows}
    similarity = {name: value for name, value in found.items() if name not in ANALOGIES}
    return {**similarity, "mean": mean(similarity.values()), **{name: found[name] for name in ANALOGIES}}


def scored(bench: Bench, seed: int, arguments: argparse.Namespace) -> Iterator[tuple[str, dict[str, float]]]:
    """Train and score everything once."""
    for name, (command, vectors, model) in commands(bench, seed, arguments).items():
        used = bench.run(*command(arguments.epochs))
        path = bench.folder / model
        size = sum(file.stat().st_size for file in ([path] if path.is_file() else path.glob("*")))
        others = dict(zip(OTHERS, (used.processor, size / 1e6), strict=True))
        yield name, {**scores(bench, vectors, arguments.data), **others}


def show_scores(bench: Bench, arguments: argparse.Namespace) -> None:
    """Print the mean of all seeds, and their standard deviation if there are several."""
    results: dict[str, list[dict[str, float]]] = {}
    for seed in range(1, arguments.seeds + 1):
        for name, found in scored(bench, seed, arguments):
            results.setdefault(name, []).append(found)
            print(seed, name, *(f"{key} {value:.3f}" for key, value in found.items()), file=sys.stderr, flush=True)
    columns = list(next(iter(results.values()))[0])
    print("| |", " | ".join(columns), "|\n|---|" + "---|" * len(columns))
    for name, rows in results.items():
        shown = []
        for column in columns:
            values = [row[column] for row in rows]
            if column in OTHERS:
                shown.append(f"{mean(values):,.0f}")
            else:
                shown.append(f"{mean(values):.3f}" + (f" ± {stdev(values):.3f}" if len(values) > 1 else ""))
        print("|", " | ".join([name, *shown]), "|")


def show_speed(bench: Bench, arguments: argparse.Namespace) -> None:
    """Print what an epoch takes."""
    print("| | seconds | processor s | MB |\n|---|---|---|---|")
    for name, (command, _, _) in commands(bench, 1, arguments).items():
        if name in COMPARED or name not in OURS:
            if name in OURS:
                bench.run(*command(1))  # compiles kernels
            used = bench.epoch(command)
            print(f"| {name} | {used.seconds:.2f} | {used.processor:.2f} | {used.memory / 1e6:,.0f} |", flush=True)


def main() -> None:
    """Compare scores, or the time of an epoch."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--data", help="folder with test sets; not needed with --speed")
    parser.add_argument("--megabytes", type=int, help="use only so much of the text")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--speed", action="store_true", help="time an epoch, and score nothing")
    parser.add_argument("--only", default="", help="train only models of ours whose name has this in it")
    parser.add_argument("--fasttext", type=program, metavar="PROGRAM")
    parser.add_argument("--lexvec-go", type=program, metavar="PROGRAM")
    arguments = parser.parse_args()
    if not (arguments.data or arguments.speed):
        parser.error("give a folder with test sets (--data), or --speed")
    arguments.data = arguments.data and str(Path(arguments.data).resolve())
    arguments.dim, arguments.runs = 100, 1
    with tempfile.TemporaryDirectory(prefix="lexvec-benchmark-") as temporary:
        bench = Bench(Path(temporary), arguments)
        bench.prepare(arguments.text, arguments.megabytes)
        bench.encode("sentences.txt", "corpus", "--tokenized", "--min-count", "5")
        (show_speed if arguments.speed else show_scores)(bench, arguments)


if __name__ == "__main__":
    main()
