"""Retrain what searches found, beside the defaults: ``python benchmarks/tuned.py SEARCH... -o tuned.toml --dim 300``.

SEARCH is a folder of ``lexvec tune``. The result is a preset for ``lexvec reproduce``, with a row for the best
parameters of each search and one for the defaults of the preset ``small``:

    lexvec reproduce TEXT -o DIR --preset tuned.toml --seeds 3
    lexvec reproduce TEXT -o DIR --preset tuned.toml --seeds 3 --data SEARCH/sets/test

The second command finds the models of the first, and scores them on the items that no search has seen.
"""

import argparse
import json
from pathlib import Path
from typing import Any

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("searches", nargs="+", type=Path, metavar="SEARCH")
    parser.add_argument("--output", "-o", type=Path, required=True, metavar="FILE")
    parser.add_argument("--dim", type=int, default=300)
    arguments = parser.parse_args()
    defaults = [table(f"[models.{model}]", {"dim": arguments.dim}) for model in ("lexvec", "sgns", "glove", "ppmi-svd")]
    tables = [part for search in arguments.searches for part in rows_of(search, arguments.dim)]
    arguments.output.write_text("\n".join(['extends = "small"\n', *defaults, *tables]))


if __name__ == "__main__":
    main()
