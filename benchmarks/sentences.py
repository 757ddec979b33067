"""Vectors of sentences on pairs of sentences (STS), beside a plain mean of the same vectors with gensim.

    python benchmarks/sentences.py VECTORS PAIRS.csv

gensim cuts text with ``simple_preprocess`` and takes ``KeyedVectors.get_mean_vector`` without weights, which is what
its documentation offers for sentences. Ours is ``WordVectors.sentences`` with plain means (of our words, of our words
without numbers, and of gensim's words), with SIF weights, and with SIF weights and the first component removed. All use
the same vectors. Intervals and tests are those of
``lexvec.evaluate`` and ``lexvec.compare``.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from gensim.utils import simple_preprocess

from lexvec import Normalizer, WordVectors
from lexvec.evaluation import TASKS
from lexvec.evaluation.bootstrap import Array, generator, interval
from lexvec.evaluation.parsing import parse, read_text
from lexvec.vectors.unit_vectors import cosines_of, unit_vectors

RESAMPLES = 1000


def cosines(rows: npt.NDArray[Any]) -> Array:
    units = unit_vectors(np.asarray(rows, np.float64))
    return np.round(cosines_of(units[::2], units[1::2]), 6)


def gensim_words(texts: list[str]) -> list[list[str]]:
    return [simple_preprocess(text, min_len=1, max_len=100) for text in texts]


def gensim_means(vectors: WordVectors, texts: list[list[str]]) -> Array:
    keyed = vectors.to_gensim()
    means = np.zeros((len(texts), vectors.dim))
    for row, text in enumerate(texts):
        words = [word for word in text if word in keyed]
        if words:
            means[row] = keyed.get_mean_vector(words, pre_normalize=False)
    return means


def main(place: str, pairs: str) -> None:
    vectors = WordVectors.load(place)
    kind, items = parse(read_text(Path(pairs)), pairs)
    task = TASKS[kind]
    texts = [sentence for item in items for sentence in item.words]
    ratings = np.array([item.rating for item in items])
    theirs = gensim_words(texts)
    found: dict[str, npt.NDArray[Any]] = {
        "gensim, plain mean": gensim_means(vectors, theirs),
        "lexvec, mean": vectors.sentences(texts, weights="mean"),
        "lexvec, mean of gensim's words": vectors.sentences(theirs, weights="mean"),
        "lexvec, SIF": vectors.sentences(texts),
        "lexvec, SIF, component removed": vectors.sentences(texts, remove_component=True),
    }
    rules = vectors.normalisation or {}
    if rules.get("punctuation") == "remove":  # else numbers are part of other words
        numberless = Normalizer.of({**rules, "numbers": "remove"})
        found["lexvec, mean without numbers"] = vectors.sentences(texts, weights="mean", normalizer=numberless)
    base = cosines(found["gensim, plain mean"])
    print("| vectors of sentences | Spearman | 95 % interval | difference from gensim |")
    print("|---|---|---|---|")
    for name, rows in found.items():
        outcomes = cosines(rows)
        random = generator(1, name)
        low, high = interval(task.resampled(outcomes, ratings, resamples=RESAMPLES, random=random), 0.95)
        tested = task.paired(base, outcomes, ratings=ratings, resamples=RESAMPLES, random=random)
        below, above = interval(tested.differences, 0.95)
        difference = f"{tested.second - tested.first:+.3f} ({below:+.3f} … {above:+.3f})" if "lexvec" in name else ""
        print(f"| {name} | {task.value(outcomes, ratings):.3f} | {low:.3f} … {high:.3f} | {difference} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
