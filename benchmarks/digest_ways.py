"""Digests of training in other ways: from disk, stopped and resumed, with workers, from the command line.

The bits must not depend on the way, so a way that differs from training in memory is an error. See ``digests.py``.
"""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from digest_material import BitsError, digest, digest_bytes, even_sentences, learned, named, require_same, sentences

from lexvec import (
    PPMISVD,
    SGNS,
    Associator,
    CooccurrenceCounter,
    Corpus,
    CorpusBuilder,
    GloVe,
    LexVec,
    LexvecError,
    Model,
)

WORKERS = 2
_DENSE: dict[str, Any] = {"window": 10, "dim": 8, "threads": 2, "seed": 5}
_SHORT: dict[str, Any] = {"dim": 20, "epochs": 3, "seed": 5}
_DRAWN: dict[str, Any] = {**_SHORT, "subsample": 3e-3}
#: Models, and limits of memory to train them in beside the smallest possible one: these keep less on disk.
ON_DISK: dict[str, tuple[Model, list[str]]] = {
    "lexvec": (LexVec(**{**_DENSE, "dim": 100}, subsample=0, epochs=1, negative=3), ["60MB"]),
    "lexvec of some cells": (LexVec(**_DENSE, subsample=0, epochs=1, cells="above", threshold=1.0), []),
    "sgns": (SGNS(dim=300, window=2, subsample=0, epochs=1, threads=2, seed=5), []),
    "glove": (GloVe(**{**_DENSE, "dim": 100}, epochs=1), ["85MB"]),
    "ppmi-svd": (PPMISVD(**_DENSE, subsample=0, iterations=3), ["50MB"]),
}
#: Models that are stopped in their second epoch and resumed. Two workers train those without subwords, too.
RESUMED: dict[str, Model] = {
    "lexvec": LexVec(**_DRAWN),
    "lexvec minibatch positional": LexVec(**_DRAWN, variant="minibatch", contexts="positional"),
    "lexvec ngrams": LexVec(**_DRAWN, subwords="ngrams"),
    "sgns": SGNS(**_DRAWN, window=4),
    "sgns ngrams": SGNS(**_DRAWN, window=4, subwords="ngrams"),
    "glove": GloVe(**_SHORT),
}


