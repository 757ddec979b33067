"""What the tests of searches share: a tiny corpus with topics, pairs of its words, and a finished search."""

from pathlib import Path
from typing import Any

import planted
import pytest

from lexvec import Corpus
from lexvec.lab import Objective, Tuned, Tuner
from lexvec.lab.trials import Outcome

FIXED = {"dim": 4, "subsample": 0.0, "epochs": 2}
SEARCHED = ["window=1..4", "learning_rate=0.01..0.2:log", "variant"]
OBJECTIVE = Objective({"own": 1.0})


def scored(value: float, name: str = "own") -> Outcome:
    """Return the outcome of a trial whose words have this score."""
    return Outcome(value, "word", {"word": {name: value}})


def search(folder: Path, corpus: Any, pairs: Path, trials: int = 4, **more: Any) -> Tuned:
    """Search parameters of LexVec; ``more`` replaces arguments of `Tuner` and of its method."""
    options: dict[str, Any] = {
        "fixed": FIXED,
        "searched": SEARCHED,
        "objective": [str(pairs)],
        "progress": False,
    } | more
    parameters = {name: options.pop(name) for name in ("workers", "prune", "seed") if name in options}
    return Tuner(trials=trials, threads=1, **parameters).tune("lexvec", corpus, folder, **options)


@pytest.fixture(scope="module")
def topics() -> Corpus:
    return planted.corpus(200)


@pytest.fixture(scope="module")
def topic_pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sets") / "topics.txt"
    words = [(topic, word) for topic in range(6) for word in range(4)]
    lines = [
        f"t{a}w{b} t{c}w{d} {10 * (a == c) + (b + d) / 10}\n"
        for place, (a, b) in enumerate(words)
        for c, d in words[place + 1 :]
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, topics: Corpus, topic_pairs: Path) -> tuple[Path, Tuned]:
    folder = tmp_path_factory.mktemp("search") / "work"
    return folder, search(folder, topics, topic_pairs)
