"""Digests of everything that training computes from one small fixed corpus: ``python benchmarks/digests.py``.

Prints JSON, name → digest. Only public names are used, so that the same script runs on an older revision
(see ``benchmarks/bits.py --against``).
"""

import hashlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lexvec import PPMISVD, SGNS, Associator, CooccurrenceCounter, Corpus, CorpusBuilder, GloVe, LexVec, Model

THREADS = (1, 3)
_COMMON: dict[str, Any] = {"dim": 20, "subsample": 3e-3, "seed": 5}
_PAIRS: dict[str, Any] = {**_COMMON, "epochs": 2, "negative": 3}
MODELS: dict[str, Model] = {
    **{
        f"lexvec {variant} ws_{sampling}": LexVec(
            **_PAIRS, variant=variant, window_sampling=sampling, sampling_window=5
        )
        for variant in ("stochastic", "minibatch")
        for sampling in ("ppmi", "sgns")
    },
    "lexvec clipped_pmi raw noise": LexVec(**_PAIRS, measure="clipped_pmi", noise_counts="raw"),
    "lexvec without noise": LexVec(**{**_PAIRS, "negative": 0}, measure="npmi"),
    "lexvec independent noise": LexVec(**_PAIRS, noise="independent"),
    "sgns": SGNS(**_PAIRS, window=4),
    "sgns independent noise": SGNS(**_PAIRS, window=4, noise="independent", parts=4),
    "sgns paper's keep rule": SGNS(**_PAIRS, window=7, keep_rule="paper"),
    "glove": GloVe(dim=20, seed=5, epochs=3),
    "glove subsampled": GloVe(**_COMMON, epochs=2, window=3, x_max=10, bias_rate=0.05),
    "ppmi-svd dense": PPMISVD(**_COMMON),
    "ppmi-svd krylov": PPMISVD(**_COMMON, iterations=3, power=0),
}
COUNTERS = {
    "fixed": CooccurrenceCounter(window=3, subsample=3e-3, seed=5),
    "random": CooccurrenceCounter(window=5, window_kind="random", subsample=3e-3, seed=5),
    "harmonic": CooccurrenceCounter(window=4, window_kind="harmonic", subsample=0, seed=5),
    "clean": CooccurrenceCounter(window=2, subsample=3e-3, subsampling="clean", seed=5),
    "left": CooccurrenceCounter(window=2, subsample=3e-3, side="left", seed=5),
}
MEASURES = ("ppmi", "pmi", "shifted_ppmi", "clipped_pmi", "npmi", "log_count")


def sentences(words: int, count: int) -> Iterator[list[str]]:
    """Sentences whose words have uneven frequencies; whole numbers only, so the same on every machine."""
    state = 12345
    for _ in range(count):
        sentence = []
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        topic = (state >> 40) % 8
        for _ in range(4 + (state >> 33) % 20):
            state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
            rank = words * (state >> 44) * (state >> 24 & 0xFFFFF) >> 40
            sentence.append(f"w{(rank + topic * words // 8) % words if (state >> 20) % 3 else rank}")
        yield sentence


def digest(*arrays: Any) -> str:
    """A short digest of the bytes of arrays."""
    seen = hashlib.sha256()
    for array in arrays:
        whole = np.ascontiguousarray(array)
        seen.update(f"{whole.dtype.str} {whole.shape}".encode())
        seen.update(whole.tobytes())
    return seen.hexdigest()[:16]


def corpora() -> dict[str, Corpus]:
    """A small corpus, and one with enough words for PPMI-SVD's iterative solver."""
    builder = CorpusBuilder(min_count=2)
    return {"small": builder.build(sentences(700, 1500)), "large": builder.build(sentences(4000, 3000))}


def data_digests(corpus: Corpus, threads: int) -> dict[str, str]:
    """The corpus and all counts: whole numbers and their quotients, so the same on every machine."""
    digests = {"corpus": digest(corpus.ids, corpus.offsets, corpus.vocabulary.counts)}
    for name, counter in COUNTERS.items():
        made = CooccurrenceCounter(**{**counter.get_params(), "threads": threads}).count(corpus)
        parts = (made.indptr, made.indices, made.data, made.row_totals, made.column_totals, made.kept)
        digests[f"counts {name}"] = digest(*parts)
    return digests


def association_digests(corpus: Corpus, threads: int) -> dict[str, str]:
    """Every measure of association. Logarithms differ between processors in the last bit."""
    counts = COUNTERS["fixed"].count(corpus)
    made = {measure: Associator(measure=measure, threads=threads).associate(counts) for measure in MEASURES}
    return {name: digest(matrix.indptr, matrix.indices, matrix.data) for name, matrix in made.items()}


def model_digests(corpora: dict[str, Corpus], threads: int) -> dict[str, str]:
    """All that every model learns, and its losses."""
    digests = {}
    for name, model in MODELS.items():
        model.set_params(threads=threads)
        with tempfile.TemporaryDirectory() as folder:
            model.fit(corpora["large" if "krylov" in name else "small"], Path(folder, "model"))
        for array in ("W", "C", "word_bias", "context_bias", "singular_values"):
            if hasattr(model, f"{array}_"):
                digests[f"{name}: {array}"] = digest(getattr(model, f"{array}_"))
        digests[f"{name}: losses"] = hashlib.sha256(json.dumps(model.losses_).encode()).hexdigest()[:16]
    return digests


def main() -> None:
    """Print all digests; those of 1 and of 3 threads must agree."""
    made = corpora()
    found = [
        data_digests(made["small"], threads)
        | association_digests(made["small"], threads)
        | model_digests(made, threads)
        for threads in THREADS
    ]
    differing = [name for name in found[0] if found[0][name] != found[1][name]]
    if differing:
        sys.exit(f"{THREADS[0]} and {THREADS[1]} threads differ: {', '.join(differing)}")
    print(json.dumps(found[0], indent=1))


if __name__ == "__main__":
    main()