class Watcher:
    """A progress that keeps notes, and interrupts at the third step after the first epoch."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.armed, self.steps = False, 0

    @contextmanager
    def stage(self, name: str, total: int | None, unit: str) -> Iterator["Watcher"]:
        del name, total, unit
        yield self

    def advance(self, amount: int, note: str = "") -> None:
        del amount, note
        self.steps += self.armed
        if self.steps == 3:
            raise KeyboardInterrupt

    def note(self, text: str, level: int = 0) -> None:
        del level
        self.notes.append(text)

    def arm(self, epoch: int, losses: dict[str, float]) -> None:
        del epoch, losses
        self.armed = True


def like(model: Any, **changes: Any) -> Any:
    """An unfitted model with the same parameters but for ``changes``."""
    return type(model)(**{**model.get_params(), **changes})


def matrix_of(model: Any, corpus: Corpus) -> Any:
    """The matrix that a model learns from; None for SGNS."""
    if isinstance(model, SGNS):
        return None
    counter = CooccurrenceCounter(
        window=model.window, window_kind=model.window_kind, subsample=model.subsample or 0, seed=model.seed
    )
    counts = counter.count(corpus)
    return counts if isinstance(model, GloVe) else Associator(measure=model.measure).associate(counts)


def least_memory(work: Callable[[Any], object]) -> str:
    """The least memory that suffices, as the error says."""
    try:
        work(1000)
    except LexvecError as error:
        if advice := re.search(r"use at least (\d+MB)", str(error)):
            return advice[1]
        raise
    raise BitsError("1,000 bytes of memory were enough; use more data")


def fit_digests_on_disk(name: str, model: Model, corpus: Corpus, limits: list[str]) -> dict[str, str]:
    """What a model learns in memory, after it was compared with what it learns on disk."""
    matrix = matrix_of(model, corpus)
    plain = learned(like(model).fit(corpus, matrix=matrix))
    for limit in (*limits, least_memory(lambda memory: like(model, memory=memory).fit(corpus, matrix=matrix))):
        watcher = Watcher()
        found = learned(like(model, memory=limit).fit(corpus, matrix=matrix, progress=watcher))
        if not any("on disk" in note for note in watcher.notes):
            raise BitsError(f"{name} kept nothing on disk within {limit}: {watcher.notes}; use a smaller limit")
        require_same(f"{name} within {limit}", found, plain)
    return plain


def disk_digests() -> dict[str, str]:
    """Counts, matrix, cells, basis and rows on disk."""
    corpus = CorpusBuilder(min_count=1).build(even_sentences(4000, 6000))
    digests: dict[str, str] = {}
    for name, (model, limits) in ON_DISK.items():
        digests |= named(f"{name} on disk", fit_digests_on_disk(name, model, corpus, limits))

    def counted(memory: Any) -> dict[str, str]:
        found = CooccurrenceCounter(window=10, subsample=0, threads=2, memory=memory).count(corpus)
        return {"counts on disk": digest(found.indptr, found.indices, found.data)}

    plain = counted(None)
    require_same("counts", counted(least_memory(counted)), plain)
    return digests | plain


def resumed(name: str, model: Any, corpus: Corpus, folder: Path) -> dict[str, str]:
    """What a model learns that is stopped amid its second epoch and resumed with another number of threads."""
    watcher = Watcher()
    try:
        like(model, threads=2, checkpoint_every=0).fit(corpus, folder, progress=watcher, callbacks=[watcher.arm])
    except KeyboardInterrupt:
        return learned(like(model, threads=1).fit(None, folder, resume=True))
    raise BitsError(f"{name} was not stopped; train it for longer")


def resume_and_worker_digests(folder: Path) -> dict[str, str]:
    """Models that are resumed, or trained by workers: from a corpus, and one from text."""
    text = folder / "text.txt"
    text.write_text("".join(" ".join(sentence) + "\n" for sentence in sentences(700, 3000)), encoding="utf-8")
    builder = CorpusBuilder(min_count=2, numbers="keep")
    corpus = builder.build(text, folder / "corpus")
    digests: dict[str, str] = {}
    plain = {}
    for name, model in RESUMED.items():
        plain[name] = learned(like(model).fit(corpus))
        require_same(f"{name}, resumed", resumed(name, model, corpus, folder / f"resumed {name}"), plain[name])
        digests |= named(f"{name} resumed", plain[name])
    for name, model in RESUMED.items():
        if "ngrams" not in name:
            found = learned(like(model, threads=1).fit(corpus, folder / f"workers {name}", engine=WORKERS))
            require_same(f"{name} with workers", found, plain[name])
    found = learned(like(RESUMED["lexvec"], threads=1).fit(text, folder / "text", builder=builder, engine=WORKERS))
    require_same("lexvec with workers, from text", found, plain["lexvec"])
    return digests


def command_digests(folder: Path) -> dict[str, str]:
    """Every stage from the command line."""
    text = folder / "lines.txt"
    text.write_text("".join(" ".join(sentence) + "\n" for sentence in sentences(300, 600)), encoding="utf-8")

    def run(line: str) -> bytes:
        command = [sys.executable, "-m", "lexvec", *line.split()]
        return subprocess.run(command, cwd=folder, env=dict(os.environ), check=True, stdout=subprocess.PIPE).stdout

    run("corpus lines.txt -o words --min-count 2 --numbers keep -q")
    run("count words -o counts --subsample 3e-3 -q")
    run("associate counts -o matrix -q")
    run("train words --matrix matrix -o model --subsample 3e-3 --dim 20 --epochs 2 -q")
    run("train lines.txt -o small --model sgns --min-count 2 --dim 20 --epochs 2 --threads 1 -q")
    run("convert model vectors.txt --combine sum -q")
    run("embed model lines.txt -o lines.npy -q")
    printed = {"neighbors": digest_bytes(run("neighbors model w1 w2 --json -q"))}
    files = ("words/ids.npy", "counts/data.npy", "matrix/data.npy", "model/W.npy", "model/C.npy", "small/W.npy")
    written = {name: digest_bytes((folder / name).read_bytes()) for name in (*files, "vectors.txt", "lines.npy")}
    return named("command", printed | written)
