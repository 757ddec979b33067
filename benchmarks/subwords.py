"""Models with subwords against fastText and the authors' program: ``python benchmarks/subwords.py TEXT --data DIR``.

All learn from the same tokens with the same settings (dim 100, 5 epochs, min_count 5, t = 10⁻⁴, n-grams 3–6). Per run:
the mean of all similarity sets, rare words, three analogy sets by 3CosAdd, processor seconds, and the size on disk.
Programs that are not given are left out.
"""

import argparse
import csv
import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from peers import LEXVEC, Bench, program

SGNS = "--model sgns --window 5 --learning-rate 0.05 --noise-power 0.5"
OURS = {
    "SGNS": SGNS,
    "SGNS, n-grams": f"{SGNS} --subwords ngrams",
    "SGNS, n-grams, shared gradient": f"{SGNS} --subwords ngrams --subword-gradient shared",
    "SGNS, floret, 50,000 rows": f"{SGNS} --subwords ngrams --subword-scheme floret",
    "SGNS, floret, 200,000 rows": f"{SGNS} --subwords ngrams --subword-scheme floret --buckets 200000",
    "LexVec": "--model lexvec",
    "LexVec, n-grams": "--model lexvec --subwords ngrams --subword-scheme lexvec",
    "LexVec, n-grams, shared gradient": (
        "--model lexvec --subwords ngrams --subword-scheme lexvec --subword-gradient shared"
    ),
}
FASTTEXT = "skipgram -loss ns -neg 5 -ws 5 -t 1e-4 -minCount 5 -lr 0.05 -minn 3 -maxn 6"
GO = "-window 2 -subsample 1e-4 -minfreq 5 -pos=false -verbose 1 -minn 3 -maxn 6"
ANALOGIES = {"GSem", "GSyn", "MSR"}


class Scores(NamedTuple):
    """A row of the table."""

    similarity: float
    rare: float
    semantic: float
    syntactic: float
    msr: float
    processor: float
    megabytes: float


def scored(bench: Bench, vectors: str, files: list[str], processor: float, data: str) -> Scores:
    """Score the vectors of one run."""
    command = [*LEXVEC, "evaluate", vectors, "--data", data, "--format", "csv", "--resamples", "1", "-q"]
    result = subprocess.run(command, cwd=bench.folder, check=True, capture_output=True, text=True)
    found = {
        row["name"]: float(row["value"])
        for row in csv.DictReader(io.StringIO(result.stdout))
        if row["measure"] != "3CosMul"
    }
    similarity = [value for name, value in found.items() if name not in ANALOGIES]
    size = sum(
        file.stat().st_size for name in files for file in [*(bench.folder / name).glob("*"), bench.folder / name]
    )
    return Scores(
        sum(similarity) / len(similarity),
        found["RW"],
        found["GSem"],
        found["GSyn"],
        found["MSR"],
        processor,
        size / 1e6,
    )


def runs(bench: Bench, seed: int, arguments: argparse.Namespace) -> Iterator[tuple[str, Scores]]:
    """Train everything once."""
    common = ["--dim", "100", "--epochs", str(arguments.epochs), "--subsample", "1e-4", "--seed", str(seed)]
    fixed = ["-o", "model", "--force", "-q", "--threads", bench.threads]
    for name, flags in OURS.items():
        if arguments.only in name:
            used = bench.run(*LEXVEC, "train", "corpus", *fixed, *common, *flags.split())
            yield name, scored(bench, "model", ["model"], used.processor, arguments.data)
    if arguments.fasttext:
        shared = ["-input", "sentences.txt", "-output", "theirs", "-dim", "100", "-thread", bench.threads]
        more = ["-epoch", str(arguments.epochs), "-seed", str(seed)]
        used = bench.run(arguments.fasttext, *FASTTEXT.split(), *shared, *more)
        yield "fastText", scored(bench, "theirs.vec", ["theirs.bin"], used.processor, arguments.data)
    if arguments.lexvec_go:
        shared = ["-corpus", "sentences.txt", "-vocab", "vocab-go.txt", *GO.split(), "-threads", bench.threads]
        bench.run(arguments.lexvec_go, "vocab", *shared)
        more = [
            "-dim",
            "100",
            "-iterations",
            str(arguments.epochs),
            "-output",
            "theirs.txt",
            "-outputsub",
            "theirs-go.bin",
        ]
        used = bench.run(arguments.lexvec_go, "train", *shared, *more)
        yield "the authors' program", scored(bench, "theirs.txt", ["theirs-go.bin"], used.processor, arguments.data)


def main() -> None:
    """Print a table: the mean of all seeds, and their range if there are several."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path)
    parser.add_argument("--data", required=True, help="folder with test sets")
    parser.add_argument("--megabytes", type=int, help="use only so much of the text")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", default="", help="train only models of ours whose name has this in it")
    parser.add_argument("--fasttext", type=program, metavar="PROGRAM")
    parser.add_argument("--lexvec-go", type=program, metavar="PROGRAM")
    arguments = parser.parse_args()
    arguments.data = str(Path(arguments.data).resolve())
    arguments.dim, arguments.runs = 100, 1
    results: dict[str, list[Scores]] = {}
    with tempfile.TemporaryDirectory(prefix="lexvec-benchmark-") as temporary:
        bench = Bench(Path(temporary), arguments)
        bench.prepare(arguments.text, arguments.megabytes)
        bench.encode("sentences.txt", "corpus", "--tokenized", "--min-count", "5")
        for seed in range(1, arguments.seeds + 1):
            for name, scores in runs(bench, seed, arguments):
                results.setdefault(name, []).append(scores)
                print(seed, name, *(f"{value:.3f}" for value in scores), file=sys.stderr, flush=True)
    print("| | similarity | RW | GSem | GSyn | MSR | processor s | MB |\n|---|---|---|---|---|---|---|---|")
    for name, rows in results.items():
        columns = list(zip(*rows, strict=True))
        shown = [f"{sum(c) / len(c):.3f} ± {(max(c) - min(c)) / 2:.3f}" for c in columns[:5]]
        print("|", " | ".join([name, *shown, *(f"{sum(c) / len(c):,.0f}" for c in columns[5:])]), "|")


if __name__ == "__main__":
    main()
