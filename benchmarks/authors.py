"""Does LexVec score as the authors' program does? ``python benchmarks/authors.py TEXT --lexvec-go PROGRAM``.

Both train the same variant (stochastic, windows of the matrix, W) on the same sentences, with several seeds each. The
table has the mean ± standard deviation of each test set, and the difference by its standard error.

The program has fixed seeds. For others, add an offset to those in its ``main.go`` and ``train.go``, and build it so
that the offset is 1000 times the environment variable ``LEXVEC_GO_SEED``. A program that ignores the variable repeats
itself, but for the races between its threads. Scores are kept in FOLDER, and the same command resumes.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
from collections.abc import Callable
from pathlib import Path

from texts import cut_text

from lexvec import Corpus, CorpusBuilder, LexVec, WordVectors, evaluate

Scores = dict[str, float]


def scores_of(vectors: WordVectors, data: Path | None) -> Scores:
    """Return the score of each set, analogies by 3CosAdd, and the mean of the similarity sets."""
    scores = evaluate(vectors, data=data, progress=False).scores
    mean = statistics.mean(score.value for score in scores if score.kind == "similarity")
    return {"mean of similarity": mean} | {each.name: each.value for each in scores if each.measure != "3CosMul"}


def theirs(program: str, folder: Path, dim: int) -> Callable[[int], WordVectors]:
    """Return what trains the authors' program with a seed."""
    sentences, vocabulary, output = folder / "sentences.txt", folder / "vocabulary.txt", folder / "theirs.txt"
    shared = (
        f"-corpus {sentences} -vocab {vocabulary} -window 2 -subsample 1e-4 -minfreq 5 -pos=false -verbose 0".split()
    )
    more = f"-minn 0 -maxn 0 -negative 5 -alpha 0.025 -model 1 -dim {dim} -threads 2 -iterations 5".split()

    def run(seed: int) -> WordVectors:
        environment = {**os.environ, "LEXVEC_GO_SEED": str(seed)}
        steps = [["vocab", *shared]] * (not vocabulary.exists())
        for step in [*steps, ["train", *shared, *more, "-output", str(output)]]:
            subprocess.run([program, *step], check=True, env=environment, capture_output=True)
        return WordVectors.load(output, progress=False)

    return run


def ours(corpus: Corpus, dim: int) -> Callable[[int], WordVectors]:
    """Return what trains ours with a seed."""
    return lambda seed: LexVec(dim=dim, subsample=1e-4, seed=seed).fit(corpus, progress=False).vectors()


def prepared(text: Path, folder: Path, megabytes: int | None) -> Corpus:
    """Return the encoded corpus, after writing its sentences for the other program."""
    if not (folder / "corpus").exists():
        cut_text(text, folder / "text.txt", megabytes)
        CorpusBuilder(min_count=5).build(folder / "text.txt", folder / "corpus")
    corpus = Corpus.load(folder / "corpus")
    with (folder / "sentences.txt").open("w", encoding="utf-8") as file:
        file.writelines(f"{' '.join(sentence)}\n" for sentence in corpus)
    return corpus


def table(found: dict[str, list[Scores]]) -> str:
    """Return a row for each program, and one for the difference."""
    names = list(next(iter(found.values()))[0])
    lines = [f"| | runs | {' | '.join(names)} |", f"|---|---|{'---|' * len(names)}"]
    columns = {who: {name: [run[name] for run in runs] for name in names} for who, runs in found.items()}
    for who, values in columns.items():
        cells = [f"{statistics.mean(values[name]):.3f} ± {statistics.stdev(values[name]):.3f}" for name in names]
        lines.append(f"| {who} | {len(found[who])} | {' | '.join(cells)} |")
    one, other = columns.values()
    cells = []
    for name in names:
        error = math.sqrt(sum(statistics.variance(each[name]) / len(each[name]) for each in (one, other)))
        cells.append(f"{(statistics.mean(one[name]) - statistics.mean(other[name])) / error:+.1f}")
    return "\n".join([*lines, f"| difference by its standard error | | {' | '.join(cells)} |"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path)
    parser.add_argument("--lexvec-go", required=True, metavar="PROGRAM")
    parser.add_argument("--folder", type=Path, default=Path("authors"), help="for the corpus and the scores")
    parser.add_argument("--megabytes", type=int, default=36)
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--data", type=Path, help="folder of test sets")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    corpus = prepared(arguments.text, arguments.folder, arguments.megabytes)
    kept = arguments.folder / "scores.json"
    done: dict[str, Scores] = json.loads(kept.read_text()) if kept.exists() else {}
    trained = {
        "lexvec": ours(corpus, arguments.dim),
        "authors' program": theirs(arguments.lexvec_go, arguments.folder, arguments.dim),
    }
    for seed in range(1, arguments.seeds + 1):
        for who, train in trained.items():
            if f"{who} {seed}" not in done:
                done[f"{who} {seed}"] = scores_of(train(seed), arguments.data)
                kept.write_text(json.dumps(done))
    print(table({who: [done[f"{who} {seed}"] for seed in range(1, arguments.seeds + 1)] for who in trained}))


if __name__ == "__main__":
    main()
