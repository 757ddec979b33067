"""Units of work: ``python benchmarks/units.py CORPUS [--models sgns] [--rules 8388608:64 128w:64] [--data DIR]``.

A rule is ``UNIT_PAIRS:PARTS`` (None: the default; ``128w``: 128 pairs per word). How many pairs are drawn at once
decides how often each row comes from memory, from disk or from another machine; does it cost scores, and is it as fast?
Without ``--data`` it times an epoch. With it, models are trained with several seeds and scored on the sets in DIR: each
run, and then the mean over seeds ± its standard deviation, W and W + C. All rules of a seed share one matrix.
"""

import argparse
import itertools
import json
import statistics
import time
from pathlib import Path
from typing import Any
from unittest import mock

from lexvec import MODELS, Corpus, Evaluation, evaluate
from lexvec.engine.schedule import State
from lexvec.engine.training import Training
from lexvec.progress import resolved


def parsed(rule: str, words: int) -> dict[str, Any]:
    """Return the parameters of a rule for so many words."""
    pairs, parts = rule.split(":")
    unit_pairs = int(pairs[:-1]) * words if pairs.endswith("w") else _whole(pairs)
    return {"unit_pairs": unit_pairs, "parts": _whole(parts)}


def _whole(number: str) -> int | None:
    return None if number == "None" else int(number)


def timed(model: Any, corpus: Corpus, matrix: Any) -> str:
    """Return how long one epoch took."""
    stamps: list[float] = []
    epoch = Training._epoch

    def measured(self: Training, state: State) -> None:
        stamps.append(time.perf_counter())
        epoch(self, state)
        stamps.append(time.perf_counter())

    with mock.patch.object(Training, "_epoch", measured):
        model.fit(corpus, matrix=matrix)
    seconds, pairs = stamps[1] - stamps[0], model.losses_[0]["pairs"]
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


def score(model: Any, corpus: Corpus, matrix: Any, data: Path, found: Found) -> None:
    """Train one model, and score W and W + C."""
    model.fit(corpus, matrix=matrix)
    print(f"  seed {model.seed}: loss {model.losses_[-1]['loss']:.5f}", flush=True)
    for combine, evaluations in found.items():
        evaluations.append(evaluate(model.vectors(combine), data=data, resamples=1))
        print(f"  {combine}: {figures(evaluations[-1:])}", flush=True)


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--models", nargs="+", default=["lexvec", "sgns"])
    parser.add_argument("--rules", nargs="+", default=["8388608:None", "None:None"])
    parser.add_argument("--parameters", type=json.loads, default={"dim": 100, "subsample": 1e-4, "threads": 2})
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--data", type=Path, help="folder of evaluation sets")
    arguments = parser.parse_args()
    corpus = Corpus.load(arguments.corpus)
    print(corpus, flush=True)
    found: dict[tuple[str, str], Found] = {}
    for seed, name in itertools.product(arguments.seeds if arguments.data else [1], arguments.models):
        settings = {**arguments.parameters, "seed": seed}
        recipe = MODELS[name](**settings).recipe
        matrix = recipe.make(corpus, None, resolved(False, __name__)) if recipe else None
        for rule in arguments.rules:
            print(name, rule, flush=True)
            model: Any = MODELS[name](**settings, **parsed(rule, len(corpus.vocabulary)))
            if arguments.data:
                scores = found.setdefault((name, rule), {"word": [], "sum": []})
                score(model, corpus, matrix, arguments.data, scores)
            else:
                model.set_params(epochs=1)
                print(f"  {timed(model, corpus, matrix)}", flush=True)
    for (name, rule), scores in found.items():
        for combine, evaluations in scores.items():
            print(name, rule, combine, figures(evaluations))


if __name__ == "__main__":
    main()
