"""Digests of all that is computed from small fixed corpora: ``python benchmarks/digests.py [SOURCE]``.

Prints JSON, name → digest. Only the public Python API and the command line are used, so that this script runs on other
revisions of the package too (see ``benchmarks/bits.py --against``). With SOURCE, the package must be in this folder.
"""

import gzip
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from digest_material import DUMP, PROSE, BitsError, digest, learned, named, require_same, sentences
from digest_vectors import vector_digests
from digest_ways import command_digests, disk_digests, resume_and_worker_digests

import lexvec
from lexvec import PPMISVD, SGNS, Associator, CooccurrenceCounter, Corpus, CorpusBuilder, GloVe, LexVec, Model

THREADS = (1, 3)
_COMMON: dict[str, Any] = {"dim": 20, "subsample": 3e-3, "seed": 5}
_PAIRS: dict[str, Any] = {**_COMMON, "epochs": 2, "negative": 3}
_SCHEMES: dict[str, dict[str, Any]] = {
    "fasttext": {"subwords": "ngrams"},
    "fasttext shared gradient": {"subwords": "ngrams", "buckets": 300, "subword_gradient": "shared"},
    "lexvec": {"subwords": "ngrams", "subword_scheme": "lexvec", "buckets": 300},
    "floret": {"subwords": "ngrams", "subword_scheme": "floret", "buckets": 300, "hash_count": 3},
}
MODELS: dict[str, Model] = {
    **{
        f"lexvec {variant} ws_{sampling}": LexVec(
            **_PAIRS, variant=variant, window_sampling=sampling, sampling_window=5
        )
        for variant in ("stochastic", "minibatch")
        for sampling in ("ppmi", "sgns")
    },
    **{
        f"lexvec {variant} positional": LexVec(**_PAIRS, variant=variant, contexts="positional")
        for variant in ("stochastic", "minibatch")
    },
    **{f"lexvec subwords {name}": LexVec(**_PAIRS, **scheme) for name, scheme in _SCHEMES.items()},
    **{f"sgns subwords {name}": SGNS(**_PAIRS, window=4, **scheme) for name, scheme in _SCHEMES.items()},
    "lexvec subwords positional": LexVec(**_PAIRS, subwords="ngrams", contexts="positional"),
    "lexvec clipped_pmi raw noise": LexVec(**_PAIRS, measure="clipped_pmi", noise_counts="raw"),
    "lexvec noise of pairs, random windows": LexVec(
        **_PAIRS, noise_counts="pairs", window=4, window_kind="random", keep_rule="word2vec", subsampling="clean"
    ),
    "lexvec left, harmonic": LexVec(**_PAIRS, side="left", window=4, window_kind="harmonic", noise_power=0.5),
    "lexvec without noise": LexVec(**{**_PAIRS, "negative": 0}, measure="npmi"),
    "lexvec independent noise": LexVec(**_PAIRS, noise="independent"),
    "lexvec minibatch independent noise": LexVec(**_PAIRS, noise="independent", variant="minibatch"),
    "lexvec short units": LexVec(**_PAIRS, unit_pairs=2048, parts=4),
    "lexvec cells above": LexVec(**_PAIRS, cells="above", threshold=0.5),
    "lexvec cells up to": LexVec(**_PAIRS, cells="up_to", threshold=0.5, measure="shifted_ppmi"),
    "sgns": SGNS(**_PAIRS, window=4),
    "sgns independent noise": SGNS(**_PAIRS, window=4, noise="independent", parts=4),
    "sgns paper's keep rule": SGNS(**_PAIRS, window=7, keep_rule="paper"),
    "sgns right": SGNS(**_PAIRS, window=3, side="right", unit_pairs=2048),
    "glove": GloVe(dim=20, seed=5, epochs=3),
    "glove subsampled": GloVe(**_COMMON, epochs=2, window=3, x_max=10, bias_rate=0.05),
    "glove positional": GloVe(**_COMMON, epochs=2, window=3, contexts="positional", beta=0.5, parts=4),
    "ppmi-svd dense": PPMISVD(**_COMMON),
    "ppmi-svd dense positional": PPMISVD(**_COMMON, contexts="positional"),
    "ppmi-svd krylov": PPMISVD(**_COMMON, iterations=3, power=0),
}
COUNTERS = {
    "fixed": CooccurrenceCounter(window=3, subsample=3e-3, seed=5),
    "random": CooccurrenceCounter(window=5, window_kind="random", subsample=3e-3, seed=5),
    "harmonic": CooccurrenceCounter(window=4, window_kind="harmonic", subsample=0, seed=5),
    "clean": CooccurrenceCounter(window=2, subsample=3e-3, subsampling="clean", seed=5),
    "left": CooccurrenceCounter(window=2, subsample=3e-3, side="left", seed=5),
    "positional": CooccurrenceCounter(window=2, subsample=3e-3, contexts="positional", seed=5),
}
#: Each measure, and other parameters of those that have some.
MEASURES: dict[str, dict[str, Any]] = {
    **{measure: {"measure": measure} for measure in sorted(lexvec.MEASURES)},
    "ppmi smoothed": {"measure": "ppmi", "smoothing": 0.5, "normaliser": "smoothed"},
    "shifted_ppmi 2": {"measure": "shifted_ppmi", "shift": 2.0},
    "clipped_pmi -1": {"measure": "clipped_pmi", "floor": -1.0},
}
BUILDERS: dict[str, dict[str, Any]] = {
    "defaults": {},
    "lines": {"sentences_by": "lines", "numbers": "cardinal", "lowercase": False},
    "paragraphs": {"sentences_by": "paragraphs", "numbers": "keep", "apostrophes": "keep", "hyphens": "keep"},
    "tokens": {"punctuation": "keep", "numbers": "remove", "max_vocab": 20},
    "joined": {"apostrophes": "join", "hyphens": "join", "numbers": "remove"},
}


