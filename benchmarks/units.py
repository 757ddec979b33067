"""Units of work: ``python benchmarks/units.py CORPUS [--models sgns] [--rules 8388608:64 None:64] [--data DIR]``.

A rule is ``UNIT_PAIRS:PARTS`` (None: the default). How many pairs are drawn at once decides how often each row comes
from memory, from disk or from another machine; does it cost scores, and is it as fast? Without ``--data`` it times the
second of two epochs. With it, models are trained with several seeds and scored on the sets in DIR: the mean over seeds
± its standard deviation, W and W + C.
"""

import argparse
import itertools
import statistics
import time
from pathlib import Path
from typing import Any

from lexvec import MODELS, Corpus, Evaluation, evaluate


def parsed(rule: str) -> dict[str, int | None]:
    """Return the parameters of a rule."""
    values = [None if part == "None" else int(part) for part in rule.split(":")]
    return dict(zip(("unit_pairs", "parts"), values, strict=True))


def timed(name: str, settings: dict[str, Any], corpus: Corpus) -> str:
    """Return how long the second of two epochs took."""
    stamps: list[float] = []
    model: Any = MODELS[name](**{**settings, "epochs": 2})
    model.fit(corpus, callbacks=[lambda *_: stamps.append(time.perf_counter())])
    seconds, pairs = stamps[1] - stamps[0], model.losses_[1]["pairs"]
    return f"{seconds:.1f} s, {pairs / 1e6:,.0f} M pairs, {2 * seconds / pairs * 1e9:.1f} ns per pair and thread"


def figures(found: list[Evaluation]) -> str:
    """Return mean ± standard deviation over seeds, of the mean of similarity sets and of each set."""
    columns = {"mean": [evaluation.mean_similarity for evaluation in found]}
    for scores in zip(*(evaluation.scores for evaluation in found), strict=True):
        if scores[0].measure != "3CosMul":
            columns[scores[0].name] = [score.value for score in scores]
    return " | ".join(
        f"{name} {statistics.mean(values):.3f} ± {statistics.stdev([*values, values[0]][: max(2, len(values))]):.3f}"
        for name, values in columns.items()
    )


Found = dict[str, list[Evaluation]]


def score(name: str, settings: dict[str, Any], corpus: Corpus, data: Path, found: Found) -> None:
    """Train one model, score W and W + C, and print what is known so far."""
    model: Any = MODELS[name](**settings).fit(corpus)
    print(f"  seed {settings['seed']}: loss {model.losses_[-1]['loss']:.5f}", flush=True)
    for combine, evaluations in found.items():
        evaluations.append(evaluate(model.vectors(combine), data=data, resamples=1))
        print(f"  {combine}: {figures(evaluations)}", flush=True)


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", nargs="+", default=["lexvec", "sgns"])
    parser.add_argument("--rules", nargs="+", default=["8388608:None", "None:None"])
    parser.add_argument("--dim", type=int, default=100)
    parser.add_argument("--subsample", type=float, default=1e-4)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--data", type=Path, help="folder of evaluation sets")
    arguments = parser.parse_args()
    corpus = Corpus.load(arguments.corpus)
    print(corpus, flush=True)
    runs = list(itertools.product(arguments.models, arguments.rules))
    found: dict[tuple[str, str], Found] = {run: {"word": [], "sum": []} for run in runs}
    for seed, run in itertools.product(range(1, arguments.seeds + 1) if arguments.data else [1], runs):
        print(*run, flush=True)
        settings = {
            "dim": arguments.dim,
            "subsample": arguments.subsample,
            "threads": 2,
            "seed": seed,
            **parsed(run[1]),
        }
        if arguments.data:
            score(run[0], settings, corpus, arguments.data, found[run])
        else:
            print(f"  {timed(run[0], settings, corpus)}", flush=True)


if __name__ == "__main__":
    main()
