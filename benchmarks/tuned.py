"""Retrain what searches found, beside the defaults: ``python benchmarks/tuned.py SEARCH... -o tuned.toml --dim 300``.

SEARCH is a folder of ``lexvec tune``. The result is a preset for ``lexvec reproduce``, with a row for the best
parameters of each search and one for the defaults of the preset ``small``:

    lexvec reproduce TEXT -o DIR --preset tuned.toml --seeds 3
    python benchmarks/tuned.py SEARCH --score DIR

The last command prints the scores of these models on the items that no search has seen, as Markdown: the mean over
seeds ± standard deviation, for W and W + C.
"""

import argparse
import json
import statistics
from collections import defaultdict
from pathlib import Path
from typing import Any

from lexvec import Model, evaluate
from lexvec.lab.workspace import SEED_SUFFIX
from lexvec.trained import Combine

# Runs of the preset `small` with the defaults, by model and, for LexVec, variant.
DEFAULTS = {
    "lexvec stochastic": ("LexVec + St.", "lexvec-st-ws_ppmi"),
    "lexvec minibatch": ("LexVec + MB", "lexvec-mb-ws_ppmi"),
    "sgns": ("SGNS", "sgns"),
    "glove": ("GloVe", "glove"),
    "ppmi-svd": ("PPMI-SVD", "ppmi-svd"),
}


def table(heading: str, values: dict[str, Any]) -> str:
    """Return a TOML table; parameters that are None keep their defaults."""
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items() if value is not None]
    return "\n".join([heading, *lines, ""])


def rows_of(search: Path, dim: int) -> list[str]:
    """Return the tuned run of a search, and its two rows."""
    found = json.loads((search / "report.json").read_text())
    parameters = {name: value for name, value in found["best"]["parameters"].items() if name not in ("seed", "dim")}
    label, run = DEFAULTS[" ".join(filter(None, (found["model"], parameters.get("variant"))))]
    tuned = f"{run}-tuned"
    return [
        table(f"[runs.{tuned}]", {"label": f"{label}, tuned", "model": found["model"], "dim": dim, **parameters}),
        table("[[rows]]", {"label": f"{label}, defaults", "run": run, "combine": found["combine"]}),
        table("[[rows]]", {"label": f"{label}, tuned", "run": tuned, "combine": found["combine"]}),
    ]


def scores_of(model: Path, combine: Combine, sets: list[Path]) -> dict[str, float]:
    """Return the mean similarity and the accuracy of 3CosAdd, with the mean of both as the searches maximise it."""
    scores = evaluate(Model.load(model).vectors(combine), sets=sets, progress=False).scores
    similarity = statistics.mean(score.value for score in scores if score.kind == "similarity")
    analogy = statistics.mean(score.value for score in scores if score.kind == "analogy")
    single = {score.name: score.value for score in scores if score.measure != "3CosMul"}
    return {"objective": (similarity + analogy) / 2, "similarity": similarity, "analogy": analogy, **single}


def print_scores(search: Path, folder: Path) -> None:
    """Print a row for each run and its vectors."""
    sets = sorted((search / "sets" / "test").iterdir())
    found: dict[tuple[str, Combine], list[dict[str, float]]] = defaultdict(list)
    for model in sorted(path for path in (folder / "models").iterdir() if (path / "meta.json").exists()):
        vectors: tuple[Combine, ...] = ("word", "sum")
        for combine in vectors:
            found[SEED_SUFFIX.sub("", model.name), combine].append(scores_of(model, combine, sets))
    columns = list(next(iter(found.values()))[0])
    print(f"| run | vectors | {' | '.join(columns)} |\n|---|---|{'---|' * len(columns)}")
    for (run, combine), seeds in found.items():
        cells = []
        for column in columns:
            values = [seed[column] for seed in seeds]
            spread = f" ± {statistics.stdev(values):.3f}" if len(values) > 1 else ""
            cells.append(f"{statistics.mean(values):.3f}{spread}")
        print(f"| {run} | {'W' if combine == 'word' else 'W + C'} | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("searches", nargs="+", type=Path, metavar="SEARCH")
    parser.add_argument("--output", "-o", type=Path, default=Path("tuned.toml"), metavar="FILE")
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--score", type=Path, metavar="DIR", help="score the models of an experiment instead")
    arguments = parser.parse_args()
    if arguments.score:
        print_scores(arguments.searches[0], arguments.score)
        return
    defaults = [table(f"[models.{model}]", {"dim": arguments.dim}) for model in ("lexvec", "sgns", "glove", "ppmi-svd")]
    tables = [part for search in arguments.searches for part in rows_of(search, arguments.dim)]
    arguments.output.write_text("\n".join(['extends = "small"\n', *defaults, *tables]))


if __name__ == "__main__":
    main()