def corpus_digest(corpus: Corpus) -> str:
    """A digest of ids, sentences, words and counts."""
    vocabulary = corpus.vocabulary
    return digest(corpus.ids, corpus.offsets, vocabulary.counts, *(word.encode() for word in vocabulary.words))


def corpora() -> dict[str, Corpus]:
    """A small corpus, and one with enough words for PPMI-SVD's iterative solver."""
    builder = CorpusBuilder(min_count=2)
    return {"small": builder.build(sentences(700, 1500)), "large": builder.build(sentences(4000, 3000))}


def text_digests(folder: Path, threads: int) -> dict[str, str]:
    """Corpora read from text, compressed text and a dump, by several rules."""
    files = {"text": folder / "prose.txt", "compressed": folder / "prose.txt.gz", "dump": folder / "dump.xml"}
    files["text"].write_bytes(PROSE.encode() * 50)
    files["compressed"].write_bytes(gzip.compress(PROSE.encode() * 50, mtime=0))
    files["dump"].write_bytes(DUMP.encode())
    return {
        f"corpus from {source}, {name}": corpus_digest(CorpusBuilder(min_count=1, threads=threads, **rules).build(path))
        for source, path in files.items()
        for name, rules in BUILDERS.items()
    }


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
    made = {name: Associator(**given, threads=threads).associate(counts) for name, given in MEASURES.items()}
    return {f"association {name}": digest(one.indptr, one.indices, one.data) for name, one in made.items()}


def model_digests(corpora: dict[str, Corpus], folder: Path, threads: int) -> dict[str, str]:
    """All that every model learns, and its losses."""
    digests: dict[str, str] = {}
    for name, model in MODELS.items():
        model.set_params(threads=threads)
        corpus = corpora["large" if "krylov" in name else "small"]
        digests |= named(name, learned(model.fit(corpus, folder / f"{name}, {threads}")))
    return digests


def stage_digests(folder: Path) -> dict[str, str]:
    """Every stage and model with each number of threads, which must agree."""
    made = corpora()
    found = [
        text_digests(folder, threads)
        | data_digests(made["small"], threads)
        | association_digests(made["small"], threads)
        | model_digests(made, folder, threads)
        for threads in THREADS
    ]
    require_same(f"{THREADS[1]} threads against {THREADS[0]}", found[1], found[0])
    return found[0] | vector_digests(made["small"], folder)


def main() -> None:
    """Print all digests."""
    if sys.argv[1:] and not Path(lexvec.__file__).is_relative_to(Path(sys.argv[1]).resolve()):
        sys.exit(f"lexvec was imported from {lexvec.__file__}: set PYTHONPATH to {sys.argv[1]}")
    with tempfile.TemporaryDirectory(prefix="lexvec-digests-") as name:
        folder = Path(name)
        try:
            digests = (
                stage_digests(folder) | disk_digests() | resume_and_worker_digests(folder) | command_digests(folder)
            )
        except BitsError as error:
            sys.exit(str(error))
    print(json.dumps(digests, indent=1))


if __name__ == "__main__":
    main()
