"""What changes the bits, and by how much: ``python benchmarks/bits.py TEXT [--python PYTHON]...``.

``python benchmarks/bits.py --against REVISION`` compares this tree with another revision instead: both compute
every digest of ``digests.py`` on this machine, and any difference is an error.

Trains every model on TEXT in several surroundings (threads, a plainer processor, other versions by way of other
interpreters that have lexvec's dependencies) and with another seed, and tells which files are the same as those of the
first run. Where vectors differ: the share of the ten nearest neighbours of a thousand words that both have.
"""

import argparse
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import numpy as np

import lexvec
from lexvec import WordVectors

MODELS = {
    "lexvec": ["--subsample", "1e-4", "--epochs", "2"],
    "sgns": ["--subsample", "1e-4", "--epochs", "2"],
    "glove": ["--epochs", "3"],
    "ppmi-svd": ["--subsample", "1e-4"],
}
FILES = ["corpus/ids.npy", "counts/data.npy", "matrix/data.npy", *(f"{model}/W.npy" for model in MODELS)]
SURROUNDINGS: dict[str, tuple[dict[str, str], list[str]]] = {
    "one thread": ({}, ["--threads", "1"]),
    "one thread of BLAS": ({"OPENBLAS_NUM_THREADS": "1"}, []),
    "haswell": ({"NUMBA_CPU_NAME": "haswell"}, []),
    "any x86-64": ({"NUMBA_CPU_NAME": "generic"}, []),
    "another seed": ({}, ["--seed", "2"]),
}


def make(folder: Path, text: Path, python: str, settings: dict[str, str], flags: list[str]) -> None:
    """All folders of one surrounding."""
    folder.mkdir()
    source = str(Path(lexvec.__file__).parents[1])
    environment = {**os.environ, **settings, "PYTHONPATH": source}

    def run(*arguments: str) -> None:
        subprocess.run([python, "-m", "lexvec", *arguments, "-q"], cwd=folder, env=environment, check=True)

    threads = flags if flags[:1] == ["--threads"] else []
    run("corpus", str(text), "-o", "corpus", "--min-count", "5", *threads)
    run("count", "corpus", "-o", "counts", "--subsample", "1e-4", *threads)
    run("associate", "counts", "-o", "matrix", *threads)
    for model, own in MODELS.items():
        run("train", "corpus", "-o", model, "--model", model, "--dim", "100", *own, *flags)


def shared_neighbors(one: WordVectors, other: WordVectors) -> float:
    """The share of the ten nearest neighbours that two have in common, over words of middling frequency."""
    words = one.words[100:1100]
    found = [[{word for word, _ in near} for near in vectors.neighbors(words, count=10)] for vectors in (one, other)]
    return float(np.mean([len(a & b) / 10 for a, b in zip(*found, strict=True)]))


def told(first: Path, other: Path, file: str) -> str:
    """How a file differs."""
    if (first / file).read_bytes() == (other / file).read_bytes():
        return "same"
    model = Path(file).parent
    if str(model) not in MODELS:
        return "differs"
    return f"differs ({shared_neighbors(WordVectors.load(first / model), WordVectors.load(other / model)):.1%})"


def digests_of(source: Path) -> dict[str, str]:
    """The digests that the package in this folder computes."""
    script = Path(__file__).with_name("digests.py")
    environment = {**os.environ, "PYTHONPATH": str(source)}
    done = subprocess.run([sys.executable, script, source], env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"no digests of {source}: see the error above")
    return dict(json.loads(done.stdout))


def compare_with(revision: str) -> None:
    """Exit with an error if any digest differs from that of another revision."""
    root = Path(__file__).parents[1]
    with tempfile.TemporaryDirectory(prefix="lexvec-revision-") as folder:
        archive = subprocess.run(["git", "-C", root, "archive", revision, "src"], check=True, stdout=subprocess.PIPE)
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as packed:
            packed.extractall(folder, filter="data")
        before = digests_of(Path(folder, "src"))
    now = digests_of(root / "src")
    differing = [name for name in before | now if before.get(name) != now.get(name)]
    for name in differing:
        print(f"differs from {revision}: {name}")
    print(f"{len(before | now) - len(differing)} of {len(before | now)} digests are those of {revision}")
    sys.exit(bool(differing))


def main() -> None:
    """Compare all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("text", type=Path, nargs="?")
    parser.add_argument("--python", action="append", default=[], help="another interpreter to compare with")
    parser.add_argument("--against", metavar="REVISION", help="compare with this revision of the repository")
    given = parser.parse_args()
    if given.against:
        compare_with(given.against)
    if given.text is None:
        parser.error("give a TEXT or --against REVISION")
    with tempfile.TemporaryDirectory(prefix="lexvec-benchmark-") as temporary:
        first = Path(temporary, "first")
        make(first, given.text.resolve(), sys.executable, {}, [])
        runs = {name: (sys.executable, *how) for name, how in SURROUNDINGS.items()}
        others: dict[str, tuple[str, dict[str, str], list[str]]] = {name: (name, {}, []) for name in given.python}
        for number, (name, (python, settings, flags)) in enumerate({**runs, **others}.items()):
            folder = Path(temporary, f"other-{number}")
            make(folder, given.text.resolve(), python, settings, flags)
            print(f"{name}: " + ", ".join(f"{file} {told(first, folder, file)}" for file in FILES), flush=True)


if __name__ == "__main__":
    main()
